#ifndef IW_DIFFERENTIAL_H
#define IW_DIFFERENTIAL_H

#include "iw_run.h"

/* Runs the same cases against two devices and compares verdict, close, Terminate and sent messages.
 * Conforming devices may differ, so a difference shows only where to look. */

struct iw_difference {
    const struct iw_trial_result *a, *b;
    char sent[160]; /* the first difference in the messages sent, or "" */
};

struct iw_differential_config {
    const struct iw_run_config *a, *b; /* with the same catalogue; the handlers of `a` and `b` are ignored */
    void (*result)(void *user, const struct iw_difference *difference); /* for each case with a difference */
    void *user;
};

struct iw_differential_counts {
    unsigned cases; /* cases that are applicable to and conclusive for both devices */
    unsigned differing;
    unsigned unjudged; /* cases that are inconclusive or not run for one device or both */
};

/* Runs all cases against `a`, then against `b`. Returns the same as iw_run. */
enum iw_status iw_differential(const struct iw_differential_config *config,
    struct iw_differential_counts *counts, char *error, size_t error_octets);

#endif
