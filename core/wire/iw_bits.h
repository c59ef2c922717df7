#pragma once

#include <stdint.h>
#include <string.h>

/* A field of up to 64 bits in a header. Bit 0 is the most significant bit of octet 0, as the RFCs draw it.
 * Above 56 bits, a field must begin and end at octets. Constant arguments give plain loads and shifts. */

static inline uint64_t iw_bits_get(const uint8_t *octets, unsigned bit, unsigned width) {
    unsigned last = (bit + width - 1) / 8;
    unsigned spare = 7 - (bit + width - 1) % 8;
    uint64_t value = 0;

#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* Compilers do not turn the loop below into a single load. */
    if (__builtin_constant_p(width) && bit % 8 == 0 && width == 64) {
        memcpy(&value, octets + bit / 8, sizeof value);
        return __builtin_bswap64(value);
    }
    if (__builtin_constant_p(width) && bit % 8 == 0 && width == 32) {
        uint32_t word;

        memcpy(&word, octets + bit / 8, sizeof word);
        return __builtin_bswap32(word);
    }
#endif
    for (unsigned i = bit / 8; i <= last; i++)
        value = value << 8 | octets[i];
    value >>= spare;
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

/* Drops the bits of `value` above `width` and leaves the bits beside the field unchanged. */
static inline void iw_bits_put(uint8_t *octets, unsigned bit, unsigned width, uint64_t value) {
    unsigned first = bit / 8;
    unsigned last = (bit + width - 1) / 8;
    unsigned spare = 7 - (bit + width - 1) % 8;
    uint64_t mask = width == 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;

    value = (value & mask) << spare;
    mask <<= spare;
    for (unsigned i = last + 1; i-- > first;) {
        octets[i] = (uint8_t)((octets[i] & ~mask) | (value & 0xFF));
        value >>= 8;
        mask >>= 8;
    }
}
