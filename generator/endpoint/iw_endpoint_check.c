#include "iw_endpoint_state.h"

#include <string.h>

/* What a receiver has to check, in the order in which the first error counts: FPDU, DDP version, RDMAP
 * version, opcode, T, queue, MSN, buffer, MO, length; then what the message itself is about. */

enum {
    AHEAD_MAX = 1024,   /* buffers of endless ones */
    ROOMY_OCTETS = 4096 /* of a buffer of RDMAP's */
};

static bool markers_right(const struct iw_fpdu *fpdu) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if ((fpdu->markers[i].fpduptr & ~3) != fpdu->markers[i].expected)
            return false;
    return true;
}

int iw_endpoint_check_fpdu(const struct iw_fpdu *fpdu, bool decoded, unsigned skip) {
    if (fpdu->crc == IW_CRC_BAD && !(skip & IW_SKIP_CRC))
        return IW_ERROR_MPA_CRC;
    if (!markers_right(fpdu) && !(skip & IW_SKIP_MARKER))
        return IW_ERROR_MPA_MARKER;
    return decoded ? IW_NO_ERROR
                   : IW_ERROR_MPA_MARKER; /* no FPDU is so short: this is not where one begins */
}

/* A segment that goes on with a Send is of the kind that it began as, and invalidates the same STag. Nothing
 * else in octets 1 to 5 of the header is looked at (RFC 5040 4.1). */
static bool goes_on(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->opcode == endpoint->message_opcode &&
           (segment->op->invalidate != IW_INVALIDATE_STAG ||
               segment->invalidate_stag == endpoint->message_invalidate_stag);
}

static bool opcode_right(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact) {
    bool within = !segment->tagged && segment->qn == IW_QN_SEND && endpoint->message_open && fact->msn_ok;

    if (segment->op == NULL || segment->tagged != segment->op->tagged)
        return false;
    return !within || segment->opcode == IW_RDMAP_OP_TERMINATE || goes_on(endpoint, segment);
}

static bool version_right(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->rv == 1 || (segment->rv == 0 && (endpoint->config.manners & IW_BEHAVIOUR_RV_ZERO));
}

static int check_versions(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, unsigned skip) {
    if (segment->dv != 1 && !(skip & IW_SKIP_DV))
        return segment->tagged ? IW_ERROR_DDP_TAGGED_VERSION : IW_ERROR_DDP_UNTAGGED_VERSION;
    if (!version_right(endpoint, segment) && !(skip & IW_SKIP_RV))
        return IW_ERROR_RDMAP_VERSION;
    if (!opcode_right(endpoint, segment, fact) && !(skip & IW_SKIP_OPCODE))
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    return IW_NO_ERROR;
}

/* ---- untagged ---- */

static uint32_t room_for_requests(const struct iw_endpoint *endpoint) {
    uint32_t ird = endpoint->terms.ird;

    return (endpoint->config.lapses & IW_OMITTED_CHECK_ROOM) && ird > 1 ? ird - 1 : ird;
}

static bool buffer_there(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    if (segment->qn == IW_QN_SEND)
        return endpoint->buffer_entries > 0;
    if (segment->qn == IW_QN_REQUEST)
        return endpoint->request_count < room_for_requests(endpoint) &&
               endpoint->request_count < IW_ENDPOINT_REQUESTS_MAX;
    return true;
}

static bool begins_message(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->qn != IW_QN_SEND || !endpoint->message_open;
}

/* DDP has buffers for messages that come later (RFC 5041 7.1): this one waits in its own. */
bool iw_endpoint_is_ahead(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact) {
    uint32_t ahead = segment->msn - fact->msn_expected;
    uint32_t buffers = 0;

    if (!(endpoint->config.manners & IW_BEHAVIOUR_AHEAD) || segment->tagged || fact->msn_ok)
        return false;
    if (segment->qn == IW_QN_SEND)
        buffers = endpoint->buffer_entries > 0 ? endpoint->buffers[0].count : 0;
    else if (segment->qn == IW_QN_REQUEST)
        buffers = endpoint->terms.ird;
    else if (segment->qn == IW_QN_RESPONSE)
        buffers = endpoint->terms.ord;
    return ahead < (buffers < AHEAD_MAX ? buffers : AHEAD_MAX);
}

/* Of the buffer that a Send or Immediate Data goes to; UINT64_MAX if it is not to be looked at. */
static uint64_t buffer_octets(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, unsigned skip) {
    uint64_t octets = endpoint->buffer_entries > 0 ? endpoint->buffers[0].octets : IW_ENDPOINT_MESSAGE_MAX;

    if (segment->qn != IW_QN_SEND || !endpoint->config.automatic.responses || (skip & IW_SKIP_TOO_LONG))
        return UINT64_MAX;
    return endpoint->message_open ? endpoint->buffer_octets : octets;
}

