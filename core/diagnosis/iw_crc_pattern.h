#pragma once

#include "iw_fpdu.h"

/* Why the CRC of an FPDU is wrong: a known mistake in its computation gives a value that damage does not. */

enum iw_crc_pattern {
    IW_CRC_PATTERN_UNKNOWN,    /* no pattern below fits */
    IW_CRC_PATTERN_ZERO,       /* the field is 0: the sender computes no CRC */
    IW_CRC_PATTERN_CRC32,      /* CRC-32 of IEEE 802.3 instead of CRC-32C */
    IW_CRC_PATTERN_BYTE_ORDER, /* the octets of the right CRC in the opposite order */
    IW_CRC_PATTERN_INIT,       /* CRC-32C with the initial value 0 */
    IW_CRC_PATTERN_XOROUT,     /* CRC-32C without the final complement */
    IW_CRC_PATTERN_NO_LENGTH,  /* right for the FPDU without ULPDU_Length */
    IW_CRC_PATTERN_NO_MARKERS, /* right for the FPDU without its Markers */
    IW_CRC_PATTERN_NO_PAD,     /* right for the FPDU without its PAD */
    IW_CRC_PATTERN_STALE_PAD,  /* right for a PAD of 0, but the PAD sent is not 0 */
    IW_CRC_PATTERN_OTHER_PAD,  /* right for a PAD with other octets, but the PAD sent is 0 */
    IW_CRC_PATTERN_ONE_OCTET,  /* right if one octet had another value: damage of that octet */
    IW_CRC_PATTERN_COUNT,
};

struct iw_crc_trace {
    enum iw_crc_pattern pattern;
    uint32_t at; /* ONE_OCTET, STALE_PAD, OTHER_PAD: octet of the FPDU without Markers, from 0 */
    uint8_t
        flips;   /* the bits of that octet that differ; 0: STALE_PAD or OTHER_PAD with several such octets */
    uint8_t pad; /* octets of PAD of that FPDU */
};

/* Larger FPDUs are not examined, to bound the cost; their pattern is UNKNOWN. */
enum { IW_CRC_PATTERN_OCTETS_MAX = 16384 };

/* Examines an FPDU whose CRC differs (iw_crc_differs) and which is captured as a whole; the pattern is
 * UNKNOWN otherwise. A wrong pattern has a chance of about 2^-29, ONE_OCTET of length / 2^24, and OTHER_PAD
 * of 2^-24, 2^-16 or 2^-8 for a PAD of 1, 2 or 3 octets. */
struct iw_crc_trace iw_crc_pattern_find(const struct iw_fpdu *fpdu);

/* Whether the FPDU is a Marker alone, because its CRC is right for the octets after that Marker, and these
 * were read as an FPDU of their own. Its pattern is NO_MARKERS. */
bool iw_crc_pattern_is_marker_alone(const struct iw_fpdu *fpdu);

/* What a CRC with the pattern is, in words, such as "is the CRC-32 of IEEE 802.3 instead of CRC-32C". */
const char *iw_crc_pattern_text(enum iw_crc_pattern pattern);

/* Whether the pattern shows a sender that computes every CRC wrongly, not damage of one FPDU. */
bool iw_crc_pattern_is_algorithm(enum iw_crc_pattern pattern);
