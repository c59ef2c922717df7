#include "iw_endpoint_state.h"

#include <string.h>

#include "iw_terminate.h"

/* A received FPDU, its decoded segment, and what the messages before tell about it. */
struct arrival {
    const struct iw_fpdu *fpdu;
    struct iw_segment segment;
    struct iw_segment_fact fact;
};

static struct iw_event receive_arrival_event(enum iw_event_kind kind, const struct arrival *arrival) {
    return (struct iw_event){.kind = kind,
        .error = IW_NO_ERROR,
        .segment = &arrival->segment,
        .opcode = arrival->segment.opcode,
        .msn = arrival->segment.msn};
}

static struct iw_endpoint_offence receive_arrival_offence(const struct arrival *arrival) {
    return (struct iw_endpoint_offence){.segment = &arrival->segment, .ddp = iw_fpdu_ulpdu(arrival->fpdu)};
}

static void receive_take_buffer(struct iw_endpoint *endpoint) {
    struct iw_receive_buffers *oldest = endpoint->input.buffers;

    endpoint->input.message.buffer_octets = IW_ENDPOINT_MESSAGE_MAX;
    if (endpoint->input.buffer_entries == 0)
        return;
    endpoint->input.message.buffer_octets = oldest->octets;
    if (oldest->count == IW_RECEIVES_ENDLESS || --oldest->count > 0)
        return;
    endpoint->input.buffer_entries--;
    memmove(oldest, oldest + 1, endpoint->input.buffer_entries * sizeof *oldest);
}

/* Invalidates the STag of a Send with Invalidate, if allowed, and sets it in `event`. Returns false if it is
 * not allowed and the policy enforces that. */
static bool receive_invalidate(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, struct iw_event *event) {
    const struct iw_policy *policy = &endpoint->config.policy;
    struct iw_memory *memory = endpoint->config.memory;
    bool named = segment->op->invalidate == IW_INVALIDATE_STAG;
    struct iw_access access = iw_endpoint_access(endpoint, segment->invalidate_stag, 0, 0);

    if (!endpoint->config.automatic.responses)
        return true;
    if (named && iw_memory_check_invalidate(memory, &access) != IW_NO_ERROR)
        return !iw_policy_enforces(policy, IW_POLICY_CHECK_INVALIDATE);
    if (policy->handling.invalidate != NULL) {
        event->invalidate_stag = policy->handling.invalidate(memory, &access, segment);
    } else if (named) {
        iw_memory_invalidate(memory, segment->invalidate_stag);
        event->invalidate_stag = segment->invalidate_stag;
    }
    return true;
}

static bool receive_delivers(const struct iw_endpoint *endpoint, uint8_t opcode) {
    const struct iw_policy *policy = &endpoint->config.policy;

    return !endpoint->config.receives.by_sink &&
           (policy->handling.delivers == NULL || policy->handling.delivers(policy->user, opcode));
}

/* Assembles the segments of a Send or Immediate Data. Keeps nothing of a Send that is not delivered. */
static enum iw_assembled receive_assemble(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, struct iw_event *event) {
    const struct iw_policy *policy = &endpoint->config.policy;

    if (segment->header_octets > 0) {
        event->octets = segment->header;
        event->octet_count = segment->header_octets;
        return IW_ASSEMBLY_WHOLE;
    }
    if (!receive_delivers(endpoint, segment->opcode))
        return segment->last ? IW_ASSEMBLY_WHOLE : IW_ASSEMBLY_PART;
    if (policy->handling.assemble != NULL)
        return policy->handling.assemble(
            segment, endpoint->input.message.octets, &event->octets, &event->octet_count);
    return iw_assembly_segment(&endpoint->input.assembly, segment, &event->octets, &event->octet_count);
}

static void receive_ulp_segment(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_event event = receive_arrival_event(IW_EVENT_MESSAGE, arrival);
    struct iw_endpoint_offence offence = receive_arrival_offence(arrival);
    bool checked = endpoint->config.automatic.responses &&
                   (endpoint->config.policy.omitted_checks & IW_POLICY_CHECKS_OF_FPDUS) == 0;

    if (!endpoint->input.message.open) {
        receive_take_buffer(endpoint);
        endpoint->input.message.octets = 0;
        endpoint->input.message.opcode = segment->opcode;
        endpoint->input.message.invalidate_stag = segment->invalidate_stag;
    }
    endpoint->input.message.open = !segment->last;
    endpoint->input.message.octets += segment->payload_octets;
    enum iw_assembled assembled = receive_assemble(endpoint, segment, &event);
    if (assembled == IW_ASSEMBLY_BROKEN && checked) /* out of memory: not the peer's fault */
        iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, NULL);
    if (assembled != IW_ASSEMBLY_WHOLE)
        return;
    event.length = event.octet_count;
    bool allowed = receive_invalidate(endpoint, segment, &event);
    if (receive_delivers(endpoint, segment->opcode))
        iw_endpoint_notify(endpoint, &event);
    if (!allowed && endpoint->phase == IW_PHASE_FULL)
        iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_CANNOT_INVALIDATE, &offence);
}

