#include "iw_tree_part.h"

#include "iw_hf.h"

void iw_tree_part(const struct iw_stored_part *part, tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree,
    const struct iw_tcp_segment *segment, bool info) {
    const char *text = wmem_strdup_printf(pinfo->pool, "piece %u of %u of an FPDU that ends in frame %u",
        part->number, part->count, part->end_frame);
    int header = (int)(tvb_reported_length(tvb) - segment->length);
    int at = 0;
    bool here = iw_pdu_place_in(part->flow, part->side, segment, part->offset, part->octets, &at);
    proto_tree *piece = proto_tree_add_subtree_format(tree, tvb, here ? header + at : 0,
        here ? (int)part->octets : 0, iw_hf_ett(IW_ETT_PART), NULL, "iWARP, %s", text);

    if (info)
        col_append_fstr(pinfo->cinfo, COL_INFO, " [%s]", text);
    proto_item_set_generated(proto_tree_add_uint(piece, iw_hf_own(IW_HF_PIECE), tvb, 0, 0, part->number));
    proto_item_set_generated(proto_tree_add_uint(piece, iw_hf_own(IW_HF_PIECES), tvb, 0, 0, part->count));
    proto_item_set_generated(
        proto_tree_add_uint(piece, iw_hf_own(IW_HF_ENDS_IN), tvb, 0, 0, part->end_frame));
}
