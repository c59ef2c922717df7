#include "iw_crc_pattern.h"

#include "iw_crc32c.h"

#define POLYNOMIAL_CRC32 UINT32_C(0xEDB88320)  /* IEEE 802.3, reflected */
#define POLYNOMIAL_CRC32C UINT32_C(0x82F63B78) /* RFC 3385, reflected */

static uint32_t crc_pattern_step(uint32_t polynomial, uint32_t state) {
    for (int bit = 0; bit < 8; bit++)
        state = state >> 1 ^ (polynomial & (0 - (state & 1)));
    return state;
}

static uint32_t crc_pattern_run(uint32_t polynomial, uint32_t state, const uint8_t *octets, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        state = crc_pattern_step(polynomial, state ^ octets[i]);
    return state;
}

/* Whether the wire octets `received` (first octet highest) hold `state`, in either order of octets. */
static bool crc_pattern_holds(uint32_t received, uint32_t state) {
    return received == state || received == __builtin_bswap32(state);
}

/* Steps of CRC-32C: the entry of each octet, and the octet whose entry has this highest octet. */
struct crc_pattern_steps {
    uint32_t entry[256];
    uint8_t octet[256];
};

static void crc_pattern_prepare(struct crc_pattern_steps *steps) {
    for (uint32_t i = 0; i < 256; i++) {
        steps->entry[i] = crc_pattern_step(POLYNOMIAL_CRC32C, i);
        steps->octet[steps->entry[i] >> 24] = (uint8_t)i;
    }
}

/* The state before an octet of 0 that leads to `state`. */
static uint32_t crc_pattern_undo(const struct crc_pattern_steps *steps, uint32_t state) {
    uint8_t octet = steps->octet[state >> 24];

    return (state ^ steps->entry[octet]) << 8 | octet;
}

/* Goes back from the difference of both CRCs, octet by octet: before a single wrong octet the difference is
 * that of the octet. */
static bool crc_pattern_one_octet(const struct iw_fpdu *fpdu, struct iw_crc_trace *trace) {
    uint32_t covered = fpdu->image_octets - (uint32_t)iw_mpa_crc_octets;
    struct crc_pattern_steps steps;
    uint32_t state = __builtin_bswap32(fpdu->crc_received ^ fpdu->crc_computed);

    for (unsigned i = 0; i < iw_mpa_crc_octets; i++) /* of the CRC field itself */
        if (((fpdu->crc_received ^ fpdu->crc_computed) & ~(UINT32_C(0xFF) << 8 * i)) == 0) {
            trace->at = covered + (uint32_t)iw_mpa_crc_octets - 1 - i;
            trace->flips = (uint8_t)((fpdu->crc_received ^ fpdu->crc_computed) >> 8 * i);
            return true;
        }
    if (fpdu->marker_count > 0)
        return false; /* the octet may be in a Marker: its place is not that in the image */
    crc_pattern_prepare(&steps);
    for (uint32_t left = covered; left > 0; left--) {
        state = crc_pattern_undo(&steps, state);
        if (state < 256) {
            trace->at = left - 1;
            trace->flips = (uint8_t)state;
            return true;
        }
    }
    return false;
}

/* Whether the CRC is right for the FPDU with a PAD of 0, but the PAD has other values. */
static bool crc_pattern_stale_pad(const struct iw_fpdu *fpdu, struct iw_crc_trace *trace) {
    static const uint8_t zeros[3];
    uint32_t pad = fpdu->pad_octets, before = fpdu->image_octets - (uint32_t)iw_mpa_crc_octets - pad;
    uint32_t state = iw_crc32c_begin(), stale = 0, at = 0;

    for (uint32_t i = before; i < before + pad; i++)
        if (fpdu->image[i] != 0) {
            stale++;
            at = i;
        }
    if (stale == 0 || pad > sizeof zeros || fpdu->marker_count > 0)
        return false;
    state = iw_crc32c_update(state, fpdu->image, before);
    if (iw_crc32c_end(iw_crc32c_update(state, zeros, pad)) != fpdu->crc_received)
        return false;
    trace->at = at;
    trace->flips = stale == 1 ? fpdu->image[at] : 0;
    return true;
}

/* Whether the one octet that differs is of the PAD. */
static bool crc_pattern_is_of_pad(const struct iw_fpdu *fpdu, const struct iw_crc_trace *trace) {
    uint32_t end = fpdu->image_octets - (uint32_t)iw_mpa_crc_octets;

    return trace->pattern == IW_CRC_PATTERN_ONE_OCTET && trace->at < end &&
           trace->at >= end - fpdu->pad_octets;
}

/* Whether the CRC would be right if the PAD, which is 0, had other octets. Before a PAD of n octets, the
 * difference of both CRCs consists of the n octets that differ. */
static bool crc_pattern_other_pad(const struct iw_fpdu *fpdu, struct iw_crc_trace *trace) {
    uint32_t pad = fpdu->pad_octets, before = fpdu->image_octets - (uint32_t)iw_mpa_crc_octets - pad;
    uint32_t state = __builtin_bswap32(fpdu->crc_received ^ fpdu->crc_computed), other = 0;
    struct crc_pattern_steps steps;

    if (pad == 0 || pad > 3 || fpdu->marker_count > 0)
        return false;
    for (uint32_t i = 0; i < pad; i++)
        if (fpdu->image[before + i] != 0)
            return false;
    crc_pattern_prepare(&steps);
    for (uint32_t i = 0; i < pad; i++)
        state = crc_pattern_undo(&steps, state);
    if (state >> 8 * pad != 0)
        return false;
    for (uint32_t i = 0; i < pad; i++)
        if ((state >> 8 * i & 0xFF) != 0) {
            other++;
            trace->at = before + i;
            trace->flips = (uint8_t)(state >> 8 * i);
        }
    trace->flips = other == 1 ? trace->flips : 0;
    return true;
}

