#include "iw_endpoint_state.h"

#include <stdlib.h>
#include <string.h>

/* What comes in full operation, FPDU by FPDU. */

/* An FPDU that was found good, with all that is known about it. */
struct arrival {
    const struct iw_fpdu *fpdu;
    struct iw_segment segment;
    struct iw_segment_fact fact;
};

static struct iw_event event_of(enum iw_event_kind kind, const struct arrival *arrival) {
    return (struct iw_event){.kind = kind,
        .error = IW_NO_ERROR,
        .segment = &arrival->segment,
        .opcode = arrival->segment.opcode,
        .msn = arrival->segment.msn};
}

static struct iw_endpoint_offence offence_of(const struct arrival *arrival) {
    return (struct iw_endpoint_offence){.segment = &arrival->segment, .ddp = iw_fpdu_ulpdu(arrival->fpdu)};
}

/* ---- untagged messages of the ULP ---- */

/* The first segment of a message takes the oldest buffer. */
static void take_buffer(struct iw_endpoint *endpoint) {
    struct iw_receive_buffers *oldest = endpoint->buffers;

    endpoint->buffer_octets = IW_ENDPOINT_MESSAGE_MAX;
    if (endpoint->buffer_entries == 0)
        return;
    endpoint->buffer_octets = oldest->octets;
    if (oldest->count == IW_RECEIVES_ENDLESS || --oldest->count > 0)
        return;
    endpoint->buffer_entries--;
    memmove(oldest, oldest + 1, endpoint->buffer_entries * sizeof *oldest);
}

/* Invalidates what a Send with Invalidate names, and notes that in `event`. Returns whether that was allowed.
 */
static bool invalidate(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, struct iw_event *event) {
    struct iw_memory *memory = endpoint->config.memory;
    bool named = segment->op->invalidate == IW_INVALIDATE_STAG;
    struct iw_access access = iw_endpoint_access(endpoint, segment->invalidate_stag, 0, 0);

    if (!endpoint->config.automatic.responses ||
        (!named && !(endpoint->config.lapses & IW_OMITTED_CHECK_INVALIDATED)))
        return true;
    if (iw_memory_check_invalidate(memory, &access) != IW_NO_ERROR)
        return !named || (endpoint->config.skip & IW_SKIP_INVALIDATE) != 0;
    if (!(endpoint->config.lapses & IW_OMITTED_CHECK_VALID))
        iw_memory_invalidate(memory, segment->invalidate_stag);
    event->invalidate_stag = segment->invalidate_stag;
    return true;
}

static bool is_kept_back(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return (endpoint->config.undelivered >> segment->opcode & 1) != 0;
}

/* Makes the segments of a message one; of a message that the ULP is not told of nothing is kept. */
static enum iw_assembled assemble(
    struct iw_endpoint *endpoint, const struct iw_segment *segment, struct iw_event *event) {
    if (segment->header_octets > 0) {
        event->octets = segment->header;
        event->octet_count = segment->header_octets;
        return IW_ASSEMBLED_WHOLE;
    }
    if (is_kept_back(endpoint, segment))
        return segment->last ? IW_ASSEMBLED_WHOLE : IW_ASSEMBLED_PART;
    if (endpoint->config.lapses & IW_OMITTED_CHECK_EARLY) {
        event->octets = segment->payload;
        event->octet_count = segment->payload_octets;
        return endpoint->message_octets == segment->payload_octets ? IW_ASSEMBLED_WHOLE : IW_ASSEMBLED_PART;
    }
    return iw_assembly_segment(&endpoint->assembly, segment, &event->octets, &event->octet_count);
}

static void take_ulp_segment(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_event event = event_of(IW_EVENT_MESSAGE, arrival);
    struct iw_endpoint_offence offence = offence_of(arrival);
    bool checked = endpoint->config.automatic.responses && endpoint->config.skip == 0;
    enum iw_assembled assembled;
    bool allowed;

    if (!endpoint->message_open) {
        take_buffer(endpoint);
        endpoint->message_octets = 0;
        endpoint->message_opcode = segment->opcode;
        endpoint->message_invalidate_stag = segment->invalidate_stag;
    }
    endpoint->message_open = !segment->last;
    endpoint->message_octets += segment->payload_octets;
    assembled = assemble(endpoint, segment, &event);
    if (assembled == IW_ASSEMBLED_BROKEN && checked) /* by what is no fault of the peer's: out of memory */
        iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, NULL);
    if (assembled != IW_ASSEMBLED_WHOLE)
        return;
    event.length = event.octet_count;
    allowed = invalidate(endpoint, segment, &event);
    if (!is_kept_back(endpoint, segment))
        iw_endpoint_tell(endpoint, &event);
    if (!allowed && endpoint->phase == IW_PHASE_FULL)
        iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_CANNOT_INVALIDATE, &offence);
}

