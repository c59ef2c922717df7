#include "iw_ulp_call.h"

#include <string.h>

enum {
    /* Service ID of the RDMA IP CM service for TCP; the port is in its last two octets. */
    SERVICE_TCP = 0x01060000,
    /* Offset of the user's private data in a CM request: after the fields and the RDMA IP CM header. */
    REQUEST_PRIVATE_AT = 140 + 36,
};

static int proto_infiniband = -1;

void iw_ulp_infiniband_handoff(void) {
    dissector_handle_t infiniband = find_dissector("infiniband");

    if (infiniband != NULL)
        proto_infiniband = dissector_handle_get_protocol_index(infiniband);
}

static conversation_infiniband_data *infiniband_new_data(const struct iw_ulp *ulp, bool client_to_server) {
    conversation_infiniband_data *data = wmem_new0(wmem_file_scope(), conversation_infiniband_data);
    size_t capacity = sizeof data->mad_private_data - REQUEST_PRIVATE_AT;

    /* the default port of each dissector */
    data->service_id = SERVICE_TCP | (ulp->protocol == IW_ULP_ISER ? IW_ULP_PORT_ISER : IW_ULP_PORT_NVME);
    data->client_to_server = client_to_server;
    memcpy(data->mad_private_data + REQUEST_PRIVATE_AT, ulp->private_data,
        ulp->private_octets < capacity ? ulp->private_octets : capacity);
    return data;
}

/* Begins the conversation of one end, whose address and port represent its queue pair. */
static void infiniband_add_end(
    packet_info *pinfo, const address *end, uint32_t port, conversation_infiniband_data *data) {
    conversation_t *conversation =
        conversation_new(pinfo->num, end, end, CONVERSATION_IBQP, port, port, NO_ADDR2 | NO_PORT2);

    conversation_add_proto_data(conversation, proto_infiniband, data);
}

static void infiniband_begin_conversations(const struct iw_ulp_pdu *above) {
    packet_info *pinfo = above->pdu->pinfo;
    bool from_initiator = above->ulp->initiator_known && above->pdu->item->side == above->ulp->initiator;
    conversation_infiniband_data *to_source, *to_destination;
    conversation_t *both;

    if (above->ulp->conversations || PINFO_FD_VISITED(pinfo))
        return;
    above->ulp->conversations = true;
    to_source = infiniband_new_data(above->ulp, !from_initiator);
    to_destination = infiniband_new_data(above->ulp, from_initiator);
    to_source->src_qp = pinfo->destport;
    to_destination->src_qp = pinfo->srcport;
    both = conversation_new(
        pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_IBQP, pinfo->srcport, pinfo->destport, 0);
    conversation_add_proto_data(both, proto_infiniband, to_destination);
    infiniband_add_end(pinfo, &pinfo->src, pinfo->srcport, to_source);
    infiniband_add_end(pinfo, &pinfo->dst, pinfo->destport, to_destination);
}

static void infiniband_call(const struct iw_ulp_pdu *above, tvbuff_t *tvb, struct infinibandinfo *info) {
    if (proto_infiniband < 0)
        return;
    info->payload_tree = above->root;
    info->packet_seq_num = above->number;
    infiniband_begin_conversations(above);
    iw_ulp_call(above, tvb, PT_IBQP, info);
}

void iw_ulp_infiniband_send(const struct iw_ulp_pdu *above) {
    uint8_t opcode = above->pdu->ddp.opcode;
    bool invalidates = opcode == IW_RDMAP_OP_SEND_INV || opcode == IW_RDMAP_OP_SEND_SE_INV;
    struct infinibandinfo info = {.opCode = invalidates ? RC_SEND_ONLY_INVAL : RC_SEND_ONLY};

    infiniband_call(above, above->message, &info);
}

/* NVMe's dissector matches a transfer to its command by address and total length. */
void iw_ulp_infiniband_tagged(const struct iw_ulp_pdu *above) {
    const struct iw_segment *ddp = &above->pdu->ddp;
    struct infinibandinfo info = {.opCode = RC_RDMA_READ_REQUEST};
    struct iw_read_request read;

    if (ddp->opcode == IW_RDMAP_OP_READ_REQUEST) {
        iw_read_request_decode(ddp->header, &read);
        info.reth_remote_key = read.source_stag;
        info.reth_remote_address = read.source_to;
        info.reth_dma_length = read.size;
        infiniband_call(above, tvb_new_subset_length(above->pdu->image, 0, 0), &info);
        return;
    }
    if (above->message == NULL || ddp->payload_captured == 0)
        return;
    info.opCode = ddp->opcode == IW_RDMAP_OP_RDMA_WRITE ? RC_RDMA_WRITE_ONLY : RC_RDMA_READ_RESPONSE_ONLY;
    info.reth_remote_key = ddp->stag;
    info.reth_remote_address = above->to;
    info.reth_dma_length = tvb_reported_length(above->message);
    infiniband_call(above, above->message, &info);
}
