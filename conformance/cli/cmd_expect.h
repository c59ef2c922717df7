#pragma once

#include <stdbool.h>

#include "iw_exit.h"
#include "iw_expect.h"

/* The options --expect and --write-expect of several commands. The functions print errors on stderr. */

struct cmd_expect {
    const char *file;  /* value of --expect; NULL: not given */
    const char *write; /* value of --write-expect; NULL: not given */
    struct iw_expect expect;
};

/* Reads the file of --expect, if given. Returns false on an error. */
bool cmd_expect_read(struct cmd_expect *expect);

/* Counts for each line of --expect the cases that it applies to. Returns the lines; NULL: no --expect. */
const struct iw_expect *cmd_expect_of(
    struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count);

/* Writes the file of --write-expect, if given. Returns the exit code. */
enum iw_exit cmd_expect_write(
    const struct cmd_expect *expect, const struct iw_outcome_run *runs, size_t count);

/* Call after a run that returned `exit` and wrote its results to the folder `path`. With --expect, prints the
 * cases whose result differs from the file, and the lines that no longer apply. With --write-expect, writes
 * that file. Returns the new exit code: by the expectations or, without --expect, from `exit`. */
enum iw_exit cmd_expect_run(struct cmd_expect *expect, const char *path, enum iw_exit exit);
