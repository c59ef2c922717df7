#include "iw_latency.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_histogram.h"

static_assert(IW_LATENCY_BUCKETS <= UINT8_MAX, "a bucket has a number of one octet");

static unsigned latency_bucket(uint64_t ns) {
    uint64_t units = ns / IW_LATENCY_UNIT_NS;

    return iw_histogram_bucket(units < UINT32_MAX ? units : UINT32_MAX, IW_LATENCY_BITS);
}

/* Extends the buckets to `bucket`. */
static bool latency_reach(struct iw_latency *latency, unsigned bucket) {
    unsigned first = latency->bucket_first, end = first + latency->bucket_count;
    unsigned new_first = latency->bucket_count == 0 || bucket < first ? bucket : first;
    unsigned new_end = bucket >= end ? bucket + 1 : end;
    uint32_t *buckets;

    if (latency->bucket_count > 0 && new_first == first && new_end == end)
        return true;
    buckets = calloc(new_end - new_first, sizeof *buckets);
    if (buckets == NULL)
        return false;
    if (latency->bucket_count > 0)
        memcpy(buckets + (first - new_first), latency->buckets, latency->bucket_count * sizeof *buckets);
    free(latency->buckets);
    latency->buckets = buckets;
    latency->bucket_first = (uint8_t)new_first;
    latency->bucket_count = (uint8_t)(new_end - new_first);
    return true;
}

void iw_latency_dispose(struct iw_latency *latency) {
    free(latency->buckets);
}

bool iw_latency_add(struct iw_latency *latency, uint64_t ns, uint64_t first_ns, uint64_t request_frame,
    uint64_t response_frame) {
    unsigned bucket = latency_bucket(ns);

    if (!latency_reach(latency, bucket))
        return false;
    latency->count++;
    latency->sum_ns += ns;
    latency->first_octet_sum_ns += first_ns < ns ? first_ns : ns;
    latency->buckets[bucket - latency->bucket_first]++;
    if (latency->count > 1 && ns <= latency->most_ns)
        return true;
    latency->most_ns = ns;
    latency->most_request_frame = request_frame;
    latency->most_response_frame = response_frame;
    return true;
}

uint32_t iw_latency_bucket(const struct iw_latency *latency, unsigned bucket) {
    unsigned at = bucket - latency->bucket_first;

    return bucket >= latency->bucket_first && at < latency->bucket_count ? latency->buckets[at] : 0;
}

uint64_t iw_latency_at(const struct iw_latency *latency, unsigned percent) {
    uint64_t place = latency->count / 100 * percent + (latency->count % 100 * percent + 99) / 100, passed = 0;

    for (unsigned i = 0; i < latency->bucket_count; i++) {
        passed += latency->buckets[i];
        if (passed >= place) {
            unsigned bucket = latency->bucket_first + i;
            uint64_t top = (iw_histogram_top(bucket, IW_LATENCY_BITS) + 1) * IW_LATENCY_UNIT_NS - 1;

            return top < latency->most_ns ? top : latency->most_ns;
        }
    }
    return latency->most_ns;
}
