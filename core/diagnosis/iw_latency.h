#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Latencies of one kind of operation in at most 1 KiB: count, quantiles, and the slowest operation. */

enum {
    IW_LATENCY_BITS = 3, /* a reported quantile exceeds the true value by less than 1/8 */
    IW_LATENCY_UNIT_NS = 256,
    IW_LATENCY_UNITS_BITS = 32, /* longer times, from about 1,100 s on, count as the longest that fits */
    IW_LATENCY_BUCKETS = (IW_LATENCY_UNITS_BITS - IW_LATENCY_BITS + 1) << IW_LATENCY_BITS,
};

/* A zeroed struct is empty. Buckets exist only from the fastest to the slowest operation so far. */
struct iw_latency {
    uint64_t count;
    uint64_t sum_ns;
    uint64_t most_ns; /* the slowest operation, with the frames of its request and of its last response */
    uint64_t most_request_frame, most_response_frame;
    uint64_t first_octet_sum_ns; /* from each request to the first segment of its response */
    uint32_t *buckets;           /* `bucket_count` of them, from bucket `bucket_first` on */
    uint8_t bucket_first, bucket_count;
};

void iw_latency_dispose(struct iw_latency *latency);

/* Counts an operation that took `ns`, and `first_ns` to the first segment of its response. Returns false, and
 * counts nothing, if memory runs out. */
bool iw_latency_add(struct iw_latency *latency, uint64_t ns, uint64_t first_ns, uint64_t request_frame,
    uint64_t response_frame);

/* The quantile `percent` (1 to 100) in nanoseconds, by nearest rank. Returns 0 if empty. */
uint64_t iw_latency_at(const struct iw_latency *latency, unsigned percent);

/* The operations in one bucket, below IW_LATENCY_BUCKETS. */
uint32_t iw_latency_bucket(const struct iw_latency *latency, unsigned bucket);
