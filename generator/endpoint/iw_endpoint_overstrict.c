#include "iw_endpoint_state.h"

/* Checks that no receiver may make, for an endpoint that is wrong on purpose. */

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

static bool overstrict_stag_unknown(const struct iw_endpoint *endpoint, uint32_t stag) {
    const struct iw_memory *memory = endpoint->config.memory;

    return memory == NULL || iw_memory_find(memory, stag) == NULL;
}

static bool is_unknown_empty_write(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->tagged && segment->payload_octets == 0 &&
           overstrict_stag_unknown(endpoint, segment->stag);
}

static bool overstrict_reaches_end(
    const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to, uint64_t octets) {
    const struct iw_region *region =
        endpoint->config.memory == NULL ? NULL : iw_memory_find(endpoint->config.memory, stag);

    return octets > 0 && region != NULL && to + octets == region->base + region->size;
}

int iw_endpoint_overstrict_read(const struct iw_endpoint *endpoint, const struct iw_read_request *read) {
    unsigned checks = endpoint->config.policy.overstrict;

    if ((checks & IW_OVERSTRICT_EMPTY_READ) && read->size == 0 &&
        overstrict_stag_unknown(endpoint, read->source_stag))
        return IW_ERROR_RDMAP_INVALID_STAG;
    if ((checks & IW_OVERSTRICT_LAST_OCTET) &&
        overstrict_reaches_end(endpoint, read->source_stag, read->source_to, read->size))
        return IW_ERROR_RDMAP_BASE_BOUNDS;
    return IW_NO_ERROR;
}

static int overstrict_send(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    unsigned checks = endpoint->config.policy.overstrict;

    if (!iw_segment_is_send(segment))
        return IW_NO_ERROR;
    if ((checks & IW_OVERSTRICT_EMPTY_SEND) && segment->payload_octets == 0)
        return IW_ERROR_DDP_TOO_LONG;
    return (checks & IW_OVERSTRICT_SEGMENTS) && segment->mo > 0 ? IW_ERROR_DDP_INVALID_MO : IW_NO_ERROR;
}

int iw_endpoint_overstrict(
    const struct iw_endpoint *endpoint, const struct iw_fpdu *fpdu, const struct iw_segment *segment) {
    unsigned checks = endpoint->config.policy.overstrict;

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
    if ((checks & IW_OVERSTRICT_EMPTY_WRITE) && is_unknown_empty_write(endpoint, segment))
        return IW_ERROR_DDP_INVALID_STAG;
    if ((checks & IW_OVERSTRICT_LAST_OCTET) && segment->opcode == IW_RDMAP_OP_RDMA_WRITE &&
        overstrict_reaches_end(endpoint, segment->stag, segment->to, segment->payload_octets))
        return IW_ERROR_DDP_BASE_BOUNDS;
    if ((checks & IW_OVERSTRICT_LONG) && fpdu->ulpdu_length > IW_ENDPOINT_EMSS)
        return IW_ERROR_DDP_TOO_LONG;
    return overstrict_send(endpoint, segment);
}

void iw_endpoint_overstrict_octets(struct iw_endpoint *endpoint, unsigned fpdus) {
    unsigned checks = endpoint->config.policy.overstrict;

    if (((checks & IW_OVERSTRICT_SPLIT) && iw_fpdu_reader_pending(&endpoint->input.reader) > 0) ||
        ((checks & IW_OVERSTRICT_JOINED) && fpdus > 1))
        iw_endpoint_offend(endpoint, IW_ERROR_MPA_MARKER, NULL);
}
