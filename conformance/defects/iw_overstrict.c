#include "iw_defect_state.h"

static bool overstrict_pad_wrong(const struct iw_fpdu *fpdu) {
    const uint8_t *pad = iw_fpdu_ulpdu(fpdu) + fpdu->ulpdu_length;

    for (uint8_t i = 0; i < fpdu->pad_octets; i++)
        if (pad[i] != 0)
            return true;
    return false;
}

static bool overstrict_markers_wrong(const struct iw_fpdu *fpdu, bool reserved) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if (reserved ? fpdu->markers[i].reserved != 0 : (fpdu->markers[i].fpduptr & 3) != 0)
            return true;
    return false;
}

static bool overstrict_names_stag(const struct iw_segment *segment) {
    return !segment->tagged && segment->op != NULL && segment->op->invalidate == IW_INVALIDATE_ZERO &&
           segment->invalidate_stag != 0;
}

static bool overstrict_stag_unknown(const struct iw_memory *memory, uint32_t stag) {
    return memory == NULL || iw_memory_find(memory, stag) == NULL;
}

static bool is_unknown_empty_write(const struct iw_memory *memory, const struct iw_segment *segment) {
    return segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->tagged && segment->payload_octets == 0 &&
           overstrict_stag_unknown(memory, segment->stag);
}

static bool overstrict_write_reaches_end(const struct iw_memory *memory, const struct iw_segment *segment) {
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, segment->stag);

    return segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->payload_octets > 0 && region != NULL &&
           segment->to + segment->payload_octets == region->base + region->size;
}

static unsigned overstrict_checks(const void *user) {
    return ((const struct iw_defect_state *)user)->defect->endpoint.overstrict;
}

static const char *overstrict_startup(void *user, const struct iw_startup *frame) {
    unsigned checks = overstrict_checks(user);

    if ((checks & IW_OVERSTRICT_RES) && frame->header.res != 0)
        return "Res is not zero";
    if ((checks & IW_OVERSTRICT_MODEL) && frame->enhanced && !frame->enhanced_data.a &&
        iw_startup_rtr(&frame->enhanced_data) != 0)
        return "an RTR type with A=0";
    return NULL;
}

static bool overstrict_ord(void *user, uint16_t ird, uint16_t ord) {
    return !(overstrict_checks(user) & IW_OVERSTRICT_DEPTH) || ord != ird;
}

static int overstrict_empty_read(
    void *user, const struct iw_memory *memory, const struct iw_read_request *read) {
    return (overstrict_checks(user) & IW_OVERSTRICT_EMPTY_READ) &&
                   overstrict_stag_unknown(memory, read->source_stag)
               ? IW_ERROR_RDMAP_INVALID_STAG
               : IW_NO_ERROR;
}

static int overstrict_send(unsigned checks, const struct iw_segment *segment) {
    if (!iw_segment_is_send(segment))
        return IW_NO_ERROR;
    if ((checks & IW_OVERSTRICT_EMPTY_SEND) && segment->payload_octets == 0)
        return IW_ERROR_DDP_TOO_LONG;
    return (checks & IW_OVERSTRICT_SEGMENTS) && segment->mo > 0 ? IW_ERROR_DDP_INVALID_MO : IW_NO_ERROR;
}

static int overstrict_fpdu(void *user, const struct iw_memory *memory, const struct iw_fpdu *fpdu,
    const struct iw_segment *segment) {
    unsigned checks = overstrict_checks(user);

    if ((checks & IW_OVERSTRICT_PAD) && overstrict_pad_wrong(fpdu))
        return IW_ERROR_MPA_CRC;
    if (((checks & IW_OVERSTRICT_MARKED) && fpdu->marker_count > 0) ||
        ((checks & IW_OVERSTRICT_MARKER) && overstrict_markers_wrong(fpdu, true)) ||
        ((checks & IW_OVERSTRICT_FPDUPTR) && overstrict_markers_wrong(fpdu, false)))
        return IW_ERROR_MPA_MARKER;
    if (((checks & IW_OVERSTRICT_RSVD) && segment->rsvd != 0) ||
        ((checks & IW_OVERSTRICT_RSV) && segment->rsv != 0) ||
        ((checks & IW_OVERSTRICT_INVALIDATE) && overstrict_names_stag(segment)))
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    if ((checks & IW_OVERSTRICT_TERMINATE) && segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    if ((checks & IW_OVERSTRICT_TERMINATE_BUFFER) && segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if ((checks & IW_OVERSTRICT_EMPTY_WRITE) && is_unknown_empty_write(memory, segment))
        return IW_ERROR_DDP_INVALID_STAG;
    if ((checks & IW_OVERSTRICT_LAST_OCTET) && overstrict_write_reaches_end(memory, segment))
        return IW_ERROR_DDP_BASE_BOUNDS;
    if ((checks & IW_OVERSTRICT_LONG) && fpdu->ulpdu_length > IW_ENDPOINT_EMSS)
        return IW_ERROR_DDP_TOO_LONG;
    return overstrict_send(checks, segment);
}

static int overstrict_delivery(void *user, unsigned fpdus, size_t pending) {
    unsigned checks = overstrict_checks(user);

    return ((checks & IW_OVERSTRICT_SPLIT) && pending > 0) || ((checks & IW_OVERSTRICT_JOINED) && fpdus > 1)
               ? IW_ERROR_MPA_MARKER
               : IW_NO_ERROR;
}

void iw_overstrict_configure(const struct iw_defect *defect, struct iw_policy *policy) {
    unsigned overstrict = defect->endpoint.overstrict;

    if (overstrict == 0)
        return;
    policy->crc_always |= (overstrict & IW_OVERSTRICT_CRC) != 0;
    policy->checks = (struct iw_policy_checks){.startup = overstrict_startup,
        .ord = overstrict_ord,
        .fpdu = overstrict_fpdu,
        .empty_read = overstrict_empty_read,
        .delivery = overstrict_delivery};
}