void iw_endpoint_settle(struct iw_endpoint *endpoint) {
    const struct iw_policy *policy = &endpoint->config.policy;

    if (policy->handling.settle != NULL)
        policy->handling.settle(policy->user, endpoint->config.memory);
}

static void receive_place(struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    const struct iw_policy *policy = &endpoint->config.policy;
    struct iw_memory *memory = endpoint->config.memory;

    if (!segment->tagged || !endpoint->config.automatic.responses)
        return;
    if (policy->handling.place != NULL)
        policy->handling.place(policy->user, memory, segment);
    else
        iw_memory_place(memory, segment->stag, segment->to, segment->payload, segment->payload_octets);
    if (policy->handling.settle != NULL)
        iw_endpoint_schedule(endpoint);
}

static void receive_write(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_event event = receive_arrival_event(IW_EVENT_TAGGED, arrival);

    receive_place(endpoint, segment);
    event.stag = segment->stag;
    event.to = arrival->fact.message_to;
    event.length = arrival->fact.message_octets;
    if (segment->last)
        iw_endpoint_notify(endpoint, &event);
}

static void receive_read_response(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_endpoint_post *oldest = endpoint->posts.outstanding.first;
    struct iw_event event = receive_arrival_event(IW_EVENT_READ_DONE, arrival);

    receive_place(endpoint, segment);
    if (oldest == NULL || oldest->post.opcode != IW_RDMAP_OP_READ_REQUEST)
        return;
    oldest->answered += segment->payload_octets;
    if (!segment->last)
        return;
    event.id = oldest->post.id;
    event.stag = oldest->read.sink_stag;
    event.to = oldest->read.sink_to;
    event.length = oldest->answered;
    event.read = &oldest->read;
    iw_endpoint_request_answered(endpoint, &event);
}

/* Decodes a Read Request into `read`. With automatic.responses, queues the request until it is answered.
 * Returns false if memory ran out; then that error is already handled. */
static bool receive_queue_request(
    struct iw_endpoint *endpoint, const struct arrival *arrival, struct iw_read_request *read) {
    const struct iw_segment *segment = &arrival->segment;

    if (segment->opcode == IW_RDMAP_OP_READ_REQUEST)
        iw_read_request_decode(segment->header, read);
    if (!endpoint->config.automatic.responses ||
        iw_endpoint_reply_add(endpoint, segment, iw_fpdu_ulpdu(arrival->fpdu), read))
        return true;
    iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, NULL);
    return false;
}

static void receive_request(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    struct iw_event event = receive_arrival_event(IW_EVENT_READ, arrival);
    struct iw_read_request read;

    if (!receive_queue_request(endpoint, arrival, &read) ||
        arrival->segment.opcode != IW_RDMAP_OP_READ_REQUEST)
        return;
    event.read = &read;
    iw_endpoint_notify(endpoint, &event);
}

static void receive_response(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_endpoint_post *oldest = endpoint->posts.outstanding.first;
    struct iw_event event = receive_arrival_event(IW_EVENT_ANSWERED, arrival);

    if (oldest == NULL || segment->opcode != iw_opcodes[oldest->post.opcode].answer)
        return; /* reached only if the policy omits a check */
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE) {
        struct iw_atomic_response response;

        iw_atomic_response_decode(segment->header, &response);
        event.original = response.value;
    }
    event.opcode = oldest->post.opcode;
    event.id = oldest->post.id;
    event.octets = segment->payload;
    event.octet_count = segment->payload_octets;
    iw_endpoint_request_answered(endpoint, &event);
}

