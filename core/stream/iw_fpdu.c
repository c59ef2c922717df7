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

uint64_t iw_fpdu_offset(const struct iw_fpdu *fpdu, uint32_t at) {
    const struct iw_span *span = iw_span_find(fpdu->spans, fpdu->span_count, at);

    return span->offset + (at - span->at);
}
