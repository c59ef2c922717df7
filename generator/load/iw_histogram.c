#include "iw_histogram.h"

enum { PARTS_BITS = 7 }; /* log2 of IW_HISTOGRAM_PARTS */

/* Each value below 256 has its own bucket. Larger values share a bucket if they have the same eight highest
 * bits and the same number of bits below them. */
static unsigned histogram_bucket(uint64_t value) {
    unsigned top = value == 0 ? 0 : 63 - (unsigned)__builtin_clzll(value);
    unsigned bits = top < PARTS_BITS ? 0 : top - PARTS_BITS;

    return bits * IW_HISTOGRAM_PARTS + (unsigned)(value >> bits);
}

static uint64_t histogram_top_of(unsigned bucket) {
    unsigned bits = bucket < 2 * IW_HISTOGRAM_PARTS ? 0 : bucket / IW_HISTOGRAM_PARTS - 1;
    uint64_t high = bucket - bits * IW_HISTOGRAM_PARTS;

    return (high << bits) + ((UINT64_C(1) << bits) - 1);
}

void iw_histogram_add(struct iw_histogram *histogram, uint64_t value) {
    if (histogram->count == 0 || value < histogram->least)
        histogram->least = value;
    if (value > histogram->most)
        histogram->most = value;
    histogram->count++;
    histogram->sum += (double)value;
    histogram->buckets[histogram_bucket(value)]++;
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
            return histogram_top_of(i) < histogram->most ? histogram_top_of(i) : histogram->most;
    }
    return histogram->most;
}

double iw_histogram_mean(const struct iw_histogram *histogram) {
    return histogram->count == 0 ? 0 : histogram->sum / (double)histogram->count;
}