static void receive_terminate(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    struct iw_event event = receive_arrival_event(IW_EVENT_TERMINATE, arrival);
    struct iw_terminate_message message;

    if (iw_segment_terminate(&arrival->segment, endpoint->config.extensions, &message))
        event.terminate = &message;
    if (endpoint->config.automatic.terminate) {
        endpoint->phase = IW_PHASE_DEAF;
        iw_endpoint_flush(endpoint);
    }
    iw_endpoint_notify(endpoint, &event);
    if (endpoint->config.automatic.close)
        iw_endpoint_shut(endpoint, IW_EMIT_BY_TERMINATE);
}

/* Reports the initiator's RTR (RFC 6581 9.2). A Read used as RTR is answered like any other Read. */
static void receive_rtr(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    struct iw_event event = receive_arrival_event(IW_EVENT_RTR, arrival);
    struct iw_read_request read;

    if (arrival->segment.opcode != IW_RDMAP_OP_READ_REQUEST ||
        receive_queue_request(endpoint, arrival, &read))
        iw_endpoint_notify(endpoint, &event);
}

static void receive_dispatch(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;

    if (segment->op == NULL || segment->tagged != segment->op->tagged)
        return;
    if (segment->op->qn != IW_QN_REQUEST || segment->tagged)
        iw_endpoint_settle(endpoint);
    if (segment->opcode == IW_RDMAP_OP_RDMA_WRITE)
        receive_write(endpoint, arrival);
    else if (segment->tagged)
        receive_read_response(endpoint, arrival);
    else if (segment->op->qn == IW_QN_TERMINATE)
        receive_terminate(endpoint, arrival);
    else if (segment->op->qn == IW_QN_SEND)
        receive_ulp_segment(endpoint, arrival);
    else if (segment->op->qn == IW_QN_REQUEST)
        receive_request(endpoint, arrival);
    else
        receive_response(endpoint, arrival);
}

static int receive_judge_segment(const struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_policy *policy = &endpoint->config.policy;
    const struct iw_policy_fpdu arrived = {endpoint->config.memory, arrival->fpdu, &arrival->segment};
    int error = iw_endpoint_check_segment(endpoint, &arrival->segment, &arrival->fact, policy);

    return error != IW_NO_ERROR || policy->checks.fpdu == NULL ? error : policy->checks.fpdu(&arrived);
}

static int receive_judge_strictly(
    const struct iw_endpoint *endpoint, const struct arrival *arrival, bool decoded) {
    int error = iw_endpoint_check_fpdu(arrival->fpdu, decoded, NULL);

    return error != IW_NO_ERROR
               ? error
               : iw_endpoint_check_segment(endpoint, &arrival->segment, &arrival->fact, NULL);
}

static void receive_rejected(struct iw_endpoint *endpoint, const struct iw_segment *segment, int error) {
    const struct iw_policy *policy = &endpoint->config.policy;
    struct iw_access access =
        iw_endpoint_access(endpoint, segment->stag, segment->to, segment->payload_octets);

    if (policy->handling.reject != NULL && segment->tagged && endpoint->config.automatic.responses)
        policy->handling.reject(endpoint->config.memory, &access, segment, error);
}

/* Whether the policy forbids a responder's Terminate before the first valid FPDU (RFC 5044 7.1.2). */
static bool receive_closes_silently(const struct iw_endpoint *endpoint) {
    return endpoint->config.policy.ending.first_crc == IW_FIRST_CRC_CLOSES && !endpoint->config.initiator &&
           !endpoint->output.allowed;
}

