#ifndef IW_DIFFERENTIAL_H
#define IW_DIFFERENTIAL_H

#include <stdio.h>

#include "iw_run.h"

/* The same cases against two devices, and where these differ: in verdict, manner of close, Terminate, or in
 * what they said. A device may differ lawfully; so this shows where to look. */

struct iw_difference {
    const struct iw_trial_result *a, *b;
    char said[160]; /* the first difference in what they said, or "" */
};

struct iw_differential_config {
    const struct iw_run_config *a,
        *b; /* with the same catalogue; begin, result, flake and user are not looked at */
    void (*result)(
        void *user, const struct iw_difference *difference); /* of each case in which they differ */
    void *user;
};

struct iw_differential_counts {
    unsigned cases; /* that both have had, and that apply to both */
    unsigned differing;
    unsigned unjudged; /* inconclusive or not run with one of them */
};

/* First all cases against `a`, then against `b`. As iw_run. */
enum iw_status iw_differential(const struct iw_differential_config *config,
    struct iw_differential_counts *counts, char *error, size_t error_octets);

#endif
