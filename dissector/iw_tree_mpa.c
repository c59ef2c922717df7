#include "iw_tree.h"

/* Adds the CRC and the result of its check on the first pass. */
static void tree_mpa_add_checksum(struct iw_pdu *pdu, proto_tree *tree, const char *reason) {
    const struct iw_item *item = pdu->item;
    bool judged = item->crc == IW_CRC_GOOD || item->crc == IW_CRC_BAD;
    unsigned at = item->length - iw_mpa_crc_octets;
    uint32_t computed =
        item->crc == IW_CRC_GOOD ? tvb_get_ntohl(pdu->image, (int)at) : item->more->crc_computed;
    int first;
    tvbuff_t *source = iw_pdu_source(pdu, at, iw_mpa_crc_octets, &first);

    pdu->shown[iw_field_mpa_crc_crc] = proto_tree_add_checksum(tree, source, (unsigned)first,
        iw_hf_field(&iw_fields[iw_field_mpa_crc_crc]), hf_iwarp[IW_HF_CRC_CHECK], NULL, pdu->pinfo, computed,
        ENC_BIG_ENDIAN, judged ? PROTO_CHECKSUM_VERIFY : PROTO_CHECKSUM_NO_FLAGS);
    if (tree != NULL && tree->last_child != NULL)
        proto_item_set_hidden(tree->last_child); /* the line of the CRC already shows the status */
    if (!judged)
        proto_item_append_text(pdu->shown[iw_field_mpa_crc_crc], " (%s)", reason);
}

/* Adds one visible line: the CRC or, if the FPDU is not wholly captured, its status. Other fields of the
 * status are hidden, for filters. */
static void mpa_add_crc(struct iw_pdu *pdu, proto_tree *tree) {
    const struct iw_item *item = pdu->item;
    bool whole = item->captured == item->length;
    proto_item *shown;

    if (whole)
        tree_mpa_add_checksum(
            pdu, tree, item->crc == IW_CRC_UNCHECKED ? "not in use" : "not known whether it is in use");
    else
        proto_item_set_hidden(iw_pdu_number(tree, IW_HF_CRC_CHECK, PROTO_CHECKSUM_E_UNVERIFIED));
    shown = iw_pdu_text(tree, IW_HF_CRC_STATUS, iw_crc_status_name(item->crc));
    if (whole)
        proto_item_set_hidden(shown);
}

static proto_item *tree_mpa_add_value_only(proto_tree *tree, enum iw_field_id field, uint32_t value) {
    return proto_tree_add_uint(tree, iw_hf_field(&iw_fields[field]), NULL, 0, 0, value);
}

/* Adds the fields of a Marker, highlighted if this frame holds it. Findings are attached to the last faulty
 * Marker, or to the first Marker if all are correct. */
static void tree_mpa_add_marker_fields(
    struct iw_pdu *pdu, proto_tree *tree, const struct iw_marker *marker, bool here, int at) {
    bool faulty = marker->fpduptr != marker->expected || marker->reserved != 0;
    bool main = faulty || pdu->shown[iw_field_mpa_marker_fpduptr] == NULL;
    proto_item *reserved, *fpduptr;

    if (here) {
        iw_pdu_layout(pdu, tree, iw_layout_mpa_marker, pdu->payload, at, main);
        return;
    }
    reserved = tree_mpa_add_value_only(tree, iw_field_mpa_marker_reserved, marker->reserved);
    fpduptr = tree_mpa_add_value_only(tree, iw_field_mpa_marker_fpduptr, marker->fpduptr);
    if (main) {
        pdu->shown[iw_field_mpa_marker_reserved] = reserved;
        pdu->shown[iw_field_mpa_marker_fpduptr] = fpduptr;
    }
}

static void tree_mpa_add_marker(struct iw_pdu *pdu, proto_tree *parent, const struct iw_marker *marker) {
    int at = 0;
    bool here =
        marker->frame == pdu->pinfo->num && iw_pdu_place(pdu, marker->offset, iw_mpa_marker_octets, &at);
    proto_item *top;
    proto_tree *tree = proto_tree_add_subtree_format(parent, here ? pdu->payload : pdu->image, at,
        here ? iw_mpa_marker_octets : 0, ett_iwarp[IW_ETT_MARKER], &top, "Marker, FPDUPTR %u",
        marker->fpduptr);

    if (marker->fpduptr != marker->expected)
        proto_item_append_text(top, ", expected %u", marker->expected);
    if (!here && marker->frame != pdu->pinfo->num)
        proto_item_append_text(top, " (in frame %u)", (unsigned)marker->frame);
    else if (!here)
        proto_item_append_text(top, " (begins in an earlier frame)");
    tree_mpa_add_marker_fields(pdu, tree, marker, here, at);
    iw_pdu_number(tree, IW_HF_MARKER_EXPECTED, marker->expected);
}

void iw_tree_mpa(struct iw_pdu *pdu) {
    const struct iw_item_more *more = pdu->item->more;
    unsigned ulpdu_length = tvb_get_ntohs(pdu->image, 0);
    unsigned pad = iw_fpdu_pad(ulpdu_length);
    proto_tree *tree = iw_pdu_protocol(pdu, proto_iwarp_mpa, 0, iw_mpa_fpdu_octets, "FPDU");

    iw_pdu_frame(pdu, tree, IW_HF_BEGINS_IN, more->first_frame);
    iw_pdu_number(tree, IW_HF_FPDU_NUMBER, pdu->item->fpdu_number);
    iw_pdu_number64(tree, IW_HF_STREAM_OFFSET, pdu->item->offset);
    iw_pdu_layout(pdu, tree, iw_layout_mpa_fpdu, pdu->image, 0, true);
    pdu->pad = iw_pdu_octets(pdu, tree, hf_iwarp[IW_HF_PAD], iw_mpa_fpdu_octets + ulpdu_length, pad);
    mpa_add_crc(pdu, tree);
    for (uint32_t i = 0; i < more->marker_count; i++)
        tree_mpa_add_marker(pdu, tree, &more->markers[i]);
}
