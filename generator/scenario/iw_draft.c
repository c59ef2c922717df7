#include "iw_printer_state.h"

#include <inttypes.h>

#include "iw_lua_event.h"
#include "iw_name.h"

void iw_draft_kind(struct iw_draft *draft) {
    if (draft->segment->op == NULL) {
        iw_printer_number(draft->printer, "opcode", draft->segment->opcode);
        return;
    }
    iw_printer_name(draft->printer, "kind");
    fprintf(draft->printer->text, "\"%s\"", iw_lua_event_kind(draft->segment));
}

/* Whether one packet carried this FPDU and the next FPDU completely: the sender did not wait between them. */
static bool draft_merges(const struct iw_draft *draft) {
    const struct iw_conversation_unit *unit = draft->unit, *next = unit + 1;
    const struct iw_conversation_mark *at = iw_conversation_when(draft->printer->own, unit->offset);

    return draft->left > 1 && next->offset == unit->offset + unit->octets && at->frame != 0 &&
           next->frame == at->frame;
}

void iw_draft_framing(struct iw_draft *draft) {
    const struct iw_fpdu_parts *parts = &draft->emit.parts;
    struct iw_printer *printer = draft->printer;

    if (parts->pad_value != 0)
        iw_printer_number(printer, "pad_value", parts->pad_value);
    if (parts->marker_reserved != 0)
        iw_printer_number(printer, "marker_reserved", parts->marker_reserved);
    if (parts->fpduptr_shift != 0)
        iw_printer_decimal(printer, "fpduptr_shift", parts->fpduptr_shift);
    if (parts->overrides & IW_FPDU_SET_CRC)
        iw_printer_number(printer, "crc", parts->crc);
    if (parts->crc_flip != 0)
        iw_printer_number(printer, "crc_flip", parts->crc_flip);
    if (parts->overrides & IW_FPDU_NO_MARKERS)
        iw_printer_flag(printer, "no_markers", true);
    if (draft_merges(draft))
        iw_printer_flag(printer, "merge", true);
}

void iw_draft_fields(
    struct iw_draft *draft, enum iw_layout_id layout, const uint8_t *octets, const uint8_t *natural) {
    iw_printer_fields(draft->printer, layout, &draft->layouts, octets, natural);
}

void iw_draft_ddp(struct iw_draft *draft, const struct iw_emit *natural) {
    uint8_t octets[iw_ddp_untagged_octets];

    iw_segment_encode_ddp(&natural->segment, octets);
    iw_draft_fields(draft, draft->layouts.id[1], draft->ddp + 1, octets + 1);
    octets[1] = draft->ddp[1];
    iw_draft_fields(draft, draft->layouts.id[0], draft->ddp, octets);
}

void iw_draft_header(struct iw_draft *draft) {
    static const uint8_t zeros[IW_EMIT_HEADER_MAX];

    if (draft->segment->header_octets > 0)
        iw_draft_fields(draft, draft->segment->op->header, draft->segment->header, zeros);
}

void iw_draft_payload(struct iw_draft *draft) {
    const struct iw_opcode *op = draft->segment->op;
    bool has_data = op != NULL && op->header != IW_LAYOUT_NONE && iw_field_find(op->header, "data") != NULL;

    iw_printer_data(draft->printer, has_data ? "payload" : "data", draft->payload, draft->payload_octets);
}

static void draft_put_se(struct iw_draft *draft) {
    uint8_t opcode = draft->segment->opcode;

    if (opcode == IW_RDMAP_OP_SEND_SE || opcode == IW_RDMAP_OP_SEND_SE_INV ||
        opcode == IW_RDMAP_OP_IMMEDIATE_SE)
        iw_printer_flag(draft->printer, "se", true);
}

static void draft_put_send(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;

    iw_printer_call(printer, "c:send");
    iw_draft_payload(draft);
    draft_put_se(draft);
    if (draft->segment->op->invalidate == IW_INVALIDATE_STAG) {
        iw_printer_name(printer, "invalidate");
        iw_printer_stag(printer, draft->segment->invalidate_stag);
    }
}

static void draft_put_immediate(struct iw_draft *draft) {
    iw_printer_call(draft->printer, "c:immediate");
    iw_printer_data(draft->printer, "data", draft->segment->header, draft->segment->header_octets);
    draft_put_se(draft);
}

static void draft_put_write(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;

    iw_printer_call(printer, "c:write");
    iw_printer_name(printer, "stag");
    iw_printer_stag(printer, draft->segment->stag);
    iw_printer_name(printer, "to");
    iw_printer_to(printer, draft->segment->stag, draft->segment->to);
    iw_draft_payload(draft);
}

static void draft_put_read(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;
    struct iw_read_request read;

    iw_read_request_decode(draft->segment->header, &read);
    iw_printer_call(printer, "c:read");
    iw_printer_name(printer, "source_stag");
    iw_printer_stag(printer, read.source_stag);
    iw_printer_name(printer, "source_to");
    iw_printer_to(printer, read.source_stag, read.source_to);
    iw_printer_number(printer, "sink_stag", read.sink_stag);
    iw_printer_number(printer, "sink_to", read.sink_to);
    iw_printer_decimal(printer, "size", read.size);
}

/* Prints the sink STag and TO of a Read Response, if possible as those of the peer's Read Request. */
static void draft_put_sink(struct iw_draft *draft) {
    struct iw_printer *printer = draft->printer;
    const struct iw_segment *segment = draft->segment;
    const struct iw_printer_requests *requests = &printer->received.requests;
    size_t next = printer->sender.answered;
    const struct iw_printer_request *request = &requests->list[next];
    uint64_t order = iw_conversation_when(printer->own, draft->unit->offset)->order;
    bool known = next < requests->count && request->order < order &&
                 request->read.sink_stag == segment->stag && request->read.sink_to == segment->to;

    iw_printer_name(printer, "stag");
    if (known)
        fprintf(printer->text, "reads[%zu].sink_stag, to = reads[%zu].sink_to", next + 1, next + 1);
    else
        fprintf(printer->text, "0x%" PRIx32 ", to = 0x%" PRIx64, segment->stag, segment->to);
}

