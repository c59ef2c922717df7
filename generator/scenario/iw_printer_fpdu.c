#include "iw_printer_state.h"

#include <stdlib.h>
#include <string.h>

#include "iw_mulpdu.h"

/* Prints FPDUs of the own side, one or a whole message, as the call that makes the endpoint send exactly
 * their octets. */

static const uint8_t *printer_fpdu_ulpdu_of(
    const struct iw_printer *printer, const struct iw_conversation_unit *unit) {
    return printer->own->images + unit->image + iw_mpa_fpdu_octets;
}

static size_t printer_fpdu_draft_mulpdu(const struct iw_printer *printer) {
    return printer->sender.mulpdu != 0 ? printer->sender.mulpdu
                                       : iw_mulpdu(IW_ENDPOINT_EMSS, printer->opening.terms.markers_out);
}

/* Compares the octets of `emit` with the stream at `offset`. Returns their number, or 0 if they differ. */
static size_t printer_fpdu_draft_matches(
    struct iw_printer *printer, struct iw_fpdu_writer *writer, const struct iw_emit *emit, uint64_t offset) {
    struct iw_output output = iw_output_into(printer->sender.scratch, sizeof printer->sender.scratch);

    iw_emit_write(emit, writer, &output);
    if (output.failed || offset + output.length > printer->own->length ||
        memcmp(printer->sender.scratch, printer->own->octets + offset, output.length) != 0)
        return 0;
    return output.length;
}

static bool printer_fpdu_draft_gives_unit(const struct iw_draft *draft, const struct iw_emit *emit) {
    struct iw_fpdu_writer writer = draft->printer->sender.writer;

    return printer_fpdu_draft_matches(draft->printer, &writer, emit, draft->unit->offset) ==
           draft->unit->octets;
}

static void printer_fpdu_prepare_emit(
    const struct iw_printer *printer, uint8_t opcode, struct iw_emit *emit) {
    iw_emit_init_fpdu(emit, opcode);
    if (!emit->segment.tagged)
        emit->segment.msn = printer->sender.next_msn[emit->segment.qn];
}

static void printer_fpdu_draft_set_framing(const struct iw_draft *draft, struct iw_emit *emit) {
    const struct iw_conversation_unit *unit = draft->unit;
    struct iw_fpdu_parts *parts = &emit->parts;

    if (unit->pad_octets > 0)
        parts->pad_value = printer_fpdu_ulpdu_of(draft->printer, unit)[unit->ulpdu_length];
    if (unit->markers) {
        parts->marker_reserved = unit->marker_reserved;
        parts->fpduptr_shift = unit->fpduptr_shift;
    }
    if (!draft->printer->opening.terms.crc && unit->crc_received != 0) {
        parts->overrides |= IW_FPDU_SET_CRC;
        parts->crc = unit->crc_received;
    } else if (draft->printer->opening.terms.crc && unit->crc_known) {
        parts->crc_flip = unit->crc_received ^ unit->crc_computed;
    }
    if (!unit->markers && iw_emit_measure(emit, &draft->printer->sender.writer).markers > 0)
        parts->overrides |= IW_FPDU_NO_MARKERS;
}

static void printer_fpdu_draft_set_segment(const struct iw_draft *draft, struct iw_emit *emit) {
    const struct iw_segment *segment = draft->segment;

    emit->segment = *segment;
    emit->header_octets = segment->header_octets;
    if (segment->header_octets > 0)
        memcpy(emit->header, segment->header, segment->header_octets);
    emit->payload = segment->payload;
    emit->payload_octets = segment->payload_octets;
}

static bool printer_fpdu_segment_is_request(const struct iw_segment *segment) {
    return segment->op != NULL && segment->op->answer != IW_RDMAP_OP_NONE &&
           segment->header_octets == iw_layouts[segment->op->header].octets;
}