/* An empty Send, an RDMA Write or a Read, of the types that both sides have named, as the first FPDU (RFC
 * 6581 9.2). */
bool iw_endpoint_is_rtr(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    bool empty = segment->payload_octets == 0 && segment->last;
    struct iw_read_request read;

    if (!endpoint->first_fpdu || endpoint->config.initiator)
        return false;
    switch (segment->opcode) {
    case IW_RDMAP_OP_SEND:
        return empty && (endpoint->terms.rtr & IW_RTR_SEND);
    case IW_RDMAP_OP_RDMA_WRITE:
        return empty && (endpoint->terms.rtr & IW_RTR_WRITE);
    case IW_RDMAP_OP_READ_REQUEST:
        if (segment->header_octets == 0 || !(endpoint->terms.rtr & IW_RTR_READ))
            return false;
        iw_read_request_decode(segment->header, &read);
        return read.size == 0;
    default:
        return false;
    }
}

/* The RTR is the provider's business: as a Send it takes no buffer of the ULP. */
static bool is_rtr_send(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->opcode == IW_RDMAP_OP_SEND && iw_endpoint_is_rtr(endpoint, segment);
}

/* Segments may come in any order (RFC 5041 5.3), each into a place of its own; the one with L, which is sent
 * last, ends a message of which nothing is missing. Over TCP, nothing will come later. */
static bool mo_right(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact) {
    uint64_t before = endpoint->message_open ? endpoint->message_octets : 0;

    if (segment->op->payload != IW_PAYLOAD_ULP)
        return fact->mo_ok;
    if (fact->order == IW_SEGMENT_OVER || fact->order_unknown)
        return false;
    return !segment->last || before == segment->mo;
}

/* Whatever is not a ULP Message has one segment, its header whole, and nothing behind it but a hash. */
static bool shape_right(const struct iw_segment *segment, unsigned skip) {
    const struct iw_opcode *op = segment->op;
    bool alone = segment->last && (op->payload == IW_PAYLOAD_HASH || segment->payload_octets == 0);

    if (op->payload == IW_PAYLOAD_ULP)
        return true;
    return (op->header == IW_LAYOUT_NONE || segment->header_octets > 0) && (alone || (skip & IW_SKIP_SHAPE));
}

/* The hash of a Verify that was asked to be the one expected: any other should have been a Terminate. */
static bool hash_right(const struct iw_endpoint_post *open, const struct iw_segment *segment) {
    size_t expected = open->post.payload_octets;

    if (segment->payload_octets == 0)
        return false;
    return expected == 0 || (expected == segment->payload_octets &&
                                memcmp(open->post.payload, segment->payload, expected) == 0);
}

static bool identifier_right(const struct iw_endpoint_post *open, const struct iw_segment *segment) {
    struct iw_atomic_response response;

    iw_atomic_response_decode(segment->header, &response);
    return response.identifier == open->identifier;
}

/* Answers come in the order of the requests, those on queue 3 and Read Responses alike (RFC 7306 7); a
 * request that awaits one is the buffer for it (RFC 7306 5.2.2). */
static int check_answer(const struct iw_endpoint *endpoint, const struct iw_segment *segment, unsigned skip) {
    const struct iw_endpoint_post *open = endpoint->open.first;
    bool right = true;

    if (skip & IW_SKIP_RESPONSE)
        return IW_NO_ERROR;
    if (open == NULL)
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if (segment->opcode != iw_opcodes[open->post.opcode].answer)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE)
        right = (endpoint->config.manners & IW_BEHAVIOUR_IN_ORDER) || identifier_right(open, segment);
    else if (segment->opcode == IW_RDMAP_OP_VERIFY_RESPONSE)
        right = hash_right(open, segment);
    return right ? IW_NO_ERROR : IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
}

/* To DDP the MO is within the buffer; RDMAP gets a message that is too long. */
static bool is_roomy(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return (endpoint->config.manners & IW_BEHAVIOUR_ROOMY) && segment->op->payload != IW_PAYLOAD_ULP &&
           segment->mo < ROOMY_OCTETS;
}

