#include "iw_draft.h"

#include "iw_name.h"

/* Requests beyond RFC 5040, as calls of the methods in iw_lua_request.c. Writes the fields in which the
 * header differs from a reference: what the method makes, changed so that required fields always differ and
 * fields with another name never do. */

/* Makes the reference differ in that field. */
static void draft_require(struct iw_draft *draft, uint8_t *natural, const char *name) {
    const struct iw_field *field = iw_field_find(draft->segment.op->header, name);

    iw_field_put(field, natural, ~iw_field_get(field, draft->segment.header));
}

static void draft_put_atomic(struct iw_draft *draft, uint8_t *natural) {
    struct iw_printer *printer = draft->printer;
    struct iw_atomic_request made;

    iw_atomic_request_decode(draft->segment.header, &made);
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

/* A Flush without options asks for persistence; with `g` it does not. */
static void draft_put_flush(struct iw_draft *draft, uint8_t *natural) {
    struct iw_flush_request request;

    iw_flush_request_decode(draft->segment.header, &request);
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

bool iw_draft_request(struct iw_draft *draft) {
    static void (*const methods[IW_RDMAP_OP_COUNT])(struct iw_draft *, uint8_t *) = {
        [IW_RDMAP_OP_ATOMIC_REQUEST] = draft_put_atomic,
        [IW_RDMAP_OP_FLUSH_REQUEST] = draft_put_flush,
        [IW_RDMAP_OP_VERIFY_REQUEST] = draft_put_verify,
        [IW_RDMAP_OP_ATOMIC_WRITE_REQUEST] = draft_put_atomic_write,
    };
    const struct iw_segment *segment = &draft->segment;
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
