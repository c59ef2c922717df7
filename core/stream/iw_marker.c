#include "iw_marker.h"

#include "iw_layout.h"

uint32_t iw_marker_wire_octets(uint64_t position, uint32_t plain) {
    const uint32_t between = IW_MARKER_SPACING - iw_mpa_marker_octets;
    uint32_t first = iw_marker_distance(position);

    if (plain <= first)
        return plain;
    return plain + iw_mpa_marker_octets * ((plain - first + between - 1) / between);
}
