#include "iw_ulp.h"

#include <string.h>

#include "iw_preference.h"
#include "iw_file_memory.h"
#include "iw_ulp_call.h"

enum { SENDS_MAX = 64 }; /* Sends examined to identify a connection's protocol */

static const struct iw_message_limits limits = {.message = 16u << 20, .total = 128u << 20};
static size_t kept;
static wmem_map_t *notes;   /* struct iw_item -> struct iw_ulp_note */
static GSList *connections; /* struct iw_ulp */

void iw_ulp_open(void) {
    notes = wmem_map_new(iw_file_memory(), g_direct_hash, g_direct_equal);
    kept = 0;
}

static void ulp_free_proto_data(void *key _U_, void *value, void *user _U_) {
    g_slist_free(((struct iw_ulp_note *)value)->proto_data);
}

static void ulp_free_messages(void *ulp) {
    iw_message_store_free(((struct iw_ulp *)ulp)->messages);
}

void iw_ulp_close(void) {
    g_slist_free_full(connections, ulp_free_messages);
    if (notes != NULL)
        wmem_map_foreach(notes, ulp_free_proto_data, NULL);
    connections = NULL;
    notes = NULL;
}

static struct iw_ulp *ulp_of_flow(struct iw_stored_flow *flow) {
    if (flow->ulp == NULL) {
        flow->ulp = wmem_new0(iw_file_memory(), struct iw_ulp);
        flow->ulp->messages = iw_message_store_new(&limits, &kept);
        connections = g_slist_prepend(connections, flow->ulp);
    }
    return flow->ulp;
}

static struct iw_ulp_note *ulp_note(const struct iw_item *item) {
    struct iw_ulp_note *note = wmem_map_lookup(notes, item);

    if (note == NULL) {
        note = wmem_new0(iw_file_memory(), struct iw_ulp_note);
        wmem_map_insert(notes, item, note);
    }
    return note;
}

uint16_t iw_ulp_port(const struct iw_stored_flow *flow) {
    const struct iw_ulp *ulp = flow->ulp;

    if (ulp == NULL || !ulp->initiator_known)
        return 0;
    return flow->address[iw_side_other(ulp->initiator)].port;
}

/* ---- properties of segments ---- */

/* Returns true if the CRC is not wrong, the opcode fits T and QN, and the RDMAP header is complete. */
static bool ulp_accepts(const struct iw_item *item, const struct iw_segment *segment) {
    return item->crc != IW_CRC_BAD && segment->op != NULL && !segment->header_missing &&
           iw_segment_opcode_fits(segment);
}

static bool ulp_is_write(const struct iw_segment *segment) {
    return segment->opcode == IW_RDMAP_OP_RDMA_WRITE;
}

static bool ulp_is_read_response(const struct iw_segment *segment) {
    return segment->opcode == IW_RDMAP_OP_READ_RESPONSE;
}

/* Returns true if `message` is complete or, if it is NULL, if the segment is a complete message. */
static bool ulp_completes(const struct iw_segment *segment, const struct iw_message *message) {
    if (message != NULL)
        return message->state == IW_MESSAGE_WHOLE;
    return segment->last && (segment->tagged || segment->mo == 0);
}

/* ---- events of the first pass ---- */

static void ulp_identified(struct iw_ulp *ulp, enum iw_ulp_protocol protocol, const struct iw_item *item) {
    if (protocol == IW_ULP_UNKNOWN || ulp->protocol != IW_ULP_UNKNOWN)
        return;
    ulp->protocol = protocol;
    ulp->known_since = item->frame;
}

static void ulp_set_initiator(struct iw_ulp *ulp, enum iw_side initiator) {
    ulp->initiator_known = true;
    ulp->initiator = initiator;
}

static void ulp_take_startup(
    struct iw_stored_flow *flow, const struct iw_llp_event *llp, const struct iw_item *item) {
    struct iw_ulp *ulp = ulp_of_flow(flow);
    const struct iw_startup *startup = llp->startup;
    bool request = startup->key == IW_STARTUP_REQUEST;

    if (llp->image_captured < iw_mpa_startup_octets || startup->key == IW_STARTUP_UNKNOWN)
        return;
    ulp_set_initiator(ulp, request ? llp->side : iw_side_other(llp->side));
    if (startup->private_data == NULL)
        return;
    if (request && startup->private_octets <= sizeof ulp->private_data) {
        memcpy(ulp->private_data, startup->private_data, startup->private_octets);
        ulp->private_octets = (unsigned)startup->private_octets;
    }
    ulp_identified(ulp,
        iw_ulp_by_private_data(startup->private_data, startup->private_octets, request, iw_ulp_port(flow)),
        item);
}

