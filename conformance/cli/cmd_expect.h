#ifndef CMD_EXPECT_H
#define CMD_EXPECT_H

#include <stdbool.h>

#include "iw_exit.h"
#include "iw_expect.h"

/* The options --expect and --write-expect of several commands. Errors go to stderr. */

struct cmd_expect {
    const char *file;  /* value of --expect; NULL: not given */
    const char *write; /* value of --write-expect; NULL: not given */
    struct iw_expect expect;
};

/* Reads the file of --expect, if given. Returns false after reporting errors. */
bool cmd_expect_read(struct cmd_expect *expect);

/* Counts, for each expectation line, the cases of the runs to which the line applies. Returns the lines; NULL
 * without --expect. */
const struct iw_expect *cmd_expect_of(
    struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count);

/* Writes the file of --write-expect, if requested. */
enum iw_exit cmd_expect_write(
    const struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count);

/* Call after a run with the exit code `exit`, whose results are in the folder `path`. Prints new, regressed,
 * better and fixed cases and stale lines, and writes the requested file. Returns the exit code with respect
 * to the expectations. */
enum iw_exit cmd_expect_run(struct cmd_expect *expect, const char *path, enum iw_exit exit);

#endif
