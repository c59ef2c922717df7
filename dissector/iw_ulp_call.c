#include "iw_ulp_call.h"

#include <string.h>

/* The heuristic dissector of each protocol, found by its list and the filter name of its protocol. */
static struct callee {
    const char *list;
    const char *filter;
    heur_dtbl_entry_t *entry;  /* NULL: Wireshark has no such dissector */
    dissector_handle_t handle; /* used for the call, so that the frame's layers include the protocol */
} callees[IW_ULP_COUNT] = {
    [IW_ULP_RPC] = {.list = "iwarp_ddp_rdmap", .filter = "rpcordma"},
    [IW_ULP_SMB_DIRECT] = {.list = "iwarp_ddp_rdmap", .filter = "smb_direct"},
    [IW_ULP_ISER] = {.list = "infiniband.payload", .filter = "iser"},
    [IW_ULP_NVME] = {.list = "infiniband.payload", .filter = "nvme-rdma"},
};

struct call {
    heur_dtbl_entry_t *entry;
    void *info;
};

static int ulp_call_dissect_above(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, void *data) {
    const struct call *call = data;

    if (!call->entry->enabled || !call->entry->dissector(tvb, pinfo, tree, call->info))
        return 0;
    return (int)tvb_captured_length(tvb) + 1; /* accepted, even if empty */
}

static void ulp_call_find_entry(const char *list _U_, heur_dtbl_entry_t *entry, void *user) {
    struct callee *callee = user;
    const char *filter = proto_get_protocol_filter_name(proto_get_id(entry->protocol));

    if (strcmp(filter, callee->filter) == 0)
        callee->entry = entry;
}

void iw_ulp_call_handoff(void) {
    for (unsigned i = IW_ULP_UNKNOWN + 1; i < IW_ULP_COUNT; i++) {
        struct callee *callee = &callees[i];

        if (callee->list == NULL) /* Wireshark has no dissector of rping */
            continue;
        if (has_heur_dissector_list(callee->list))
            heur_dissector_table_foreach(callee->list, ulp_call_find_entry, callee);
        if (callee->entry != NULL)
            callee->handle =
                create_dissector_handle(ulp_call_dissect_above, proto_get_id(callee->entry->protocol));
    }
    iw_ulp_infiniband_handoff();
}

/* ---- one call of a ULP's dissector ---- */

#define SEPARATOR " | "

/* Protects iWARP's text in the Info column, to which the ULP appends. Returns the text, or NULL. */
static const char *ulp_call_fence_info(packet_info *pinfo) {
    const char *text = col_get_text(pinfo->cinfo, COL_INFO);

    if (text == NULL)
        return NULL;
    text = wmem_strdup(pinfo->pool, text);
    col_append_str(pinfo->cinfo, COL_INFO, SEPARATOR);
    col_set_fence(pinfo->cinfo, COL_INFO);
    return text;
}

/* Removes the separator if the ULP appended nothing; keeps one if the ULP appended its own. The ULP may also
 * have written before the fence. */
static void ulp_call_unfence_info(packet_info *pinfo, const char *before) {
    const char *text = before != NULL ? col_get_text(pinfo->cinfo, COL_INFO) : NULL;
    const char *fenced, *above;

    if (text == NULL)
        return;
    text = wmem_strdup(pinfo->pool, text);
    fenced = strstr(text, wmem_strdup_printf(pinfo->pool, "%s" SEPARATOR, before));
    if (fenced == NULL)
        return;
    above = fenced + strlen(before) + strlen(SEPARATOR);
    above += strspn(above, SEPARATOR);
    col_clear_fence(pinfo->cinfo, COL_INFO);
    col_add_fstr(pinfo->cinfo, COL_INFO, "%.*s%s%s%s", (int)(fenced - text), text, before,
        above[0] != '\0' ? SEPARATOR : "", above);
    col_set_fence(pinfo->cinfo, COL_INFO);
}

static void call_guarded(
    dissector_handle_t handle, tvbuff_t *tvb, packet_info *pinfo, proto_tree *root, struct call *call) {
    TRY {
        call_dissector_only(handle, tvb, pinfo, root, call);
    }
    CATCH_NONFATAL_ERRORS {
        show_exception(tvb, pinfo, root, EXCEPT_CODE, GET_MESSAGE);
    }
    ENDTRY;
}

