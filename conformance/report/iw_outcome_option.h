#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_outcome.h"

/* The options that a run was started with, from the member "options" of its header: each is a word that
 * begins with "--", followed by its argument, if it has one. */

/* Finds the first option `name`, such as "--only", from word *at on. Returns its argument, or "" if it has
 * none, and sets *at after it. Returns NULL if there is no such option. */
const char *iw_outcome_option(const struct iw_outcome_run *run, const char *name, size_t *at);

/* Returns the argument of the last option `name`, which replaces earlier ones; NULL: no such option. */
const char *iw_outcome_option_last(const struct iw_outcome_run *run, const char *name);

/* Returns whether the header has the options. Results merged by earlier versions lack them. */
bool iw_outcome_has_options(const struct iw_outcome_run *run);
