#pragma once

#include <stdint.h>
#include <time.h>

/* Returns the time of the monotonic clock in ns: for intervals, because no correction of the date changes it.
 */
static inline uint64_t iw_monotonic_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