/* ---- tagged messages ---- */

void iw_endpoint_place_overtaken(struct iw_endpoint *endpoint) {
    struct iw_overtaken *overtaken = &endpoint->overtaken;

    if (overtaken->octets == NULL)
        return;
    iw_memory_place(
        endpoint->config.memory, overtaken->stag, overtaken->to, overtaken->octets, overtaken->count);
    free(overtaken->octets);
    overtaken->octets = NULL;
}

/* Keeps it for later; false if it is to be placed now. */
static bool is_overtaken(struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    uint8_t *octets;

    if (!(endpoint->config.lapses & IW_OMITTED_CHECK_OVERTAKEN) ||
        segment->opcode != IW_RDMAP_OP_RDMA_WRITE || segment->payload_octets == 0)
        return false;
    iw_endpoint_place_overtaken(endpoint);
    octets = malloc(segment->payload_octets);
    if (octets == NULL)
        return false;
    memcpy(octets, segment->payload, segment->payload_octets);
    endpoint->overtaken.octets = octets;
    endpoint->overtaken.count = segment->payload_octets;
    endpoint->overtaken.stag = segment->stag;
    endpoint->overtaken.to = segment->to;
    iw_endpoint_turn(endpoint);
    return true;
}

static void place(struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    size_t octets = segment->payload_octets;

    if (!segment->tagged || !endpoint->config.automatic.responses || is_overtaken(endpoint, segment))
        return;
    octets -= octets > 0 && (endpoint->config.lapses & IW_OMITTED_CHECK_PLACED);
    iw_memory_place(endpoint->config.memory, segment->stag, segment->to, segment->payload, octets);
}

static void take_write(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_event event = event_of(IW_EVENT_TAGGED, arrival);

    place(endpoint, segment);
    event.stag = segment->stag;
    event.to = arrival->fact.message_to;
    event.length = arrival->fact.message_octets;
    if (segment->last)
        iw_endpoint_tell(endpoint, &event);
}

static void take_response(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_endpoint_post *open = endpoint->open.first;
    struct iw_event event = event_of(IW_EVENT_READ_DONE, arrival);

    place(endpoint, segment);
    if (open == NULL || open->post.opcode != IW_RDMAP_OP_READ_REQUEST)
        return;
    open->answered += segment->payload_octets;
    if (!segment->last)
        return;
    event.id = open->post.id;
    event.stag = open->read.sink_stag;
    event.to = open->read.sink_to;
    event.length = open->answered;
    event.read = &open->read;
    iw_endpoint_request_answered(endpoint, &event);
}

/* ---- requests and their other answers ---- */

/* Keeps a request until its turn comes to be answered; `read` is what it says if it is a Read. Returns false
 * if there is no memory, which ends the stream. */
