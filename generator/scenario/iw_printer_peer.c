#include "iw_printer_state.h"

#include <inttypes.h>

#include "iw_assembly.h"
#include "iw_fpdu_reader.h"
#include "iw_lua_event.h"

/* Prints the events that the endpoint will report for the peer's octets. Reads the octets FPDU by FPDU with
 * the negotiated framing, as the endpoint does: if the peer deviates from it, the units of the conversation
 * have other segments. Reassembles messages as iw_lua_inbox.c. */

struct peer_listener {
    struct iw_printer *printer;
    struct iw_assembly assembly[IW_QN_COUNT];
    uint64_t tagged_octets; /* of the tagged message in progress */
    size_t unit;            /* index into the peer's units, for printer_peer_unit_at */
};

/* A message as delivered to the script. */
struct heard {
    const struct iw_fpdu *fpdu;
    const struct iw_segment *segment;
    uint64_t octets;
    struct iw_conversation_mark at;
};

/* The time when all octets before stream offset `end` had arrived and full operation had begun. */
static struct iw_conversation_mark printer_peer_arrival_of(const struct iw_printer *printer, uint64_t end) {
    struct iw_conversation_mark mark = *iw_conversation_when(printer->peer, end - 1);

    if (mark.order < printer->opening.full_order)
        mark.order = printer->opening.full_order;
    return mark;
}

/* The monitor's unit that ends at stream offset `end`, or NULL. */
static const struct iw_conversation_unit *printer_peer_unit_at(struct peer_listener *listener, uint64_t end) {
    const struct iw_conversation_side *peer = listener->printer->peer;

    while (listener->unit < peer->unit_count &&
           peer->units[listener->unit].offset + peer->units[listener->unit].octets < end)
        listener->unit++;
    if (listener->unit == peer->unit_count ||
        peer->units[listener->unit].offset + peer->units[listener->unit].octets != end)
        return NULL;
    return &peer->units[listener->unit];
}

static void note_peer_request(struct iw_printer *printer, const struct heard *heard) {
    struct iw_printer_requests *requests = &printer->received.requests;
    struct iw_printer_request request = {.order = heard->at.order};

    iw_read_request_decode(heard->segment->header, &request.read);
    if (iw_printer_reserve(printer, &requests->list, requests->count, sizeof request))
        requests->list[requests->count++] = request;
}

/* Whether it is certain that the endpoint accepts the segment. */
static bool printer_peer_heard_is_accepted(struct peer_listener *listener, const struct heard *heard) {
    const struct iw_conversation_unit *unit =
        printer_peer_unit_at(listener, heard->fpdu->offset + heard->fpdu->wire_octets);

    for (uint32_t i = 0; i < heard->fpdu->marker_count; i++)
        if ((heard->fpdu->markers[i].fpduptr & ~3) != heard->fpdu->markers[i].expected)
            return false;
    if (heard->segment->tagged)
        return heard->segment->dv == 1 && heard->segment->rv == 1;
    return unit != NULL && unit->findings[0] == NULL;
}

static void note_peer_response(struct peer_listener *listener, const struct heard *heard) {
    struct iw_printer_responses *responses = &listener->printer->received.responses;
    const struct iw_segment *segment = heard->segment;

    if (segment->op == NULL || segment->tagged != segment->op->tagged ||
        !printer_peer_heard_is_accepted(listener, heard) ||
        !iw_printer_reserve(listener->printer, &responses->list, responses->count, sizeof *responses->list))
        return;
    responses->list[responses->count++] = (struct iw_printer_response){.order = heard->at.order,
        .opcode = segment->opcode,
        .stag = segment->stag,
        .octets = segment->payload_octets,
        .to = segment->to,
        .last = segment->last};
}

static bool printer_peer_heard_is_request(const struct heard *heard) {
    return heard->fpdu->crc != IW_CRC_BAD && heard->segment->opcode == IW_RDMAP_OP_READ_REQUEST &&
           heard->segment->header_octets == iw_read_request_octets;
}