/* Restores in `pinfo` what the dissector may change, for the next FPDU of the frame. */
void iw_ulp_call(const struct iw_ulp_pdu *above, tvbuff_t *tvb, port_type ptype, void *info) {
    const struct callee *callee = &callees[above->ulp->protocol];
    packet_info *pinfo = above->pdu->pinfo;
    packet_info saved = *pinfo;
    GSList *proto_data = pinfo->fd->pfd;
    const char *text;

    if (callee->handle == NULL)
        return;
    if (above->proto_data != NULL)
        pinfo->fd->pfd = *above->proto_data;
    pinfo->ptype = ptype;
    pinfo->can_desegment = 0; /* messages are complete */
    pinfo->fragmented = false;
    text = ulp_call_fence_info(pinfo);
    call_guarded(callee->handle, tvb, pinfo, above->root, &(struct call){callee->entry, info});
    ulp_call_unfence_info(pinfo, text);
    if (above->proto_data != NULL) {
        *above->proto_data = pinfo->fd->pfd;
        pinfo->fd->pfd = proto_data;
    }
    pinfo->ptype = saved.ptype;
    pinfo->can_desegment = saved.can_desegment;
    pinfo->fragmented = saved.fragmented;
    pinfo->current_proto = saved.current_proto;
    pinfo->heur_list_name = saved.heur_list_name;
}

/* ---- RPC over RDMA, SMB Direct ---- */

/* Returns the opcode without SE: RPC over RDMA's dissector does not know SE. */
static uint8_t ulp_call_opcode_without_se(uint8_t opcode) {
    return opcode == IW_RDMAP_OP_SEND_SE       ? RDMA_SEND
           : opcode == IW_RDMAP_OP_SEND_SE_INV ? RDMA_SEND_INVALIDATE
                                               : opcode;
}

/* Begins a Wireshark conversation for each connection: a connection with reused addresses must not find the
 * data of an earlier one. */
static void ulp_begin_conversation(const struct iw_ulp_pdu *above) {
    packet_info *pinfo = above->pdu->pinfo;

    if (above->ulp->conversations || PINFO_FD_VISITED(pinfo))
        return;
    above->ulp->conversations = true;
    conversation_new(
        pinfo->num, &pinfo->src, &pinfo->dst, CONVERSATION_IWARP_MPA, pinfo->srcport, pinfo->destport, 0);
}

static wmem_list_t *ulp_call_copy_layers(packet_info *pinfo) {
    wmem_list_t *copy = wmem_list_new(pinfo->pool);
    wmem_list_frame_t *frame = wmem_list_head(pinfo->layers);

    for (; frame != NULL; frame = wmem_list_frame_next(frame))
        wmem_list_append(copy, wmem_list_frame_data(frame));
    return copy;
}

/* Calls the dissector without effect on tree, columns and layers. */
static void call_hidden(const struct iw_ulp_pdu *above, rdmap_info_t *info) {
    packet_info *pinfo = above->pdu->pinfo;
    packet_info saved = *pinfo;
    bool writable = col_get_writable(pinfo->cinfo, -1);
    struct iw_ulp_pdu hidden = *above;

    hidden.root = NULL;
    col_set_writable(pinfo->cinfo, -1, false);
    pinfo->layers = ulp_call_copy_layers(pinfo);
    pinfo->proto_layers = wmem_map_new(pinfo->pool, g_direct_hash, g_direct_equal);
    iw_ulp_call(&hidden, above->message, PT_IWARP_MPA, info);
    col_set_writable(pinfo->cinfo, -1, writable);
    pinfo->layers = saved.layers;
    pinfo->proto_layers = saved.proto_layers;
    pinfo->curr_layer_num = saved.curr_layer_num;
    pinfo->curr_proto_layer_num = saved.curr_proto_layer_num;
}

/* On the first pass, RPC over RDMA's dissector does not insert the chunks of a reduced reply: it only learns
 * their places, for later passes. So it is called hidden first, and then as on a later pass. */
static void call_reduced_reply(const struct iw_ulp_pdu *above, rdmap_info_t *info) {
    frame_data *frame = above->pdu->pinfo->fd;

    call_hidden(above, info);
    frame->visited = 1;
    iw_ulp_call(above, above->message, PT_IWARP_MPA, info);
    frame->visited = 0;
}

