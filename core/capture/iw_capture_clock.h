#ifndef IW_CAPTURE_CLOCK_H
#define IW_CAPTURE_CLOCK_H

#include <stdint.h>

/* Times of a pcapng interface (draft-ietf-opsawg-pcapng 4.2: if_tsresol, if_tsoffset). */
struct iw_capture_clock {
    uint32_t unit_ns;   /* nanoseconds of a unit; 0: `resolution` says it */
    uint8_t resolution; /* if_tsresol: 10^-n seconds; with the highest bit set 2^-n */
    int64_t offset_s;   /* seconds to add */
};

void iw_capture_clock_init(struct iw_capture_clock *clock, uint8_t resolution, int64_t offset_s);

/* Nanoseconds since the epoch of a time in units; what comes before the epoch is 0, and what no 64 bits hold
 * is UINT64_MAX. */
uint64_t iw_capture_clock_ns(const struct iw_capture_clock *clock, uint64_t units);

#endif
