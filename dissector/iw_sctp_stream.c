#include "iw_sctp_stream.h"

#include <string.h>

#include "iw_hf.h"
#include "iw_links.h"
#include "iw_name.h"
#include "iw_preference.h"
#include "iw_sctp.h"

enum {
    HELD_MAX = 256,    /* chunks of one direction that wait for those before them */
    HEAD_OCTETS = 96,  /* of a chunk that waits: DDP-SSN, DDP header and the longest RDMAP header */
    SSN_HALF = 0x8000, /* no more chunks than that are under way (RFC 5043 10) */
};

/* A chunk on its way into its place. */
struct arrival {
    struct iw_stored_chunk *chunk;
    bool control;
    uint16_t ssn;
    uint16_t captured;
    uint32_t length;
    uint64_t time_ns;
    uint8_t head[HEAD_OCTETS];
};

struct held {
    struct held *next;
    struct arrival arrival;
};

/* What one end sends on a DDP Stream. */
struct direction {
    bool known;    /* the next DDP-SSN is */
    uint16_t next; /* DDP-SSN */
    struct iw_sequence sequence;
    struct iw_operations operations; /* its requests */
    struct held *held;               /* by DDP-SSN: chunks, each whole, on a circle of 16 bits */
    unsigned held_count;
};

struct ddp_stream {
    struct ddp_stream *next;
    uint16_t id;
    struct iw_stored_session *session;
    enum iw_session_state state;
    bool active_known;
    enum iw_side active; /* who asked for the session */
    struct iw_links links;
    struct direction direction[2]; /* by enum iw_side */
};

/* SCTP has no one who opens: side A is who was seen first. */
struct association {
    address address;
    uint32_t port;
    wmem_map_t *streams; /* SCTP stream identifier -> struct ddp_stream */
};

const struct iw_stored_flow iw_sctp_flow;

static struct ddp_stream *all_streams; /* of the file */

const char *iw_session_state_name(enum iw_session_state state) {
    static const char *const names[] = {
        "initiate not seen", "initiated", "accepted", "rejected", "terminated"};

    return names[state];
}

/* ---- sessions ---- */

/* DDP-SSN, queues and operations begin anew with each session (RFC 5043 6.1). `from_start`: its Initiate is
 * there. */
static void begin_session(struct ddp_stream *stream, uint32_t number, bool from_start) {
    stream->session = wmem_new0(wmem_file_scope(), struct iw_stored_session);
    stream->session->number = number;
    stream->state = from_start ? IW_SESSION_INITIATED : IW_SESSION_UNSEEN;
    stream->active_known = from_start;
    iw_links_dispose(&stream->links);
    iw_links_init(&stream->links);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct direction *direction = &stream->direction[side];

        direction->known = from_start;
        direction->next = 0;
        iw_sequence_init(&direction->sequence, from_start);
        iw_operations_dispose(&direction->operations);
        iw_operations_init(&direction->operations, from_start);
    }
}

static void answer_session(struct ddp_stream *stream, enum iw_side side, uint32_t frame) {
    if (stream->session->answer_frame == 0)
        stream->session->answer_frame = frame;
    if (!stream->active_known) {
        stream->active_known = true;
        stream->active = iw_side_other(side);
    }
}

static bool is_initiate(uint16_t function) {
    return function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;
}

/* The messages of RFC 5043 6.2 to 6.4 and RFC 6581 7, but for the Initiate. */
static void follow_control(struct ddp_stream *stream, const struct iw_item *item, uint16_t function) {
    switch (function) {
    case IW_SCTP_ACCEPT:
    case IW_SCTP_ENHANCED_ACCEPT:
        answer_session(stream, item->side, item->frame);
        stream->state = IW_SESSION_ACCEPTED;
        break;
    case IW_SCTP_REJECT:
    case IW_SCTP_ENHANCED_REJECT:
        answer_session(stream, item->side, item->frame);
        stream->state = IW_SESSION_REJECTED;
        break;
    case IW_SCTP_TERMINATE:
        if (stream->state == IW_SESSION_INITIATED && item->side != stream->active)
            answer_session(stream, item->side, item->frame);
        stream->state = IW_SESSION_TERMINATED;
        break;
    default:
        break;
    }
}

/* ---- segments ---- */

