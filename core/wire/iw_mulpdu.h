#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    IW_MULPDU_MIN = 128,   /* RFC 5044 3 */
    IW_MULPDU_MAX = 64768, /* RFC 5044 3 */
};

/* Returns the octets of a TCP segment besides the ULPDU: length, CRC, Markers, EMSS mod 4 unused octets. */
static inline uint32_t iw_mulpdu_framing(uint32_t emss, bool markers) {
    return 6 + emss % 4 + (markers ? 4 * ((emss + 511) / 512) : 0);
}

/* Returns the largest ULPDU, in octets, that fits one TCP segment of `emss` octets, with or without the
 * Markers that this sender has to insert (RFC 5044 4.5); at least IW_MULPDU_MIN, at most IW_MULPDU_MAX. */
uint16_t iw_mulpdu(uint32_t emss, bool markers);
