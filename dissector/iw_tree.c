#include "iw_tree.h"

#include "iw_tap.h"
#include "iw_ulp.h"
#include "iw_upper_store.h"

bool iw_tree_is_of_flow(const struct iw_stored_flow *flow, const struct iw_tcp_segment *segment) {
    bool from_a = iw_tcp_address_equal(&flow->address[IW_SIDE_A], &segment->source);
    enum iw_side sender = from_a ? IW_SIDE_A : IW_SIDE_B;

    return (from_a || iw_tcp_address_equal(&flow->address[sender], &segment->source)) &&
           iw_tcp_address_equal(&flow->address[iw_side_other(sender)], &segment->destination);
}

bool iw_tree_needs_fields(proto_tree *tree) {
    return tree != NULL && (PTREE_DATA(tree)->visible || iw_hf_referenced());
}

static bool tree_needs_info(const packet_info *pinfo) {
    return pinfo->cinfo != NULL && col_get_writable(pinfo->cinfo, COL_INFO);
}

static void tree_show_head(struct iw_pdu *pdu, const char *text) {
    uint32_t stream = iw_tap_stream(pdu->pinfo);

    proto_item_set_text(proto_tree_get_parent(pdu->tree), "iWARP, %s", text);
    iw_pdu_text(pdu->tree, IW_HF_ROLE, iw_role_name(pdu->item->role));
    if (stream != IW_TAP_NO_STREAM)
        iw_pdu_number(pdu->tree, IW_HF_STREAM, stream);
}

static void tree_show_fpdu(struct iw_pdu *pdu) {
    const char *not_judged = iw_fpdu_not_judged(pdu->item->judged);

    if (not_judged != NULL)
        iw_pdu_text(pdu->tree, IW_HF_NOT_JUDGED, not_judged);
    iw_tree_mpa(pdu);
    if (pdu->has_ddp)
        iw_tree_segment(pdu);
    else
        iw_pdu_octets(
            pdu, pdu->tree, hf_iwarp[IW_HF_UNREAD], iw_mpa_fpdu_octets, tvb_get_ntohs(pdu->image, 0));
}

static void tree_show_loss(struct iw_pdu *pdu) {
    const struct iw_item_more *more = pdu->item->more;
    proto_item *lost = iw_pdu_number64(pdu->tree, IW_HF_LOST, more->octets);
    proto_item *missing = iw_pdu_number64(pdu->tree, IW_HF_MISSING, more->missing);

    if (more->cut)
        proto_item_append_text(missing, " (cut by the capture)");
    if (more->limited)
        proto_item_append_text(missing, " (given up at a limit)");
    if (more->open)
        proto_item_append_text(lost, "; nothing after them can be read");
}

static void tree_show_fields(struct iw_pdu *pdu) {
    if (pdu->item->kind == IW_LLP_CLOSE && pdu->item->more->unfinished != NULL)
        iw_pdu_text(pdu->tree, IW_HF_UNFINISHED, pdu->item->more->unfinished);
    if (pdu->item->kind == IW_LLP_LOSS)
        tree_show_loss(pdu);
    if (pdu->item->kind == IW_LLP_STARTUP && pdu->image != NULL)
        iw_tree_startup(pdu);
    if (pdu->item->kind == IW_LLP_SEGMENT && pdu->image != NULL)
        tree_show_fpdu(pdu);
}

static void tree_show_item(struct iw_pdu *pdu, proto_tree *tree, bool first) {
    bool fields = iw_tree_needs_fields(tree);
    const char *text = fields || tree_needs_info(pdu->pinfo) ? iw_info_text(pdu) : "";
    const char *info = iw_info_with_findings(pdu, text);

    /* the Info column may hold text of the TCP dissector, which ends with a space */
    if (first)
        col_append_str(pdu->pinfo->cinfo, COL_INFO, info);
    else
        col_append_sep_str(pdu->pinfo->cinfo, COL_INFO, ", ", info);
    pdu->tree = proto_item_add_subtree(iw_pdu_top(pdu, tree), ett_iwarp[IW_ETT_PDU]);
    if (fields) {
        tree_show_head(pdu, text);
        tree_show_fields(pdu);
        iw_tree_upper(pdu);
        iw_tree_memory(pdu);
    }
    if (pdu->item->kind == IW_LLP_SEGMENT && pdu->has_ddp)
        iw_ulp_fpdu(pdu, tree);
    iw_tree_findings(pdu);
    iw_tree_upper_findings(pdu);
    if (fields && first)
        iw_tree_connection(pdu->pinfo, pdu->tree, pdu->payload, pdu->item->flow);
    iw_tap_queue(pdu);
}

