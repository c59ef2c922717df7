#include "iw_tree.h"

#include "iw_frame_store.h"
#include "iw_hf.h"
#include "iw_info.h"
#include "iw_pdu.h"
#include "iw_tap.h"
#include "iw_tree_ddp.h"
#include "iw_tree_finding.h"
#include "iw_tree_rdmap.h"
#include "iw_ulp.h"

/* True if the segment belongs to the flow: with tunnels, a frame may hold segments of several flows. */
static bool is_of_flow(const struct iw_stored_flow *flow, const struct iw_tcp_segment *segment) {
    bool from_a = iw_tcp_address_equal(&flow->address[IW_SIDE_A], &segment->source);
    enum iw_side sender = from_a ? IW_SIDE_A : IW_SIDE_B;

    return (from_a || iw_tcp_address_equal(&flow->address[sender], &segment->source)) &&
           iw_tcp_address_equal(&flow->address[iw_side_other(sender)], &segment->destination);
}

/* An item is shown and counted only with the segment that it ends in. */
static bool is_in_segment(const struct iw_item *item, const struct iw_tcp_segment *segment) {
    return is_of_flow(item->flow, segment) && iw_pdu_ends_in(item, segment);
}

/* True if the tree is displayed, or a filter, a column or a tap uses one of our fields. Most passes do not
 * need fields, and building trees would take most of their time. */
static bool needs_fields(proto_tree *tree) {
    return tree != NULL && (PTREE_DATA(tree)->visible || iw_hf_referenced());
}

static bool needs_info(const packet_info *pinfo) {
    return pinfo->cinfo != NULL && col_get_writable(pinfo->cinfo, COL_INFO);
}

static void begin_pdu(struct iw_pdu *pdu, proto_tree *tree) {
    pdu->tree = proto_item_add_subtree(iw_pdu_top(pdu, tree), iw_hf_ett(IW_ETT_PDU));
}

static void show_head(struct iw_pdu *pdu, const char *text) {
    uint32_t stream = iw_tap_stream(pdu->pinfo);
    proto_item *role;

    proto_item_set_text(proto_tree_get_parent(pdu->tree), "iWARP, %s", text);
    role = proto_tree_add_string(
        pdu->tree, iw_hf_derived(IW_HF_ROLE), NULL, 0, 0, iw_role_name(pdu->item->role));
    proto_item_set_generated(role);
    if (stream != IW_TAP_NO_STREAM)
        iw_pdu_number(pdu->tree, IW_HF_STREAM, stream);
}

/* Adds the reason why the monitor did not judge the FPDU. */
static void show_not_judged(const struct iw_pdu *pdu) {
    const char *reason = iw_fpdu_not_judged((enum iw_fpdu_judged)pdu->item->judged);

    if (reason != NULL)
        proto_item_set_generated(
            proto_tree_add_string(pdu->tree, iw_hf_derived(IW_HF_NOT_JUDGED), NULL, 0, 0, reason));
}

static void show_fpdu(struct iw_pdu *pdu) {
    show_not_judged(pdu);
    iw_tree_mpa_fpdu(pdu);
    if (pdu->has_ddp) {
        iw_tree_ddp(pdu);
        iw_tree_rdmap(pdu);
    } else {
        iw_pdu_octets(
            pdu, pdu->tree, iw_hf_own(IW_HF_UNREAD), iw_mpa_fpdu_octets, tvb_get_ntohs(pdu->image, 0));
    }
}

static void show_loss(struct iw_pdu *pdu) {
    const struct iw_item_more *more = pdu->item->more;
    proto_item *lost = proto_tree_add_uint64(pdu->tree, iw_hf_own(IW_HF_LOST), NULL, 0, 0, more->octets);
    proto_item *missing =
        proto_tree_add_uint64(pdu->tree, iw_hf_own(IW_HF_MISSING), NULL, 0, 0, more->missing);

    proto_item_set_generated(lost);
    proto_item_set_generated(missing);
    if (more->cut)
        proto_item_append_text(missing, " (cut by the capture)");
    if (more->limited)
        proto_item_append_text(missing, " (given up at a limit)");
    if (more->open)
        proto_item_append_text(lost, "; nothing after them can be read");
}