static void printer_fpdu_draft_note_request(struct iw_draft *draft) {
    struct iw_printer_requests *asked = &draft->printer->asked.requests;
    struct iw_printer_request request = {.opcode = draft->segment->opcode};

    if (request.opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_read_request_decode(draft->segment->header, &request.read);
    if (iw_printer_reserve(draft->printer, &asked->list, asked->count, sizeof request))
        asked->list[asked->count++] = request;
}

/* Makes the natural FPDU: what the message call sends with the captured arguments. */
static void printer_fpdu_draft_make_natural(struct iw_draft *draft) {
    const struct iw_segment *segment = draft->segment;
    struct iw_emit *natural = &draft->natural;

    printer_fpdu_prepare_emit(draft->printer, segment->opcode, natural);
    natural->segment.stag = segment->stag;
    natural->segment.to = segment->to;
    if (segment->op->invalidate == IW_INVALIDATE_STAG || segment->op->invalidate == IW_INVALIDATE_OPTIONAL)
        natural->segment.invalidate_stag =
            segment->op->invalidate == IW_INVALIDATE_STAG ? segment->invalidate_stag : 0;
    if (segment->header_octets > 0)
        memcpy(natural->header, segment->header, segment->header_octets);
    natural->payload = segment->payload;
    natural->payload_octets = segment->payload_octets;
}

/* Whether the endpoint would send the FPDU as a single-segment message, with the same MSN, MO and L. */
static bool printer_fpdu_draft_is_message(const struct iw_draft *draft) {
    const struct iw_segment *segment = draft->segment;
    const struct iw_segment *natural = &draft->natural.segment;
    uint64_t order = iw_conversation_when(draft->printer->own, draft->unit->offset)->order;

    if (segment->tagged != natural->tagged || !segment->last ||
        segment->length > printer_fpdu_draft_mulpdu(draft->printer) ||
        segment->header_octets != draft->natural.header_octets)
        return false;
    if (segment->payload_octets > 0 &&
        (segment->opcode == IW_RDMAP_OP_READ_REQUEST || segment->opcode == IW_RDMAP_OP_IMMEDIATE ||
            segment->opcode == IW_RDMAP_OP_IMMEDIATE_SE))
        return false;
    if (printer_fpdu_segment_is_request(segment) &&
        iw_printer_outstanding(draft->printer, order) >= draft->printer->opening.terms.ord)
        return false;
    return segment->tagged ||
           (segment->qn == natural->qn && segment->msn == natural->msn && segment->mo == 0);
}

static void printer_fpdu_draft_use_msn(struct iw_draft *draft) {
    const struct iw_opcode *op = draft->segment->op;

    if (op->qn < IW_QN_COUNT)
        draft->printer->sender.next_msn[op->qn]++;
}

/* Prints the call of the message's method. A Terminate is sent immediately. */
static void printer_fpdu_draft_put_message(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;

    if (draft->segment->opcode == IW_RDMAP_OP_TERMINATE) {
        struct iw_terminate terminate;

        iw_printer_drain(printer);
        iw_printer_call(printer, "c:terminate");
        iw_terminate_decode(draft->segment->header, &terminate);
        iw_printer_number(printer, "layer", terminate.layer);
        iw_printer_number(printer, "etype", terminate.etype);
        iw_printer_number(printer, "code", terminate.code);
        const uint8_t natural[iw_terminate_octets] = {draft->segment->header[0], draft->segment->header[1]};
        iw_draft_fields(draft, iw_layout_terminate, draft->segment->header, natural);
        iw_draft_payload(draft);
    } else {
        iw_draft_message(draft);
        printer->sender.queued = true;
        printer->sender.posts++;
    }
    iw_draft_ddp(draft, &draft->natural);
    iw_draft_framing(draft);
    putc('}', printer->text);
    printer_fpdu_draft_use_msn(draft);
    if (printer_fpdu_segment_is_request(draft->segment))
        printer_fpdu_draft_note_request(draft);
}

/* Counts the segments from `unit` to the first one with L, which is included. Returns 0 if no such segment
 * exists, or if anything else comes before it. */
static size_t printer_fpdu_count_segments(const struct iw_conversation_unit *unit, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (unit[i].kind != IW_LLP_SEGMENT || !unit[i].decoded)
            return 0;
        if (i > 0 && unit[i].offset != unit[i - 1].offset + unit[i - 1].octets)
            return 0;
        if (unit[i].segment.last)
            return i + 1;
    }
    return 0;
}

