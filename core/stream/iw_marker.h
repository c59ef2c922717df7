#ifndef IW_MARKER_H
#define IW_MARKER_H

#include <stdbool.h>
#include <stdint.h>

/* Marker arithmetic (RFC 5044 4.3). A position counts the octets of one direction from the first octet of
 * full operation, markers included; a marker starts at every position that is a multiple of 512. Positions
 * are 64 bits wide, so the wrap of TCP sequence numbers is nothing to this module. */

enum { IW_MARKER_SPACING = 512 };

/* A marker as received. */
struct iw_marker {
    uint64_t offset;   /* stream offset of its first octet */
    uint16_t reserved; /* as on the wire */
    uint16_t fpduptr;  /* as on the wire, the two low bits included */
    uint16_t expected; /* FPDUPTR that the ULPDU_Length chain asks for */
    uint64_t frame;    /* capture frame in which its last octet stands */
};

/* Octets from `position` to the next marker; 0 if one is due right there. */
static inline uint32_t iw_marker_distance(uint64_t position) {
    return (uint32_t)((IW_MARKER_SPACING - position % IW_MARKER_SPACING) % IW_MARKER_SPACING);
}

/* Octets on the wire of an FPDU of `plain` octets (ULPDU_Length, ULPDU, PAD and CRC) that starts at
 * `position`: with the marker right before it, if one is due, and those inside it. A marker due right behind
 * it belongs to the next FPDU. */
uint32_t iw_marker_wire_octets(uint64_t position, uint32_t plain);

#endif
