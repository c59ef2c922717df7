#ifndef IW_REPEAT_H
#define IW_REPEAT_H

#include "iw_run.h"

/* The verdicts of each case of a catalogue in the repeats of a run. */

struct iw_repeat;

struct iw_repeats {
    const struct iw_catalogue *catalogue;
    struct iw_repeat *repeats; /* of each case */
    unsigned char *prior;      /* bits of the cases that an earlier run has finished, by repeat and case */
    unsigned prior_repeats;
};

/* Returns IW_ERR_FORMAT if the prior results contain the same repeat of a case twice, or a repeat number far
 * above the number of results; or IW_ERR_NOMEM. There is then nothing to dispose. */
enum iw_status iw_repeats_init(struct iw_repeats *repeats, const struct iw_catalogue *catalogue,
    const struct iw_run_prior *prior, size_t count);
void iw_repeats_dispose(struct iw_repeats *repeats);

/* Whether an earlier run has finished that repeat of the case; `repeat` counts from 1. */
bool iw_repeats_had(const struct iw_repeats *repeats, const struct iw_case *one, unsigned repeat);

/* Counts the verdict of one repeat of the case. */
void iw_repeats_add(struct iw_repeats *repeats, const struct iw_case *one, enum iw_verdict verdict);

/* The first verdict. */
enum iw_verdict iw_repeats_first(const struct iw_repeats *repeats, const struct iw_case *one);

/* If the case has different verdicts: the number of each, by enum iw_verdict; NULL otherwise. */
const unsigned *iw_repeats_flaky(const struct iw_repeats *repeats, const struct iw_case *one);

#endif
