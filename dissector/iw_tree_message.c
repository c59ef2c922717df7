#include "iw_tree.h"

#include "iw_opcode.h"

void iw_tree_message(const struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_stored_message *message = pdu->item->message;

    if (message->first_frame == 0)
        return;
    iw_pdu_frame(pdu, tree, IW_HF_MESSAGE_BEGINS, message->first_frame);
    iw_pdu_frame(pdu, tree, IW_HF_MESSAGE_ENDS, message->last_frame);
    if (!pdu->ddp.last || !message->begin_captured || message->segments < 2)
        return;
    iw_pdu_number(tree, IW_HF_MESSAGE_SEGMENTS, message->segments);
    if (!pdu->item->completes) /* otherwise shown with the reassembled message (iw_ulp.c) */
        iw_pdu_number64(tree, IW_HF_MESSAGE_OCTETS, message->octets);
}

static void message_add_time(proto_tree *tree, uint64_t time_ns) {
    nstime_t time = {(time_t)(time_ns / 1000000000u), (int)(time_ns % 1000000000u)};

    proto_item_set_generated(proto_tree_add_time(tree, hf_iwarp[IW_HF_RESPONSE_TIME], NULL, 0, 0, &time));
}

/* Adds the number of outstanding requests. Over TCP, also adds how many Read Requests the startup allows, if
 * known (RFC 6581 9.1). */
static void message_add_outstanding(
    const struct iw_pdu *pdu, proto_tree *tree, enum iw_side requester, uint32_t waiting) {
    const struct iw_stored_flow *flow = pdu->item->flow;
    proto_item *shown = iw_pdu_number(tree, IW_HF_WAITING, waiting);
    uint32_t depth;

    if (flow->settled == NULL || !iw_mpa_depth(flow->settled, requester, &depth))
        return;
    proto_item_append_text(shown, " (Read Requests allowed: %u)", depth);
    iw_pdu_number(tree, IW_HF_WAITING_ALLOWED, depth);
}

static uint32_t response_end(const struct iw_stored_operation *operation) {
    return operation->complete != NULL ? operation->complete->frame : 0;
}

static void message_add_response(
    const struct iw_pdu *pdu, proto_tree *tree, const struct iw_stored_operation *operation) {
    iw_pdu_frame(pdu, tree, IW_HF_REQUEST_IN, operation->request_frame);
    if (operation->complete == pdu->item) {
        iw_pdu_frame(pdu, tree, IW_HF_RESPONSE_IN, operation->response_frame);
        message_add_time(tree, operation->complete_time_ns);
        message_add_outstanding(pdu, tree, iw_side_other(pdu->item->side), operation->waiting_after);
        return;
    }
    if (operation->response == pdu->item)
        message_add_time(tree, operation->response_time_ns);
    iw_pdu_frame(pdu, tree, IW_HF_RESPONSE_ENDS, response_end(operation));
}

/* Returns the state of the request at the end of the connection or capture; NULL if the response is complete,
 * or if nothing is known. */
static const char *message_outstanding_text(const struct iw_stored_operation *operation) {
    const struct iw_stored_end *end = operation->end;

    if (end == NULL || !end->known || operation->answered)
        return NULL;
    if (operation->number > end->sure_after)
        return operation->response == NULL ? "without a response" : "with an incomplete response";
    return end->perhaps ? "perhaps answered" : NULL;
}

static void message_add_request(
    const struct iw_pdu *pdu, proto_tree *tree, const struct iw_stored_operation *operation) {
    iw_pdu_frame(pdu, tree, IW_HF_RESPONSE_IN, operation->response_frame);
    if (response_end(operation) != operation->response_frame)
        iw_pdu_frame(pdu, tree, IW_HF_RESPONSE_ENDS, response_end(operation));
    if (message_outstanding_text(operation) != NULL)
        iw_pdu_text(tree, IW_HF_OUTSTANDING, message_outstanding_text(operation));
    message_add_outstanding(pdu, tree, pdu->item->side, operation->waiting);
}

void iw_tree_operation(const struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_stored_operation *operation = pdu->item->message->operation;

    if (operation == NULL)
        return;
    if (iw_opcode_answered(pdu->ddp.opcode) != IW_RDMAP_OP_NONE)
        message_add_response(pdu, tree, operation);
    else
        message_add_request(pdu, tree, operation);
    if (operation->has_result) {
        iw_pdu_number64(tree, IW_HF_ATOMIC_BEFORE, operation->original);
        iw_pdu_number64(tree, IW_HF_ATOMIC_AFTER, operation->result);
    }
}

static void message_add_stag(const struct iw_pdu *pdu, proto_item *shown, const struct iw_stored_stag *stag) {
    proto_tree *tree = proto_item_add_subtree(shown, ett_iwarp[IW_ETT_STAG]);

    iw_pdu_frame(pdu, tree, IW_HF_STAG_FIRST, stag->first_frame);
    iw_pdu_frame(pdu, tree, IW_HF_STAG_ADVERTISED, stag->advertised_frame);
    iw_pdu_frame(pdu, tree, IW_HF_STAG_INVALIDATED, stag->invalidated_frame);
    iw_pdu_frame(pdu, tree, IW_HF_STAG_ENDED_BEFORE, stag->ended_before);
    if (stag->ended_before != 0)
        proto_item_append_text(shown, " [invalidated before, in frame %u]", stag->ended_before);
}

void iw_tree_stags(const struct iw_pdu *pdu) {
    const struct iw_stored_message *message = pdu->item->message;

    for (unsigned i = 0; i < IW_STAG_USES_MAX; i++) {
        proto_item *shown = message->stags[i] == NULL ? NULL : pdu->shown[message->stag_fields[i]];

        if (shown != NULL)
            message_add_stag(pdu, shown, message->stags[i]);
    }
}
