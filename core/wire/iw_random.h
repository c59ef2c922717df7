#pragma once

#include <stdint.h>

/* SplitMix64: the sequence depends only on the seed, and is the same on every machine. Not for secrets. */
static inline uint64_t iw_random_next(uint64_t *state) {
    uint64_t value = *state += UINT64_C(0x9E3779B97F4A7C15);

    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}