static void receive_fpdu(struct iw_endpoint *endpoint, const struct iw_fpdu *fpdu) {
    struct arrival arrival = {.fpdu = fpdu};
    bool decoded = iw_segment_decode(iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length,
        endpoint->config.extensions, &arrival.segment);
    struct iw_event event = receive_arrival_event(IW_EVENT_FPDU, &arrival);
    struct iw_endpoint_offence offence = receive_arrival_offence(&arrival);
    bool rtr = endpoint->config.automatic.rtr && iw_endpoint_is_rtr(endpoint, &arrival.segment);
    /* by default, a Send used as RTR is not delivered to the ULP */
    bool delivered = !rtr || (arrival.segment.opcode == IW_RDMAP_OP_SEND &&
                                 !iw_policy_enforces(&endpoint->config.policy, IW_POLICY_CHECK_RTR_SEND));

    event.fpdu = fpdu;
    event.error = iw_endpoint_check_fpdu(fpdu, decoded, &endpoint->config.policy);
    if (event.error == IW_NO_ERROR) {
        iw_sequence_segment(&endpoint->input.sequence, &arrival.segment, 0, &arrival.fact);
        if (iw_endpoint_is_ahead(endpoint, &arrival.segment, &arrival.fact))
            return;
        event.error = receive_judge_segment(endpoint, &arrival);
    }
    if (endpoint->config.policy.deviated != NULL && !*endpoint->config.policy.deviated)
        *endpoint->config.policy.deviated =
            receive_judge_strictly(endpoint, &arrival, decoded) != event.error;
    if (!decoded)
        event.segment = NULL;
    endpoint->input.first_fpdu = false;
    iw_endpoint_notify(endpoint, &event);
    if (endpoint->phase != IW_PHASE_FULL)
        return;
    if (event.error == IW_ERROR_MPA_CRC && receive_closes_silently(endpoint)) {
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_CRC, "the first FPDU has a wrong CRC");
        return;
    }
    endpoint->output.allowed = true;
    if (event.error == IW_NO_ERROR && endpoint->config.local_error) {
        iw_endpoint_fail_locally(endpoint);
        return;
    }
    if (event.error != IW_NO_ERROR && decoded)
        receive_rejected(endpoint, &arrival.segment, event.error);
    if (event.error != IW_NO_ERROR)
        iw_endpoint_offend(endpoint, (uint16_t)event.error, decoded ? &offence : NULL);
    else if (rtr)
        receive_rtr(endpoint, &arrival);
    if (event.error == IW_NO_ERROR && delivered)
        receive_dispatch(endpoint, &arrival);
}

/* Makes the next read from TCP end with an FPDU, if all FPDUs have the same size, as in a long message. */
static void receive_align_reads(struct iw_endpoint *endpoint, uint32_t largest) {
    const struct iw_fpdu_reader *reader = &endpoint->input.reader;
    uint32_t missing = reader->wire > reader->have ? reader->wire - reader->have : 0;

    iw_port_read_units(endpoint->port, missing, reader->wire > largest ? reader->wire : largest);
}

void iw_endpoint_receive_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
        .side = iw_side_other(iw_port_side(endpoint->port)),
        .length = (uint32_t)length,
        .octets = octets,
        .time_ns = endpoint->now_ns};
    const struct iw_policy_checks *checks = &endpoint->config.policy.checks;
    struct iw_fpdu fpdu;
    uint32_t largest = 0;
    unsigned fpdus = 0;
    enum iw_read outcome;

    iw_endpoint_receive_held(endpoint);
    if (endpoint->phase != IW_PHASE_FULL)
        return;
    chunk.offset = endpoint->input.received;
    endpoint->input.received += length;
    iw_fpdu_reader_feed(&endpoint->input.reader, &chunk);
    endpoint->pumping = true;
    while ((outcome = iw_fpdu_reader_next(&endpoint->input.reader, &fpdu)) == IW_READ_DONE) {
        largest = fpdu.wire_octets > largest ? fpdu.wire_octets : largest;
        fpdus++;
        receive_fpdu(endpoint, &fpdu);
        iw_endpoint_pump(endpoint);
        if (endpoint->phase != IW_PHASE_FULL)
            break;
    }
    endpoint->pumping = false;
    if (endpoint->phase == IW_PHASE_FULL && checks->delivery != NULL) {
        int error = checks->delivery(fpdus, iw_fpdu_reader_pending(&endpoint->input.reader));
        if (error != IW_NO_ERROR)
            iw_endpoint_offend(endpoint, (uint16_t)error, NULL);
    }
    if (endpoint->phase == IW_PHASE_FULL)
        receive_align_reads(endpoint, largest);
    if (outcome == IW_READ_BROKEN)
        iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, NULL); /* out of memory */
}

/* Handles the octets held since the startup frame, which they followed: in full operation as FPDUs; after a
 * Reply that rejects, or iw_endpoint_leave, as IW_EVENT_OCTETS; otherwise keeps them. */
void iw_endpoint_receive_held(struct iw_endpoint *endpoint) {
    size_t length = endpoint->startup.held_octets;

    if (length == 0)
        return;
    if (endpoint->phase == IW_PHASE_FULL) {
        endpoint->startup.held_octets = 0;
        endpoint->input.received -= length;
        iw_endpoint_receive_octets(endpoint, endpoint->startup.held, length);
    } else if (endpoint->phase == IW_PHASE_OUTSIDE) {
        struct iw_event event = {.kind = IW_EVENT_OCTETS,
            .error = IW_NO_ERROR,
            .octets = endpoint->startup.held,
            .octet_count = length};

        endpoint->startup.held_octets = 0;
        iw_endpoint_notify(endpoint, &event);
    }
}
