#include "iw_draft.h"

#include <inttypes.h>

#include "iw_lua_event.h"

/* ---- options ---- */

void iw_draft_number(struct iw_draft *draft, const char *name, uint64_t value) {
    iw_printer_name(draft->printer, &draft->first, name);
    fprintf(draft->printer->text, value > 9 ? "0x%" PRIx64 : "%" PRIu64, value);
}

void iw_draft_flag(struct iw_draft *draft, const char *name, bool value) {
    iw_printer_name(draft->printer, &draft->first, name);
    fputs(value ? "true" : "false", draft->printer->text);
}

void iw_draft_octets(struct iw_draft *draft, const char *name, const uint8_t *octets, size_t length) {
    if (length == 0)
        return;
    iw_printer_name(draft->printer, &draft->first, name);
    iw_printer_octets(draft->printer, octets, length);
}

void iw_draft_kind(struct iw_draft *draft) {
    char kind[32];

    if (draft->segment.op == NULL) {
        iw_draft_number(draft, "opcode", draft->segment.opcode);
        return;
    }
    iw_printer_name(draft->printer, &draft->first, "kind");
    fprintf(draft->printer->text, "\"%s\"", iw_lua_event_kind(draft->segment.opcode, kind));
}

/* One packet carried all of this FPDU and of the next, so the sender did not wait between them. */
static bool draft_merges(const struct iw_draft *draft) {
    const struct iw_conversation_unit *unit = draft->unit, *next = unit + 1;
    const struct iw_conversation_mark *at = iw_conversation_when(draft->printer->own, unit->offset);

    return draft->left > 1 && next->offset == unit->offset + unit->octets && at->frame != 0 &&
           next->frame == at->frame;
}

void iw_draft_framing(struct iw_draft *draft) {
    const struct iw_fpdu_parts *parts = &draft->emit.parts;

    if (parts->pad_value != 0)
        iw_draft_number(draft, "pad_value", parts->pad_value);
    if (parts->marker_reserved != 0)
        iw_draft_number(draft, "marker_reserved", parts->marker_reserved);
    if (parts->fpduptr_shift != 0) {
        iw_printer_name(draft->printer, &draft->first, "fpduptr_shift");
        fprintf(draft->printer->text, "%d", parts->fpduptr_shift);
    }
    if (parts->overrides & IW_FPDU_SET_CRC)
        iw_draft_number(draft, "crc", parts->crc);
    if (parts->crc_flip != 0)
        iw_draft_number(draft, "crc_flip", parts->crc_flip);
    if (parts->overrides & IW_FPDU_NO_MARKERS)
        iw_draft_flag(draft, "no_markers", true);
    if (draft_merges(draft))
        iw_draft_flag(draft, "merge", true);
}

void iw_draft_ddp(struct iw_draft *draft, const struct iw_emit *natural) {
    uint8_t octets[iw_ddp_untagged_octets];

    iw_segment_encode_ddp(&natural->segment, octets);
    iw_printer_fields(
        draft->printer, &draft->first, draft->layouts.id[1], &draft->layouts, draft->ddp + 1, octets + 1);
    octets[1] = draft->ddp[1];
    iw_printer_fields(
        draft->printer, &draft->first, draft->layouts.id[0], &draft->layouts, draft->ddp, octets);
}

void iw_draft_header(struct iw_draft *draft) {
    static const uint8_t zeros[IW_EMIT_HEADER_MAX];

    if (draft->segment.header_octets > 0)
        iw_printer_fields(draft->printer, &draft->first, draft->segment.op->header, &draft->layouts,
            draft->segment.header, zeros);
}

void iw_draft_payload(struct iw_draft *draft, const uint8_t *octets, size_t length) {
    const struct iw_opcode *op = draft->segment.op;
    bool has_data = op != NULL && op->header != IW_LAYOUT_NONE && iw_field_find(op->header, "data") != NULL;

    iw_draft_octets(draft, has_data ? "payload" : "data", octets, length);
}

/* ---- messages ---- */

void iw_draft_begin(struct iw_draft *draft, const char *method) {
    fprintf(draft->printer->text, "c:%s{", method);
    draft->first = true;
}

static void draft_put_address(struct iw_draft *draft) {
    const struct iw_segment *segment = &draft->segment;

    iw_printer_name(draft->printer, &draft->first, "stag");
    iw_printer_stag(draft->printer, segment->stag);
    iw_printer_name(draft->printer, &draft->first, "to");
    iw_printer_to(draft->printer, segment->stag, segment->to);
}

