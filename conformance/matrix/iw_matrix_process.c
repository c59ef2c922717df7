#include "iw_matrix_process.h"

#include <errno.h>
#include <string.h>

static void matrix_process_on_output(void *user, const char *octets, size_t count) {
    struct iw_matrix_process *process = user;

    if (process->logged + count <= process->most)
        process->logged += fwrite(octets, 1, count, process->log);
    else
        process->most = process->logged; /* nothing after a gap */
}

static void matrix_process_on_line(void *user, const char *line) {
    struct iw_matrix_process *process = user;

    snprintf(process->last, sizeof process->last, "%s", line);
    if (process->line != NULL)
        process->line(process->user, line);
}

static void matrix_process_on_end(void *user, enum iw_command_end end, const char *text) {
    struct iw_matrix_process *process = user;

    process->ended = true;
    process->end = end;
    snprintf(process->text, sizeof process->text, "%s", text);
    process->over(process->user);
}

bool iw_matrix_process_start(
    struct iw_matrix_process *process, struct iw_loop *loop, const char *command, const char *log_path) {
    const struct iw_command_reader reader = {
        .output = matrix_process_on_output, .line = matrix_process_on_line, .user = process};

    process->log = fopen(log_path, "we");
    if (process->log == NULL) {
        snprintf(process->text, sizeof process->text, "%.160s: %s", log_path, strerror(errno));
        return false;
    }
    process->command = iw_command_new(loop, command, matrix_process_on_end, process, process->text);
    if (process->command == NULL)
        return false;
    iw_command_read(process->command, &reader);
    return true;
}

void iw_matrix_process_stop(struct iw_matrix_process *process) {
    iw_command_free(process->command);
    process->command = NULL;
    if (process->log != NULL)
        fclose(process->log);
    process->log = NULL;
}
