#include "iw_tree.h"

#include <inttypes.h>

#include "iw_name.h"
#include "iw_opcode.h"

#define STAG_TO "0x%" PRIx32 "+0x%" PRIx64

const char *iw_info_enhanced(wmem_allocator_t *pool, const struct iw_mpa_enhanced *enhanced) {
    return wmem_strdup_printf(pool, " A=%u B=%u C=%u D=%u IRD %u ORD %u", enhanced->a, enhanced->b,
        enhanced->c, enhanced->d, enhanced->ird, enhanced->ord);
}

static void info_write_startup(const struct iw_pdu *pdu, wmem_strbuf_t *text) {
    static const char *const frames[] = {"MPA Request", "MPA Reply", "MPA startup frame with an unknown key"};
    const struct iw_startup *startup = &pdu->startup;
    const struct iw_mpa_startup *header = &startup->header;
    unsigned enhanced = startup->enhanced ? iw_mpa_enhanced_octets : 0;

    wmem_strbuf_append(text, frames[startup->key]);
    if (startup->key == IW_STARTUP_UNKNOWN)
        return;
    wmem_strbuf_append_printf(text, "  rev %u", header->rev);
    if (iw_startup_dialect(header->rev) != NULL)
        wmem_strbuf_append_printf(text, " (%s)", iw_startup_dialect(header->rev));
    wmem_strbuf_append_printf(
        text, "%s%s%s", header->m ? " markers" : "", header->c ? " CRC" : "", header->r ? " rejected" : "");
    if (startup->enhanced)
        wmem_strbuf_append(text, iw_info_enhanced(pdu->pinfo->pool, &startup->enhanced_data));
    if (header->pd_length > enhanced)
        wmem_strbuf_append_printf(text, " pd %u", header->pd_length - enhanced);
}

static void info_write_atomic(const uint8_t *header, wmem_strbuf_t *text) {
    struct iw_atomic_request atomic;
    const char *name;

    iw_atomic_request_decode(header, &atomic);
    name = iw_value_name(IW_KIND_AOPCODE, atomic.aopcode);
    wmem_strbuf_append_printf(text, " %s " STAG_TO " id 0x%08" PRIx32, name != NULL ? name : "unknown",
        atomic.stag, atomic.to, atomic.identifier);
}

static void info_write_read(const uint8_t *header, wmem_strbuf_t *text) {
    struct iw_read_request read;

    iw_read_request_decode(header, &read);
    wmem_strbuf_append_printf(text, " sink " STAG_TO " \u2190 src " STAG_TO " len %" PRIu32, read.sink_stag,
        read.sink_to, read.source_stag, read.source_to, read.size);
}

static void info_write_target(const struct iw_segment *ddp, wmem_strbuf_t *text) {
    struct iw_target target = iw_opcode_target(ddp->op, ddp->header);

    wmem_strbuf_append_printf(text, " " STAG_TO " len %" PRIu32, target.stag, target.to, target.length);
}

static void info_write_atomic_response(const uint8_t *header, wmem_strbuf_t *text) {
    struct iw_atomic_response response;

    iw_atomic_response_decode(header, &response);
    wmem_strbuf_append_printf(
        text, "  id 0x%08" PRIx32 " was 0x%" PRIx64, response.identifier, response.value);
}

static void info_write_immediate(const struct iw_segment *ddp, wmem_strbuf_t *text) {
    struct iw_immediate immediate;

    iw_immediate_decode(ddp->header, &immediate);
    wmem_strbuf_append_printf(text, "  MSN %" PRIu32 " data ", ddp->msn);
    for (size_t i = 0; i < sizeof immediate.data; i++)
        wmem_strbuf_append_printf(text, "%02x", immediate.data[i]);
}