static const struct iw_message *ulp_reassemble(
    struct iw_ulp *ulp, const struct iw_monitor_event *event, const struct iw_item *item) {
    const struct iw_segment *segment = event->segment;
    const struct iw_response_fact *response = event->response;
    enum iw_side side = event->llp->side;

    if (ulp->messages == NULL || !iw_preferences->reassemble)
        return NULL;
    /* Only NVMe's dissector uses complete Writes and Read Responses. RPC over RDMA's dissector reassembles
     * chunks itself; the other dissectors get only Sends. */
    iw_message_store_keep_tagged(ulp->messages, ulp->protocol == IW_ULP_NVME || iw_preferences->keep_tagged);
    if (iw_segment_is_send(segment))
        return iw_message_store_untagged(ulp->messages, side, segment, item->frame);
    if (ulp_is_read_response(segment) && response != NULL && response->known && response->operation != NULL &&
        response->opcode_ok && response->stag_ok) {
        const struct iw_read_request *read = &response->operation->request.header.read_request;

        return iw_message_store_read(ulp->messages, side, segment, read->sink_to, read->size, item->frame);
    }
    if (ulp_is_write(segment) || ulp_is_read_response(segment))
        return iw_message_store_tagged(ulp->messages, side, segment, item->frame);
    return NULL;
}

static void ulp_identify(struct iw_ulp *ulp, const struct iw_segment *segment,
    const struct iw_message *message, const struct iw_item *item) {
    struct iw_ulp_message send = {segment->payload, segment->payload_captured, segment->payload_octets};

    if (message != NULL)
        send = (struct iw_ulp_message){message->octets, message->length, message->length};
    ulp->sends++;
    ulp_identified(ulp, iw_ulp_by_send(&send), item);
    if (ulp->protocol == IW_ULP_NVME && !ulp->initiator_known)
        ulp_set_initiator(ulp, item->side);
}

/* Returns the number of a transfer for NVMe's dissector: even for Reads, odd for Writes, otherwise 0. */
static uint32_t ulp_transfer_number(
    struct iw_ulp *ulp, const struct iw_monitor_event *event, bool completed) {
    if (event->request != NULL && event->segment->opcode == IW_RDMAP_OP_READ_REQUEST)
        return 2 * (uint32_t)event->request->number;
    if (ulp_is_read_response(event->segment) && completed && event->response != NULL &&
        event->response->known && event->response->operation != NULL)
        return 2 * (uint32_t)event->response->operation->number;
    return ulp_is_write(event->segment) && completed ? 2 * ++ulp->numbers + 1 : 0;
}

static void ulp_take_fpdu(
    struct iw_stored_flow *flow, const struct iw_monitor_event *event, struct iw_item *item) {
    struct iw_ulp *ulp = ulp_of_flow(flow);
    const struct iw_message *message;
    uint32_t number = 0;
    bool completed;

    if (event->segment == NULL || !ulp_accepts(item, event->segment))
        return;
    message = ulp_reassemble(ulp, event, item);
    completed = ulp_completes(event->segment, message);
    /* only complete messages identify the protocol */
    if (completed && ulp->protocol == IW_ULP_UNKNOWN && ulp->sends < SENDS_MAX &&
        iw_segment_is_send(event->segment))
        ulp_identify(ulp, event->segment, message, item);
    if (ulp->protocol == IW_ULP_NVME)
        number = ulp_transfer_number(ulp, event, completed);
    item->assembly = message;
    item->completes = message != NULL && completed ? 1 : 0;
    if (number != 0)
        ulp_note(item)->number = number;
}

void iw_ulp_event(struct iw_stored_flow *flow, const struct iw_monitor_event *event, struct iw_item *item) {
    if (event->llp->kind == IW_LLP_STARTUP)
        ulp_take_startup(flow, event->llp, item);
    else if (event->llp->kind == IW_LLP_SEGMENT)
        ulp_take_fpdu(flow, event, item);
    else if (event->llp->kind == IW_LLP_LOSS && flow->ulp != NULL && flow->ulp->messages != NULL)
        iw_message_store_lost(flow->ulp->messages, event->llp->side);
}

/* ---- display of a message ---- */

/* Adds a tree for the message. `tvb` holds its octets, unless `octets` is 0. */
static void ulp_show_assembly(
    struct iw_pdu *pdu, tvbuff_t *tvb, uint32_t octets, const struct iw_message *message) {
    proto_item *top;
    proto_tree *tree = proto_tree_add_subtree_format(pdu->tree, tvb, 0, (int)octets, ett_iwarp[IW_ETT_HEADER],
        &top, "RDMAP message of %" PRIu32 " segments, %" PRIu32 " octets", message->segment_count,
        message->length);

    if (octets == 0)
        proto_item_set_generated(top);
    for (uint32_t i = 0; i < message->segment_count; i++) {
        const struct iw_message_segment *segment = &message->segments[i];

        proto_item_append_text(iw_pdu_number(tree, IW_HF_MESSAGE_SEGMENT, segment->frame),
            ": offset %" PRIu32 ", %" PRIu32 " octets", segment->offset, segment->octets);
    }
    iw_pdu_number64(tree, IW_HF_MESSAGE_OCTETS, message->length);
}

