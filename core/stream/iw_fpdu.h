#pragma once

#include "iw_chunk.h"
#include "iw_marker.h"
#include "iw_span.h"

/* An FPDU as found in the stream (RFC 5044 4.1): facts, without a verdict. */

/* Whether CRCs are in use in a direction, by the startup (RFC 5044 7.1.1) or as configured. */
enum iw_crc_use {
    IW_CRC_OFF,     /* both startup frames have C=0 */
    IW_CRC_ON,      /* at least one startup frame has C=1 */
    IW_CRC_UNKNOWN, /* the captured startup frames do not tell */
};

enum iw_crc_status {
    IW_CRC_GOOD,
    IW_CRC_BAD,
    IW_CRC_UNCHECKED,    /* CRCs are not in use */
    IW_CRC_UNPROVEN,     /* does not match, but perhaps CRCs are not in use */
    IW_CRC_NOT_CAPTURED, /* octets of the FPDU are missing */
};

/* Whether the CRC does not match the octets. Then any octet may be wrong, unless CRCs are not in use. */
static inline bool iw_crc_differs(enum iw_crc_status status) {
    return status == IW_CRC_BAD || status == IW_CRC_UNPROVEN;
}

/* The name of the status, such as "not captured". */
const char *iw_crc_status_name(enum iw_crc_status status);

struct iw_fpdu {
    enum iw_side side;
    uint64_t offset;      /* stream offset of its first octet, or of the Marker right before it */
    uint64_t position;    /* `offset`, counted from the first octet of full operation */
    uint32_t wire_octets; /* octets in the stream, markers included */
    uint64_t frame;       /* capture frame in which it ends */
    uint64_t time_ns;
    uint64_t first_frame; /* capture frame in which it begins */

    const uint8_t *wire;     /* the captured octets in the stream, Markers included */
    const uint8_t *image;    /* ULPDU_Length, ULPDU, PAD and CRC, without Markers */
    uint32_t image_octets;   /* as sent */
    uint32_t image_captured; /* octets captured, up to the first missing octet */
    uint16_t ulpdu_length;   /* value of the field */
    uint8_t pad_octets;

    enum iw_crc_status crc;
    uint32_t crc_received; /* big-endian value of the octets; valid unless NOT_CAPTURED */
    uint32_t crc_computed; /* valid when GOOD, BAD or UNPROVEN */

    const struct iw_marker *markers;
    uint32_t marker_count;
    const struct iw_span *spans; /* for each captured octet of the image, where it came from */
    uint32_t span_count;
};

/* Captured octets of a ULPDU of `octets` octets in an image that begins with ULPDU_Length. */
static inline uint32_t iw_segment_captured(uint32_t image_captured, uint16_t octets) {
    uint32_t captured = image_captured < iw_mpa_fpdu_octets ? 0 : image_captured - iw_mpa_fpdu_octets;

    return captured < octets ? captured : octets;
}

/* The ULPDU in the image; iw_fpdu_ulpdu_captured: the number of its captured octets. */
static inline const uint8_t *iw_fpdu_ulpdu(const struct iw_fpdu *fpdu) {
    return fpdu->image + iw_mpa_fpdu_octets;
}

static inline uint32_t iw_fpdu_ulpdu_captured(const struct iw_fpdu *fpdu) {
    return iw_segment_captured(fpdu->image_captured, fpdu->ulpdu_length);
}

/* Octets of PAD after a ULPDU of that length: ULPDU_Length, ULPDU and PAD fill whole words (RFC 5044 4.1). */
static inline uint32_t iw_fpdu_pad(uint32_t ulpdu_length) {
    return -(iw_mpa_fpdu_octets + ulpdu_length) & 3u;
}

/* Octets of the FPDU without markers. */
static inline uint32_t iw_fpdu_plain_octets(uint32_t ulpdu_length) {
    return iw_mpa_fpdu_octets + ulpdu_length + iw_fpdu_pad(ulpdu_length) + iw_mpa_crc_octets;
}

/* The first octet of the image, from `from` on, at which an FPDU read without Markers has octets that look
 * like a Marker (RFC 5044 4.3); UINT32_MAX without any. iw_fpdu_could_hold_marker: whether there are any. */
uint32_t iw_fpdu_marker_like(const struct iw_fpdu *fpdu, uint32_t from);
bool iw_fpdu_could_hold_marker(const struct iw_fpdu *fpdu, uint32_t from);

/* The stream offset of octet `at` of the image; `at` < image_captured. */
uint64_t iw_fpdu_offset(const struct iw_fpdu *fpdu, uint32_t at);
