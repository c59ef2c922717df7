#include "iw_endpoint_state.h"

#include <string.h>

/* The checks of a receiver, in this order, until the first error: FPDU, DDP version, RDMAP version,
 * opcode, T, queue, MSN, buffer, MO, length; then the message itself. */

enum {
    AHEAD_MAX = 1024, /* limit of MSNs accepted, from the expected MSN on, even if more buffers are free */
    LARGE_BUFFER_OCTETS = 4096 /* assumed size of a buffer if IW_POLICY_CHECK_MO_SHORT is off */
};

static bool check_markers_ok(const struct iw_fpdu *fpdu) {
    for (uint32_t i = 0; i < fpdu->marker_count; i++)
        if ((fpdu->markers[i].fpduptr & ~3) != fpdu->markers[i].expected)
            return false;
    return true;
}

int iw_endpoint_check_fpdu(const struct iw_fpdu *fpdu, bool decoded, const struct iw_policy *policy) {
    if (fpdu->crc == IW_CRC_BAD && iw_policy_enforces(policy, IW_POLICY_CHECK_CRC))
        return IW_ERROR_MPA_CRC;
    if (!check_markers_ok(fpdu) && iw_policy_enforces(policy, IW_POLICY_CHECK_MARKER))
        return IW_ERROR_MPA_MARKER;
    return decoded ? IW_NO_ERROR : IW_ERROR_MPA_MARKER; /* too short for a DDP header: alignment is lost */
}

/* A later segment of a Send must have the same opcode, and with Invalidate the same STag; the rest of octets
 * 1 to 5 of the header is ignored (RFC 5040 4.1). */
static bool check_continues_send(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return segment->opcode == endpoint->input.message.opcode &&
           (segment->op->invalidate != IW_INVALIDATE_STAG ||
               segment->invalidate_stag == endpoint->input.message.invalidate_stag);
}

static bool check_opcode_ok(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact) {
    bool within =
        !segment->tagged && segment->qn == IW_QN_SEND && endpoint->input.message.open && fact->msn_ok;

    if (segment->op == NULL || segment->tagged != segment->op->tagged)
        return false;
    return !within || segment->opcode == IW_RDMAP_OP_TERMINATE || check_continues_send(endpoint, segment);
}

static int check_versions(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, const struct iw_policy *policy) {
    if (segment->dv != 1 && iw_policy_enforces(policy, IW_POLICY_CHECK_DV))
        return segment->tagged ? IW_ERROR_DDP_TAGGED_VERSION : IW_ERROR_DDP_UNTAGGED_VERSION;
    if (segment->rv != 1 &&
        iw_policy_enforces(policy, segment->rv == 0 ? IW_POLICY_CHECK_RV_ZERO : IW_POLICY_CHECK_RV))
        return IW_ERROR_RDMAP_VERSION;
    if (!check_opcode_ok(endpoint, segment, fact) && iw_policy_enforces(policy, IW_POLICY_CHECK_OPCODE))
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    return IW_NO_ERROR;
}

static bool check_buffer_available(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    const struct iw_policy *policy = &endpoint->config.policy;
    uint32_t ird = endpoint->terms.ird;

    if (segment->qn == IW_QN_SEND)
        return endpoint->input.buffer_entries > 0;
    return segment->qn != IW_QN_REQUEST ||
           (endpoint->replies.count < (policy->slots == NULL ? ird : policy->slots(ird)) &&
               endpoint->replies.count < IW_ENDPOINT_REQUESTS_MAX);
}

bool iw_endpoint_is_ahead(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact) {
    uint32_t ahead = segment->msn - fact->msn_expected;
    uint32_t buffers = 0;

    if (segment->tagged || fact->msn_ok ||
        iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_MSN_AHEAD))
        return false;
    if (segment->qn == IW_QN_SEND)
        buffers = endpoint->input.buffer_entries > 0 ? endpoint->input.buffers[0].count : 0;
    else if (segment->qn == IW_QN_REQUEST)
        buffers = endpoint->terms.ird;
    else if (segment->qn == IW_QN_RESPONSE)
        buffers = endpoint->terms.ord;
    return ahead < (buffers < AHEAD_MAX ? buffers : AHEAD_MAX);
}

/* The size of the buffer of a Send or Immediate Data; UINT64_MAX if it is not checked. */
static uint64_t check_buffer_octets(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, const struct iw_policy *policy) {
    uint64_t octets =
        endpoint->input.buffer_entries > 0 ? endpoint->input.buffers[0].octets : IW_ENDPOINT_MESSAGE_MAX;

    if (segment->qn != IW_QN_SEND || !endpoint->config.automatic.responses ||
        !iw_policy_enforces(policy, IW_POLICY_CHECK_TOO_LONG))
        return UINT64_MAX;
    return endpoint->input.message.open ? endpoint->input.message.buffer_octets : octets;
}