static void printer_peer_put_heard_fields(struct iw_printer *printer, const struct heard *heard) {
    const struct iw_segment *segment = heard->segment;
    enum iw_layout_id header = segment->op == NULL ? IW_LAYOUT_NONE : segment->op->header;

    if (printer_peer_heard_is_request(heard)) {
        struct iw_read_request request;

        iw_read_request_decode(segment->header, &request);
        fprintf(printer->text, ", size = %" PRIu32, request.size);
    } else if (segment->opcode == IW_RDMAP_OP_TERMINATE && segment->header_octets == iw_terminate_octets) {
        struct iw_terminate terminate;

        iw_terminate_decode(segment->header, &terminate);
        fprintf(printer->text, ", layer = %u, etype = %u, code = %u", terminate.layer, terminate.etype,
            terminate.code);
    } else if (header == IW_LAYOUT_NONE) {
        fprintf(printer->text, ", size = %" PRIu64, heard->octets);
    }
    if (heard->fpdu->crc == IW_CRC_BAD)
        fputs(", crc = \"bad\"", printer->text);
}

static void printer_peer_expect_message(struct peer_listener *listener, const struct heard *heard) {
    struct iw_printer *printer = listener->printer;
    const struct iw_segment *segment = heard->segment;
    uint64_t end = heard->fpdu->offset + heard->fpdu->wire_octets;

    printer->received.octets = end;
    iw_printer_begin(printer);
    if (segment != NULL && printer_peer_heard_is_request(heard)) {
        note_peer_request(printer, heard);
        fprintf(printer->text, "reads[%zu] = ", printer->received.requests.count);
    }
    fprintf(
        printer->text, "c:expect{{kind = \"%s\"", segment == NULL ? "broken" : iw_lua_event_kind(segment));
    if (segment != NULL)
        printer_peer_put_heard_fields(printer, heard);
    fputs("}}", printer->text);
    iw_printer_end(printer, &heard->at, false, printer_peer_unit_at(listener, end));
}

static void printer_peer_listener_take_untagged(struct peer_listener *listener, struct heard *heard) {
    const uint8_t *octets;
    size_t length;

    switch (iw_assembly_segment(&listener->assembly[heard->segment->qn], heard->segment, &octets, &length)) {
    case IW_ASSEMBLY_PART:
        return;
    case IW_ASSEMBLY_BROKEN:
        heard->octets = heard->segment->payload_octets;
        break;
    case IW_ASSEMBLY_WHOLE:
        heard->octets = length;
        if (heard->segment->qn == IW_QN_RESPONSE)
            note_peer_response(listener, heard);
    }
    printer_peer_expect_message(listener, heard);
}

static void printer_peer_listener_take_tagged(struct peer_listener *listener, struct heard *heard) {
    listener->tagged_octets += heard->segment->payload_octets;
    if (heard->segment->opcode == IW_RDMAP_OP_READ_RESPONSE)
        note_peer_response(listener, heard);
    if (!heard->segment->last)
        return;
    heard->octets = listener->tagged_octets;
    listener->tagged_octets = 0;
    printer_peer_expect_message(listener, heard);
}

static void printer_peer_listener_take_fpdu(struct peer_listener *listener, const struct iw_fpdu *fpdu) {
    struct iw_printer *printer = listener->printer;
    struct iw_segment segment;
    struct heard heard = {
        .fpdu = fpdu, .at = printer_peer_arrival_of(printer, fpdu->offset + fpdu->wire_octets)};
    bool decoded = iw_segment_decode(
        iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length, IW_EXT_ALL, &segment);

    heard.segment = decoded ? &segment : NULL;
    if (!decoded) {
        printer_peer_expect_message(listener, &heard);
    } else if (fpdu->crc == IW_CRC_BAD || (!segment.tagged && segment.qn >= IW_QN_COUNT)) {
        heard.octets = segment.payload_octets;
        printer_peer_expect_message(listener, &heard);
    } else if (segment.tagged) {
        printer_peer_listener_take_tagged(listener, &heard);
    } else {
        printer_peer_listener_take_untagged(listener, &heard);
    }
}

