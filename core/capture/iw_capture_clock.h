#ifndef IW_CAPTURE_CLOCK_H
#define IW_CAPTURE_CLOCK_H

#include <stdint.h>

/* Timestamps of a pcapng interface (draft-ietf-opsawg-pcapng 4.2: if_tsresol, if_tsoffset). */
struct iw_capture_clock {
    uint32_t unit_ns;   /* nanoseconds per unit; 0: use `resolution` */
    uint8_t resolution; /* if_tsresol: units of 10^-n seconds; of 2^-n if the highest bit is set */
    int64_t offset_s;   /* seconds to add */
};

void iw_capture_clock_init(struct iw_capture_clock *clock, uint8_t resolution, int64_t offset_s);

/* Converts a time in units to nanoseconds since the epoch. Times before the epoch become 0, times beyond 64
 * bits UINT64_MAX. */
uint64_t iw_capture_clock_ns(const struct iw_capture_clock *clock, uint64_t units);

#endif