static int check_untagged(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, unsigned skip) {
    bool counted = segment->qn < IW_QN_COUNT; /* with QN left out, it may be on none */
    bool place = begins_message(endpoint, segment) && !is_rtr_send(endpoint, segment);
    uint64_t room = buffer_octets(endpoint, segment, skip);

    if (segment->qn != segment->op->qn && !(skip & IW_SKIP_QN))
        return IW_ERROR_DDP_INVALID_QN;
    if (counted && !fact->msn_ok && !(skip & IW_SKIP_MSN))
        return IW_ERROR_DDP_MSN_RANGE;
    if (place && endpoint->config.automatic.responses && !buffer_there(endpoint, segment) &&
        !(skip & IW_SKIP_BUFFER))
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if (counted && (segment->mo > room || !mo_right(endpoint, segment, fact)) && !(skip & IW_SKIP_MO))
        return is_roomy(endpoint, segment) ? IW_ERROR_RDMAP_CATASTROPHIC_STREAM : IW_ERROR_DDP_INVALID_MO;
    if ((uint64_t)segment->mo + segment->header_octets + segment->payload_octets > room)
        return IW_ERROR_DDP_TOO_LONG;
    if (!shape_right(segment, skip))
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    return segment->qn == IW_QN_RESPONSE ? check_answer(endpoint, segment, skip) : IW_NO_ERROR;
}

/* ---- tagged ---- */

/* The TO with the upper half of those that the buffer has. */
static uint64_t narrow(const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to) {
    const struct iw_memory *memory = endpoint->config.memory;
    const struct iw_region *region = memory == NULL ? NULL : iw_memory_find(memory, stag);

    return region == NULL ? to : (region->base & ~(uint64_t)UINT32_MAX) | (uint32_t)to;
}

struct iw_access iw_endpoint_access(
    const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to, uint64_t length) {
    if (endpoint->config.lapses & IW_OMITTED_CHECK_NARROW)
        to = narrow(endpoint, stag, to);
    return (struct iw_access){.stag = stag,
        .to = to,
        .length = length,
        .stream = endpoint->number,
        .domain = endpoint->config.domain,
        .skip = endpoint->config.skip >> IW_SKIP_MEMORY_SHIFT};
}

static int check_memory(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, unsigned rights, unsigned skip) {
    struct iw_access access =
        iw_endpoint_access(endpoint, segment->stag, segment->to, segment->payload_octets);

    access.rights = rights;
    access.skip = skip >> IW_SKIP_MEMORY_SHIFT;
    return endpoint->config.automatic.responses ? iw_memory_check_tagged(endpoint->config.memory, &access)
                                                : IW_NO_ERROR;
}

bool iw_endpoint_ddp_places(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->tagged && segment->dv == 1 &&
           check_memory(endpoint, segment, IW_RIGHT_WRITE, endpoint->config.skip) == IW_NO_ERROR;
}

static bool in_sink(const struct iw_endpoint_post *open, const struct iw_segment *segment) {
    uint64_t at = segment->to - open->read.sink_to;

    return at < open->read.size && segment->payload_octets <= open->read.size - at;
}

/* A Read Response is what the oldest open Read awaits (RFC 5040 5.2.2), in whatever order it comes. */
static int check_response(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, unsigned skip) {
    const struct iw_endpoint_post *open = endpoint->open.first;
    uint64_t left;

    if (skip & IW_SKIP_RESPONSE)
        return IW_NO_ERROR;
    if (open == NULL || open->post.opcode != IW_RDMAP_OP_READ_REQUEST)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    left = open->read.size - open->answered;
    if ((endpoint->config.manners & IW_BEHAVIOUR_MATCHED) && open->read.size == 0 &&
        (segment->stag != open->read.sink_stag || segment->to != open->read.sink_to))
        return IW_ERROR_DDP_INVALID_STAG;
    if (segment->payload_octets > 0 && segment->stag != open->read.sink_stag)
        return IW_ERROR_DDP_INVALID_STAG;
    if (segment->payload_octets > left ||
        (segment->payload_octets > 0 && (fact->order == IW_SEGMENT_OVER || !in_sink(open, segment))))
        return IW_ERROR_DDP_BASE_BOUNDS;
    if (segment->last && segment->payload_octets < left)
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    return IW_NO_ERROR;
}

static int check_tagged(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, unsigned skip) {
    int error = IW_NO_ERROR;

    if (segment->opcode == IW_RDMAP_OP_RDMA_WRITE)
        return check_memory(endpoint, segment, IW_RIGHT_WRITE, skip);
    error = check_response(endpoint, segment, fact, skip);
    return error != IW_NO_ERROR ? error : check_memory(endpoint, segment, 0, skip);
}

int iw_endpoint_check_segment(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, unsigned skip) {
    int error = check_versions(endpoint, segment, fact, skip);

    if (error != IW_NO_ERROR)
        return error;
    if (segment->op == NULL || segment->tagged != segment->op->tagged)
        return IW_NO_ERROR; /* a check was left out; nothing can be done with it */
    if (segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_NO_ERROR; /* it ends the stream whatever else it says, and is never answered */
    return segment->tagged ? check_tagged(endpoint, segment, fact, skip)
                           : check_untagged(endpoint, segment, fact, skip);
}
