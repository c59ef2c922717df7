#ifndef IW_COMMAND_H
#define IW_COMMAND_H

#include <stdbool.h>

#include "iw_loop.h"

/* A command of the user's, run by sh in a process group of its own, without input. Its output is not shown;
 * the last line of it is told if the command ends. */

struct iw_command;

enum { IW_COMMAND_TEXT_OCTETS = 256 };

/* From the loop, once, when the command has ended by itself: with exit code 0 it is `good`. `text` is one
 * line about the end, "exit code 1: " and what was printed last. */
typedef void iw_command_ended(void *user, bool good, const char *text);

/* Begins it on a real loop. NULL with one line in `error`, of IW_COMMAND_TEXT_OCTETS octets, if that cannot
 * be. */
struct iw_command *iw_command_new(
    struct iw_loop *loop, const char *text, iw_command_ended *ended, void *user, char *error);

/* Nothing more is told. What still runs of it gets SIGTERM, and a second later SIGKILL; the loop is not
 * released before it has ended. NULL is allowed. */
void iw_command_free(struct iw_command *command);

#endif
