#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "iw_prior_run.h"
#include "iw_results.h"

/* The results file of `warpcheck run`: results.jsonl in the folder of --out. */

/* The value of --out if it is not given: each run has a folder of its own in this one. */
extern const char cmd_run_file_default[];

struct cmd_run_file {
    const char *folder; /* NULL: write nothing */
    char own[64];       /* name of a folder that this run has made */
    char path[1100];    /* path of results.jsonl */
    FILE *out;          /* NULL: not begun, or writing failed */
    off_t whole;        /* octets of the complete results in the file */
    int lock;           /* descriptor of the folder, locked if the file system has locks; 0: none */
    char error[1200];   /* one line: why writing failed; "": it did not */
};

/* Rejects a folder with the results of an earlier run. Returns 0, or an exit code after a line on stderr. */
int cmd_run_file_check(const struct cmd_run_file *file);

/* Creates the folder and its parents, and locks the folder against other runs. In place of
 * cmd_run_file_default, creates a folder in it, named after the time (UTC), and the symbolic link "latest" to
 * it. Returns 0, or an exit code after a line on stderr. */
int cmd_run_file_prepare(struct cmd_run_file *file);

/* Begins the file; until then, the file of an earlier run remains. If `prior` has a run, the file begins with
 * the lines kept from it, otherwise with `head`. On failure sets file->error. */
void cmd_run_file_begin(
    struct cmd_run_file *file, const struct iw_results_head *head, const struct iw_prior_run *prior);

/* Writes what is buffered. On failure sets file->error, closes the file, and removes from it what was written
 * since the last successful call: --resume then finds complete results. */
void cmd_run_file_flush(struct cmd_run_file *file);

/* Closes the file and unlocks the folder. Returns false if any writing failed; prints an error on stderr that
 * occurs only now. */
bool cmd_run_file_close(struct cmd_run_file *file);