static void follow_segment(struct ddp_stream *stream, struct arrival *arrival) {
    struct iw_item *item = &arrival->chunk->item;
    struct direction *own = &stream->direction[item->side];
    struct direction *peer = &stream->direction[iw_side_other(item->side)];
    const struct iw_mpa_event mpa = {
        .kind = IW_MPA_FPDU, .side = item->side, .frame = item->frame, .time_ns = arrival->time_ns};
    struct iw_segment segment;
    struct iw_segment_fact fact;
    struct iw_response_fact response;
    struct iw_terminate_message terminate;
    struct iw_monitor_event event = {.mpa = &mpa, .segment = &segment, .fact = &fact};
    unsigned at = iw_sctp_segment_octets;

    if (arrival->captured <= at || !iw_segment_decode(arrival->head + at, arrival->captured - at,
                                       arrival->length - at, iw_preferences->extensions, &segment))
        return;
    iw_sequence_segment(&own->sequence, &segment, item->frame, &fact);
    event.request = iw_operations_request(&own->operations, &segment, item->frame, arrival->time_ns);
    event.requests_waiting = iw_operations_waiting(&own->operations);
    if (iw_operations_response(&peer->operations, &segment, item->frame, &response)) {
        event.response = &response;
        event.requests_waiting = iw_operations_waiting(&peer->operations);
    }
    if (iw_segment_terminate(&segment, iw_preferences->extensions, &terminate))
        event.terminate = &terminate;
    iw_links_event(&stream->links, &event, item);
}

/* ---- the order of DDP-SSNs ---- */

static void take_role(const struct ddp_stream *stream, struct iw_item *item) {
    if (stream->active_known)
        item->role = (item->side == stream->active ? IW_ROLE_INITIATOR : IW_ROLE_RESPONDER) & 3;
}

static void settle(const struct ddp_stream *stream, struct iw_stored_chunk *chunk) {
    chunk->session = stream->session;
    chunk->state = stream->state;
    take_role(stream, &chunk->item);
}

/* The chunk's turn has come. */
static void follow(struct ddp_stream *stream, struct arrival *arrival) {
    struct iw_sctp_control control;

    stream->direction[arrival->chunk->item.side].next = (uint16_t)(arrival->ssn + 1);
    if (!arrival->control) {
        follow_segment(stream, arrival);
    } else if (arrival->captured >= iw_sctp_control_octets) {
        iw_sctp_control_decode(arrival->head, &control);
        follow_control(stream, &arrival->chunk->item, control.function);
    }
    settle(stream, arrival->chunk);
}

static void follow_first_held(struct ddp_stream *stream, struct direction *direction) {
    struct held *held = direction->held;

    direction->held = held->next;
    direction->held_count--;
    follow(stream, &held->arrival);
    g_free(held);
}

static void follow_ready(struct ddp_stream *stream, struct direction *direction) {
    while (direction->held != NULL && direction->held->arrival.ssn == direction->next)
        follow_first_held(stream, direction);
}

/* The chunks before the first one that waits will not come. */
static void give_up_gap(struct ddp_stream *stream, struct direction *direction) {
    iw_sequence_lost(&direction->sequence);
    iw_operations_lost(&stream->direction[IW_SIDE_A].operations);
    iw_operations_lost(&stream->direction[IW_SIDE_B].operations);
    follow_first_held(stream, direction);
    follow_ready(stream, direction);
}

static void give_up_gaps(struct ddp_stream *stream) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        while (stream->direction[side].held != NULL)
            give_up_gap(stream, &stream->direction[side]);
}

static void hold(struct ddp_stream *stream, struct direction *direction, const struct arrival *arrival) {
    struct held **place = &direction->held;
    uint16_t ahead = (uint16_t)(arrival->ssn - direction->next);
    struct held *held;

    while (*place != NULL && (uint16_t)((*place)->arrival.ssn - direction->next) < ahead)
        place = &(*place)->next;
    if (*place != NULL && (*place)->arrival.ssn == arrival->ssn)
        return; /* sent again */
    held = g_new(struct held, 1);
    *held = (struct held){*place, *arrival};
    *place = held;
    if (++direction->held_count > HELD_MAX)
        give_up_gap(stream, direction);
}

static bool is_used(const struct ddp_stream *stream) {
    return stream->state != IW_SESSION_UNSEEN || stream->direction[IW_SIDE_A].known ||
           stream->direction[IW_SIDE_B].known;
}

static void initiate(struct ddp_stream *stream, struct arrival *arrival) {
    struct iw_stored_chunk *chunk = arrival->chunk;

    give_up_gaps(stream);
    begin_session(stream, stream->session->number + (is_used(stream) ? 1 : 0), true);
    stream->active = chunk->item.side;
    stream->session->initiate_frame = chunk->item.frame;
    chunk->ssn_odd = arrival->ssn != 0; /* RFC 5043 6.1 */
    chunk->ssn_expected = 0;
    follow(stream, arrival);
}

/* Whether the chunk begins a session: an Initiate, and not once more the one that still waits for its answer.
 */
