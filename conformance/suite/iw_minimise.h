#pragma once

#include "iw_run.h"

/* Reduces a failed case to what its failure needs. Combination: sets each factor to its first value, and
 * keeps this if the case still fails. Seed: finds the smallest number of steps that fails. */

enum { IW_MINIMISE_MAX = 16 };

struct iw_minimal {
    struct iw_case one;    /* has the reduced choice, but the id of the failed combination */
    unsigned combinations; /* number of failed combinations that contain the reduced values */
    bool confirmed;        /* the reduced case failed when it was run again */
};

struct iw_minimise {
    struct iw_minimal found[IW_MINIMISE_MAX];
    size_t count;
    unsigned unexplained; /* failed cases that were not examined because `found` was full */
};

/* Reduces `failed` by running it again, with changes, against the device of `config`. These runs write no
 * files and call no handlers of `config`. Runs nothing if `found` is full, or if `failed` is a combination
 * that contains the values of a case in `found`: this case then counts it. */
void iw_minimise(
    struct iw_minimise *minimise, const struct iw_run_config *config, const struct iw_case *failed);