static void draft_put_message(struct iw_draft *draft) {
    iw_printer_call(draft->printer, "c:message");
    iw_draft_kind(draft);
    if (draft->segment->opcode == IW_RDMAP_OP_READ_RESPONSE)
        draft_put_sink(draft);
    iw_draft_header(draft);
    iw_draft_payload(draft);
}

/* The functions from here on print calls of methods in iw_lua_send.c for requests beyond RFC 5040. An option
 * is printed for each header field that differs from `natural`: the header that the method makes by default.
 * But a field that the script must give always differs, and a field that has its own option never differs. */

/* Makes the field `name` of `natural` differ from the captured header. */
static void draft_require(struct iw_draft *draft, uint8_t *natural, const char *name) {
    const struct iw_field *field = iw_field_find(draft->segment->op->header, name);

    iw_field_put(field, natural, ~iw_field_get(field, draft->segment->header));
}

static void draft_put_atomic(struct iw_draft *draft, uint8_t *natural) {
    struct iw_printer *printer = draft->printer;
    struct iw_atomic_request made;

    iw_atomic_request_decode(draft->segment->header, &made);
    switch (made.aopcode) {
    case IW_AOPCODE_FETCHADD:
        iw_printer_call(printer, "c:fetch_add");
        iw_printer_number(printer, "add", made.data);
        if (made.mask != 0)
            iw_printer_number(printer, "add_mask", made.mask);
        made.compare_data = 0;
        break;
    case IW_AOPCODE_CMPSWAP:
        iw_printer_call(printer, "c:cmp_swap");
        iw_printer_number(printer, "compare", made.compare_data);
        iw_printer_number(printer, "swap", made.data);
        if (made.mask != UINT64_MAX)
            iw_printer_number(printer, "swap_mask", made.mask);
        break;
    default:
        iw_printer_call(printer, "c:atomic");
        made.aopcode = (uint8_t)~made.aopcode;
        made.data = made.mask = made.compare_data = 0;
    }
    made.reserved = 0;
    made.identifier = printer->sender.posts + 1;
    made.compare_mask = UINT64_MAX;
    iw_atomic_request_encode(&made, natural);
}

/* By default, the method asks for persistence; with the option `g` it does not. */
static void draft_put_flush(struct iw_draft *draft, uint8_t *natural) {
    struct iw_flush_request request;

    iw_flush_request_decode(draft->segment->header, &request);
    iw_flush_request_encode(&(struct iw_flush_request){.p = request.g == 0}, natural);
    iw_printer_call(draft->printer, "c:flush");
    draft_require(draft, natural, "length");
}

static void draft_put_verify(struct iw_draft *draft, uint8_t *natural) {
    iw_printer_call(draft->printer, "c:verify");
    draft_require(draft, natural, "length");
}

static void draft_put_atomic_write(struct iw_draft *draft, uint8_t *natural) {
    iw_atomic_write_request_encode(&(struct iw_atomic_write_request){.length = 8}, natural);
    iw_printer_call(draft->printer, "c:atomic_write");
    draft_require(draft, natural, "data");
}

static bool draft_put_request(struct iw_draft *draft) {
    static void (*const methods[IW_RDMAP_OP_COUNT])(struct iw_draft *, uint8_t *) = {
        [IW_RDMAP_OP_ATOMIC_REQUEST] = draft_put_atomic,
        [IW_RDMAP_OP_FLUSH_REQUEST] = draft_put_flush,
        [IW_RDMAP_OP_VERIFY_REQUEST] = draft_put_verify,
        [IW_RDMAP_OP_ATOMIC_WRITE_REQUEST] = draft_put_atomic_write,
    };
    const struct iw_segment *segment = draft->segment;
    bool hashed = segment->opcode == IW_RDMAP_OP_VERIFY_REQUEST;
    uint8_t natural[IW_EMIT_HEADER_MAX] = {0};

    if (methods[segment->opcode] == NULL || (draft->payload_octets > 0 && !hashed))
        return false;
    methods[segment->opcode](draft, natural);
    draft_require(draft, natural, "stag");
    draft_require(draft, natural, "to");
    iw_draft_fields(draft, segment->op->header, segment->header, natural);
    if (hashed)
        iw_printer_data(draft->printer, "hash", draft->payload, draft->payload_octets);
    return true;
}

void iw_draft_message(struct iw_draft *draft) {
    static void (*const methods[IW_RDMAP_OP_COUNT])(struct iw_draft *) = {
        [IW_RDMAP_OP_SEND] = draft_put_send,
        [IW_RDMAP_OP_SEND_INV] = draft_put_send,
        [IW_RDMAP_OP_SEND_SE] = draft_put_send,
        [IW_RDMAP_OP_SEND_SE_INV] = draft_put_send,
        [IW_RDMAP_OP_RDMA_WRITE] = draft_put_write,
        [IW_RDMAP_OP_READ_REQUEST] = draft_put_read,
        [IW_RDMAP_OP_IMMEDIATE] = draft_put_immediate,
        [IW_RDMAP_OP_IMMEDIATE_SE] = draft_put_immediate,
    };

    if (methods[draft->segment->opcode] != NULL)
        methods[draft->segment->opcode](draft);
    else if (!draft_put_request(draft))
        draft_put_message(draft);
}