/* Prints the sink of a Read Response relative to the peer's Read Request where it matches. */
static void draft_put_sink(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;
    const struct iw_segment *segment = &draft->segment;
    const struct iw_printer_requests *requests = &printer->received.requests;
    size_t next = printer->sender.answered;
    const struct iw_printer_request *request = &requests->list[next];
    uint64_t order = iw_conversation_when(printer->own, draft->unit->offset)->order;
    bool known = next < requests->count && request->order < order && request->sink_stag == segment->stag &&
                 request->sink_to == segment->to;

    iw_printer_name(printer, &draft->first, "stag");
    if (known)
        fprintf(printer->text, "reads[%zu].sink_stag, to = reads[%zu].sink_to", next + 1, next + 1);
    else
        fprintf(printer->text, "0x%" PRIx32 ", to = 0x%" PRIx64, segment->stag, segment->to);
}

static void draft_put_read(struct iw_draft *draft) {
    struct iw_read_request read;

    iw_draft_begin(draft, "read");
    iw_read_request_decode(draft->segment.header, &read);
    iw_printer_name(draft->printer, &draft->first, "source_stag");
    iw_printer_stag(draft->printer, read.source_stag);
    iw_printer_name(draft->printer, &draft->first, "source_to");
    iw_printer_to(draft->printer, read.source_stag, read.source_to);
    iw_draft_number(draft, "sink_stag", read.sink_stag);
    iw_draft_number(draft, "sink_to", read.sink_to);
    iw_printer_name(draft->printer, &draft->first, "size");
    fprintf(draft->printer->text, "%" PRIu32, read.size);
}

static void draft_put_send(struct iw_draft *draft, const uint8_t *payload, size_t length) {
    const struct iw_opcode *op = draft->segment.op;

    iw_draft_begin(draft, "send");
    iw_draft_octets(draft, "data", payload, length);
    if (op->value == IW_RDMAP_OP_SEND_SE || op->value == IW_RDMAP_OP_SEND_SE_INV)
        iw_draft_flag(draft, "se", true);
    if (op->invalidate == IW_INVALIDATE_STAG) {
        iw_printer_name(draft->printer, &draft->first, "invalidate");
        iw_printer_stag(draft->printer, draft->segment.invalidate_stag);
    }
}

static void draft_put_immediate(struct iw_draft *draft) {
    iw_draft_begin(draft, "immediate");
    iw_draft_octets(draft, "data", draft->segment.header, draft->segment.header_octets);
    if (draft->segment.opcode == IW_RDMAP_OP_IMMEDIATE_SE)
        iw_draft_flag(draft, "se", true);
}

static void draft_put_write(struct iw_draft *draft, const uint8_t *payload, size_t length) {
    iw_draft_begin(draft, "write");
    draft_put_address(draft);
    iw_draft_octets(draft, "data", payload, length);
}

static void draft_put_read_response(struct iw_draft *draft, const uint8_t *payload, size_t length) {
    iw_draft_begin(draft, "message");
    iw_draft_kind(draft);
    draft_put_sink(draft);
    iw_draft_octets(draft, "data", payload, length);
}

/* A message that has no method of its own. */
static void draft_put_message(struct iw_draft *draft, const uint8_t *payload, size_t length) {
    iw_draft_begin(draft, "message");
    iw_draft_kind(draft);
    iw_draft_header(draft);
    iw_draft_payload(draft, payload, length);
}

void iw_draft_message(struct iw_draft *draft, const uint8_t *payload, size_t length) {
    uint8_t opcode = draft->segment.opcode;

    if (opcode == IW_RDMAP_OP_SEND || opcode == IW_RDMAP_OP_SEND_INV || opcode == IW_RDMAP_OP_SEND_SE ||
        opcode == IW_RDMAP_OP_SEND_SE_INV)
        draft_put_send(draft, payload, length);
    else if (opcode == IW_RDMAP_OP_RDMA_WRITE)
        draft_put_write(draft, payload, length);
    else if (opcode == IW_RDMAP_OP_READ_REQUEST)
        draft_put_read(draft);
    else if (opcode == IW_RDMAP_OP_READ_RESPONSE)
        draft_put_read_response(draft, payload, length);
    else if (opcode == IW_RDMAP_OP_IMMEDIATE || opcode == IW_RDMAP_OP_IMMEDIATE_SE)
        draft_put_immediate(draft);
    else if (!iw_draft_request(draft, payload, length))
        draft_put_message(draft, payload, length);
}
