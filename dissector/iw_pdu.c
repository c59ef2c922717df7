#include "iw_pdu.h"

#include "iw_preference.h"

bool iw_pdu_place_in(const struct iw_stored_flow *flow, enum iw_side side,
    const struct iw_tcp_segment *segment, uint64_t offset, unsigned octets, int *at) {
    const struct iw_tcp_address *sender = &flow->address[side];
    uint32_t seq = segment->seq + ((segment->flags & IW_TCP_SYN) ? 1u : 0u);
    uint32_t from = flow->first_seq[side] + (uint32_t)offset - seq;

    if (!iw_tcp_address_equal(sender, &segment->source) || from > segment->captured ||
        octets > segment->captured - from)
        return false;
    *at = (int)from;
    return true;
}

bool iw_pdu_place(const struct iw_pdu *pdu, uint64_t offset, unsigned octets, int *at) {
    return iw_pdu_place_in(pdu->item->flow, pdu->item->side, pdu->segment, offset, octets, at);
}

tvbuff_t *iw_pdu_source(const struct iw_pdu *pdu, unsigned at, unsigned octets, int *first) {
    const struct iw_item_more *more = pdu->item->more;

    *first = (int)at;
    for (uint32_t i = 0; i < more->piece_count; i++) {
        const struct iw_stored_piece *piece = &more->pieces[i];

        if (at >= piece->at && at - piece->at < piece->octets)
            return octets <= piece->octets - (at - piece->at) &&
                           iw_pdu_place(pdu, piece->offset + (at - piece->at), octets, first)
                       ? pdu->payload
                       : pdu->image;
    }
    return pdu->image;
}

static const char *pdu_source_name(const struct iw_item *item) {
    if (item->kind == IW_LLP_STARTUP)
        return "Reassembled MPA startup frame";
    return item->more->marker_count > 0 ? "iWARP FPDU without markers" : "Reassembled iWARP FPDU";
}

/* Returns the pieces of the FPDU, joined; NULL if this frame does not hold all of them. */
static const uint8_t *pdu_join_pieces(const struct iw_pdu *pdu) {
    const struct iw_item *item = pdu->item;
    uint8_t *octets = wmem_alloc0_array(pdu->pinfo->pool, uint8_t, item->captured);

    for (uint32_t i = 0; i < item->more->piece_count; i++) {
        const struct iw_stored_piece *piece = &item->more->pieces[i];
        int at;

        if (!iw_pdu_place(pdu, piece->offset, piece->octets, &at))
            return NULL;
        tvb_memcpy(pdu->payload, octets + piece->at, at, piece->octets);
    }
    return octets;
}

/* True for an item without octets (a loss or a close), and for a truncated item that begins in an earlier
 * frame, as its end was not captured. Otherwise true if the segment has its last captured octet. */
bool iw_pdu_ends_in(const struct iw_item *item, const struct iw_tcp_segment *segment) {
    const struct iw_item_more *more = item->more;
    uint64_t end = item->offset + item->captured;
    int at;

    if (item->captured == 0 || (item->captured < item->length && more->first_frame != 0))
        return true;
    if (more->piece_count > 0) {
        const struct iw_stored_piece *last = &more->pieces[more->piece_count - 1];

        end = last->offset + last->octets;
    }
    return iw_pdu_place_in(item->flow, item->side, segment, end - 1, 1, &at);
}

/* Returns a tvbuff of the captured octets, with the sent length; NULL if they are not available. */
static tvbuff_t *pdu_image(const struct iw_pdu *pdu) {
    const struct iw_item *item = pdu->item;
    const uint8_t *octets = item->more->stored;
    tvbuff_t *image;
    int at;

    if (item->captured == 0)
        return NULL;
    if (octets == NULL && item->more->piece_count > 0 && (octets = pdu_join_pieces(pdu)) == NULL)
        return NULL;
    if (item->more->piece_count == 0 && iw_pdu_place(pdu, item->offset, item->captured, &at))
        octets = NULL;
    if (octets != NULL) {
        image = tvb_new_child_real_data(pdu->payload, octets, item->captured, (int)item->length);
        add_new_data_source(pdu->pinfo, image, pdu_source_name(item));
        return image;
    }
    if (!iw_pdu_place(pdu, item->offset, item->captured, &at))
        return NULL;
    return tvb_new_subset_length_caplen(pdu->payload, at, (int)item->captured, (int)item->length);
}

/* Returns the octets of the Markers directly before the FPDU's first octet: they belong to the FPDU (RFC
 * 5044 4.3), so its tree item begins with them. */
