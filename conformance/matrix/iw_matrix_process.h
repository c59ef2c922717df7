#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "iw_command.h"

/* A process of a cell, whose output goes to a file. */

struct iw_matrix_process {
    struct iw_command *command; /* NULL: not started, or freed */
    FILE *log;
    uint64_t logged, most; /* octets in the file; octets that may be in it */
    bool ended;            /* by itself */
    enum iw_command_end end;
    char text[IW_COMMAND_TEXT_OCTETS]; /* how it ended; see iw_command_ended */
    char last[IW_COMMAND_TEXT_OCTETS]; /* the last line of its output so far */
    void (*line)(void *user, const char *line);
    void (*over)(void *user); /* called once when it has ended by itself */
    void *user;
};

/* Starts the command. The caller has set `most`, `line`, `over` and `user`; `line` may be NULL. Returns false
 * with a line in `text`. */
bool iw_matrix_process_start(
    struct iw_matrix_process *process, struct iw_loop *loop, const char *command, const char *log_path);

/* Ends the process and closes its file. */
void iw_matrix_process_stop(struct iw_matrix_process *process);
