#pragma once

#include <stdint.h>

/* Counts values of a wide range in constant memory: buckets of width 1 below 256, then 128 buckets for every
 * power of two. A reported value is the true value or exceeds it by less than 1/128. */

enum {
    IW_HISTOGRAM_PARTS = 128,
    IW_HISTOGRAM_BUCKETS = (64 - 7 + 1) * IW_HISTOGRAM_PARTS,
};

/* A zeroed struct is empty. */
struct iw_histogram {
    uint64_t count;
    uint64_t least;
    uint64_t most;
    double sum;
    uint64_t buckets[IW_HISTOGRAM_BUCKETS];
};

/* The arithmetic of buckets for any precision: with `bits`, a reported value exceeds the true value by less
 * than 1 / 2^bits. iw_histogram_bucket: the bucket of a value. iw_histogram_top: the highest value of a
 * bucket. Values below 2^(bits + 1) have a bucket each. */
unsigned iw_histogram_bucket(uint64_t value, unsigned bits);
uint64_t iw_histogram_top(unsigned bucket, unsigned bits);

void iw_histogram_add(struct iw_histogram *histogram, uint64_t value);

/* The quantile `share` (0 to 1) of the values, by nearest rank; 0.5: the median. Returns 0 if empty. */
uint64_t iw_histogram_at(const struct iw_histogram *histogram, double share);

double iw_histogram_mean(const struct iw_histogram *histogram);
