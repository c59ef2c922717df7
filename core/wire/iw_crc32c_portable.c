#include "iw_crc32c.h"

/* A source of its own: a program that uses only these functions is not linked with ISA-L. */

/* Plain C, one nibble at a time; the compiler builds the table of 16 words from the polynomial. */
#define STEP(crc) ((crc) >> 1 ^ (UINT32_C(0x82F63B78) & (0 - ((crc)&1))))
#define NIBBLE(n) STEP(STEP(STEP(STEP(UINT32_C(n)))))

static const uint32_t crc32c_nibble[16] = {NIBBLE(0), NIBBLE(1), NIBBLE(2), NIBBLE(3), NIBBLE(4), NIBBLE(5),
    NIBBLE(6), NIBBLE(7), NIBBLE(8), NIBBLE(9), NIBBLE(10), NIBBLE(11), NIBBLE(12), NIBBLE(13), NIBBLE(14),
    NIBBLE(15)};

uint32_t iw_crc32c_update_portable(uint32_t state, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        state ^= octets[i];
        state = state >> 4 ^ crc32c_nibble[state & 0xF];
        state = state >> 4 ^ crc32c_nibble[state & 0xF];
    }
    return state;
}

uint32_t iw_crc32c_end(uint32_t state) {
    return __builtin_bswap32(~state);
}