static void printer_peer_read_fpdus(struct iw_printer *printer) {
    struct peer_listener listener = {.printer = printer};
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;
    struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
        .side = iw_side_other(printer->options->side),
        .length = (uint32_t)(printer->peer->length - printer->opening.peer_from),
        .offset = printer->opening.peer_from,
        .octets = printer->peer->octets + printer->opening.peer_from};

    for (size_t qn = 0; qn < IW_QN_COUNT; qn++)
        iw_assembly_init(&listener.assembly[qn], IW_CONVERSATION_OCTETS_MAX);
    iw_fpdu_reader_init(&reader, printer->opening.terms.markers_in,
        printer->opening.terms.crc ? IW_CRC_ON : IW_CRC_OFF, printer->opening.peer_from,
        printer->opening.peer_from);
    iw_fpdu_reader_feed(&reader, &chunk);
    while (iw_fpdu_reader_next(&reader, &fpdu) == IW_READ_DONE)
        printer_peer_listener_take_fpdu(&listener, &fpdu);
    iw_fpdu_reader_dispose(&reader);
    for (size_t qn = 0; qn < IW_QN_COUNT; qn++)
        iw_assembly_dispose(&listener.assembly[qn]);
}

/* Prints a loop that waits for `count` octets outside of MPA, in any number of reads. */
static void printer_peer_expect_octets(
    struct iw_printer *printer, uint64_t count, const struct iw_conversation_mark *at) {
    iw_printer_item(printer, at, false, NULL,
        "do\n"
        "  local left = %" PRIu64 "\n"
        "  while left > 0 do left = left - #c:expect{{kind = \"octets\"}}.octets end\n"
        "end",
        count);
}

/* Whether the own side sent octets after the peer's mark `mark` and before `next`. Advances `own`, the index
 * where the search begins. */
static bool printer_peer_sent_between(const struct iw_printer *printer,
    const struct iw_conversation_mark *mark, const struct iw_conversation_mark *next, size_t *own) {
    const struct iw_conversation_side *side = printer->own;

    while (*own < side->mark_count && side->marks[*own].order < mark->order)
        ++*own;
    return *own < side->mark_count && side->marks[*own].order < next->order;
}

/* Prints one of several waits, until `end` octets have arrived in total. */
static void printer_peer_expect_up_to(
    struct iw_printer *printer, uint64_t end, bool first, const struct iw_conversation_mark *at) {
    iw_printer_item(printer, at, false, NULL,
        "%swhile heard < %" PRIu64 " do heard = heard + #c:expect{{kind = \"octets\"}}.octets end",
        first ? "local heard = 0\n" : "", end);
}

/* Expects the peer's octets without full operation. The own side may have answered some of them: before each
 * point where the own side sent octets, the script waits for the octets that had arrived. */
static void printer_peer_expect_rest(struct iw_printer *printer) {
    const struct iw_conversation_side *peer = printer->peer;
    const struct iw_conversation_mark *last = &peer->marks[peer->mark_count - 1];
    uint64_t from = printer->opening.peer_from;
    bool first = true;
    size_t own = 0;

    for (const struct iw_conversation_mark *mark = iw_conversation_when(peer, from); mark < last; mark++) {
        if (!printer_peer_sent_between(printer, mark, mark + 1, &own))
            continue;
        printer_peer_expect_up_to(printer, mark->end - from, first, mark);
        first = false;
    }
    if (first)
        printer_peer_expect_octets(printer, peer->length - from, last);
    else
        printer_peer_expect_up_to(printer, peer->length - from, first, last);
    printer->received.octets = peer->length;
}

