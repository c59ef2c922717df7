#include "iw_fpdu.h"

const char *iw_crc_status_name(enum iw_crc_status status) {
    static const char *const names[] = {
        [IW_CRC_GOOD] = "good",
        [IW_CRC_BAD] = "bad",
        [IW_CRC_UNCHECKED] = "unchecked",
        [IW_CRC_UNPROVEN] = "unproven",
        [IW_CRC_NOT_CAPTURED] = "not captured",
    };

    return names[status];
}

uint32_t iw_fpdu_marker_like(const struct iw_fpdu *fpdu, uint32_t from) {
    for (uint32_t at = from; at + iw_mpa_marker_octets <= fpdu->image_captured; at += iw_mpa_marker_octets) {
        struct iw_mpa_marker marker;

        iw_mpa_marker_decode(fpdu->image + at, &marker);
        if (marker.reserved == 0 && marker.fpduptr == at)
            return at;
    }
    return UINT32_MAX;
}

bool iw_fpdu_could_hold_marker(const struct iw_fpdu *fpdu, uint32_t from) {
    return iw_fpdu_marker_like(fpdu, from) != UINT32_MAX;
}

uint64_t iw_fpdu_offset(const struct iw_fpdu *fpdu, uint32_t at) {
    const struct iw_span *span = iw_span_find(fpdu->spans, fpdu->span_count, at);

    return span->offset + (at - span->at);
}
