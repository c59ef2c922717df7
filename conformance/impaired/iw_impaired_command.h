#pragma once

#include "iw_command.h"

/* The command of --start, which makes the initiator connect. A zeroed struct is one that does not run. */

struct iw_impaired_command {
    struct iw_command *command;
    struct iw_timer patience;          /* of iw_impaired_command_await */
    bool ended;                        /* by itself */
    bool missing;                      /* it could not be run */
    char text[IW_COMMAND_TEXT_OCTETS]; /* how it ended */
    iw_timer_call *call;
    void *user;
};

/* Starts `command` with {host} and {port} replaced. Calls `ended` from the loop when it has ended by itself.
 * On failure returns false with a line in error[IW_COMMAND_TEXT_OCTETS]. */
bool iw_impaired_command_start(struct iw_impaired_command *command, struct iw_loop *loop, const char *text,
    const char *host, uint16_t port, iw_timer_call *ended, void *user, char *error);

/* Calls `call` from the loop once the command has ended, after `patience_ms` at the latest. */
void iw_impaired_command_await(struct iw_impaired_command *command, struct iw_loop *loop,
    uint32_t patience_ms, iw_timer_call *call, void *user);

/* Ends the command if it still runs (iw_command_free), and calls nothing. */
void iw_impaired_command_end(struct iw_impaired_command *command);
