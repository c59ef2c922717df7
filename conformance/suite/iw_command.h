#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_loop.h"

/* A shell command of the user, run in its own process group without input. Of its output, only the last line
 * is kept, for iw_command_ended. */

struct iw_command;

enum { IW_COMMAND_TEXT_OCTETS = 256 };

enum iw_command_end {
    IW_COMMAND_SUCCEEDED, /* exit code 0 */
    IW_COMMAND_FAILED,
    IW_COMMAND_NOT_RUN, /* not found or not executable: exit code 126 or 127 (POSIX.1, Shell, 2.8.2) */
};

/* Called once from the loop when the command has ended, but not after iw_command_free. `text` is one line:
 * "exit code 1" or "signal 9", then ": " and the last line of output, if any. */
typedef void iw_command_ended(void *user, enum iw_command_end end, const char *text);

/* Starts the command on a real loop. On failure returns NULL with a line in error[IW_COMMAND_TEXT_OCTETS]. */
struct iw_command *iw_command_new(
    struct iw_loop *loop, const char *text, iw_command_ended *ended, void *user, char *error);

/* Sees the output of a command, as it comes. Each handler may be NULL. */
struct iw_command_reader {
    void (*output)(void *user, const char *octets, size_t count);
    /* Each line that is not empty, without its end: the beginning of a long one; unprintable octets are "?".
     */
    void (*line)(void *user, const char *line);
    void *user;
};

/* Call it right after iw_command_new. The handlers are called from the loop, and must not free the command.
 */
void iw_command_read(struct iw_command *command, const struct iw_command_reader *reader);

/* Sends SIGINT to the process group, if the command still runs. */
void iw_command_interrupt(struct iw_command *command);

/* Ends the command without calling iw_command_ended. If it still runs, its process group gets SIGTERM and,
 * one second later, SIGKILL; iw_loop_free waits until then. NULL is allowed. */
void iw_command_free(struct iw_command *command);
