#include "iw_tree.h"

#include "iw_frame_store.h"
#include "iw_hf.h"
#include "iw_info.h"
#include "iw_pdu.h"
#include "iw_tap.h"
#include "iw_tree_ddp.h"
#include "iw_tree_finding.h"
#include "iw_tree_mpa.h"
#include "iw_tree_part.h"
#include "iw_tree_rdmap.h"
#include "iw_upward.h"

/* A frame that carries a tunnel has more than one TCP segment. */
static bool is_of(const struct iw_stored_flow *flow, const struct iw_tcp_segment *segment) {
    bool from_a = iw_tcp_address_equal(&flow->address[IW_SIDE_A], &segment->source);
    enum iw_side sender = from_a ? IW_SIDE_A : IW_SIDE_B;

    return (from_a || iw_tcp_address_equal(&flow->address[sender], &segment->source)) &&
           iw_tcp_address_equal(&flow->address[iw_side_other(sender)], &segment->destination);
}

/* Each item is shown, and counted, with the segment that it ends in. */
static bool is_in(const struct iw_item *item, const struct iw_tcp_segment *segment) {
    return is_of(item->flow, segment) && iw_pdu_ends_in(item, segment);
}

/* Whether anybody looks beyond which protocols the frame has: the tree is displayed, or a filter, a column or
 * a tap asks for a field of ours. Most passes over a file do not, and building trees is what they would spend
 * their time on. */
static bool fields_wanted(proto_tree *tree) {
    return tree != NULL && (PTREE_DATA(tree)->visible || iw_hf_referenced());
}

static bool info_wanted(const packet_info *pinfo) {
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
        proto_item_append_text(lost, "; nothing behind them can be read");
}

/* What TCP finds remarkable stands in the column already, with a space behind it. */
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
    if (pdu->item->kind == IW_MPA_CLOSE)
        show_close(pdu);
    if (pdu->item->kind == IW_MPA_LOSS)
        show_loss(pdu);
    if (pdu->item->kind == IW_MPA_STARTUP && pdu->image != NULL)
        iw_tree_mpa_startup(pdu);
    if (pdu->item->kind == IW_MPA_FPDU && pdu->image != NULL)
        show_fpdu(pdu);
}

static void show_item(struct iw_pdu *pdu, proto_tree *tree, bool first) {
    bool fields = fields_wanted(tree);
    const char *text = fields || info_wanted(pdu->pinfo) ? iw_info_text(pdu) : "";

    show_info(pdu, text, first);
    begin_pdu(pdu, tree);
    if (fields) {
        show_head(pdu, text);
        show_fields(pdu);
    }
    if (pdu->item->kind == IW_MPA_FPDU && pdu->has_ddp)
        iw_upward_fpdu(pdu, tree);
    iw_tree_findings(pdu);
    iw_tap_queue(pdu);
}

/* Whether there is more to do about an item than to say that it is iWARP. */
static bool is_looked_at(const struct iw_item *item, const packet_info *pinfo, proto_tree *tree) {
    return fields_wanted(tree) || info_wanted(pinfo) || iw_tap_heard() || iw_upward_known(item) ||
           item->more->finding_count > 0 || item->crc == IW_CRC_BAD;
}

static const struct iw_item *next_in(const struct iw_item *item, const struct iw_tcp_segment *segment) {
    while (item != NULL && !is_in(item, segment))
        item = iw_frame_store_next(item);
    return item;
}

const struct iw_item *iw_tree_first(uint32_t frame, const struct iw_tcp_segment *segment) {
    return next_in(iw_frame_store_first(frame), segment);
}

void iw_tree_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment,
    const struct iw_item *begin) {
    int header_octets = (int)(tvb_captured_length(tvb) - segment->captured);
    tvbuff_t *payload = NULL; /* made for the first item that is looked at */
    bool first = true;

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "iWARP");
    col_clear(pinfo->cinfo, COL_INFO);
    for (const struct iw_item *item = begin; item != NULL;
         item = next_in(iw_frame_store_next(item), segment)) {
        struct iw_pdu pdu;

        if (!is_looked_at(item, pinfo, tree)) {
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
        if (is_of(part->flow, segment))
            iw_tree_part(part, tvb, pinfo, tree, segment, iw_tree_first(pinfo->num, segment) == NULL);
}