static unsigned pdu_lead(const struct iw_pdu *pdu) {
    const struct iw_item_more *more = pdu->item->more;
    unsigned lead = 0;
    int at;

    if (pdu->image == NULL || !iw_pdu_place(pdu, pdu->item->offset, iw_mpa_fpdu_octets, &at))
        return 0;
    for (uint32_t i = more->marker_count; i-- > 0;)
        if (more->markers[i].offset + iw_mpa_marker_octets + lead == pdu->item->offset &&
            iw_pdu_place(pdu, more->markers[i].offset, iw_mpa_marker_octets, &at))
            lead += iw_mpa_marker_octets;
    return lead;
}

/* Decodes the segment of `length` octets at index `at` of the image. At least one octet must be captured. */
static void pdu_decode_segment(struct iw_pdu *pdu, const uint8_t *octets, unsigned at, unsigned length) {
    pdu->ddp_at = at;
    pdu->has_ddp = iw_segment_decode(
        octets + at, pdu->item->captured - at, length, iw_preferences->extensions, &pdu->ddp);
}

static void pdu_decode(struct iw_pdu *pdu, const uint8_t *octets) {
    const struct iw_item *item = pdu->item;
    struct iw_mpa_fpdu mpa;

    if (item->kind == IW_LLP_STARTUP && item->captured >= iw_mpa_startup_octets) {
        iw_startup_decode(octets, item->captured, &pdu->startup);
    } else if (item->kind == IW_LLP_SEGMENT && item->captured > iw_mpa_fpdu_octets) {
        iw_mpa_fpdu_decode(octets, &mpa);
        pdu_decode_segment(pdu, octets, iw_mpa_fpdu_octets, mpa.ulpdu_length);
    }
}

void iw_pdu_init(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *payload,
    const struct iw_tcp_segment *segment, const struct iw_item *item) {
    *pdu = (struct iw_pdu){.pinfo = pinfo, .item = item, .payload = payload, .segment = segment};
    pdu->image = pdu_image(pdu);
    pdu->lead = pdu_lead(pdu);
    if (pdu->image != NULL)
        pdu_decode(pdu, tvb_get_ptr(pdu->image, 0, (int)item->captured));
}

void iw_pdu_init_unshown(
    struct iw_pdu *pdu, packet_info *pinfo, const struct iw_item *item, const uint8_t *octets) {
    *pdu = (struct iw_pdu){.pinfo = pinfo, .item = item};
    if (octets != NULL)
        pdu_decode(pdu, octets);
}

void iw_pdu_init_chunk(struct iw_pdu *pdu, packet_info *pinfo, tvbuff_t *chunk, const struct iw_item *item) {
    unsigned at = iw_sctp_segment_octets;

    *pdu = (struct iw_pdu){.pinfo = pinfo, .item = item, .payload = chunk, .image = chunk};
    if (item->captured > at)
        pdu_decode_segment(pdu, tvb_get_ptr(chunk, 0, (int)item->captured), at, item->length - at);
}

tvbuff_t *iw_pdu_payload(const struct iw_pdu *pdu) {
    const struct iw_segment *ddp = &pdu->ddp;
    int at = (int)pdu->ddp_at + ddp->ddp_octets + ddp->header_octets;

    return tvb_new_subset_length_caplen(pdu->image, at, ddp->payload_captured, ddp->payload_octets);
}

/* Adds the Key. If it is not text, shows hexadecimal digits, so that a filter can match all 16 octets. */
static proto_item *pdu_add_key(
    const struct iw_pdu *pdu, proto_tree *tree, int hf, tvbuff_t *tvb, int first, int octets) {
    const uint8_t *key = tvb_get_ptr(tvb, first, octets);
    wmem_strbuf_t *digits = wmem_strbuf_new(pdu->pinfo->pool, "");
    bool text = true;

    for (int i = 0; i < octets; i++) {
        text &= g_ascii_isprint((char)key[i]);
        wmem_strbuf_append_printf(digits, "%02x", key[i]);
    }
    if (text)
        return proto_tree_add_item(tree, hf, tvb, first, octets, ENC_ASCII);
    return proto_tree_add_string(tree, hf, tvb, first, octets, wmem_strbuf_get_str(digits));
}

