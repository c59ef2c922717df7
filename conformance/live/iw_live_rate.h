#pragma once

#include <stdint.h>

/* How fast a counter grows: the mean over the last seconds. All zero: no sample yet. */

enum { IW_LIVE_RATE_SAMPLES = 4 }; /* one a second: the mean of the last 3 seconds */

struct iw_live_rate {
    uint64_t value[IW_LIVE_RATE_SAMPLES];
    uint64_t time_ns[IW_LIVE_RATE_SAMPLES];
    unsigned count; /* of all samples; number N at N % IW_LIVE_RATE_SAMPLES */
    uint64_t per_second;
};

/* Adds a sample, with a later time than the previous one. */
static inline void iw_live_rate_add(struct iw_live_rate *rate, uint64_t value, uint64_t time_ns) {
    unsigned newest = rate->count++ % IW_LIVE_RATE_SAMPLES;
    unsigned oldest = rate->count < IW_LIVE_RATE_SAMPLES ? 0 : rate->count % IW_LIVE_RATE_SAMPLES;
    uint64_t elapsed = time_ns - rate->time_ns[oldest];

    rate->value[newest] = value;
    rate->time_ns[newest] = time_ns;
    if (rate->count > 1 && elapsed > 0)
        rate->per_second = (uint64_t)((double)(value - rate->value[oldest]) * 1e9 / (double)elapsed);
}
