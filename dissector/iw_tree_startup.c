#include "iw_tree.h"

static void tree_startup_add_setting(
    proto_tree *tree, enum iw_hf hf, bool used, bool asked, const char *askers) {
    proto_item *shown = proto_tree_add_boolean(tree, hf_iwarp[hf], NULL, 0, 0, used);

    proto_item_set_generated(shown);
    proto_item_append_text(shown, ", %s%s", askers, used != asked ? ", set by the user" : "");
}

/* Adds whether `sender` sends Markers: the receiver decides (RFC 5044 7.1.1). */
static void tree_startup_add_markers(
    proto_tree *tree, const struct iw_mpa_terms *terms, enum iw_side sender, enum iw_hf hf) {
    static const char *const askers[2][2] = {
        {"not asked for by the responder", "not asked for by the initiator"},
        {"asked for by the responder", "asked for by the initiator"}};
    bool asked = terms->frame[iw_side_other(sender)].header.m;

    tree_startup_add_setting(
        tree, hf, terms->markers[sender], asked, askers[asked][sender != terms->initiator]);
}

/* Adds whether the CRC is in use: if either side asks for it (RFC 5044 7.1.1). */
static void startup_add_crc(proto_tree *tree, const struct iw_mpa_terms *terms) {
    static const char *const askers[2][2] = {{"asked for by neither side", "asked for by the responder"},
        {"asked for by the initiator", "asked for by both sides"}};
    bool initiator = terms->frame[terms->initiator].header.c;
    bool responder = terms->frame[iw_side_other(terms->initiator)].header.c;

    tree_startup_add_setting(
        tree, IW_HF_CRC_USED, terms->crc == IW_CRC_ON, initiator || responder, askers[initiator][responder]);
}

/* Adds the depth for the requests of one side, with its ORD and the IRD of the other side. */
static void tree_startup_add_depth(
    proto_tree *tree, const struct iw_mpa_terms *terms, enum iw_side requester, enum iw_hf hf) {
    unsigned ord = terms->frame[requester].enhanced_data.ord;
    unsigned ird = terms->frame[iw_side_other(requester)].enhanced_data.ird;
    uint32_t depth;

    if (iw_mpa_depth(terms, requester, &depth))
        proto_item_append_text(
            iw_pdu_number(tree, hf, depth), " (ORD %u, IRD %u of the other side)", ord, ird);
}

static void tree_startup_add_enhanced(proto_tree *tree, const struct iw_mpa_terms *terms) {
    enum iw_side responder = iw_side_other(terms->initiator);
    const struct iw_startup *request = &terms->frame[terms->initiator];
    const struct iw_startup *reply = &terms->frame[responder];
    unsigned rtr = 0;
    bool peers = iw_mpa_peer_to_peer(terms, &rtr);

    if (!request->enhanced || !reply->enhanced)
        return;
    tree_startup_add_depth(tree, terms, terms->initiator, IW_HF_DEPTH_INITIATOR);
    tree_startup_add_depth(tree, terms, responder, IW_HF_DEPTH_RESPONDER);
    iw_pdu_text(tree, IW_HF_MODEL, peers ? "peer-to-peer" : "client-server");
    if (peers)
        iw_pdu_text(tree, IW_HF_RTR, iw_startup_rtr_text(rtr));
}

/* Even with R=0, a side may reject a faulty startup frame. */
static const char *startup_result(const struct iw_stored_flow *flow) {
    if (flow->settled->rejected)
        return "rejected";
    return flow->operated || !flow->startup_wrong ? "accepted" : "not known: a startup frame violates a MUST";
}

static void tree_startup_add_settled(proto_tree *tree, const struct iw_stored_flow *flow) {
    const struct iw_mpa_terms *terms = flow->settled;
    enum iw_side responder = iw_side_other(terms->initiator);

    iw_pdu_text(tree, IW_HF_STARTUP_RESULT, startup_result(flow));
    iw_pdu_number(tree, IW_HF_STARTUP_REV, terms->frame[responder].header.rev);
    if (terms->rejected)
        return;
    tree_startup_add_markers(tree, terms, terms->initiator, IW_HF_MARKERS_INITIATOR);
    tree_startup_add_markers(tree, terms, responder, IW_HF_MARKERS_RESPONDER);
    startup_add_crc(tree, terms);
    tree_startup_add_enhanced(tree, terms);
}

static void tree_startup_add_outcome(const struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_stored_flow *flow = pdu->item->flow;
    enum iw_side other = iw_side_other(pdu->item->side);
    bool reply = pdu->startup.key == IW_STARTUP_REPLY;
    proto_item *top;
    proto_tree *settled;

    iw_pdu_frame(
        pdu, tree, reply ? IW_HF_STARTUP_REQUEST_IN : IW_HF_STARTUP_REPLY_IN, flow->startup_frame[other]);
    if (flow->settled == NULL)
        return;
    settled = proto_tree_add_subtree(
        tree, pdu->image, 0, 0, ett_iwarp[IW_ETT_SETTLED], &top, "Negotiated parameters");
    proto_item_set_generated(top);
    tree_startup_add_settled(settled, flow);
}

void iw_tree_startup(struct iw_pdu *pdu) {
    unsigned at = iw_mpa_startup_octets;
    unsigned length = pdu->item->length;
    proto_tree *tree = iw_pdu_protocol(pdu, proto_iwarp_mpa, 0, pdu->item->captured, "startup frame");

    iw_pdu_frame(pdu, tree, IW_HF_BEGINS_IN, pdu->item->more->first_frame);
    iw_pdu_number64(tree, IW_HF_STREAM_OFFSET, pdu->item->offset);
    iw_pdu_layout(pdu, tree, iw_layout_mpa_startup, pdu->image, 0, true);
    if (pdu->startup.header.rev < 2)
        proto_item_set_text(pdu->shown[iw_field_mpa_startup_s],
            "...%c .... = Reserved with Rev %u (S from Rev 2 on): %s", pdu->startup.header.s ? '1' : '0',
            pdu->startup.header.rev, pdu->startup.header.s ? "True" : "False");
    if (pdu->startup.enhanced) {
        iw_pdu_layout(pdu, tree, iw_layout_mpa_enhanced, pdu->image, (int)at, true);
        at += iw_mpa_enhanced_octets;
    }
    if (pdu->startup.erdma) {
        iw_pdu_layout(pdu, tree, iw_layout_mpa_erdma, pdu->image, (int)at, true);
        at += iw_mpa_erdma_octets;
    }
    if (length > at)
        iw_private_data_show(pdu, tree, at, length - at);
    tree_startup_add_outcome(pdu, tree);
}
