#include "iw_tree.h"

#include "iw_hf.h"

static proto_item *add_flag(proto_tree *tree, enum iw_hf_own own, bool value) {
    proto_item *shown = proto_tree_add_boolean(tree, iw_hf_own(own), NULL, 0, 0, value);

    proto_item_set_generated(shown);
    return shown;
}

/* The receiver decides whether there are Markers (RFC 5044 7.1.1). */
static void add_markers(proto_tree *tree, const struct iw_mpa_terms *terms) {
    enum iw_side responder = iw_side_other(terms->initiator);
    bool asked_by_initiator = terms->frame[terms->initiator].header.m;
    bool asked_by_responder = terms->frame[responder].header.m;
    proto_item *shown = add_flag(tree, IW_HF_MARKERS_INITIATOR, terms->markers[terms->initiator]);

    proto_item_append_text(
        shown, ", %s the responder", asked_by_responder ? "asked for by" : "not asked for by");
    if (terms->markers[terms->initiator] != asked_by_responder)
        proto_item_append_text(shown, ", set by the user");
    shown = add_flag(tree, IW_HF_MARKERS_RESPONDER, terms->markers[responder]);
    proto_item_append_text(
        shown, ", %s the initiator", asked_by_initiator ? "asked for by" : "not asked for by");
    if (terms->markers[responder] != asked_by_initiator)
        proto_item_append_text(shown, ", set by the user");
}

/* The CRC is in use if either side asks for it (RFC 5044 7.1.1). */
static void startup_add_crc(proto_tree *tree, const struct iw_mpa_terms *terms) {
    static const char *const requesters[2][2] = {
        {"neither side", "the responder"}, {"the initiator", "both sides"}};
    bool initiator = terms->frame[terms->initiator].header.c;
    bool responder = terms->frame[iw_side_other(terms->initiator)].header.c;
    bool used = terms->crc == IW_CRC_ON;
    proto_item *shown = add_flag(tree, IW_HF_CRC_USED, used);

    proto_item_append_text(shown, ", asked for by %s", requesters[initiator][responder]);
    if (used != (initiator || responder))
        proto_item_append_text(shown, ", set by the user");
}

/* One direction: the ORD of the requester, the IRD of the other side, and the resulting depth. */
static void add_depth(
    proto_tree *tree, const struct iw_mpa_terms *terms, enum iw_side requester, enum iw_hf_own own) {
    unsigned ord = terms->frame[requester].enhanced_data.ord;
    unsigned ird = terms->frame[iw_side_other(requester)].enhanced_data.ird;
    uint32_t depth;

    if (iw_mpa_depth(terms, requester, &depth))
        proto_item_append_text(
            iw_pdu_number(tree, own, depth), " (ORD %u, IRD %u of the other side)", ord, ird);
}

static void add_enhanced(proto_tree *tree, const struct iw_mpa_terms *terms) {
    enum iw_side responder = iw_side_other(terms->initiator);
    const struct iw_startup *request = &terms->frame[terms->initiator];
    const struct iw_startup *reply = &terms->frame[responder];
    unsigned rtr = 0;
    bool peers = iw_mpa_peer_to_peer(terms, &rtr);

    if (!request->enhanced || !reply->enhanced)
        return;
    add_depth(tree, terms, terms->initiator, IW_HF_DEPTH_INITIATOR);
    add_depth(tree, terms, responder, IW_HF_DEPTH_RESPONDER);
    iw_pdu_text(tree, IW_HF_MODEL, peers ? "peer-to-peer" : "client-server");
    if (peers)
        iw_pdu_text(tree, IW_HF_RTR, iw_startup_rtr_text(rtr));
}

/* R=0 alone is not an acceptance: a side may reject a faulty startup frame. */
static const char *startup_result(const struct iw_stored_flow *flow) {
    if (flow->settled->rejected)
        return "rejected";
    return flow->operated || !flow->startup_wrong ? "accepted" : "not known: a startup frame violates a MUST";
}

static void add_settled(proto_tree *tree, const struct iw_stored_flow *flow) {
    const struct iw_mpa_terms *terms = flow->settled;
    const struct iw_startup *reply = &terms->frame[iw_side_other(terms->initiator)];

    iw_pdu_text(tree, IW_HF_STARTUP_RESULT, startup_result(flow));
    iw_pdu_number(tree, IW_HF_STARTUP_REV, reply->header.rev);
    if (terms->rejected)
        return;
    add_markers(tree, terms);
    startup_add_crc(tree, terms);
    add_enhanced(tree, terms);
}

void iw_tree_startup(const struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_stored_flow *flow = pdu->item->flow;
    enum iw_side other = iw_side_other((enum iw_side)pdu->item->side);
    bool reply = pdu->startup.key == IW_STARTUP_REPLY;
    proto_item *top;
    proto_tree *settled;

    iw_pdu_frame(
        pdu, tree, reply ? IW_HF_STARTUP_REQUEST_IN : IW_HF_STARTUP_REPLY_IN, flow->startup_frame[other]);
    if (flow->settled == NULL)
        return;
    settled = proto_tree_add_subtree(
        tree, pdu->image, 0, 0, iw_hf_ett(IW_ETT_SETTLED), &top, "What the startup has settled");
    proto_item_set_generated(top);
    add_settled(settled, flow);
}