/* Whether a responder's first FPDU is an RTR: empty, of a type in both startup frames (RFC 6581 9.2). */
bool iw_endpoint_is_rtr(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    bool empty = segment->payload_octets == 0 && segment->last;
    struct iw_read_request read;

    if (!endpoint->input.first_fpdu || endpoint->config.initiator)
        return false;
    if (segment->opcode == IW_RDMAP_OP_SEND)
        return empty && (endpoint->terms.rtr & IW_RTR_SEND);
    if (segment->opcode == IW_RDMAP_OP_RDMA_WRITE)
        return empty && (endpoint->terms.rtr & IW_RTR_WRITE);
    if (segment->opcode != IW_RDMAP_OP_READ_REQUEST || segment->header_octets == 0 ||
        !(endpoint->terms.rtr & IW_RTR_READ))
        return false;
    iw_read_request_decode(segment->header, &read);
    return read.size == 0;
}

/* Segments of a Send may come in any order (RFC 5041 5.3), but must not overlap. The segment with L is sent
 * last, so over TCP the message is complete with it. */
static bool check_mo_ok(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact) {
    uint64_t before = endpoint->input.message.open ? endpoint->input.message.octets : 0;

    if (segment->op->payload != IW_PAYLOAD_ULP)
        return fact->mo_ok;
    if (fact->order == IW_SEGMENT_OVERLAPS || fact->order_unknown)
        return false;
    return !segment->last || before == segment->mo;
}

/* An untagged message other than a Send has one segment, a complete header, and no payload except a hash. */
static bool check_shape_ok(const struct iw_segment *segment, const struct iw_policy *policy) {
    const struct iw_opcode *op = segment->op;
    bool alone = segment->last && (op->payload == IW_PAYLOAD_HASH || segment->payload_octets == 0);

    if (op->payload == IW_PAYLOAD_ULP)
        return true;
    return (op->header == IW_LAYOUT_NONE || segment->header_octets > 0) &&
           (alone || !iw_policy_enforces(policy, IW_POLICY_CHECK_SHAPE));
}

/* Whether the response has a hash. If the Verify Request had a hash, the response must have the same hash:
 * for another hash, the peer must send a Terminate instead. */
static bool check_hash_ok(const struct iw_endpoint_post *oldest, const struct iw_segment *segment) {
    size_t expected = oldest->post.payload_octets;

    if (segment->payload_octets == 0)
        return false;
    return expected == 0 || (expected == segment->payload_octets &&
                                memcmp(oldest->post.payload, segment->payload, expected) == 0);
}

static bool check_identifier_ok(const struct iw_endpoint_post *oldest, const struct iw_segment *segment) {
    struct iw_atomic_response response;

    iw_atomic_response_decode(segment->header, &response);
    return response.identifier == oldest->identifier;
}

/* Responses on queue 3 and Read Responses come in the order of all requests (RFC 7306 7). An outstanding
 * request serves as the buffer of its response (RFC 7306 5.2.2). */
static int check_answer(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, const struct iw_policy *policy) {
    const struct iw_endpoint_post *oldest = endpoint->posts.outstanding.first;
    bool right = true;

    if (!iw_policy_enforces(policy, IW_POLICY_CHECK_RESPONSE))
        return IW_NO_ERROR;
    if (oldest == NULL)
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if (segment->opcode != iw_opcodes[oldest->post.opcode].answer)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE)
        right =
            check_identifier_ok(oldest, segment) || !iw_policy_enforces(policy, IW_POLICY_CHECK_IDENTIFIER);
    else if (segment->opcode == IW_RDMAP_OP_VERIFY_RESPONSE)
        right = check_hash_ok(oldest, segment);
    return right ? IW_NO_ERROR : IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
}

/* Whether DDP accepts the MO because the buffer is large: then RDMAP rejects the message as too long. */
static bool check_has_large_buffer(const struct iw_segment *segment, const struct iw_policy *policy) {
    return segment->op->payload != IW_PAYLOAD_ULP && segment->mo < LARGE_BUFFER_OCTETS &&
           !iw_policy_enforces(policy, IW_POLICY_CHECK_MO_SHORT);
}

