#include "iw_tree.h"

#include "iw_name.h"
#include "iw_sctp.h"
#include "iw_sctp_stream.h"
#include "iw_tap.h"

/* Adds the session of the chunk, with its state after this chunk in the order of DDP-SSNs. */
static void tree_sctp_add_session(
    const struct iw_pdu *pdu, proto_tree *tree, const struct iw_stored_chunk *stored) {
    const struct iw_stored_session *session = stored->session;

    iw_pdu_number(tree, IW_HF_SCTP_STREAM, stored->stream);
    if (stored->ssn_unexpected)
        iw_pdu_number(tree, IW_HF_SCTP_SSN_EXPECTED, stored->ssn_expected);
    if (session == NULL)
        return;
    iw_pdu_number(tree, IW_HF_SCTP_SESSION, session->number);
    iw_pdu_text(tree, IW_HF_SCTP_STATE, iw_session_state_name(stored->state));
    iw_pdu_frame(pdu, tree, IW_HF_SCTP_INITIATE_IN, session->initiate_frame);
    iw_pdu_frame(pdu, tree, IW_HF_SCTP_ANSWER_IN, session->answer_frame);
}

static proto_tree *tree_sctp_begin_chunk(struct iw_pdu *pdu, proto_tree *tree,
    const struct iw_stored_chunk *stored, enum iw_layout_id layout, unsigned octets, const char *text) {
    proto_item *top = proto_tree_add_item(tree, proto_iwarp, pdu->image, 0, (int)pdu->item->captured, ENC_NA);
    proto_tree *header;

    col_set_str(pdu->pinfo->cinfo, COL_PROTOCOL, "iWARP");
    /* ends with a space, like SCTP's own texts */
    col_append_fstr(pdu->pinfo->cinfo, COL_INFO, "%s ", iw_info_with_findings(pdu, text));
    proto_item_set_text(top, "iWARP over SCTP, %s", text);
    pdu->tree = proto_item_add_subtree(top, ett_iwarp[IW_ETT_PDU]);
    if (stored != NULL)
        iw_pdu_text(pdu->tree, IW_HF_ROLE, iw_role_name(pdu->item->role));
    header =
        iw_pdu_protocol(pdu, proto_iwarp_sctp, 0, MIN(octets, pdu->item->captured), iw_layouts[layout].title);
    iw_pdu_layout(pdu, header, layout, pdu->image, 0, true);
    if (stored != NULL)
        tree_sctp_add_session(pdu, header, stored);
    return header;
}

/* Adds the octets from `at` on as not decoded. If the chunk was not truncated, adds an expert info: it is too
 * short for the header named by `what`. */
static void tree_sctp_add_short(struct iw_pdu *pdu, proto_tree *tree, unsigned at, const char *what) {
    unsigned length = pdu->item->length;
    proto_item *item = proto_tree_get_parent(tree);

    if (length < at)
        at = 0;
    if (length > at)
        iw_pdu_octets(pdu, tree, hf_iwarp[IW_HF_UNREAD], at, length - at);
    if (pdu->item->captured == length)
        expert_add_info_format(
            pdu->pinfo, item, &ei_iwarp_sctp_short, "No whole %s in %u octets", what, length);
}

/* Returns the stored item; if nothing was stored, an item made from the chunk. */
static const struct iw_item *sctp_item(
    tvbuff_t *tvb, packet_info *pinfo, const struct iw_stored_chunk *stored) {
    struct iw_item *item;

    if (stored != NULL)
        return &stored->item;
    item = wmem_new(pinfo->pool, struct iw_item);
    iw_sctp_stream_item(item, tvb_reported_length(tvb), tvb_captured_length(tvb));
    return item;
}

void iw_tree_sctp_segment(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored) {
    struct iw_pdu pdu;
    proto_tree *header;

    iw_pdu_init_chunk(&pdu, pinfo, tvb, sctp_item(tvb, pinfo, stored));
    header = tree_sctp_begin_chunk(&pdu, tree, stored, iw_layout_sctp_segment, iw_sctp_segment_octets,
        pdu.has_ddp ? iw_info_text(&pdu) : iw_layouts[iw_layout_sctp_segment].title);
    if (pdu.has_ddp)
        iw_tree_segment(&pdu);
    else
        tree_sctp_add_short(&pdu, header, iw_sctp_segment_octets, "DDP header");
    iw_tree_findings(&pdu);
    iw_tap_queue(&pdu);
}