static bool begins(const struct ddp_stream *stream, const struct arrival *arrival) {
    struct iw_sctp_control control;

    if (!arrival->control || arrival->captured < iw_sctp_control_octets)
        return false;
    iw_sctp_control_decode(arrival->head, &control);
    return is_initiate(control.function) &&
           (stream->state != IW_SESSION_INITIATED || stream->active != arrival->chunk->item.side);
}

static void place(struct ddp_stream *stream, struct arrival *arrival) {
    struct direction *direction = &stream->direction[arrival->chunk->item.side];

    if (begins(stream, arrival)) {
        initiate(stream, arrival);
        return;
    }
    if (!direction->known) {
        direction->known = true;
        direction->next = arrival->ssn;
    }
    take_role(stream, &arrival->chunk->item);
    arrival->chunk->ssn_expected = direction->next;
    arrival->chunk->ssn_odd = arrival->ssn != direction->next;
    if (!arrival->chunk->ssn_odd) {
        follow(stream, arrival);
        follow_ready(stream, direction);
    } else if ((uint16_t)(arrival->ssn - direction->next) < SSN_HALF) {
        hold(stream, direction, arrival);
    }
}

/* ---- associations ---- */

static struct association *association_of(packet_info *pinfo) {
    conversation_t *conversation = find_or_create_conversation(pinfo);
    struct association *association = conversation_get_proto_data(conversation, proto_iwarp_sctp);

    if (association == NULL) {
        association = wmem_new0(wmem_file_scope(), struct association);
        copy_address_wmem(wmem_file_scope(), &association->address, &pinfo->src);
        association->port = pinfo->srcport;
        association->streams = wmem_map_new(wmem_file_scope(), g_direct_hash, g_direct_equal);
        conversation_add_proto_data(conversation, proto_iwarp_sctp, association);
    }
    return association;
}

static struct ddp_stream *stream_of(struct association *association, uint16_t id) {
    struct ddp_stream *stream = wmem_map_lookup(association->streams, GUINT_TO_POINTER(id));

    if (stream == NULL) {
        stream = wmem_new0(wmem_file_scope(), struct ddp_stream);
        stream->id = id;
        begin_session(stream, 1, false);
        wmem_map_insert(association->streams, GUINT_TO_POINTER(id), stream);
        stream->next = all_streams;
        all_streams = stream;
    }
    return stream;
}

static struct iw_stored_chunk *new_chunk(
    const struct association *association, const packet_info *pinfo, const struct iw_sctp_input *input) {
    struct iw_stored_chunk *chunk = wmem_new0(wmem_file_scope(), struct iw_stored_chunk);
    bool from_a = association->port == pinfo->srcport && addresses_equal(&association->address, &pinfo->src);

    iw_item_init(&chunk->item);
    chunk->stream = input->stream;
    chunk->item.flow = &iw_sctp_flow;
    chunk->item.frame = pinfo->num;
    chunk->item.kind = IW_MPA_FPDU;
    chunk->item.crc = IW_CRC_UNCHECKED;
    chunk->item.side = (from_a ? IW_SIDE_A : IW_SIDE_B) & 1;
    return chunk;
}

const struct iw_stored_chunk *iw_sctp_stream_take(packet_info *pinfo, const struct iw_sctp_input *input) {
    struct association *association = association_of(pinfo);
    struct arrival arrival = {.chunk = new_chunk(association, pinfo, input),
        .control = input->control,
        .captured = (uint16_t)MIN(input->captured, HEAD_OCTETS),
        .length = input->length,
        .time_ns = (uint64_t)pinfo->abs_ts.secs * 1000000000u + (uint64_t)pinfo->abs_ts.nsecs};
    struct iw_sctp_segment head;

    arrival.chunk->item.length = input->length;
    arrival.chunk->item.captured = input->captured & 0xFFFFFF;
    if (input->captured < iw_sctp_segment_octets)
        return arrival.chunk;
    memcpy(arrival.head, input->octets, arrival.captured);
    iw_sctp_segment_decode(arrival.head, &head); /* both kinds of chunk begin with it (RFC 5043 5.2.1) */
    arrival.ssn = head.ssn;
    place(stream_of(association, input->stream), &arrival);
    return arrival.chunk;
}

void iw_sctp_stream_finish(void) {
    for (struct ddp_stream *stream = all_streams; stream != NULL; stream = stream->next)
        give_up_gaps(stream);
}

void iw_sctp_stream_close(void) {
    for (struct ddp_stream *stream = all_streams; stream != NULL; stream = stream->next)
        for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
            struct direction *direction = &stream->direction[side];

            iw_operations_dispose(&direction->operations);
            while (direction->held != NULL) {
                struct held *held = direction->held;

                direction->held = held->next;
                g_free(held);
            }
        }
    all_streams = NULL;
}
