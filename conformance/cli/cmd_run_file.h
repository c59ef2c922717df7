#ifndef CMD_RUN_FILE_H
#define CMD_RUN_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "iw_prior_run.h"
#include "iw_results.h"

/* DIR/results.jsonl of `warpcheck run`. */

struct cmd_run_file {
    const char *folder; /* or NULL: write nothing */
    char path[1100];    /* of results.jsonl */
    FILE *out;          /* NULL before cmd_run_file_begin, or if that has opened no file */
    int lock;           /* descriptor of the folder, locked if its file system has locks; 0: none */
    bool failed;        /* writing failed, which was reported */
};

/* Creates the folder and its parents, and locks the folder against other runs. On failure reports why, and
 * returns an exit code other than 0. */
int cmd_run_file_prepare(struct cmd_run_file *file);

/* Begins the file; until then, the results of an earlier run remain. If `prior` has a run, continues its
 * file. */
void cmd_run_file_begin(
    struct cmd_run_file *file, const struct iw_results_head *head, const struct iw_prior_run *prior);

/* Closes the file. Returns false, with a line on stderr, if writing failed. */
bool cmd_run_file_close(struct cmd_run_file *file);

#endif
