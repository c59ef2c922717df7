#pragma once

#include "iw_run.h"

/* The verdicts of each case in all repeats, and which repeats an earlier run has finished. */

struct iw_repeat;

struct iw_repeats {
    const struct iw_catalogue *catalogue;
    struct iw_repeat *repeats; /* one for each case of the catalogue */
    unsigned char *prior;      /* one bit for each repeat and case: an earlier run has finished it */
    unsigned prior_repeats;
};

/* Counts the verdicts of the `count` prior results. Returns IW_ERR_FORMAT for a duplicate, or for a repeat
 * number far above `count`, or IW_ERR_NOMEM; then there is nothing to dispose of. */
enum iw_status iw_repeats_init(struct iw_repeats *repeats, const struct iw_catalogue *catalogue,
    const struct iw_run_prior *prior, size_t count);
void iw_repeats_dispose(struct iw_repeats *repeats);

/* Returns whether an earlier run has finished this repeat of the case. `repeat` counts from 1. */
bool iw_repeats_had(const struct iw_repeats *repeats, const struct iw_case *one, unsigned repeat);

/* Counts the verdict of one repeat of the case. */
void iw_repeats_add(struct iw_repeats *repeats, const struct iw_case *one, enum iw_verdict verdict);

/* Returns the first counted verdict of the case. */
enum iw_verdict iw_repeats_first(const struct iw_repeats *repeats, const struct iw_case *one);

/* Returns the number of each enum iw_verdict if the case has different verdicts; otherwise NULL. */
const unsigned *iw_repeats_flaky(const struct iw_repeats *repeats, const struct iw_case *one);
