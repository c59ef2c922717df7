#include "iw_histogram.h"

enum { PARTS_BITS = 7 }; /* log2 of IW_HISTOGRAM_PARTS */

/* Larger values share a bucket if they have the same `bits` + 1 highest bits and the same number of bits
 * below them. */
unsigned iw_histogram_bucket(uint64_t value, unsigned bits) {
    unsigned top = value == 0 ? 0 : 63 - (unsigned)__builtin_clzll(value);
    unsigned below = top < bits ? 0 : top - bits;

    return (below << bits) + (unsigned)(value >> below);
}

uint64_t iw_histogram_top(unsigned bucket, unsigned bits) {
    unsigned below = bucket >> bits < 2 ? 0 : (bucket >> bits) - 1;
    uint64_t high = bucket - (below << bits);

    return (high << below) + ((UINT64_C(1) << below) - 1);
}

void iw_histogram_add(struct iw_histogram *histogram, uint64_t value) {
    if (histogram->count == 0 || value < histogram->least)
        histogram->least = value;
    if (value > histogram->most)
        histogram->most = value;
    histogram->count++;
    histogram->sum += (double)value;
    histogram->buckets[iw_histogram_bucket(value, PARTS_BITS)]++;
}

uint64_t iw_histogram_at(const struct iw_histogram *histogram, double share) {
    double exact = share * (double)histogram->count;
    uint64_t place = (uint64_t)exact;
    uint64_t passed = 0;

    if ((double)place < exact || place == 0)
        place++;
    for (unsigned i = 0; i < IW_HISTOGRAM_BUCKETS; i++) {
        passed += histogram->buckets[i];
        if (passed >= place)
            return iw_histogram_top(i, PARTS_BITS) < histogram->most ? iw_histogram_top(i, PARTS_BITS)
                                                                     : histogram->most;
    }
    return histogram->most;
}

double iw_histogram_mean(const struct iw_histogram *histogram) {
    return histogram->count == 0 ? 0 : histogram->sum / (double)histogram->count;
}