/* Adds the message as a data source and returns it; NULL if its octets are not stored. */
static tvbuff_t *ulp_show_whole_message(struct iw_pdu *pdu, const struct iw_message *message) {
    tvbuff_t *tvb;

    if (message->octets == NULL) {
        ulp_show_assembly(pdu, pdu->image, 0, message);
        return NULL;
    }
    tvb = tvb_new_child_real_data(pdu->image, message->octets, message->length, (int)message->length);
    add_new_data_source(pdu->pinfo, tvb, "Reassembled RDMAP message");
    ulp_show_assembly(pdu, tvb, message->length, message);
    return tvb;
}

static void ulp_show_incomplete(struct iw_pdu *pdu, const struct iw_message *message) {
    uint32_t missing = iw_message_missing(message);
    proto_item *item = iw_pdu_number(pdu->tree, IW_HF_MESSAGE_MISSING, missing);

    if (message->state == IW_MESSAGE_LIMIT)
        proto_item_set_text(item, "Message not reassembled: it exceeds the limit on stored octets");
    else if (message->headless)
        proto_item_set_text(item, "Message incomplete: octets were lost before its first segment here");
    else
        proto_item_set_text(item, "Message incomplete: %" PRIu32 " octets missing", missing);
}

/* Shows the message in the segment that completes it; in other segments a link to it, or what is missing. */
static tvbuff_t *ulp_show_message(struct iw_pdu *pdu) {
    const struct iw_message *message = pdu->item->assembly;

    if (pdu->item->completes)
        return ulp_show_whole_message(pdu, message);
    if (message->state == IW_MESSAGE_WHOLE)
        iw_pdu_number(pdu->tree, IW_HF_MESSAGE_IN, message->frame);
    else if (pdu->ddp.last || message->state != IW_MESSAGE_OPEN)
        ulp_show_incomplete(pdu, message);
    return NULL;
}

/* Shows the message of this segment. Returns its octets if the segment is or completes it; NULL if it does
 * not, or if they are not stored. */
static tvbuff_t *ulp_message(struct iw_pdu *pdu) {
    if (pdu->item->assembly != NULL)
        return ulp_show_message(pdu);
    return ulp_completes(&pdu->ddp, NULL) ? iw_pdu_payload(pdu) : NULL;
}

/* ---- calls of the ULP's dissector ---- */

/* Returns the place of this item's per-frame data for RPC over RDMA's dissector, which stores a message
 * there. NULL if this is the only item of the frame, or if the ULP is not RPC over RDMA. SMB Direct would
 * need more: its dissector's own tables mix up messages of one frame. */
static GSList **ulp_proto_data(const struct iw_ulp *ulp, const struct iw_item *item) {
    const struct iw_item *first = iw_frame_store_first(item->frame);

    if (ulp->protocol != IW_ULP_RPC || (first == item && iw_frame_store_next(item) == NULL))
        return NULL;
    return &ulp_note(item)->proto_data;
}

bool iw_ulp_known(const struct iw_item *item) {
    const struct iw_ulp *ulp = item->flow->ulp;

    return ulp != NULL && ulp->protocol != IW_ULP_UNKNOWN;
}

void iw_ulp_fpdu(struct iw_pdu *pdu, proto_tree *root) {
    const struct iw_item *item = pdu->item;
    struct iw_ulp *ulp = item->flow->ulp;
    const struct iw_segment *ddp = &pdu->ddp;
    const struct iw_ulp_note *note;
    struct iw_ulp_pdu above;
    bool known;

    if (ulp == NULL || !ulp_accepts(item, ddp))
        return;
    known = iw_ulp_known(item) && pdu->pinfo->num >= ulp->known_since;
    note = wmem_map_lookup(notes, item);
    if (!known && item->assembly == NULL)
        return;
    above = (struct iw_ulp_pdu){.pdu = pdu,
        .root = root,
        .ulp = ulp,
        .number = note != NULL ? note->number : 0,
        .message =
            ddp->payload_octets > 0 || note != NULL || item->assembly != NULL ? ulp_message(pdu) : NULL,
        .to = item->assembly != NULL ? item->assembly->base : ddp->to};
    if (!known)
        return;
    above.proto_data = ulp_proto_data(ulp, item);
    iw_ulp_call_fpdu(&above);
}
