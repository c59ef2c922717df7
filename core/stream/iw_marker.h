#pragma once

#include "iw_layout.h"

/* Marker arithmetic (RFC 5044 4.3). A position counts the octets of one direction from the first octet of
 * full operation, Markers included; a Marker starts at every multiple of 512. Positions have 64 bits, so
 * the wrap of TCP sequence numbers does not matter here. */

enum { IW_MARKER_SPACING = 512 };

/* A marker as received. */
struct iw_marker {
    uint64_t offset;   /* stream offset of its first octet */
    uint16_t reserved; /* as on the wire */
    uint16_t fpduptr;  /* as on the wire, the two low bits included */
    uint16_t expected; /* the correct FPDUPTR according to the ULPDU_Lengths */
    uint64_t frame;    /* capture frame of its last octet */
};

/* Octets from `position` to the next Marker; 0 if one is due at `position`. */
static inline uint32_t iw_marker_distance(uint64_t position) {
    return (uint32_t)((IW_MARKER_SPACING - position % IW_MARKER_SPACING) % IW_MARKER_SPACING);
}

/* Length on the wire of an FPDU of `plain` octets at `position`. Counts the Markers due at `position` and
 * inside the FPDU, but not one due right after it. */
static inline uint32_t iw_marker_wire_octets(uint64_t position, uint32_t plain) {
    const uint32_t between = IW_MARKER_SPACING - iw_mpa_marker_octets;
    uint32_t first = iw_marker_distance(position);

    if (plain <= first)
        return plain;
    return plain + iw_mpa_marker_octets * ((plain - first + between - 1) / between);
}
