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
    const struct iw_run_config *a, *b; /* with the same catalogue; their handlers are ignored */
    void (*result)(void *user, const struct iw_difference *difference); /* for each case with a difference */
    void *user;
};

struct iw_differential_counts {
    unsigned cases; /* conclusive with both devices, and applicable to both */
    unsigned differing;
    unsigned unjudged; /* inconclusive, or not run, with one of the devices */
};

/* Runs all cases against `a`, then against `b`. Returns the same as iw_run. */
enum iw_status iw_differential(const struct iw_differential_config *config,
    struct iw_differential_counts *counts, char *error, size_t error_octets);

#endif