static const char *tree_sctp_control_text(const struct iw_pdu *pdu, const struct iw_sctp_session *session) {
    const char *name = iw_value_name(IW_KIND_FUNCTION, session->header.function);
    wmem_strbuf_t *text = wmem_strbuf_new(pdu->pinfo->pool, "");
    unsigned before = iw_sctp_control_octets + (session->enhanced ? iw_mpa_enhanced_octets : 0);

    if (name != NULL)
        wmem_strbuf_append(text, name);
    else
        wmem_strbuf_append_printf(text, "DDP Stream Session Control, function %u", session->header.function);
    if (session->enhanced)
        wmem_strbuf_append_printf(text, " %s", iw_info_enhanced(pdu->pinfo->pool, &session->enhanced_data));
    if (pdu->item->length > before)
        wmem_strbuf_append_printf(text, " pd %u", pdu->item->length - before);
    return wmem_strbuf_get_str(text);
}

/* Sets in pdu->startup what selects the format of the private data. The Initiate corresponds to the Request
 * over TCP; Accept and Reject correspond to Replies (RFC 6581 7). */
static void sctp_set_startup(struct iw_pdu *pdu, const struct iw_sctp_session *session) {
    uint16_t function = session->header.function;
    bool initiate = function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;

    pdu->startup.key = initiate ? IW_STARTUP_REQUEST : IW_STARTUP_REPLY;
    pdu->startup.header.r = function == IW_SCTP_REJECT || function == IW_SCTP_ENHANCED_REJECT;
}

static void tree_sctp_show_control(
    struct iw_pdu *pdu, proto_tree *tree, const struct iw_sctp_session *session) {
    unsigned at = iw_sctp_control_octets;
    unsigned length = pdu->item->length;

    sctp_set_startup(pdu, session);
    if (session->enhanced) {
        iw_pdu_layout(pdu, tree, iw_layout_mpa_enhanced, pdu->image, (int)at, true);
        at += iw_mpa_enhanced_octets;
    } else if (session->header.function >= IW_SCTP_ENHANCED_INITIATE &&
               session->header.function <= IW_SCTP_ENHANCED_REJECT) {
        tree_sctp_add_short(pdu, tree, at, iw_layouts[iw_layout_mpa_enhanced].title);
        return;
    }
    if (length > at)
        iw_private_data_show(pdu, tree, at, length - at);
}

void iw_tree_sctp_control(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored) {
    unsigned captured = tvb_captured_length(tvb);
    enum iw_layout_id layout = iw_layout_sctp_control;
    struct iw_pdu pdu;
    struct iw_sctp_session session;
    bool whole =
        captured > 0 && iw_sctp_session_decode(tvb_get_ptr(tvb, 0, (int)captured), captured, &session);
    proto_tree *header;

    iw_pdu_init_chunk(&pdu, pinfo, tvb, sctp_item(tvb, pinfo, stored));
    header = tree_sctp_begin_chunk(&pdu, tree, stored, layout, captured,
        whole ? tree_sctp_control_text(&pdu, &session) : iw_layouts[layout].title);
    if (whole)
        tree_sctp_show_control(&pdu, header, &session);
    else
        tree_sctp_add_short(&pdu, header, iw_sctp_segment_octets, iw_layouts[layout].title);
    iw_tree_findings(&pdu);
}

void iw_tree_sctp_end(
    tvbuff_t *tvb, packet_info *pinfo, proto_tree *tree, const struct iw_stored_chunk *stored) {
    struct iw_pdu pdu = {.pinfo = pinfo, .item = &stored->item, .payload = tvb};
    proto_item *top = proto_tree_add_item(tree, proto_iwarp, tvb, 0, 0, ENC_NA);

    proto_item_set_text(top, "iWARP over SCTP, end of a session on DDP Stream %u", stored->stream);
    pdu.tree = proto_item_add_subtree(top, ett_iwarp[IW_ETT_PDU]);
    iw_pdu_text(pdu.tree, IW_HF_ROLE, iw_role_name(stored->item.role));
    if (stored->limited)
        expert_add_info(pinfo, top, &ei_iwarp_limit);
    iw_tree_findings(&pdu);
}
