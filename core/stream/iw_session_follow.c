#include "iw_session_stream.h"

#include "iw_name.h"

uint64_t iw_session_lost_since(const struct iw_sctp_state *state, const struct iw_session_stream *stream) {
    return state->lost[IW_SIDE_A] - stream->direction[IW_SIDE_A].lost + state->lost[IW_SIDE_B] -
           stream->direction[IW_SIDE_B].lost;
}

bool iw_session_is_certain(
    const struct iw_sctp_state *state, const struct iw_session_stream *stream, enum iw_side side) {
    return stream->session.from_start && !stream->direction[side].doubtful &&
           iw_session_lost_since(state, stream) == 0 && !state->waits[iw_side_other(side)];
}

static void answer_session(struct iw_session *session, enum iw_side side, uint64_t frame) {
    if (session->answer_frame == 0)
        session->answer_frame = frame;
    if (!session->active_known) {
        session->active_known = true;
        session->active = iw_side_other(side);
    }
}

/* Handles the control messages of RFC 5043 6.2 to 6.4 and RFC 6581 7, except the Initiate. */
static void session_follow_control(
    struct iw_session *session, const struct iw_sctp_message *message, const struct iw_session_event *event) {
    uint16_t function = event->control.header.function;

    switch (function) {
    case IW_SCTP_ACCEPT:
    case IW_SCTP_ENHANCED_ACCEPT:
        session->enhanced |= session->initiate_frame == 0 && function == IW_SCTP_ENHANCED_ACCEPT;
        answer_session(session, message->side, message->frame);
        if (session->state <= IW_SESSION_INITIATED)
            session->state = IW_SESSION_ACCEPTED;
        break;
    case IW_SCTP_REJECT:
    case IW_SCTP_ENHANCED_REJECT:
        answer_session(session, message->side, message->frame);
        if (session->state <= IW_SESSION_INITIATED) {
            session->state = IW_SESSION_REJECTED;
            session->refused = event->certain;
        }
        break;
    case IW_SCTP_TERMINATE:
        if (session->state == IW_SESSION_INITIATED && message->side != session->active) {
            answer_session(session, message->side, message->frame);
            session->refused = event->certain;
        }
        session->state = IW_SESSION_TERMINATED;
        break;
    default:
        break;
    }
}

/* Whether the other side has answered the Initiate of this side, or sent more than its own Initiate. */
static bool session_follow_is_answered(const struct iw_session_stream *stream, enum iw_side side) {
    const struct iw_session *session = &stream->session;
    const struct iw_session_direction *other = &stream->direction[iw_side_other(side)];

    if (!session->active_known)
        return false;
    return session->active == side ? session->answer_frame != 0 : other->known && other->next > 1;
}

/* Whether the capture shows that this side's last control message has arrived, or comes with this chunk. */
static bool session_follow_has_arrived(const struct iw_session_stream *stream,
    const struct iw_sctp_message *message, const struct iw_session_event *event) {
    const struct iw_session_direction *direction = &stream->direction[message->side];
    const struct iw_sctp_state *state = event->association;

    return session_follow_is_answered(stream, message->side) || direction->control_frame == message->frame ||
           (state->acked_known[message->side] &&
               (int32_t)(state->acked[message->side] - direction->control_tsn) >= 0);
}

/* Notes whether the chunk was sent although the last control message of its side may not have arrived, and
 * whether this control message has overtaken it: TSNs give the order of sending. A control message then
 * becomes the last one. */
static void session_follow_compare_with_control(
    struct iw_session_stream *stream, const struct iw_sctp_message *message, struct iw_session_event *event) {
    struct iw_session_direction *direction = &stream->direction[message->side];

    if (direction->control_seen &&
        (iw_session_is_control(message) ||
            (event->session->active_known && event->session->active == message->side)) &&
        !session_follow_has_arrived(stream, message, event)) {
        event->unacked_frame = direction->control_frame;
        event->unacked_tsn = direction->control_tsn;
    }
    if (event->certain && direction->control_seen && (int32_t)(message->tsn - direction->control_tsn) < 0)
        event->overtaken_frame = direction->control_frame;
    if (iw_session_is_control(message)) {
        direction->control_seen = true;
        direction->control_tsn = message->tsn;
        direction->control_frame = message->frame;
    }
}

static void session_note_run(struct iw_session_run *run, const struct iw_sctp_message *message) {
    if (run->frame != 0 && (int32_t)(message->tsn - run->to) <= 0)
        return;
    if (run->frame == 0 || message->tsn != run->to + 1)
        run->from = message->tsn;
    run->to = message->tsn;
    run->frame = message->frame;
}

static struct iw_session_event session_event_of(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message) {
    return (struct iw_session_event){.session = &stream->session,
        .association = hub->state,
        .message = message,
        .ssn_expected = stream->direction[message->side].next,
        .certain = iw_session_is_certain(hub->state, stream, message->side),
        .first = !hub->chunk_seen[message->side]};
}

