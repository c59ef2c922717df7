#ifndef CMD_RUN_FILE_H
#define CMD_RUN_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_prior_run.h"
#include "iw_results.h"

/* DIR/results.jsonl of `warpcheck run`. */

struct cmd_run_file {
    const char *folder; /* or NULL: nothing is written */
    FILE *out;          /* once begun */
    int lock;           /* the folder while it is this run's, or 0 */
    bool failed;        /* it cannot be written, which was said on stderr */
};

/* Makes the folder and those above it, and keeps other runs from it. Returns an exit code other than 0,
 * having said why, if it cannot be, or be written to, or another run has it.
 */
int cmd_run_file_prepare(struct cmd_run_file *file);

/* Begins the file, so that a run without any results leaves those of an earlier one alone; with `past` as
 * that one has left it. */
void cmd_run_file_begin(
    struct cmd_run_file *file, const struct iw_results_head *head, const struct iw_prior_run *past);

/* Everything that was written has reached the system: returns false, and says so on stderr, if not. */
bool cmd_run_file_close(struct cmd_run_file *file);

#endif
