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

int iw_endpoint_fuss_read(const struct iw_endpoint *endpoint, const struct iw_read_request *read) {
    bool fussy = (endpoint->config.fuss & IW_FUSS_EMPTY_READ) != 0;

    return fussy && read->size == 0 && unknown(endpoint, read->source_stag) ? IW_ERROR_RDMAP_INVALID_STAG
                                                                            : IW_NO_ERROR;
}

int iw_endpoint_fuss(
    const struct iw_endpoint *endpoint, const struct iw_fpdu *fpdu, const struct iw_segment *segment) {
    unsigned fuss = endpoint->config.fuss;

    if ((fuss & IW_FUSS_PAD) && pad_wrong(fpdu))
        return IW_ERROR_MPA_CRC;
    if (((fuss & IW_FUSS_MARKED) && fpdu->marker_count > 0) ||
        ((fuss & IW_FUSS_MARKER) && markers_wrong(fpdu, true)) ||
        ((fuss & IW_FUSS_FPDUPTR) && markers_wrong(fpdu, false)))
        return IW_ERROR_MPA_MARKER;
    if (((fuss & IW_FUSS_RSVD) && segment->rsvd != 0) || ((fuss & IW_FUSS_RSV) && segment->rsv != 0) ||
        ((fuss & IW_FUSS_INVALIDATE) && names_stag(segment)))
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    if ((fuss & IW_FUSS_TERMINATE) && segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    if ((fuss & IW_FUSS_TERMINATE_ROOM) && segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if ((fuss & IW_FUSS_EMPTY_WRITE) && empty_write_unknown(endpoint, segment))
        return IW_ERROR_DDP_INVALID_STAG;
    return IW_NO_ERROR;
}

void iw_endpoint_fuss_octets(struct iw_endpoint *endpoint, unsigned fpdus) {
    unsigned fuss = endpoint->config.fuss;

    if (((fuss & IW_FUSS_SPLIT) && iw_fpdu_reader_pending(&endpoint->reader) > 0) ||
        ((fuss & IW_FUSS_JOINED) && fpdus > 1))
        iw_endpoint_offend(endpoint, IW_ERROR_MPA_MARKER, NULL);
}
