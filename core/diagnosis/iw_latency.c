#include "iw_latency.h"

#include "iw_histogram.h"

static unsigned latency_bucket(uint64_t ns) {
    uint64_t units = ns / IW_LATENCY_UNIT_NS;

    return iw_histogram_bucket(units < UINT32_MAX ? units : UINT32_MAX, IW_LATENCY_BITS);
}

void iw_latency_add(struct iw_latency *latency, uint64_t ns, uint64_t first_ns, uint64_t request_frame,
    uint64_t response_frame) {
    latency->count++;
    latency->sum_ns += ns;
    latency->first_octet_sum_ns += first_ns < ns ? first_ns : ns;
    latency->buckets[latency_bucket(ns)]++;
    if (latency->count > 1 && ns <= latency->most_ns)
        return;
    latency->most_ns = ns;
    latency->most_request_frame = request_frame;
    latency->most_response_frame = response_frame;
}

uint64_t iw_latency_at(const struct iw_latency *latency, unsigned percent) {
    uint64_t place = latency->count / 100 * percent + (latency->count % 100 * percent + 99) / 100, passed = 0;

    for (unsigned i = 0; i < IW_LATENCY_BUCKETS && latency->count > 0; i++) {
        passed += latency->buckets[i];
        if (passed >= place) {
            uint64_t top = (iw_histogram_top(i, IW_LATENCY_BITS) + 1) * IW_LATENCY_UNIT_NS - 1;

            return top < latency->most_ns ? top : latency->most_ns;
        }
    }
    return latency->most_ns;
}
