#include "iw_crc32c.h"

#include <limits.h>

#ifdef IW_WITH_ISAL
#include <isa-l/crc.h>
#endif

/* A nibble at a time: the table is sixteen words, built by the compiler from the polynomial. */
#define STEP(crc) ((crc) >> 1 ^ (UINT32_C(0x82F63B78) & (0 - ((crc)&1))))
#define NIBBLE(n) STEP(STEP(STEP(STEP(UINT32_C(n)))))

static const uint32_t nibble[16] = {NIBBLE(0), NIBBLE(1), NIBBLE(2), NIBBLE(3), NIBBLE(4), NIBBLE(5),
    NIBBLE(6), NIBBLE(7), NIBBLE(8), NIBBLE(9), NIBBLE(10), NIBBLE(11), NIBBLE(12), NIBBLE(13), NIBBLE(14),
    NIBBLE(15)};

uint32_t iw_crc32c_update_portable(uint32_t state, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        state ^= octets[i];
        state = state >> 4 ^ nibble[state & 0xF];
        state = state >> 4 ^ nibble[state & 0xF];
    }
    return state;
}

uint32_t iw_crc32c_update(uint32_t state, const uint8_t *octets, size_t count) {
#ifdef IW_WITH_ISAL
    while (count > 0) {
        int piece = count > INT_MAX ? INT_MAX : (int)count;

        state = crc32_iscsi((unsigned char *)(uintptr_t)octets, piece, state); /* reads only */
        octets += piece;
        count -= (size_t)piece;
    }
    return state;
#else
    return iw_crc32c_update_portable(state, octets, count);
#endif
}

uint32_t iw_crc32c_end(uint32_t state) {
    uint32_t crc = ~state;

    return crc << 24 | (crc << 8 & 0x00FF0000) | (crc >> 8 & 0x0000FF00) | crc >> 24;
}

uint32_t iw_crc32c(const uint8_t *octets, size_t count) {
    return iw_crc32c_end(iw_crc32c_update(iw_crc32c_begin(), octets, count));
}
