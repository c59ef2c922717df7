#include "iw_matrix_version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_command.h"
#include "iw_json.h"

enum {
    VERSION_TELL_US = 2000000,  /* then the user is told what the matrix waits for */
    VERSION_WAIT_US = 30000000, /* a command that takes longer has no version */
};

struct version {
    struct matrix_versions *all;
    struct iw_command *command;
    char line[IW_COMMAND_TEXT_OCTETS]; /* the last one */
    bool ended, succeeded;
};

struct matrix_versions {
    const struct iw_matrix_version_config *config;
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
    version->ended = true;
    version->succeeded = end == IW_COMMAND_SUCCEEDED;
    if (--version->all->running == 0)
        iw_loop_stop(version->all->config->loop);
}

static bool version_start(struct version *version, const struct iw_matrix_peer *peer, char *error) {
    const struct iw_matrix_version_config *config = version->all->config;
    const struct iw_matrix_call call = {.here = peer->folder,
        .peer = peer,
        .scenario = &iw_matrix_scenarios[0],
        .host = peer->address,
        .program = config->program};
    const struct iw_command_reader reader = {.line = version_on_line, .user = version};
    char *command = iw_matrix_call_text(&call, peer->version),
         reason[IW_COMMAND_TEXT_OCTETS] = "out of memory";

    if (command != NULL)
        version->command = iw_command_new(config->loop, command, version_on_end, version, reason);
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
    const struct matrix_versions *all = user;

    iw_loop_stop(all->config->loop);
}

static void version_tell_wait(void *user) {
    const struct matrix_versions *all = user;
    const struct iw_matrix_file *file = all->config->file;
    char line[512] = "waiting for the version of";
    size_t used = strlen(line);

    for (size_t i = 0; i < file->count; i++)
        if (all->peers[i].command != NULL && !all->peers[i].ended && used < sizeof line)
            used += (size_t)snprintf(line + used, sizeof line - used, " %s", file->peers[i].name);
    all->config->tell(all->config->user, line);
}

bool iw_matrix_version_ask(const struct iw_matrix_version_config *config, json_t *results, char *error) {
    const struct iw_matrix_file *file = config->file;
    struct matrix_versions *all = calloc(1, sizeof *all);
    struct iw_timer timer = {0}, tell = {0};
    bool started = all != NULL;

    for (size_t i = 0; started && i < file->count; i++) {
        all->config = config;
        all->peers[i].all = all;
        if (file->peers[i].version != NULL)
            started = version_start(&all->peers[i], &file->peers[i], error);
    }
    if (started && all->running > 0) {
        iw_timer_start(&timer, config->loop, VERSION_WAIT_US, version_on_timeout, all);
        iw_timer_start(&tell, config->loop, VERSION_TELL_US, version_tell_wait, all);
        iw_loop_run(config->loop);
        iw_timer_stop(&timer);
        iw_timer_stop(&tell);
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
