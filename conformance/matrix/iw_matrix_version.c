#include "iw_matrix_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_command.h"
#include "iw_json.h"

enum { VERSION_WAIT_US = 30000000 }; /* a command that takes longer has no version */

struct version {
    struct matrix_versions *all;
    struct iw_command *command;
    char line[IW_COMMAND_TEXT_OCTETS]; /* the last one */
    bool succeeded;
};

struct matrix_versions {
    struct iw_loop *loop;
    struct version peers[IW_MATRIX_PEERS_MAX];
    size_t running;
};

static void version_on_line(void *user, const char *line) {
    struct version *version = user;

    snprintf(version->line, sizeof version->line, "%s", line);
}

static void version_on_end(void *user, enum iw_command_end end, const char *text) {
    struct version *version = user;

    (void)text;
    version->succeeded = end == IW_COMMAND_SUCCEEDED;
    if (--version->all->running == 0)
        iw_loop_stop(version->all->loop);
}

static bool version_start(
    struct version *version, const struct iw_matrix_peer *peer, const char *program, char *error) {
    const struct iw_matrix_call call = {.here = peer->folder,
        .peer = peer,
        .scenario = &iw_matrix_scenarios[0],
        .host = peer->address,
        .program = program};
    const struct iw_command_reader reader = {.line = version_on_line, .user = version};
    char *command = iw_matrix_call_text(&call, peer->version),
         reason[IW_COMMAND_TEXT_OCTETS] = "out of memory";

    if (command != NULL)
        version->command = iw_command_new(version->all->loop, command, version_on_end, version, reason);
    free(command);
    if (version->command == NULL) {
        snprintf(error, IW_MATRIX_ERROR_OCTETS, "peer %s: version: %s", peer->name, reason);
        return false;
    }
    iw_command_read(version->command, &reader);
    version->all->running++;
    return true;
}

static void version_on_timeout(void *user) {
    struct matrix_versions *all = user;

    iw_loop_stop(all->loop);
}

bool iw_matrix_version_ask(struct iw_loop *loop, const struct iw_matrix_file *file, const char *program,
    json_t *results, char *error) {
    struct matrix_versions *all = calloc(1, sizeof *all);
    struct iw_timer timer = {0};
    bool started = all != NULL;

    for (size_t i = 0; started && i < file->count; i++) {
        all->loop = loop;
        all->peers[i].all = all;
        if (file->peers[i].version != NULL)
            started = version_start(&all->peers[i], &file->peers[i], program, error);
    }
    if (started && all->running > 0) {
        iw_timer_start(&timer, loop, VERSION_WAIT_US, version_on_timeout, all);
        iw_loop_run(loop);
        iw_timer_stop(&timer);
    }
    for (size_t i = 0; all != NULL && i < file->count; i++) {
        iw_command_free(all->peers[i].command);
        if (all->peers[i].succeeded)
            iw_json_set_text(
                json_array_get(json_object_get(results, "peers"), i), "version", all->peers[i].line);
    }
    free(all);
    return started;
}