void iw_pdu_layout(
    struct iw_pdu *pdu, proto_tree *tree, enum iw_layout_id layout, tvbuff_t *tvb, int at, bool main) {
    const struct iw_layout *row = &iw_layouts[layout];

    for (unsigned i = row->first_field; i < (unsigned)row->first_field + row->field_count; i++) {
        const struct iw_field *field = &iw_fields[i];
        int first = at + field->bit / 8;
        int octets = (field->bit + field->bits - 1) / 8 - field->bit / 8 + 1;
        proto_item *shown;

        tvbuff_t *source = tvb;

        if (!tvb_bytes_exist(tvb, first, octets))
            return;
        if (tvb == pdu->image)
            source = iw_pdu_source(pdu, (unsigned)first, (unsigned)octets, &first);
        if (field->kind == IW_KIND_KEY)
            shown = pdu_add_key(pdu, tree, iw_hf_field(field), source, first, octets);
        else
            shown = proto_tree_add_item(tree, main ? iw_hf_field(field) : iw_hf_included(field), source,
                first, octets, ENC_BIG_ENDIAN);
        if (main)
            pdu->shown[i] = shown;
    }
}

proto_item *iw_pdu_octets(const struct iw_pdu *pdu, proto_tree *tree, int hf, unsigned at, unsigned octets) {
    unsigned from = at < pdu->item->captured ? at : pdu->item->captured;
    unsigned captured = pdu->item->captured - from;
    unsigned available = octets < captured ? octets : captured;
    tvbuff_t *source;
    proto_item *shown;
    int first;

    if (octets == 0)
        return NULL;
    if (available == 0)
        return proto_tree_add_bytes_format_value(tree, hf, pdu->image, (int)from, 0, NULL, "[not captured]");
    source = iw_pdu_source(pdu, from, available, &first);
    shown = proto_tree_add_item(tree, hf, source, first, (int)available, ENC_NA);
    if (available < octets)
        proto_item_append_text(shown, " [%u of %u octets captured]", available, octets);
    return shown;
}

/* Returns the payload; sets *first to the index of the Markers directly before the FPDU. */
static tvbuff_t *pdu_lead_source(const struct iw_pdu *pdu, int *first) {
    *first = 0;
    iw_pdu_place(pdu, pdu->item->offset - pdu->lead, pdu->lead, first);
    return pdu->payload;
}

proto_item *iw_pdu_top(const struct iw_pdu *pdu, proto_tree *tree) {
    int octets = (int)(pdu->item->captured + pdu->lead);
    tvbuff_t *source = pdu->image != NULL ? pdu->image : pdu->payload;
    int first = 0;

    /* an image in a separate data source has no Markers */
    if (pdu->lead > 0 && pdu->item->more->piece_count == 0 && pdu->item->more->stored == NULL)
        source = pdu_lead_source(pdu, &first);
    else
        octets = pdu->image != NULL ? (int)pdu->item->captured : 0;
    return proto_tree_add_item(tree, proto_iwarp, source, first, octets, ENC_NA);
}

proto_tree *iw_pdu_protocol(
    const struct iw_pdu *pdu, int protocol, unsigned at, unsigned octets, const char *title) {
    unsigned lead = at == 0 ? pdu->lead : 0;
    int first;
    tvbuff_t *source = lead > 0 ? pdu_lead_source(pdu, &first) : iw_pdu_source(pdu, at, octets, &first);
    proto_item *item = proto_tree_add_item(pdu->tree, protocol, source, first, (int)(lead + octets), ENC_NA);

    proto_item_append_text(item, ", %s", title);
    return proto_item_add_subtree(item, ett_iwarp[IW_ETT_HEADER]);
}

void iw_pdu_frame(const struct iw_pdu *pdu, proto_tree *tree, enum iw_hf hf, uint32_t frame) {
    if (frame != 0 && frame != pdu->pinfo->num)
        proto_item_set_generated(proto_tree_add_uint(tree, hf_iwarp[hf], NULL, 0, 0, frame));
}

proto_item *iw_pdu_number(proto_tree *tree, enum iw_hf hf, uint32_t number) {
    proto_item *shown = proto_tree_add_uint(tree, hf_iwarp[hf], NULL, 0, 0, number);

    proto_item_set_generated(shown);
    return shown;
}

proto_item *iw_pdu_number64(proto_tree *tree, enum iw_hf hf, uint64_t number) {
    proto_item *shown = proto_tree_add_uint64(tree, hf_iwarp[hf], NULL, 0, 0, number);

    proto_item_set_generated(shown);
    return shown;
}

proto_item *iw_pdu_text(proto_tree *tree, enum iw_hf hf, const char *text) {
    proto_item *shown = proto_tree_add_string(tree, hf_iwarp[hf], NULL, 0, 0, text);

    proto_item_set_generated(shown);
    return shown;
}
