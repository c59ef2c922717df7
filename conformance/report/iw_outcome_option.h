#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_outcome.h"
#include "iw_run_option.h"

/* The options that a run was started with, from the member "options" of its header: each is a word that
 * begins with "--", followed by its argument, if it has one. */

/* Returns whether the header has the options. Results merged by earlier versions lack them. */
bool iw_outcome_has_options(const struct iw_outcome_run *run);

/* Returns whether the option `name`, such as "--agent", was given. */
bool iw_outcome_has_option(const struct iw_outcome_run *run, const char *name);

/* Sets the options in `options`, which then borrows from `run`. Returns false with one line in `error`, which
 * is not yet printable, if `run` would reject one of them. */
bool iw_outcome_read_options(
    const struct iw_outcome_run *run, struct iw_run_options *options, char *error, size_t error_octets);