static struct iw_llp_event session_follow_llp_event_of(
    const struct iw_sctp_message *message, const struct iw_session_event *session) {
    uint32_t octets =
        message->length - (message->length < iw_sctp_segment_octets ? 0 : iw_sctp_segment_octets);

    return (struct iw_llp_event){.kind = iw_session_is_control(message) ? IW_LLP_CONTROL : IW_LLP_SEGMENT,
        .side = message->side,
        .octets = message->length,
        .frame = message->frame,
        .time_ns = message->time_ns,
        .first_frame = message->first_frame,
        .image = message->octets,
        .image_octets = message->length,
        .image_captured = message->captured,
        .segment_octets = (uint16_t)(octets < UINT16_MAX ? octets : UINT16_MAX),
        .length_field = IW_FIELD_COUNT,
        .session = session};
}

static void session_deliver(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, struct iw_session_event *event) {
    const struct iw_llp_event llp = session_follow_llp_event_of(message, event);

    hub->chunk_seen[message->side] = true;
    stream->direction[message->side].frame = message->frame;
    session_note_run(&stream->direction[message->side].run, message);
    if (stream->session.first_frame == 0)
        stream->session.first_frame = message->frame;
    if (iw_session_is_control(message)) {
        event->whole_header = iw_sctp_session_decode(message->octets, message->captured, &event->control);
        if (event->whole_header && !event->of_before)
            session_follow_control(&stream->session, message, event);
    } else {
        event->whole_header = message->captured > iw_sctp_segment_octets;
    }
    hub->sink(hub->user, &llp);
}

/* Whether neither side has ended the previous session: this is the first chunk of the side that did not
 * initiate this session, and no chunk of either side is missing since the previous session began. */
static bool proves_open(
    const struct iw_sctp_state *state, const struct iw_session_stream *stream, enum iw_side side) {
    const struct iw_session_direction *direction = stream->direction;

    return stream->session.before.open && side != stream->session.active && !direction[side].chunk_seen &&
           iw_session_is_certain(state, stream, side) && !state->waits[side] &&
           direction[side].wait.first == NULL && state->lost[IW_SIDE_A] == direction[IW_SIDE_A].lost_before &&
           state->lost[IW_SIDE_B] == direction[IW_SIDE_B].lost_before;
}

/* Whether a control message may answer an Initiate that was not captured. */
static bool session_may_answer(const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_sctp_session control;

    return ssn == 0 && iw_session_is_control(message) &&
           iw_sctp_session_decode(message->octets, message->captured, &control) &&
           control.header.function > IW_SCTP_INITIATE && control.header.function <= IW_SCTP_ENHANCED_REJECT &&
           control.header.function != IW_SCTP_ENHANCED_INITIATE;
}

void iw_session_follow(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, enum iw_session_order order) {
    struct iw_session_direction *direction = &stream->direction[message->side];
    struct iw_session_event event = session_event_of(hub, stream, message);

    event.order = order;
    event.missing = (uint16_t)(ssn - direction->next);
    event.proves_open = proves_open(hub->state, stream, message->side);
    stream->session.before.open &= !event.proves_open;
    direction->known = true;
    direction->chunk_seen = true;
    direction->answer_unseen |= stream->session.initiate_frame == 0 && session_may_answer(message, ssn);
    direction->opened |= ssn == 0 && order == IW_SESSION_IN_ORDER && !direction->doubtful;
    direction->next = (uint16_t)(ssn + 1);
    session_follow_compare_with_control(stream, message, &event);
    session_deliver(hub, stream, message, &event);
}

void iw_session_follow_late(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_session_direction *direction = &stream->direction[message->side];
    struct iw_session_event event = session_event_of(hub, stream, message);

    if (session_may_answer(message, ssn))
        direction->answer_unseen = direction->doubtful = true;
    event.certain &= !direction->doubtful;
    event.order = event.certain && !direction->unnumbered ? IW_SESSION_AGAIN : IW_SESSION_LOST;
    session_deliver(hub, stream, message, &event);
}

void iw_session_follow_before(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message) {
    struct iw_session_direction *direction = &stream->direction[message->side];
    struct iw_session_event event = session_event_of(hub, stream, message);

    event.order = IW_SESSION_LOST;
    event.of_before = true;
    event.certain = false;
    direction->doubtful = true;
    direction->continues++;
    stream->session.before.open = false;
    session_deliver(hub, stream, message, &event);
}

void iw_session_follow_unnumbered(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message) {
    struct iw_session_event event = session_event_of(hub, stream, message);

    event.order = IW_SESSION_LOST;
    event.certain = false;
    stream->direction[message->side].unnumbered = true;
    stream->direction[message->side].doubtful |= message->captured < message->length;
    session_deliver(hub, stream, message, &event);
}
