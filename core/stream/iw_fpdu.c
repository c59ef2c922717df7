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

const struct iw_span *iw_fpdu_span(const struct iw_fpdu *fpdu, uint32_t at) {
    return iw_span_find(fpdu->spans, fpdu->span_count, at);
}
