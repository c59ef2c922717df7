#include "iw_repeat.h"

#include <stdlib.h>

enum {
    JOBS_MAX = 1000
}; /* upper bound of the cases that run at once: so many results of earlier repeats may be missing */

struct iw_repeat {
    unsigned verdicts[IW_VERDICT_COUNT];
    enum iw_verdict first;
    bool any;
};

static size_t repeat_case_index(const struct iw_repeats *repeats, const struct iw_case *one) {
    return (size_t)(one - repeats->catalogue->cases);
}

static size_t repeat_prior_bit(const struct iw_repeats *repeats, const struct iw_case *one, unsigned repeat) {
    return (repeat - 1) * repeats->catalogue->count + repeat_case_index(repeats, one);
}

enum iw_status iw_repeats_init(struct iw_repeats *repeats, const struct iw_catalogue *catalogue,
    const struct iw_run_prior *prior, size_t count) {
    enum iw_status status = IW_OK;

    *repeats = (struct iw_repeats){.catalogue = catalogue};
    for (size_t i = 0; i < count; i++)
        if (prior[i].repeat > repeats->prior_repeats)
            repeats->prior_repeats = prior[i].repeat;
    if (repeats->prior_repeats > count + JOBS_MAX)
        return IW_ERR_FORMAT;
    repeats->repeats = calloc(catalogue->count + 1, sizeof *repeats->repeats);
    repeats->prior = calloc(repeats->prior_repeats * catalogue->count / 8 + 1, 1);
    if (!repeats->repeats || !repeats->prior) {
        iw_repeats_dispose(repeats);
        return IW_ERR_NOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        size_t bit = repeat_prior_bit(repeats, prior[i].one, prior[i].repeat);

        if (iw_repeats_had(repeats, prior[i].one, prior[i].repeat))
            status = IW_ERR_FORMAT;
        repeats->prior[bit / 8] |= (unsigned char)(1u << bit % 8);
        iw_repeats_add(repeats, prior[i].one, prior[i].verdict);
    }
    if (status != IW_OK)
        iw_repeats_dispose(repeats);
    return status;
}

void iw_repeats_dispose(struct iw_repeats *repeats) {
    free(repeats->repeats);
    free(repeats->prior);
    *repeats = (struct iw_repeats){0};
}

bool iw_repeats_had(const struct iw_repeats *repeats, const struct iw_case *one, unsigned repeat) {
    size_t bit = repeat_prior_bit(repeats, one, repeat);

    return repeat <= repeats->prior_repeats && (repeats->prior[bit / 8] & 1u << bit % 8) != 0;
}

void iw_repeats_add(struct iw_repeats *repeats, const struct iw_case *one, enum iw_verdict verdict) {
    struct iw_repeat *repeat = &repeats->repeats[repeat_case_index(repeats, one)];

    if (!repeat->any)
        repeat->first = verdict;
    repeat->any = true;
    repeat->verdicts[verdict]++;
}

enum iw_verdict iw_repeats_first(const struct iw_repeats *repeats, const struct iw_case *one) {
    return repeats->repeats[repeat_case_index(repeats, one)].first;
}

const unsigned *iw_repeats_flaky(const struct iw_repeats *repeats, const struct iw_case *one) {
    const struct iw_repeat *repeat = &repeats->repeats[repeat_case_index(repeats, one)];
    unsigned kinds = 0;

    for (size_t i = 0; i < IW_VERDICT_COUNT; i++)
        kinds += repeat->verdicts[i] > 0;
    return kinds > 1 ? repeat->verdicts : NULL;
}
