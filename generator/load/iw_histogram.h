#ifndef IW_HISTOGRAM_H
#define IW_HISTOGRAM_H

#include <stdint.h>

/* How often values of a wide range have come, in memory that does not grow: buckets of width 1 up to 128, and
 * then 128 buckets to every power of two. What it tells of a value is never less than the value, and more by
 * less than one part in IW_HISTOGRAM_PARTS. */

enum {
    IW_HISTOGRAM_PARTS = 128,
    IW_HISTOGRAM_BUCKETS = (64 - 7 + 1) * IW_HISTOGRAM_PARTS,
};

/* All zero is an empty one. */
struct iw_histogram {
    uint64_t count;
    uint64_t least;
    uint64_t most;
    double sum;
    uint64_t buckets[IW_HISTOGRAM_BUCKETS];
};

void iw_histogram_add(struct iw_histogram *histogram, uint64_t value);

/* The value that `share` of all values do not exceed: the one in place ceil(share * count) when they are
 * sorted, at least the first. 0 if there are none. `share` is 0 to 1. */
uint64_t iw_histogram_at(const struct iw_histogram *histogram, double share);

double iw_histogram_mean(const struct iw_histogram *histogram);

#endif