static enum iw_crc_pattern crc_pattern_algorithm(const struct iw_fpdu *fpdu) {
    uint32_t covered = fpdu->image_octets - (uint32_t)iw_mpa_crc_octets, received = fpdu->crc_received;
    uint32_t wire = covered + fpdu->marker_count * (uint32_t)iw_mpa_marker_octets;
    const uint8_t *image = fpdu->image, *octets = fpdu->wire;

    if (received == 0)
        return IW_CRC_PATTERN_ZERO;
    if (received == __builtin_bswap32(fpdu->crc_computed))
        return IW_CRC_PATTERN_BYTE_ORDER;
    if (crc_pattern_holds(received, ~fpdu->crc_computed))
        return IW_CRC_PATTERN_XOROUT;
    if (crc_pattern_holds(received, ~crc_pattern_run(POLYNOMIAL_CRC32, UINT32_MAX, octets, wire)))
        return IW_CRC_PATTERN_CRC32;
    if (crc_pattern_holds(received, ~crc_pattern_run(POLYNOMIAL_CRC32C, 0, octets, wire)))
        return IW_CRC_PATTERN_INIT;
    if (fpdu->marker_count > 0 && iw_crc32c(image, covered) == received)
        return IW_CRC_PATTERN_NO_MARKERS;
    if (iw_crc32c(image + iw_mpa_fpdu_octets, covered - iw_mpa_fpdu_octets) == received)
        return IW_CRC_PATTERN_NO_LENGTH;
    if (fpdu->pad_octets > 0 && iw_crc32c(octets, wire - fpdu->pad_octets) == received)
        return IW_CRC_PATTERN_NO_PAD;
    return IW_CRC_PATTERN_UNKNOWN;
}

bool iw_crc_pattern_is_marker_alone(const struct iw_fpdu *fpdu) {
    return iw_crc_differs(fpdu->crc) && fpdu->marker_count > 0 && fpdu->markers[0].offset == fpdu->offset &&
           fpdu->image_captured == 0 && fpdu->wire_octets == iw_mpa_marker_octets;
}

struct iw_crc_trace iw_crc_pattern_find(const struct iw_fpdu *fpdu) {
    struct iw_crc_trace trace = {.pattern = IW_CRC_PATTERN_UNKNOWN, .pad = fpdu->pad_octets};
    uint32_t least = (uint32_t)(iw_mpa_fpdu_octets + iw_mpa_crc_octets);

    if (iw_crc_pattern_is_marker_alone(fpdu))
        trace.pattern = IW_CRC_PATTERN_NO_MARKERS;
    if (!iw_crc_differs(fpdu->crc) || fpdu->image_captured < fpdu->image_octets ||
        fpdu->image_octets < least || fpdu->image_octets > IW_CRC_PATTERN_OCTETS_MAX ||
        fpdu->wire_octets < fpdu->image_octets + fpdu->marker_count * (uint32_t)iw_mpa_marker_octets)
        return trace;
    trace.pattern = crc_pattern_algorithm(fpdu);
    if (trace.pattern == IW_CRC_PATTERN_UNKNOWN && crc_pattern_stale_pad(fpdu, &trace))
        trace.pattern = IW_CRC_PATTERN_STALE_PAD;
    if (trace.pattern == IW_CRC_PATTERN_UNKNOWN && crc_pattern_one_octet(fpdu, &trace))
        trace.pattern = IW_CRC_PATTERN_ONE_OCTET;
    if ((trace.pattern == IW_CRC_PATTERN_UNKNOWN || crc_pattern_is_of_pad(fpdu, &trace)) &&
        crc_pattern_other_pad(fpdu, &trace))
        trace.pattern = IW_CRC_PATTERN_OTHER_PAD;
    return trace;
}

const char *iw_crc_pattern_text(enum iw_crc_pattern pattern) {
    static const char *const texts[IW_CRC_PATTERN_COUNT] = {
        [IW_CRC_PATTERN_UNKNOWN] = "is not what a known mistake gives",
        [IW_CRC_PATTERN_ZERO] = "is 0, as if no CRC was computed",
        [IW_CRC_PATTERN_CRC32] = "is the CRC-32 of IEEE 802.3 instead of CRC-32C",
        [IW_CRC_PATTERN_BYTE_ORDER] = "is the right CRC with its octets in the opposite order",
        [IW_CRC_PATTERN_INIT] = "is CRC-32C with the initial value 0 instead of FFFFFFFFh",
        [IW_CRC_PATTERN_XOROUT] = "is CRC-32C without the final complement",
        [IW_CRC_PATTERN_NO_LENGTH] = "equals the CRC of the FPDU without ULPDU_Length",
        [IW_CRC_PATTERN_NO_MARKERS] = "equals the CRC of the FPDU without its Markers",
        [IW_CRC_PATTERN_NO_PAD] = "equals the CRC of the FPDU without its PAD",
        [IW_CRC_PATTERN_STALE_PAD] = "is right for a PAD of 0, but the PAD has other octets",
        [IW_CRC_PATTERN_OTHER_PAD] = "is right for a PAD with other octets, but the PAD is 0",
        [IW_CRC_PATTERN_ONE_OCTET] = "would be right if one octet had another value",
    };

    return texts[pattern];
}

bool iw_crc_pattern_is_algorithm(enum iw_crc_pattern pattern) {
    return pattern > IW_CRC_PATTERN_UNKNOWN && pattern < IW_CRC_PATTERN_STALE_PAD;
}