/* Returns false if it is enough to add the protocol iWARP for the item. */
static bool tree_needs_dissection(const struct iw_item *item, const packet_info *pinfo, proto_tree *tree) {
    return iw_tree_needs_fields(tree) || tree_needs_info(pinfo) || iw_tap_has_listener() ||
           iw_ulp_known(item) || item->more->finding_count > 0 || item->crc == IW_CRC_BAD ||
           iw_upper_note(item) != NULL;
}

/* Returns the first item, from `item` on, that ends in the segment: it is shown and counted only there. */
static const struct iw_item *tree_next_in_segment(
    const struct iw_item *item, const struct iw_tcp_segment *segment) {
    while (item != NULL && !(iw_tree_is_of_flow(item->flow, segment) && iw_pdu_ends_in(item, segment)))
        item = iw_frame_store_next(item);
    return item;
}

const struct iw_item *iw_tree_first(uint32_t frame, const struct iw_tcp_segment *segment) {
    return tree_next_in_segment(iw_frame_store_first(frame), segment);
}

void iw_tree_frame(tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment,
    const struct iw_item *begin) {
    int header_octets = (int)(tvb_captured_length(tvb) - segment->captured);
    tvbuff_t *payload = NULL; /* made for the first dissected item */
    bool first = true;

    col_set_str(pinfo->cinfo, COL_PROTOCOL, "iWARP");
    col_clear(pinfo->cinfo, COL_INFO);
    for (const struct iw_item *item = begin; item != NULL;
         item = tree_next_in_segment(iw_frame_store_next(item), segment)) {
        struct iw_pdu pdu;

        if (!tree_needs_dissection(item, pinfo, tree)) {
            proto_tree_add_item(tree, proto_iwarp, tvb, header_octets, 0, ENC_NA);
            continue;
        }
        if (payload == NULL)
            payload = tvb_new_subset_length_caplen(
                tvb, header_octets, (int)segment->captured, (int)segment->length);
        iw_pdu_init(&pdu, pinfo, payload, segment, item);
        tree_show_item(&pdu, tree, first);
        first = false;
    }
}

static const char *tree_part_text(const struct iw_stored_part *part, wmem_allocator_t *pool) {
    if (part->count == 0)
        return wmem_strdup_printf(
            pool, "beginning of a startup frame that ends in frame %u", part->end_frame);
    return wmem_strdup_printf(
        pool, "piece %u of %u of an FPDU that ends in frame %u", part->number, part->count, part->end_frame);
}

static void tree_show_part(const struct iw_stored_part *part, tvbuff_t *tvb, packet_info *pinfo,
    proto_tree *tree, const struct iw_tcp_segment *segment) {
    const char *text = tree_part_text(part, pinfo->pool);
    int header = (int)(tvb_reported_length(tvb) - segment->length);
    int at = 0;
    bool here = iw_pdu_place_in(part->flow, part->side, segment, part->offset, part->octets, &at);
    proto_item *item = proto_tree_add_item(
        tree, proto_iwarp_mpa, tvb, here ? header + at : 0, here ? (int)part->octets : 0, ENC_NA);
    proto_tree *piece = proto_item_add_subtree(item, ett_iwarp[IW_ETT_PART]);

    proto_item_set_text(item, "iWARP, %s", text);
    if (iw_tree_first(pinfo->num, segment) == NULL)
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", text);
    if (part->count > 0) {
        iw_pdu_number(piece, IW_HF_PIECE, part->number);
        iw_pdu_number(piece, IW_HF_PIECES, part->count);
    }
    iw_pdu_number(piece, IW_HF_ENDS_IN, part->end_frame);
}

void iw_tree_parts(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_tcp_segment *segment) {
    for (const struct iw_stored_part *part = iw_frame_store_parts(pinfo->num); part != NULL;
         part = part->next)
        if (iw_tree_is_of_flow(part->flow, segment))
            tree_show_part(part, tvb, pinfo, tree, segment);
}
