#ifndef CMD_EXPECT_H
#define CMD_EXPECT_H

#include <stdbool.h>

#include "iw_exit.h"
#include "iw_expect.h"

/* The options --expect and --write-expect, which several commands have. What is wrong is told on stderr. */

struct cmd_expect {
    const char *file;  /* of --expect; NULL: none */
    const char *write; /* of --write-expect; NULL: none */
    struct iw_expect expect;
};

/* Reads the file, if there is one. False: what is wrong with it has been told. */
bool cmd_expect_read(struct cmd_expect *expect);
void cmd_expect_clear(struct cmd_expect *expect);

/* The lines that have been read, once those that the runs are about have been counted; NULL: no file. */
const struct iw_expect *cmd_expect_of(
    struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count);

/* Writes the file of --write-expect, if one was asked for. */
enum iw_exit cmd_expect_write(
    const struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count);

/* After a run that has written its results into the folder `path` and ended with `exit`: prints what is new,
 * regressed, better, fixed and stale, writes what is to be written, and returns what the run ends with in the
 * light of it. */
enum iw_exit cmd_expect_run(struct cmd_expect *expect, const char *path, enum iw_exit exit);

#endif