/* RPC over RDMA and SMB Direct expect a Send of one segment: passes the complete message as one segment. */
static void call_send(const struct iw_ulp_pdu *above, const struct iw_ulp_message *send) {
    const struct iw_segment *ddp = &above->pdu->ddp;
    rdmap_info_t info = {
        .opcode = ulp_call_opcode_without_se(ddp->opcode), .last_flag = true, .is_tagged = false};

    info.queue_number = ddp->qn;
    info.message_seq_num = ddp->msn;
    info.message_offset = 0;
    ulp_begin_conversation(above);
    if (!PINFO_FD_VISITED(above->pdu->pinfo) && above->ulp->protocol == IW_ULP_RPC &&
        iw_ulp_is_reduced_reply(send))
        call_reduced_reply(above, &info);
    else
        iw_ulp_call(above, above->message, PT_IWARP_MPA, &info);
}

static void call_read_request(const struct iw_ulp_pdu *above) {
    const struct iw_segment *ddp = &above->pdu->ddp;
    rdmap_info_t info = {.opcode = RDMA_READ_REQUEST, .last_flag = ddp->last, .is_tagged = false};
    struct iw_read_request read;
    rdmap_request_t request;

    iw_read_request_decode(ddp->header, &read);
    request = (rdmap_request_t){.sink_stag = read.sink_stag,
        .sink_toffset = read.sink_to,
        .source_stag = read.source_stag,
        .source_toffset = read.source_to,
        .message_size = read.size};
    info.queue_number = ddp->qn;
    info.message_seq_num = ddp->msn;
    info.message_offset = ddp->mo;
    info.read_request = &request;
    iw_ulp_call(above, tvb_new_subset_length(above->pdu->image, 0, 0), PT_IWARP_MPA, &info);
}

/* RPC over RDMA reassembles chunks by STag and TO: passes each segment as it comes. */
static void call_tagged(const struct iw_ulp_pdu *above) {
    const struct iw_segment *ddp = &above->pdu->ddp;
    rdmap_info_t info = {.opcode = ddp->opcode, .last_flag = ddp->last, .is_tagged = true};

    info.steering_tag = ddp->stag;
    info.tagged_offset = ddp->to;
    iw_ulp_call(above, iw_pdu_payload(above->pdu), PT_IWARP_MPA, &info);
}

static void call_rpc_tagged(const struct iw_ulp_pdu *above) {
    ulp_begin_conversation(above);
    if (above->pdu->ddp.opcode == IW_RDMAP_OP_READ_REQUEST)
        call_read_request(above);
    else if (above->pdu->ddp.payload_captured > 0)
        call_tagged(above);
}

/* ---- FPDUs, for all protocols ---- */

/* Sets *send to the octets of a Send. Returns false if none were captured. */
static bool ulp_call_send_octets(tvbuff_t *tvb, struct iw_ulp_message *send) {
    send->captured = tvb_captured_length(tvb);
    send->octets = tvb_reported_length(tvb);
    send->data = send->captured > 0 ? tvb_get_ptr(tvb, 0, (int)send->captured) : NULL;
    return send->captured > 0;
}

static void call_whole_send(const struct iw_ulp_pdu *above) {
    enum iw_ulp_protocol protocol = above->ulp->protocol;
    struct iw_ulp_message send;

    if (above->message == NULL || !ulp_call_send_octets(above->message, &send) ||
        !iw_ulp_is_message(protocol, &send))
        return;
    if (protocol == IW_ULP_RPC || protocol == IW_ULP_SMB_DIRECT)
        call_send(above, &send);
    else
        iw_ulp_infiniband_send(above);
}

void iw_ulp_call_fpdu(const struct iw_ulp_pdu *above) {
    uint8_t opcode = above->pdu->ddp.opcode;

    if (iw_segment_is_send(&above->pdu->ddp))
        call_whole_send(above);
    else if (opcode != IW_RDMAP_OP_RDMA_WRITE && opcode != IW_RDMAP_OP_READ_RESPONSE &&
             opcode != IW_RDMAP_OP_READ_REQUEST)
        return;
    else if (above->ulp->protocol == IW_ULP_NVME)
        iw_ulp_infiniband_tagged(above);
    else if (above->ulp->protocol == IW_ULP_RPC)
        call_rpc_tagged(above);
}
