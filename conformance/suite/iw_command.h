#pragma once

#include <stdbool.h>

#include "iw_loop.h"

/* A shell command of the user, run in its own process group without input. Of its output, only the last line
 * is kept, for iw_command_ended. */

struct iw_command;

enum { IW_COMMAND_TEXT_OCTETS = 256 };

/* Called once from the loop when the command has ended, but not after iw_command_free. `good`: its exit code
 * is 0. `text` is one line: "exit code 1" or "signal 9", then ": " and the last line of output, if any. */
typedef void iw_command_ended(void *user, bool good, const char *text);

/* Starts the command on a real loop. On failure returns NULL with a line in error[IW_COMMAND_TEXT_OCTETS]. */
struct iw_command *iw_command_new(
    struct iw_loop *loop, const char *text, iw_command_ended *ended, void *user, char *error);

/* Ends the command without calling iw_command_ended. If it still runs, its process group gets SIGTERM and,
 * one second later, SIGKILL; iw_loop_free waits until then. NULL is allowed. */
void iw_command_free(struct iw_command *command);
