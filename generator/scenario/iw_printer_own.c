#include "iw_printer_state.h"

#include <inttypes.h>

/* Prints what the own side sends, in stream order: FPDUs, and the octets between them. */

void iw_printer_drain(struct iw_printer *printer) {
    if (printer->sender.queued)
        fputs("c:sent()\n", printer->text);
    printer->sender.queued = false;
}

/* Whether the segment of a Read Response matches the oldest outstanding Read, as in iw_endpoint_check.c. */
static bool own_answers_read(
    const struct iw_printer_asked *asked, const struct iw_printer_response *response) {
    const struct iw_read_request *read = &asked->requests.list[asked->first].read;
    uint64_t left = read->size - asked->read_answered;

    if (response->octets > left || (response->last && response->octets < left))
        return false;
    return response->octets == 0 ||
           (response->stag == read->sink_stag && response->to == read->sink_to + asked->read_answered);
}

/* Counts a response as the endpoint does, which ignores an unexpected response. */
static void own_count_response(struct iw_printer_asked *asked, const struct iw_printer_response *response) {
    const struct iw_printer_request *oldest = &asked->requests.list[asked->first];
    bool read = response->opcode == IW_RDMAP_OP_READ_RESPONSE;

    if (asked->first == asked->requests.count || iw_opcodes[oldest->opcode].answer != response->opcode ||
        (read && !own_answers_read(asked, response)))
        return;
    asked->read_answered += response->octets;
    if (!response->last)
        return;
    asked->read_answered = 0;
    asked->first++;
}

size_t iw_printer_outstanding(struct iw_printer *printer, uint64_t order) {
    while (printer->asked.next_response < printer->received.responses.count &&
           printer->received.responses.list[printer->asked.next_response].order < order)
        own_count_response(
            &printer->asked, &printer->received.responses.list[printer->asked.next_response++]);
    return printer->asked.requests.count - printer->asked.first;
}

static void put_own_octets(struct iw_printer *printer, uint64_t from, uint64_t to) {
    if (from >= to)
        return;
    const struct iw_conversation_mark *at = iw_conversation_when(printer->own, from);
    iw_printer_begin(printer);
    iw_printer_drain(printer);
    iw_printer_put_octets(printer, printer->own->octets + from, to - from);
    iw_printer_end(printer, at, true, NULL);
    if (printer->opening.full && at->order >= printer->opening.full_order)
        printer->sender.writer.position += to - from;
}

/* Whether the unit is an FPDU in full operation. Earlier FPDUs must be printed as octets. */
static bool own_unit_is_fpdu(const struct iw_printer *printer, const struct iw_conversation_unit *unit) {
    return printer->opening.full && unit->kind == IW_LLP_SEGMENT &&
           iw_conversation_when(printer->own, unit->offset)->order >= printer->opening.full_order;
}

static void own_note_memory(struct iw_printer *printer, const struct iw_conversation_unit *unit) {
    const struct iw_segment *segment = &unit->segment;
    struct iw_read_request read;

    if (!unit->decoded || segment->op == NULL)
        return;
    if (segment->opcode == IW_RDMAP_OP_RDMA_WRITE && segment->tagged) {
        iw_printer_note_stag(printer, segment->stag, &segment->to);
    } else if (segment->opcode == IW_RDMAP_OP_READ_REQUEST && segment->header_octets > 0) {
        iw_read_request_decode(segment->header, &read);
        iw_printer_note_stag(printer, read.source_stag, &read.source_to);
    } else if (segment->op->invalidate == IW_INVALIDATE_STAG && !segment->tagged) {
        iw_printer_note_stag(printer, segment->invalidate_stag, NULL);
    } else if (segment->op->header != IW_LAYOUT_NONE && segment->header_octets > 0 &&
               iw_field_find(segment->op->header, "stag") != NULL) {
        uint64_t to = iw_field_get(iw_field_find(segment->op->header, "to"), segment->header);

        iw_printer_note_stag(printer,
            (uint32_t)iw_field_get(iw_field_find(segment->op->header, "stag"), segment->header), &to);
    }
}

static void put_own_end(struct iw_printer *printer) {
    const struct iw_conversation_side *own = printer->own;
    struct iw_conversation_mark reset = own->rst;

    if (own->fin.order != 0) {
        bool open = iw_printer_outstanding(printer, own->fin.order) > 0;

        iw_printer_begin(printer);
        if (open)
            iw_printer_drain(printer);
        fputs(open ? "c:close{now = true}" : "c:close()", printer->text);
        iw_printer_end(printer, &own->fin, true, NULL);
        printer->sender.queued = true;
    }
    if (own->rst.order == 0 || (printer->peer->rst.order != 0 && printer->peer->rst.order < own->rst.order &&
                                   printer->peer->fin.order == 0))
        return; /* no RST of this side, or the script expects an earlier RST of the peer */
    reset.order = printer->conversation->order + 1;
    iw_printer_begin(printer);
    iw_printer_drain(printer);
    if (printer->received.octets < printer->peer->length)
        fprintf(printer->text, "pause(0.1) -- for %" PRIu64 " octets of an incomplete FPDU or message\n",
            printer->peer->length - printer->received.octets);
    fputs("c:reset()", printer->text);
    iw_printer_end(printer, &reset, true, NULL);
}

void iw_printer_own(struct iw_printer *printer) {
    const struct iw_conversation_side *own = printer->own;
    uint64_t at = printer->opening.own_from;

    for (size_t i = 0; i < own->unit_count; i++)
        if (own_unit_is_fpdu(printer, &own->units[i]))
            own_note_memory(printer, &own->units[i]);
    for (size_t i = 0; i < own->unit_count;) {
        const struct iw_conversation_unit *unit = &own->units[i];
        size_t taken = 1;

        if (own_unit_is_fpdu(printer, unit) && unit->offset >= at) {
            put_own_octets(printer, at, unit->offset);
            taken = iw_printer_fpdu(printer, unit, own->unit_count - i);
            at = unit[taken - 1].offset + unit[taken - 1].octets;
        }
        i += taken;
    }
    put_own_octets(printer, at, own->length);
    put_own_end(printer);
}
