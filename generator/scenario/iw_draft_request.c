#include "iw_draft.h"

#include "iw_name.h"

/* Requests beyond RFC 5040, as calls of the methods in iw_lua_request.c. Writes the fields in which the
 * header differs from a reference: what the method makes, changed so that required fields always differ and
 * fields with another name never do. */

static void draft_put_fields(struct iw_draft *draft, const uint8_t *natural) {
    iw_printer_fields(draft->printer, &draft->first, draft->segment.op->header, &draft->layouts,
        draft->segment.header, natural);
}

static void draft_put_atomic(struct iw_draft *draft) {
    struct iw_atomic_request request;
    uint8_t natural[iw_atomic_request_octets];

    iw_atomic_request_decode(draft->segment.header, &request);
    struct iw_atomic_request made = {.aopcode = request.aopcode,
        .identifier = draft->printer->sender.posts + 1,
        .stag = ~request.stag,
        .to = ~request.to,
        .data = request.data,
        .mask = request.mask,
        .compare_data = request.compare_data,
        .compare_mask = UINT64_MAX};
    switch (request.aopcode) {
    case IW_AOPCODE_FETCHADD:
        iw_draft_begin(draft, "fetch_add");
        iw_draft_number(draft, "add", request.data);
        if (request.mask != 0)
            iw_draft_number(draft, "add_mask", request.mask);
        made.compare_data = 0;
        break;
    case IW_AOPCODE_CMPSWAP:
        iw_draft_begin(draft, "cmp_swap");
        iw_draft_number(draft, "compare", request.compare_data);
        iw_draft_number(draft, "swap", request.data);
        if (request.mask != UINT64_MAX)
            iw_draft_number(draft, "swap_mask", request.mask);
        break;
    default:
        iw_draft_begin(draft, "atomic");
        made.aopcode = (uint8_t)~request.aopcode;
        made.data = made.mask = made.compare_data = 0;
    }
    iw_atomic_request_encode(&made, natural);
    draft_put_fields(draft, natural);
}

/* A Flush without options asks for persistence; with `g` it does not. */
static void draft_put_flush(struct iw_draft *draft) {
    struct iw_flush_request request;
    uint8_t natural[iw_flush_request_octets];

    iw_flush_request_decode(draft->segment.header, &request);
    iw_draft_begin(draft, "flush");
    struct iw_flush_request made = {
        .stag = ~request.stag, .to = ~request.to, .length = ~request.length, .p = request.g == 0};
    iw_flush_request_encode(&made, natural);
    draft_put_fields(draft, natural);
}

static void draft_put_verify(struct iw_draft *draft, const uint8_t *hash, size_t length) {
    struct iw_verify_request request;
    uint8_t natural[iw_verify_request_octets];

    iw_verify_request_decode(draft->segment.header, &request);
    iw_draft_begin(draft, "verify");
    struct iw_verify_request made = {.stag = ~request.stag, .to = ~request.to, .length = ~request.length};
    iw_verify_request_encode(&made, natural);
    draft_put_fields(draft, natural);
    iw_draft_octets(draft, "hash", hash, length);
}

static void draft_put_atomic_write(struct iw_draft *draft) {
    struct iw_atomic_write_request request;
    uint8_t natural[iw_atomic_write_request_octets];

    iw_atomic_write_request_decode(draft->segment.header, &request);
    iw_draft_begin(draft, "atomic_write");
    struct iw_atomic_write_request made = {
        .stag = ~request.stag, .to = ~request.to, .length = 8, .data = ~request.data};
    iw_atomic_write_request_encode(&made, natural);
    draft_put_fields(draft, natural);
}

bool iw_draft_request(struct iw_draft *draft, const uint8_t *payload, size_t length) {
    if (length > 0 && draft->segment.opcode != IW_RDMAP_OP_VERIFY_REQUEST)
        return false;
    if (draft->segment.opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        draft_put_atomic(draft);
    else if (draft->segment.opcode == IW_RDMAP_OP_FLUSH_REQUEST)
        draft_put_flush(draft);
    else if (draft->segment.opcode == IW_RDMAP_OP_VERIFY_REQUEST)
        draft_put_verify(draft, payload, length);
    else if (draft->segment.opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST)
        draft_put_atomic_write(draft);
    else
        return false;
    return true;
}
