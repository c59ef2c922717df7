#include "iw_endpoint_state.h"

/* What no receiver shall look at, for one that is meant to do so all the same. */

static bool pad_wrong(const struct iw_fpdu *fpdu) {
    const uint8_t *pad = iw_fpdu_ulpdu(fpdu) + fpdu->ulpdu_length;

    for (uint8_t i = 0; i < fpdu->pad_octets; i++)
        if (pad[i] != 0)
            return true;
    return false;
}

static bool markers_wrong(const struct iw_fpdu *fpdu, bool reserved) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if (reserved ? fpdu->markers[i].reserved != 0 : (fpdu->markers[i].fpduptr & 3) != 0)
            return true;
    return false;
}

static bool names_stag(const struct iw_segment *segment) {
    return !segment->tagged && segment->op != NULL && segment->op->invalidate == IW_INVALIDATE_ZERO &&
           segment->invalidate_stag != 0;
}

static bool unknown(const struct iw_endpoint *endpoint, uint32_t stag) {
    const struct iw_memory *memory = endpoint->config.memory;

    return memory == NULL || iw_memory_find(memory, stag) == NULL;
}

static bool empty_write_unknown(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->tagged && segment->payload_octets == 0 &&
           unknown(endpoint, segment->stag);
}

static bool reaches_end(const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to, uint64_t octets) {
    const struct iw_region *region =
        endpoint->config.memory == NULL ? NULL : iw_memory_find(endpoint->config.memory, stag);

    return octets > 0 && region != NULL && to + octets == region->base + region->size;
}

int iw_endpoint_overstrict_read(const struct iw_endpoint *endpoint, const struct iw_read_request *read) {
    unsigned fuss = endpoint->config.fuss;

    if ((fuss & IW_OVERSTRICT_EMPTY_READ) && read->size == 0 && unknown(endpoint, read->source_stag))
        return IW_ERROR_RDMAP_INVALID_STAG;
    if ((fuss & IW_OVERSTRICT_LAST_OCTET) &&
        reaches_end(endpoint, read->source_stag, read->source_to, read->size))
        return IW_ERROR_RDMAP_BASE_BOUNDS;
    return IW_NO_ERROR;
}

static int fuss_send(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    unsigned fuss = endpoint->config.fuss;

    if (!iw_segment_is_send(segment))
        return IW_NO_ERROR;
    if ((fuss & IW_OVERSTRICT_EMPTY_SEND) && segment->payload_octets == 0)
        return IW_ERROR_DDP_TOO_LONG;
    return (fuss & IW_OVERSTRICT_SEGMENTS) && segment->mo > 0 ? IW_ERROR_DDP_INVALID_MO : IW_NO_ERROR;
}

int iw_endpoint_overstrict(
    const struct iw_endpoint *endpoint, const struct iw_fpdu *fpdu, const struct iw_segment *segment) {
    unsigned fuss = endpoint->config.fuss;

    if ((fuss & IW_OVERSTRICT_PAD) && pad_wrong(fpdu))
        return IW_ERROR_MPA_CRC;
    if (((fuss & IW_OVERSTRICT_MARKED) && fpdu->marker_count > 0) ||
        ((fuss & IW_OVERSTRICT_MARKER) && markers_wrong(fpdu, true)) ||
        ((fuss & IW_OVERSTRICT_FPDUPTR) && markers_wrong(fpdu, false)))
        return IW_ERROR_MPA_MARKER;
    if (((fuss & IW_OVERSTRICT_RSVD) && segment->rsvd != 0) ||
        ((fuss & IW_OVERSTRICT_RSV) && segment->rsv != 0) ||
        ((fuss & IW_OVERSTRICT_INVALIDATE) && names_stag(segment)))
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    if ((fuss & IW_OVERSTRICT_TERMINATE) && segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    if ((fuss & IW_OVERSTRICT_TERMINATE_ROOM) && segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if ((fuss & IW_OVERSTRICT_EMPTY_WRITE) && empty_write_unknown(endpoint, segment))
        return IW_ERROR_DDP_INVALID_STAG;
    if ((fuss & IW_OVERSTRICT_LAST_OCTET) && segment->opcode == IW_RDMAP_OP_RDMA_WRITE &&
        reaches_end(endpoint, segment->stag, segment->to, segment->payload_octets))
        return IW_ERROR_DDP_BASE_BOUNDS;
    if ((fuss & IW_OVERSTRICT_LONG) && fpdu->ulpdu_length > IW_ENDPOINT_EMSS)
        return IW_ERROR_DDP_TOO_LONG;
    return fuss_send(endpoint, segment);
}

void iw_endpoint_overstrict_octets(struct iw_endpoint *endpoint, unsigned fpdus) {
    unsigned fuss = endpoint->config.fuss;

    if (((fuss & IW_OVERSTRICT_SPLIT) && iw_fpdu_reader_pending(&endpoint->reader) > 0) ||
        ((fuss & IW_OVERSTRICT_JOINED) && fpdus > 1))
        iw_endpoint_offend(endpoint, IW_ERROR_MPA_MARKER, NULL);
}
