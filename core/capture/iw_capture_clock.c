#include "iw_capture_clock.h"

enum { SECOND_NS = 1000000000, BINARY = 0x80 };

__extension__ typedef __int128 wide;

void iw_capture_clock_init(struct iw_capture_clock *clock, uint8_t resolution, int64_t offset_s) {
    *clock = (struct iw_capture_clock){.resolution = resolution, .offset_s = offset_s};
    if (resolution <= 9) {
        clock->unit_ns = 1;
        for (unsigned i = resolution; i < 9; i++)
            clock->unit_ns *= 10;
    }
}

/* For units shorter than a nanosecond, and for powers of two. 64 bits have at most 20 decimal
 * digits, so the loop ends. */
static wide units_ns(const struct iw_capture_clock *clock, uint64_t units) {
    if (clock->resolution & BINARY)
        return (wide)units * SECOND_NS >> (clock->resolution & ~BINARY);
    for (unsigned i = 9; i < clock->resolution && units > 0; i++)
        units /= 10;
    return (wide)units;
}

uint64_t iw_capture_clock_ns(const struct iw_capture_clock *clock, uint64_t units) {
    wide ns = clock->unit_ns ? (wide)units * clock->unit_ns : units_ns(clock, units);

    ns += (wide)clock->offset_s * SECOND_NS;
    if (ns < 0)
        return 0;
    return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}