static uint8_t *printer_fpdu_join_payload(
    struct iw_printer *printer, const struct iw_conversation_unit *unit, size_t count, size_t *length) {
    *length = 0;
    for (size_t i = 0; i < count; i++)
        *length += unit[i].ulpdu_length;
    uint8_t *payload = malloc(*length + 1);
    *length = 0;
    for (size_t i = 0; i < count && payload != NULL; i++) {
        const struct iw_segment *segment = &unit[i].segment;

        if (segment->payload_octets > 0)
            memcpy(payload + *length, segment->payload, segment->payload_octets);
        *length += segment->payload_octets;
    }
    printer->no_memory |= payload == NULL;
    return payload;
}

/* Segments the message as iw_endpoint_send.c does and compares the result with the capture. */
static bool printer_fpdu_segmentation_matches(
    struct iw_draft *draft, const uint8_t *payload, size_t length, size_t count) {
    struct iw_printer *printer = draft->printer;
    struct iw_fpdu_writer writer = printer->sender.writer;
    struct iw_emit emit = draft->natural;
    size_t headers = emit.segment.tagged ? iw_ddp_tagged_octets : iw_ddp_untagged_octets;
    size_t capacity = printer_fpdu_draft_mulpdu(printer) - headers;
    size_t sent = 0;

    for (size_t i = 0; i < count; i++) {
        size_t part = length - sent < capacity ? length - sent : capacity;

        emit.segment.last = sent + part == length;
        emit.segment.to = draft->natural.segment.to + sent;
        emit.segment.mo = (uint32_t)sent;
        emit.payload = payload + sent;
        emit.payload_octets = part;
        if (printer_fpdu_draft_matches(printer, &writer, &emit, draft->unit[i].offset) !=
            draft->unit[i].octets)
            return false;
        sent += part;
    }
    return sent == length;
}

/* Writes the multi-segment message that begins with the draft's unit, as one call; `left` units remain.
 * Returns the number of units written; 0 if the endpoint would segment it differently. */
static size_t printer_fpdu_draft_put_segments(struct iw_draft *draft, size_t left) {
    struct iw_printer *printer = draft->printer;
    size_t count = printer_fpdu_count_segments(draft->unit, left);
    size_t length;

    if (count < 2 || draft->segment->op == NULL || draft->segment->op->header != IW_LAYOUT_NONE ||
        draft->segment->tagged != draft->segment->op->tagged ||
        printer_fpdu_draft_mulpdu(printer) <= iw_ddp_untagged_octets)
        return 0;
    printer_fpdu_draft_make_natural(draft);
    uint8_t *payload = printer_fpdu_join_payload(printer, draft->unit, count, &length);
    bool good = payload != NULL && printer_fpdu_segmentation_matches(draft, payload, length, count);
    if (good) {
        iw_lua_override_layouts(draft->segment->opcode, draft->segment->tagged, &draft->layouts);
        draft->payload = payload;
        draft->payload_octets = length;
        iw_draft_message(draft);
        putc('}', printer->text);
        printer_fpdu_draft_use_msn(draft);
        printer->sender.queued = true;
        printer->sender.posts++;
    }
    free(payload);
    return good ? count : 0;
}

static void printer_fpdu_draft_note_by_hand(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;
    const struct iw_segment *segment = draft->segment;

    if (segment->tagged || segment->qn >= IW_QN_COUNT || !segment->last)
        return;
    if (segment->msn == printer->sender.next_msn[segment->qn])
        printer->sender.next_msn[segment->qn]++;
    if (printer_fpdu_segment_is_request(segment) && segment->qn == IW_QN_REQUEST)
        printer_fpdu_draft_note_request(draft);
}