/* Writes the fields of the RDMAP header. Returns false if the DDP header must be written instead. */
static bool info_write_header(const struct iw_pdu *pdu, wmem_strbuf_t *text) {
    const uint8_t *header = pdu->ddp.header;

    if (pdu->ddp.header_octets == 0)
        return false;
    if (pdu->ddp.op->answer != IW_RDMAP_OP_NONE)
        wmem_strbuf_append_printf(text, "  MSN %" PRIu32, pdu->ddp.msn);
    if (pdu->ddp.opcode == IW_RDMAP_OP_READ_REQUEST)
        info_write_read(header, text);
    else if (pdu->ddp.opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        info_write_atomic(header, text);
    else if (pdu->ddp.op->stag != IW_FIELD_NONE)
        info_write_target(&pdu->ddp, text);
    else if (pdu->ddp.op->header == iw_layout_terminate)
        wmem_strbuf_append_printf(text, "  %s", iw_tree_terminate_text(pdu));
    else if (pdu->ddp.op->header == iw_layout_atomic_response)
        info_write_atomic_response(header, text);
    else if (pdu->ddp.op->header == iw_layout_immediate)
        info_write_immediate(&pdu->ddp, text);
    else
        return false;
    return true;
}

static void info_write_ddp(const struct iw_segment *ddp, wmem_strbuf_t *text) {
    if (ddp->tagged)
        wmem_strbuf_append_printf(text, "  " STAG_TO " len %u", ddp->stag, ddp->to, ddp->payload_octets);
    else if (ddp->qn == IW_QN_SEND)
        wmem_strbuf_append_printf(text, "  MSN %" PRIu32, ddp->msn);
    else
        wmem_strbuf_append_printf(text, "  QN %" PRIu32 " MSN %" PRIu32, ddp->qn, ddp->msn);
    if (!ddp->tagged && ddp->mo != 0)
        wmem_strbuf_append_printf(text, " MO %" PRIu32, ddp->mo);
    if (!ddp->tagged)
        wmem_strbuf_append_printf(text, " len %u", ddp->payload_octets);
    if (!ddp->tagged && ddp->op != NULL && ddp->op->invalidate == IW_INVALIDATE_STAG)
        wmem_strbuf_append_printf(text, " invalidate 0x%" PRIx32, ddp->invalidate_stag);
    if (!ddp->last)
        wmem_strbuf_append(text, " more");
}

static void info_write_fpdu(const struct iw_pdu *pdu, wmem_strbuf_t *text) {
    const struct iw_segment *ddp = &pdu->ddp;

    if (!pdu->has_ddp)
        wmem_strbuf_append_printf(text, "FPDU of %" PRIu32 " octets", pdu->item->length);
    else if (ddp->op == NULL)
        wmem_strbuf_append_printf(text, "Opcode 0x%x", ddp->opcode);
    else
        wmem_strbuf_append(text, ddp->op->title);
    if (pdu->has_ddp && !info_write_header(pdu, text))
        info_write_ddp(ddp, text);
    if (pdu->item->judged != IW_FPDU_JUDGED)
        wmem_strbuf_append_printf(text, " [not judged: %s]", iw_fpdu_not_judged(pdu->item->judged));
    if (pdu->item->crc == IW_CRC_BAD && !iw_tree_finding_about(pdu->item, iw_field_mpa_crc_crc))
        wmem_strbuf_append(text, " [CRC bad]");
}

const char *iw_info_text(const struct iw_pdu *pdu) {
    wmem_strbuf_t *text = wmem_strbuf_new(pdu->pinfo->pool, "");
    const char *unfinished = pdu->item->more->unfinished;

    switch (pdu->item->kind) {
    case IW_LLP_STARTUP:
        info_write_startup(pdu, text);
        break;
    case IW_LLP_SEGMENT:
        info_write_fpdu(pdu, text);
        break;
    case IW_LLP_LOSS:
        wmem_strbuf_append_printf(text, "[%" PRIu64 " octets not read]", pdu->item->more->octets);
        break;
    case IW_LLP_CLOSE:
        wmem_strbuf_append_printf(
            text, "[close%s%s]", unfinished != NULL ? " with " : "", unfinished != NULL ? unfinished : "");
        break;
    case IW_LLP_CONTROL: /* only over SCTP: iw_tree_sctp_control makes the text */
        break;
    }
    return wmem_strbuf_get_str(text);
}

enum { FINDINGS_MAX = 3 }; /* findings shown in the Info column */

const char *iw_info_with_findings(const struct iw_pdu *pdu, const char *text) {
    const struct iw_item_more *more = pdu->item->more;
    wmem_strbuf_t *whole;

    if (more->finding_count == 0)
        return text;
    whole = wmem_strbuf_new(pdu->pinfo->pool, "");
    for (uint32_t i = 0; i < more->finding_count && i < FINDINGS_MAX; i++)
        wmem_strbuf_append_printf(
            whole, "[%s: %s] ", more->findings[i].requirement->id, more->findings[i].message);
    if (more->finding_count > FINDINGS_MAX)
        wmem_strbuf_append_printf(whole, "[%" PRIu32 " more] ", more->finding_count - FINDINGS_MAX);
    wmem_strbuf_append(whole, text);
    return wmem_strbuf_get_str(whole);
}
