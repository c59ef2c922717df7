#include "iw_tree.h"

#include "iw_hf.h"

static const char *part_text(const struct iw_stored_part *part, wmem_allocator_t *pool) {
    if (part->count == 0)
        return wmem_strdup_printf(
            pool, "beginning of a startup frame that ends in frame %u", part->end_frame);
    return wmem_strdup_printf(
        pool, "piece %u of %u of an FPDU that ends in frame %u", part->number, part->count, part->end_frame);
}

static void part_add_number(proto_tree *tree, enum iw_hf_own own, tvbuff_t *tvb, uint32_t number) {
    proto_item_set_generated(proto_tree_add_uint(tree, iw_hf_own(own), tvb, 0, 0, number));
}

void iw_tree_part(const struct iw_stored_part *part, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
    const struct iw_tcp_segment *segment, bool info) {
    const char *text = part_text(part, pinfo->pool);
    int header = (int)(tvb_reported_length(tvb) - segment->length);
    int at = 0;
    bool here = iw_pdu_place_in(part->flow, part->side, segment, part->offset, part->octets, &at);
    proto_item *item = proto_tree_add_item(
        tree, proto_iwarp_mpa, tvb, here ? header + at : 0, here ? (int)part->octets : 0, ENC_NA);
    proto_tree *piece = proto_item_add_subtree(item, iw_hf_ett(IW_ETT_PART));

    proto_item_set_text(item, "iWARP, %s", text);
    if (info)
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", text);
    if (part->count > 0) {
        part_add_number(piece, IW_HF_PIECE, tvb, part->number);
        part_add_number(piece, IW_HF_PIECES, tvb, part->count);
    }
    part_add_number(piece, IW_HF_ENDS_IN, tvb, part->end_frame);
}
