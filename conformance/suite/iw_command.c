#include "iw_command.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <uv.h>

enum {
    KILL_MS = 1000, /* time from SIGTERM to SIGKILL */
    LINE_OCTETS = 160,
    CHUNKS_MAX = 64, /* maximum number of chunks to read after the end: the capacity of a pipe */
};

struct iw_command {
    uv_process_t process;
    uv_pipe_t output;
    uv_timer_t kill_timer;
    unsigned open; /* number of the handles above that are not closed yet */
    bool runs;
    bool released; /* iw_command_free was called; when the last handle is closed, the command is freed */
    iw_command_ended *ended;
    void *user;
    struct iw_command_reader reader;
    char line[LINE_OCTETS]; /* output since the last line end */
    size_t length;
    char last[LINE_OCTETS]; /* the last complete line */
    char chunk[1024];
};

static void command_end_line(struct iw_command *command) {
    if (command->length == 0)
        return;
    snprintf(command->last, sizeof command->last, "%.*s", (int)command->length, command->line);
    command->length = 0;
    if (command->reader.line)
        command->reader.line(command->reader.user, command->last);
}

/* Adds output to `line`. Truncates long lines, replaces unprintable octets by "?", and omits CR, with which a
 * terminal ends lines. */
static void command_add_output(struct iw_command *command, const char *octets, size_t count) {
    if (command->reader.output)
        command->reader.output(command->reader.user, octets, count);
    for (size_t i = 0; i < count; i++) {
        if (octets[i] == '\n')
            command_end_line(command);
        else if (octets[i] != '\r' && command->length < sizeof command->line - 1)
            command->line[command->length++] = octets[i] >= ' ' && octets[i] <= '~' ? octets[i] : '?';
    }
}

static void command_offer_chunk(uv_handle_t *handle, size_t wanted, uv_buf_t *buffer) {
    struct iw_command *command = handle->data;

    (void)wanted;
    *buffer = uv_buf_init(command->chunk, sizeof command->chunk);
}

static void command_on_output(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    if (count > 0)
        command_add_output(stream->data, buffer->base, (size_t)count);
    else if (count < 0)
        uv_read_stop(stream);
}

static void command_on_handle_closed(uv_handle_t *handle) {
    struct iw_command *command = handle->data;

    if (--command->open == 0)
        free(command);
}

static void command_close_handles(struct iw_command *command) {
    uv_close((uv_handle_t *)&command->output, command_on_handle_closed);
    uv_close((uv_handle_t *)&command->kill_timer, command_on_handle_closed);
    uv_close((uv_handle_t *)&command->process, command_on_handle_closed);
}

/* Reads the remaining output, but not endlessly: child processes may print forever. */
static void command_drain_output(struct iw_command *command) {
    uv_os_fd_t output;
    ssize_t count;

    uv_read_stop((uv_stream_t *)&command->output);
    if (uv_fileno((uv_handle_t *)&command->output, &output) != 0)
        return;
    for (int i = 0; i < CHUNKS_MAX && (count = read(output, command->chunk, sizeof command->chunk)) > 0; i++)
        command_add_output(command, command->chunk, (size_t)count);
    command_end_line(command);
}

/* Sends the signal; 0 sends none. Returns false if the process group is empty. */
static bool command_kill_group(const struct iw_command *command, int signal_number) {
    return kill(-uv_process_get_pid(&command->process), signal_number) == 0;
}

static void command_on_kill_timer(uv_timer_t *timer) {
    struct iw_command *command = timer->data;

    command_kill_group(command, SIGKILL);
    if (!command->runs)
        command_close_handles(command);
}

static enum iw_command_end command_judge_end(int64_t code, int signal_number) {
    if (signal_number != 0)
        return IW_COMMAND_FAILED;
    return code == 0                    ? IW_COMMAND_SUCCEEDED
           : code == 126 || code == 127 ? IW_COMMAND_NOT_RUN
                                        : IW_COMMAND_FAILED;
}

static void command_on_exit_status(uv_process_t *process, int64_t code, int signal_number) {
    struct iw_command *command = process->data;
    char text[IW_COMMAND_TEXT_OCTETS];

    command->runs = false;
    if (command->released) {
        if (!uv_is_active((uv_handle_t *)&command->kill_timer) || !command_kill_group(command, 0))
            command_close_handles(command); /* otherwise the kill timer closes them */
        return;
    }
    command_drain_output(command);
    snprintf(text, sizeof text, "%s %d%s%s", signal_number != 0 ? "signal" : "exit code",
        signal_number != 0 ? signal_number : (int)code, command->last[0] ? ": " : "", command->last);
    command->ended(command->user, command_judge_end(code, signal_number), text);
}

void iw_command_read(struct iw_command *command, const struct iw_command_reader *reader) {
    command->reader = *reader;
}

void iw_command_interrupt(struct iw_command *command) {
    if (command->runs)
        command_kill_group(command, SIGINT);
}

void iw_command_free(struct iw_command *command) {
    if (!command)
        return;
    uv_read_stop((uv_stream_t *)&command->output);
    command->reader = (struct iw_command_reader){0};
    command->released = true;
    if (!command->runs) {
        command_close_handles(command);
        return;
    }
    command_kill_group(command, SIGTERM);
    uv_timer_start(&command->kill_timer, command_on_kill_timer, KILL_MS, 0);
}

static int command_spawn_shell(struct iw_command *command, const char *text, uv_file output) {
    char *arguments[] = {"/bin/sh", "-c", (char *)text, NULL};
    uv_stdio_container_t streams[] = {{.flags = UV_IGNORE}, {.flags = UV_INHERIT_FD, .data.fd = output},
        {.flags = UV_INHERIT_FD, .data.fd = output}};
    const uv_process_options_t options = {.exit_cb = command_on_exit_status,
        .file = arguments[0],
        .args = arguments,
        .flags = UV_PROCESS_DETACHED, /* in its own process group */
        .stdio_count = 3,
        .stdio = streams};

    return uv_spawn(command->process.loop, &command->process, &options);
}

struct iw_command *iw_command_new(
    struct iw_loop *loop, const char *text, iw_command_ended *ended, void *user, char *error) {
    struct iw_command *command = calloc(1, sizeof *command);
    uv_loop_t *uv = iw_loop_uv(loop);
    uv_file ends[2];
    int wrong = command ? uv_pipe(ends, UV_NONBLOCK_PIPE, 0) : UV_ENOMEM;

    if (wrong < 0) {
        snprintf(error, IW_COMMAND_TEXT_OCTETS, "a command: %s", uv_strerror(wrong));
        free(command);
        return NULL;
    }
    command->ended = ended;
    command->user = user;
    command->open = 3;
    command->process.data = command->output.data = command->kill_timer.data = command;
    command->process.loop = uv;
    uv_pipe_init(uv, &command->output, 0);
    uv_pipe_open(&command->output, ends[0]);
    uv_timer_init(uv, &command->kill_timer);
    wrong = command_spawn_shell(command, text, ends[1]);
    close(ends[1]);
    command->runs = wrong == 0;
    if (command->runs)
        wrong = uv_read_start((uv_stream_t *)&command->output, command_offer_chunk, command_on_output);
    if (wrong == 0)
        return command;
    snprintf(error, IW_COMMAND_TEXT_OCTETS, "/bin/sh: %s", uv_strerror(wrong));
    iw_command_free(command);
    return NULL;
}