/* Expects the peer's FIN or RST. A RST discards octets in flight: the scripts of both sides put it last. */
static void expect_peer_end(struct iw_printer *printer) {
    const struct iw_conversation_side *peer = printer->peer;
    bool fin = peer->fin.order != 0;
    struct iw_conversation_mark at = fin ? peer->fin : peer->rst;

    if (!fin)
        at.order = printer->conversation->order + 1;
    if (at.order == 0 || (!fin && peer->rst.order == 0))
        return;
    iw_printer_item(
        printer, &at, false, NULL, "c:expect{{kind = \"close\", how = \"%s\"}}", fin ? "fin" : "rst");
}

void iw_printer_peer(struct iw_printer *printer) {
    if (printer->opening.full && printer->peer->length > printer->opening.peer_from)
        printer_peer_read_fpdus(printer);
    else if (!printer->opening.full && printer->peer->length > printer->opening.peer_from)
        printer_peer_expect_rest(printer);
    expect_peer_end(printer);
}

/* The startup frame of a side, which octets of another protocol may precede (RFC 5044 7.1.3); NULL: none. */
static const struct iw_conversation_unit *streaming_frame_of(const struct iw_conversation_side *side) {
    return side->unit_count > 0 && side->units[0].kind == IW_LLP_STARTUP ? &side->units[0] : NULL;
}

/* When the last octet before the startup frame of a side arrived; order 0: none. */
static struct iw_conversation_mark streaming_last_octet_of(const struct iw_conversation_side *side) {
    const struct iw_conversation_mark none = {0};
    uint64_t offset = streaming_frame_of(side)->offset;

    return offset == 0 ? none : *iw_conversation_when(side, offset - 1);
}

/* TCP keeps no boundaries: the script cannot detect a frame that may directly follow other octets. */
bool iw_printer_streams(const struct iw_printer *printer) {
    const struct iw_conversation_side *own = printer->own, *peer = printer->peer;
    uint64_t begins, own_last, peer_last;

    if (streaming_frame_of(own) == NULL || streaming_frame_of(peer) == NULL ||
        streaming_frame_of(own)->offset + streaming_frame_of(peer)->offset == 0)
        return false;
    begins = iw_conversation_when(peer, streaming_frame_of(peer)->offset)->order;
    own_last = streaming_last_octet_of(own).order;
    peer_last = streaming_last_octet_of(peer).order;
    if (peer_last == 0)
        return true;
    return (own_last > peer_last && own_last < begins) ||
           iw_conversation_when(own, streaming_frame_of(own)->offset)->order < begins;
}

static void put_streaming_side(struct iw_printer *printer, bool own) {
    const struct iw_conversation_side *side = own ? printer->own : printer->peer;
    uint64_t end = streaming_frame_of(side)->offset;

    for (uint64_t from = 0; from < end;) {
        struct iw_conversation_mark at = *iw_conversation_when(side, from);

        at.end = at.end < end ? at.end : end;
        if (own) {
            iw_printer_begin(printer);
            iw_printer_put_octets(printer, side->octets + from, at.end - from);
            iw_printer_end(printer, &at, true, NULL);
        } else if (from == 0 && at.end == end) {
            printer_peer_expect_octets(printer, end, &at);
        } else {
            printer_peer_expect_up_to(printer, at.end, from == 0, &at);
        }
        from = at.end;
    }
}

void iw_printer_streaming(struct iw_printer *printer) {
    struct iw_conversation_mark own = streaming_last_octet_of(printer->own),
                                peer = streaming_last_octet_of(printer->peer);
    struct iw_conversation_mark later = own.order > peer.order ? own : peer;

    put_streaming_side(printer, true);
    put_streaming_side(printer, false);
    later.frame = 0;
    iw_printer_item(printer, &later, true, NULL, "c:enter()");
}
