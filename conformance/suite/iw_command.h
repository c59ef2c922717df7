#ifndef IW_COMMAND_H
#define IW_COMMAND_H

#include <stdbool.h>

#include "iw_loop.h"

/* A user's command, run by sh in its own process group, without input. Its output is hidden, except for
 * the last line if the command ends. */

struct iw_command;

enum { IW_COMMAND_TEXT_OCTETS = 256 };

/* Called from the loop once, when the command has ended by itself; `good` means exit code 0. `text` is
 * one line, "exit code 1: " and the last line printed. */
typedef void iw_command_ended(void *user, bool good, const char *text);

/* Starts the command on a real loop. Returns NULL with one line in `error`, of IW_COMMAND_TEXT_OCTETS
 * octets, on failure. */
struct iw_command *iw_command_new(
    struct iw_loop *loop, const char *text, iw_command_ended *ended, void *user, char *error);

/* Ends the command without a callback. Its processes get SIGTERM, and SIGKILL a second later; iw_loop_free
 * waits for that. NULL is allowed. */
void iw_command_free(struct iw_command *command);

#endif
