#include "iw_impaired_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_text.h"

/* Returns `text` with {host} and {port} replaced, to free; NULL if memory runs out. */
static char *command_fill(const char *text, const char *host, uint16_t port) {
    struct iw_text filled;

    if (!iw_text_open(&filled))
        return NULL;
    while (*text != '\0') {
        if (strncmp(text, "{host}", 6) == 0)
            fputs(host, filled.out);
        else if (strncmp(text, "{port}", 6) == 0)
            fprintf(filled.out, "%" PRIu16, port);
        else
            fputc(*text, filled.out);
        text += strncmp(text, "{host}", 6) == 0 || strncmp(text, "{port}", 6) == 0 ? 6 : 1;
    }
    return iw_text_close(&filled);
}

static void command_ended(void *user, enum iw_command_end end, const char *text) {
    struct iw_impaired_command *command = user;

    command->ended = true;
    command->missing = end == IW_COMMAND_NOT_RUN;
    snprintf(command->text, sizeof command->text, "%s", end == IW_COMMAND_SUCCEEDED ? "exit code 0" : text);
    iw_timer_stop(&command->patience);
    command->call(command->user);
}

bool iw_impaired_command_start(struct iw_impaired_command *command, struct iw_loop *loop, const char *text,
    const char *host, uint16_t port, iw_timer_call *ended, void *user, char *error) {
    char *filled = command_fill(text, host, port);

    iw_impaired_command_end(command);
    *command = (struct iw_impaired_command){.call = ended, .user = user};
    snprintf(error, IW_COMMAND_TEXT_OCTETS, "out of memory");
    if (filled != NULL)
        command->command = iw_command_new(loop, filled, command_ended, command, error);
    free(filled);
    return command->command != NULL;
}

void iw_impaired_command_await(struct iw_impaired_command *command, struct iw_loop *loop,
    uint32_t patience_ms, iw_timer_call *call, void *user) {
    bool runs = command->command != NULL && !command->ended;

    command->call = call;
    command->user = user;
    iw_timer_start(&command->patience, loop, runs ? patience_ms * UINT64_C(1000) : 0, call, user);
}

void iw_impaired_command_end(struct iw_impaired_command *command) {
    iw_timer_stop(&command->patience);
    iw_command_free(command->command);
    command->command = NULL;
}
