#pragma once

#include "iw_run.h"

/* Runs the same cases against two devices, and compares the verdicts, the ways the devices close, their
 * Terminates and their sent messages. Conforming devices may differ: a difference is not a violation. */

struct iw_difference {
    const struct iw_trial_result *a, *b;
    char sent[160]; /* first difference between the messages that the devices sent; "": none */
};

struct iw_differential_config {
    const struct iw_run_config *a, *b; /* the two devices; same catalogue; their handlers are ignored */
    void (*result)(
        void *user, const struct iw_difference *difference); /* called for each case with a difference */
    void *user;
};

struct iw_differential_counts {
    unsigned cases; /* cases with results that could be compared */
    unsigned differing;
    unsigned unjudged; /* cases that were inconclusive or not run with at least one device */
};

/* Runs all cases against `a`, then against `b`. Returns IW_OK, or an error as iw_run does. */
enum iw_status iw_differential(const struct iw_differential_config *config,
    struct iw_differential_counts *counts, char *error, size_t error_octets);