static int check_untagged(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, const struct iw_policy *policy) {
    bool counted = segment->qn < IW_QN_COUNT; /* without the QN check, the queue may not exist */
    bool begins = segment->qn != IW_QN_SEND || !endpoint->input.message.open;
    /* a Send used as RTR takes no buffer of the ULP */
    bool rtr = segment->opcode == IW_RDMAP_OP_SEND && iw_endpoint_is_rtr(endpoint, segment);
    uint64_t limit = check_buffer_octets(endpoint, segment, policy);

    if (segment->qn != segment->op->qn && iw_policy_enforces(policy, IW_POLICY_CHECK_QN))
        return IW_ERROR_DDP_INVALID_QN;
    if (counted && !fact->msn_ok && iw_policy_enforces(policy, IW_POLICY_CHECK_MSN))
        return IW_ERROR_DDP_MSN_RANGE;
    if (begins && !rtr && endpoint->config.automatic.responses &&
        !check_buffer_available(endpoint, segment) && iw_policy_enforces(policy, IW_POLICY_CHECK_BUFFER))
        return IW_ERROR_DDP_MSN_NO_BUFFER;
    if (counted && (segment->mo > limit || !check_mo_ok(endpoint, segment, fact)) &&
        iw_policy_enforces(policy, IW_POLICY_CHECK_MO))
        return check_has_large_buffer(segment, policy) ? IW_ERROR_RDMAP_CATASTROPHIC_STREAM
                                                       : IW_ERROR_DDP_INVALID_MO;
    if ((uint64_t)segment->mo + segment->header_octets + segment->payload_octets > limit)
        return IW_ERROR_DDP_TOO_LONG;
    if (!check_shape_ok(segment, policy))
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    return segment->qn == IW_QN_RESPONSE ? check_answer(endpoint, segment, policy) : IW_NO_ERROR;
}

struct iw_access iw_endpoint_access(
    const struct iw_endpoint *endpoint, uint32_t stag, uint64_t to, uint64_t length) {
    const struct iw_endpoint_config *config = &endpoint->config;
    struct iw_access access = {.stag = stag,
        .to = to,
        .length = length,
        .stream = endpoint->number,
        .domain = config->domain,
        .skip = config->policy.omitted_accesses};

    if (config->policy.access != NULL)
        config->policy.access(config->memory, &access);
    return access;
}

static int check_memory(
    const struct iw_endpoint *endpoint, const struct iw_segment *segment, unsigned rights) {
    struct iw_access access =
        iw_endpoint_access(endpoint, segment->stag, segment->to, segment->payload_octets);

    access.rights = rights;
    return endpoint->config.automatic.responses ? iw_memory_check_tagged(endpoint->config.memory, &access)
                                                : IW_NO_ERROR;
}

static bool check_in_sink(const struct iw_endpoint_post *oldest, const struct iw_segment *segment) {
    uint64_t at = segment->to - oldest->read.sink_to;

    return at < oldest->read.size && segment->payload_octets <= oldest->read.size - at;
}

/* A Read Response belongs to the oldest outstanding Read (RFC 5040 5.2.2); its segments come in any order. */
static int check_response(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, const struct iw_policy *policy) {
    const struct iw_endpoint_post *oldest = endpoint->posts.outstanding.first;

    if (!iw_policy_enforces(policy, IW_POLICY_CHECK_RESPONSE))
        return IW_NO_ERROR;
    if (oldest == NULL || oldest->post.opcode != IW_RDMAP_OP_READ_REQUEST)
        return IW_ERROR_RDMAP_UNEXPECTED_OPCODE;
    uint64_t left = oldest->read.size - oldest->answered;
    if (oldest->read.size == 0 && iw_policy_enforces(policy, IW_POLICY_CHECK_EMPTY_RESPONSE) &&
        (segment->stag != oldest->read.sink_stag || segment->to != oldest->read.sink_to))
        return IW_ERROR_DDP_INVALID_STAG;
    if (segment->payload_octets > 0 && segment->stag != oldest->read.sink_stag)
        return IW_ERROR_DDP_INVALID_STAG;
    if (segment->payload_octets > left ||
        (segment->payload_octets > 0 &&
            (fact->order == IW_SEGMENT_OVERLAPS || !check_in_sink(oldest, segment))))
        return IW_ERROR_DDP_BASE_BOUNDS;
    if (segment->last && segment->payload_octets < left)
        return IW_ERROR_RDMAP_CATASTROPHIC_STREAM;
    return IW_NO_ERROR;
}

static int check_tagged(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, const struct iw_policy *policy) {
    bool write = segment->opcode == IW_RDMAP_OP_RDMA_WRITE;
    int error = write ? IW_NO_ERROR : check_response(endpoint, segment, fact, policy);

    return error != IW_NO_ERROR ? error : check_memory(endpoint, segment, write ? IW_RIGHT_WRITE : 0);
}

int iw_endpoint_check_segment(const struct iw_endpoint *endpoint, const struct iw_segment *segment,
    const struct iw_segment_fact *fact, const struct iw_policy *policy) {
    int error = check_versions(endpoint, segment, fact, policy);

    if (error != IW_NO_ERROR)
        return error;
    if (segment->op == NULL || segment->tagged != segment->op->tagged)
        return IW_NO_ERROR; /* reached only if the policy omits a check; the segment cannot be handled */
    if (segment->opcode == IW_RDMAP_OP_TERMINATE)
        return IW_NO_ERROR; /* a Terminate ends the stream whatever its content, and is never answered */
    return segment->tagged ? check_tagged(endpoint, segment, fact, policy)
                           : check_untagged(endpoint, segment, fact, policy);
}
