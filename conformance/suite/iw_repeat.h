#ifndef IW_REPEAT_H
#define IW_REPEAT_H

#include "iw_run.h"

/* What verdicts each case of a run has had so far: by a catalogue's cases. */

struct iw_repeat;

struct iw_repeats {
    const struct iw_catalogue *catalogue;
    struct iw_repeat *repeats; /* of each case */
    unsigned char *past;       /* bits of what an earlier run has finished: repeat by repeat, case by case */
    unsigned past_repeats;
};

/* IW_ERR_FORMAT if `past` has a case twice, or of a repeat that is far behind all that it has; IW_ERR_NOMEM.
 * There is then nothing to dispose. */
enum iw_status iw_repeats_init(struct iw_repeats *repeats, const struct iw_catalogue *catalogue,
    const struct iw_run_past *past, size_t count);
void iw_repeats_dispose(struct iw_repeats *repeats);

/* Whether an earlier run has finished the case that many times, from 1. */
bool iw_repeats_had(const struct iw_repeats *repeats, const struct iw_case *one, unsigned repeat);

void iw_repeats_add(struct iw_repeats *repeats, const struct iw_case *one, enum iw_verdict verdict);

/* The verdict that was added first. */
enum iw_verdict iw_repeats_first(const struct iw_repeats *repeats, const struct iw_case *one);

/* How often the case had each verdict if it had several, or NULL. */
const unsigned *iw_repeats_flaky(const struct iw_repeats *repeats, const struct iw_case *one);

#endif