static void printer_fpdu_draft_put_by_hand(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;
    struct iw_emit natural;

    printer_fpdu_prepare_emit(printer, draft->segment->opcode, &natural);
    iw_printer_drain(printer);
    iw_printer_call(printer, "c:fpdu");
    iw_draft_kind(draft);
    if (natural.segment.tagged != draft->segment->tagged)
        iw_printer_flag(printer, "t", draft->segment->tagged);
    natural.segment.tagged = draft->segment->tagged;
    iw_draft_ddp(draft, &natural);
    if (draft->segment->header_octets != natural.header_octets) {
        iw_printer_name(printer, "header");
        iw_printer_octets(printer, draft->segment->header, draft->segment->header_octets);
    } else {
        iw_draft_header(draft);
    }
    iw_draft_payload(draft);
    iw_draft_framing(draft);
    putc('}', printer->text);
    printer_fpdu_draft_note_by_hand(draft);
}

static void printer_fpdu_draft_put_raw(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;
    const struct iw_conversation_unit *unit = draft->unit;
    struct iw_emit emit = {.kind = IW_EMIT_FPDU,
        .bare = true,
        .payload = printer_fpdu_ulpdu_of(printer, unit),
        .payload_octets = unit->ulpdu_length};

    iw_printer_drain(printer);
    printer_fpdu_draft_set_framing(draft, &emit);
    draft->emit = emit;
    if (printer_fpdu_draft_gives_unit(draft, &emit)) {
        iw_printer_call(printer, "c:fpdu");
        iw_printer_name(printer, "ulpdu");
        iw_printer_octets(printer, emit.payload, emit.payload_octets);
        iw_draft_framing(draft);
        putc('}', printer->text);
        return;
    }
    iw_printer_put_octets(printer, printer->own->octets + unit->offset, unit->octets);
}

static void draft_put_fpdu(struct iw_draft *draft) {
    draft->ddp = printer_fpdu_ulpdu_of(draft->printer, draft->unit);
    if (!draft->unit->decoded) {
        printer_fpdu_draft_put_raw(draft);
        return;
    }
    draft->payload = draft->segment->payload;
    draft->payload_octets = draft->segment->payload_octets;
    iw_lua_override_layouts(draft->segment->opcode, draft->segment->tagged, &draft->layouts);
    printer_fpdu_prepare_emit(draft->printer, draft->segment->opcode, &draft->emit);
    printer_fpdu_draft_set_segment(draft, &draft->emit);
    printer_fpdu_draft_set_framing(draft, &draft->emit);
    if (!printer_fpdu_draft_gives_unit(draft, &draft->emit)) {
        printer_fpdu_draft_put_raw(draft);
        return;
    }
    if (draft->segment->op != NULL) {
        printer_fpdu_draft_make_natural(draft);
        if (printer_fpdu_draft_is_message(draft)) {
            printer_fpdu_draft_put_message(draft);
            return;
        }
    }
    printer_fpdu_draft_put_by_hand(draft);
}

size_t iw_printer_fpdu(struct iw_printer *printer, const struct iw_conversation_unit *unit, size_t count) {
    struct iw_draft draft = {.printer = printer, .unit = unit, .left = count, .segment = &unit->segment};
    const struct iw_conversation_mark *at = iw_conversation_when(printer->own, unit->offset);

    iw_printer_begin(printer);
    size_t taken = printer_fpdu_draft_put_segments(&draft, count);
    if (taken == 0) {
        draft_put_fpdu(&draft);
        taken = 1;
    }
    const struct iw_conversation_unit *last = unit + taken - 1;
    iw_printer_end(printer, at, true, unit);
    printer->sender.writer.position += last->offset + last->octets - unit->offset;
    if (last->decoded && last->segment.opcode == IW_RDMAP_OP_READ_RESPONSE && last->segment.last)
        printer->sender.answered++;
    return taken;
}