/* The column may already hold TCP's remarks, with a trailing space. */
static void show_info(const struct iw_pdu *pdu, const char *text, bool first) {
    text = iw_info_with_findings(pdu, text);
    if (first)
        col_append_str(pdu->pinfo->cinfo, COL_INFO, text);
    else
        col_append_sep_str(pdu->pinfo->cinfo, COL_INFO, ", ", text);
}

static void show_close(const struct iw_pdu *pdu) {
    const char *unfinished = pdu->item->more->unfinished;

    if (unfinished != NULL)
        proto_item_set_generated(
            proto_tree_add_string(pdu->tree, iw_hf_derived(IW_HF_UNFINISHED), NULL, 0, 0, unfinished));
}

static void show_fields(struct iw_pdu *pdu) {
    if (pdu->item->kind == IW_LLP_CLOSE)
        show_close(pdu);
    if (pdu->item->kind == IW_LLP_LOSS)
        show_loss(pdu);
    if (pdu->item->kind == IW_LLP_STARTUP && pdu->image != NULL)
        iw_tree_mpa_startup(pdu);
    if (pdu->item->kind == IW_LLP_SEGMENT && pdu->image != NULL)
        show_fpdu(pdu);
}

static void show_item(struct iw_pdu *pdu, proto_tree *tree, bool first) {
    bool fields = needs_fields(tree);
    const char *text = fields || needs_info(pdu->pinfo) ? iw_info_text(pdu) : "";

    show_info(pdu, text, first);
    begin_pdu(pdu, tree);
    if (fields) {
        show_head(pdu, text);
        show_fields(pdu);
    }
    if (pdu->item->kind == IW_LLP_SEGMENT && pdu->has_ddp)
        iw_ulp_fpdu(pdu, tree);
    iw_tree_findings(pdu);
    iw_tap_queue(pdu);
}

/* False if showing the protocol iWARP is enough for the item. */
static bool needs_dissection(const struct iw_item *item, const packet_info *pinfo, proto_tree *tree) {
    return needs_fields(tree) || needs_info(pinfo) || iw_tap_has_listener() || iw_ulp_known(item) ||
           item->more->finding_count > 0 || item->crc == IW_CRC_BAD;
}

static const struct iw_item *next_in_segment(
    const struct iw_item *item, const struct iw_tcp_segment *segment) {
    while (item != NULL && !is_in_segment(item, segment))
        item = iw_frame_store_next(item);
    return item;
}

const struct iw_item *iw_tree_first(uint32_t frame, const struct iw_tcp_segment *segment) {
    return next_in_segment(iw_frame_store_first(frame), segment);
}

void iw_tree_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment,
    const struct iw_item *begin) {
    int header_octets = (int)(tvb_captured_length(tvb) - segment->captured);
    tvbuff_t *payload = NULL; /* made for the first item that is shown */
    bool first = true;

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "iWARP");
    col_clear(pinfo->cinfo, COL_INFO);
    for (const struct iw_item *item = begin; item != NULL;
         item = next_in_segment(iw_frame_store_next(item), segment)) {
        struct iw_pdu pdu;

        if (!needs_dissection(item, pinfo, tree)) {
            proto_tree_add_item(tree, proto_iwarp, tvb, header_octets, 0, ENC_NA);
            continue;
        }
        if (payload == NULL)
            payload = tvb_new_subset_length_caplen(
                tvb, header_octets, (int)segment->captured, (int)segment->length);
        iw_pdu_init(&pdu, pinfo, payload, segment, item);
        show_item(&pdu, tree, first);
        first = false;
    }
}

void iw_tree_parts(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment) {
    for (const struct iw_stored_part *part = iw_frame_store_parts(pinfo->num); part != NULL;
         part = part->next)
        if (is_of_flow(part->flow, segment))
            iw_tree_part(part, tvb, pinfo, tree, segment, iw_tree_first(pinfo->num, segment) == NULL);
}