static bool keep_request(
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

static void take_request(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    struct iw_event event = event_of(IW_EVENT_READ, arrival);
    struct iw_read_request read;

    if (!keep_request(endpoint, arrival, &read) || arrival->segment.opcode != IW_RDMAP_OP_READ_REQUEST)
        return;
    event.read = &read;
    iw_endpoint_tell(endpoint, &event);
}

static void take_answer(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;
    struct iw_endpoint_post *open = endpoint->open.first;
    struct iw_event event = event_of(IW_EVENT_ANSWERED, arrival);

    if (open == NULL || segment->opcode != iw_opcodes[open->post.opcode].answer)
        return; /* a check was left out */
    if (segment->opcode == IW_RDMAP_OP_ATOMIC_RESPONSE) {
        struct iw_atomic_response response;

        iw_atomic_response_decode(segment->header, &response);
        event.original = response.value;
    }
    event.opcode = open->post.opcode;
    event.id = open->post.id;
    event.octets = segment->payload;
    event.octet_count = segment->payload_octets;
    iw_endpoint_request_answered(endpoint, &event);
}

/* ---- Terminate ---- */

static void take_terminate(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    struct iw_event event = event_of(IW_EVENT_TERMINATE, arrival);
    struct iw_terminate_message message;

    if (iw_segment_terminate(&arrival->segment, endpoint->config.extensions, &message))
        event.terminate = &message;
    if (endpoint->config.automatic.terminate) {
        endpoint->phase = IW_PHASE_DEAF;
        iw_endpoint_flush(endpoint);
    }
    iw_endpoint_tell(endpoint, &event);
    if (endpoint->config.automatic.close)
        iw_endpoint_shut(endpoint, IW_EMIT_BY_TERMINATE);
}

/* ---- the first FPDU ---- */

/* The initiator's sign that the responder may send (RFC 6581 9.2); a Read is answered in any case. */
static void take_rtr(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    struct iw_event event = event_of(IW_EVENT_RTR, arrival);
    struct iw_read_request read;

    if (arrival->segment.opcode != IW_RDMAP_OP_READ_REQUEST || keep_request(endpoint, arrival, &read))
        iw_endpoint_tell(endpoint, &event);
}

/* A Send as RTR may be the provider's business, or the ULP's. */
static bool is_delivered_rtr(const struct iw_endpoint *endpoint, const struct iw_segment *segment) {
    return (endpoint->config.manners & IW_BEHAVIOUR_RTR_SEND) && segment->opcode == IW_RDMAP_OP_SEND;
}

/* ---- all ---- */

static void dispatch(struct iw_endpoint *endpoint, const struct arrival *arrival) {
    const struct iw_segment *segment = &arrival->segment;

    if (segment->op == NULL || segment->tagged != segment->op->tagged)
        return;
    if (segment->op->qn != IW_QN_REQUEST || segment->tagged)
        iw_endpoint_place_overtaken(endpoint);
    switch (segment->opcode) {
    case IW_RDMAP_OP_RDMA_WRITE:
        take_write(endpoint, arrival);
        break;
    case IW_RDMAP_OP_READ_RESPONSE:
        take_response(endpoint, arrival);
        break;
    case IW_RDMAP_OP_TERMINATE:
        take_terminate(endpoint, arrival);
        break;
    default:
        if (segment->op->qn == IW_QN_SEND)
            take_ulp_segment(endpoint, arrival);
        else if (segment->op->qn == IW_QN_REQUEST)
            take_request(endpoint, arrival);
        else
            take_answer(endpoint, arrival);
        break;
    }
}

static int judge_segment(const struct iw_endpoint *endpoint, const struct arrival *arrival) {
    int error = iw_endpoint_check_segment(endpoint, &arrival->segment, &arrival->fact, endpoint->config.skip);

    if (error != IW_NO_ERROR || endpoint->config.fuss == 0)
        return error;
    return iw_endpoint_overstrict(endpoint, arrival->fpdu, &arrival->segment);
}

/* What would be said of the FPDU with no check left out and none too many. */
static int strictly(const struct iw_endpoint *endpoint, const struct arrival *arrival, bool decoded) {
    int error = iw_endpoint_check_fpdu(arrival->fpdu, decoded, 0);

    return error != IW_NO_ERROR ? error
                                : iw_endpoint_check_segment(endpoint, &arrival->segment, &arrival->fact, 0);
}

/* What is refused, but placed all the same. */
static bool is_placed(const struct iw_endpoint *endpoint, const struct iw_segment *segment, int error) {
    bool rdmap = error == IW_ERROR_RDMAP_VERSION || error == IW_ERROR_RDMAP_UNEXPECTED_OPCODE;

    return (endpoint->config.skip & IW_SKIP_PLACED) ||
           ((endpoint->config.manners & IW_BEHAVIOUR_PLACED) && rdmap &&
               iw_endpoint_ddp_places(endpoint, segment));
}

/* A responder that has seen no FPDU that is good may not send one (RFC 5044 7.1.2). */
static bool is_tacit(const struct iw_endpoint *endpoint) {
    return (endpoint->config.manners & IW_BEHAVIOUR_TACIT) && !endpoint->config.initiator &&
           !endpoint->may_send;
}

static void receive_fpdu(struct iw_endpoint *endpoint, const struct iw_fpdu *fpdu) {
    struct arrival arrival = {.fpdu = fpdu};
    bool decoded = iw_segment_decode(iw_fpdu_ulpdu(fpdu), iw_fpdu_ulpdu_captured(fpdu), fpdu->ulpdu_length,
        endpoint->config.extensions, &arrival.segment);
    struct iw_event event = event_of(IW_EVENT_FPDU, &arrival);
    struct iw_endpoint_offence offence = offence_of(&arrival);
    bool rtr = endpoint->config.automatic.rtr && iw_endpoint_is_rtr(endpoint, &arrival.segment);

    event.fpdu = fpdu;
    event.error = iw_endpoint_check_fpdu(fpdu, decoded, endpoint->config.skip);
    if (event.error == IW_NO_ERROR) {
        iw_sequence_segment(&endpoint->sequence, &arrival.segment, 0, &arrival.fact);
        if (iw_endpoint_is_ahead(endpoint, &arrival.segment, &arrival.fact))
            return;
        event.error = judge_segment(endpoint, &arrival);
    }
    if (endpoint->config.deviated != NULL && !*endpoint->config.deviated)
        *endpoint->config.deviated = strictly(endpoint, &arrival, decoded) != event.error;
    if (!decoded)
        event.segment = NULL;
    endpoint->first_fpdu = false;
    iw_endpoint_tell(endpoint, &event);
    if (endpoint->phase != IW_PHASE_FULL)
        return;
    if (event.error == IW_ERROR_MPA_CRC && is_tacit(endpoint)) {
        iw_endpoint_give_up(endpoint, IW_ERROR_MPA_CRC, "the first FPDU has a wrong CRC");
        return;
    }
    endpoint->may_send = true;
    if (event.error == IW_NO_ERROR && endpoint->config.local_error) {
        iw_endpoint_fail_locally(endpoint);
        return;
    }
    if (event.error != IW_NO_ERROR && decoded && is_placed(endpoint, &arrival.segment, event.error))
        place(endpoint, &arrival.segment);
    if (event.error != IW_NO_ERROR)
        iw_endpoint_offend(endpoint, (uint16_t)event.error, decoded ? &offence : NULL);
    else if (rtr)
        take_rtr(endpoint, &arrival);
    if (event.error == IW_NO_ERROR && (!rtr || is_delivered_rtr(endpoint, &arrival.segment)))
        dispatch(endpoint, &arrival);
}

/* FPDUs of a long message are of one size: if the next read ends with one of them, none has to be put
 * together from two. */
static void ask_for_whole(struct iw_endpoint *endpoint, uint32_t largest) {
    const struct iw_fpdu_reader *reader = &endpoint->reader;
    uint32_t missing = reader->wire > reader->have ? reader->wire - reader->have : 0;

    iw_port_read_units(endpoint->port, missing, reader->wire > largest ? reader->wire : largest);
}

void iw_endpoint_receive_octets(struct iw_endpoint *endpoint, const uint8_t *octets, size_t length) {
    struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
        .side = iw_side_other(iw_port_side(endpoint->port)),
        .length = (uint32_t)length,
        .octets = octets,
        .time_ns = endpoint->now_ns};
    struct iw_fpdu fpdu;
    uint32_t largest = 0;
    unsigned fpdus = 0;
    enum iw_read outcome;

    iw_endpoint_receive_held(endpoint);
    if (endpoint->phase != IW_PHASE_FULL)
        return;
    chunk.offset = endpoint->received;
    endpoint->received += length;
    iw_fpdu_reader_feed(&endpoint->reader, &chunk);
    endpoint->pumping = true;
    while ((outcome = iw_fpdu_reader_next(&endpoint->reader, &fpdu)) == IW_READ_DONE) {
        largest = fpdu.wire_octets > largest ? fpdu.wire_octets : largest;
        fpdus++;
        receive_fpdu(endpoint, &fpdu);
        iw_endpoint_pump(endpoint);
        if (endpoint->phase != IW_PHASE_FULL)
            break;
    }
    endpoint->pumping = false;
    if (endpoint->phase == IW_PHASE_FULL && endpoint->config.fuss != 0)
        iw_endpoint_overstrict_octets(endpoint, fpdus);
    if (endpoint->phase == IW_PHASE_FULL)
        ask_for_whole(endpoint, largest);
    if (outcome == IW_READ_BROKEN)
        iw_endpoint_offend(endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, NULL); /* out of memory */
}

/* What came together with the startup frame. */
void iw_endpoint_receive_held(struct iw_endpoint *endpoint) {
    size_t length = endpoint->held_octets;

    if (length == 0)
        return;
    if (endpoint->phase == IW_PHASE_FULL) {
        endpoint->held_octets = 0;
        endpoint->received -= length;
        iw_endpoint_receive_octets(endpoint, endpoint->held, length);
    } else if (endpoint->phase == IW_PHASE_OUTSIDE) {
        struct iw_event event = {
            .kind = IW_EVENT_OCTETS, .error = IW_NO_ERROR, .octets = endpoint->held, .octet_count = length};

        endpoint->held_octets = 0;
        iw_endpoint_tell(endpoint, &event);
    }
}
