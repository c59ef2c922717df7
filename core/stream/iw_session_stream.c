#include "iw_session_stream.h"

#include <stdlib.h>

#include "iw_name.h"

/* Limit of chunks in flight: a DDP-SSN that is further ahead counts as an old DDP-SSN (RFC 5043 10). */
enum { SSN_HALF = 0x8000 };

static bool session_stream_is_used(const struct iw_session_stream *stream) {
    return stream->session.first_frame != 0;
}

/* `from_start`: the session begins with DDP-SSN 0 (RFC 5043 6.1); its beginning was captured. */
void iw_session_stream_begin(
    const struct iw_session_hub *hub, struct iw_session_stream *stream, uint32_t number, bool from_start) {
    stream->session =
        (struct iw_session){.stream = stream->session.stream, .number = number, .from_start = from_start};
    stream->limited = hub->limited + hub->state->limited;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_session_direction *direction = &stream->direction[side];

        *direction = (struct iw_session_direction){.known = from_start,
            .doubtful = !from_start,
            .answer_unseen = direction->answer_unseen,
            .continues = direction->known ? direction->next : 0,
            .lost = hub->state->lost[side],
            .lost_before = direction->lost,
            .frame = direction->frame,
            .run = direction->run,
            .wait = direction->wait};
    }
}

static void session_stream_count_held(struct iw_session_hub *hub, ptrdiff_t octets) {
    hub->held_octets += (size_t)octets;
    if (hub->state->pool != NULL)
        hub->state->pool->held += (size_t)octets;
}

static bool session_exceeds_limit(const struct iw_session_hub *hub, const struct iw_session_wait *wait) {
    const struct iw_sctp_pool *pool = hub->state->pool;

    return wait->count > IW_SESSION_HELD_MAX || hub->held_octets > IW_SESSION_HELD_OCTETS_MAX ||
           (pool != NULL && pool->held > pool->octets);
}

static void session_stream_follow_first_held(struct iw_session_hub *hub, struct iw_session_stream *stream,
    struct iw_session_direction *direction, enum iw_session_order order) {
    struct iw_session_held *held = iw_session_wait_take(&direction->wait);

    session_stream_count_held(hub, -(ptrdiff_t)(sizeof *held + held->message.captured));
    iw_session_follow(hub, stream, &held->message, held->ssn, order);
    free(held);
}

static void session_stream_follow_ready(
    struct iw_session_hub *hub, struct iw_session_stream *stream, struct iw_session_direction *direction) {
    while (direction->wait.first != NULL && direction->wait.first->ssn == direction->next)
        session_stream_follow_first_held(hub, stream, direction, IW_SESSION_IN_ORDER);
}

/* Whether the sender has skipped DDP-SSNs (RFC 5043 6): more are missing than chunks were lost. */
static bool session_stream_sender_skipped(
    const struct iw_sctp_state *state, const struct iw_session_stream *stream, enum iw_side side) {
    const struct iw_session_direction *direction = &stream->direction[side];
    uint16_t missing = (uint16_t)(direction->wait.first->ssn - direction->next);

    return stream->session.from_start && !direction->doubtful && !direction->unnumbered &&
           !direction->foreign && missing > state->lost[side] - direction->lost;
}

/* Stops waiting for the chunks before the first held chunk. `over`: no more chunks can come. */
static void session_give_up_gap(
    struct iw_session_hub *hub, struct iw_session_stream *stream, enum iw_side side, bool over) {
    struct iw_session_direction *direction = &stream->direction[side];
    bool missing = over && session_stream_sender_skipped(hub->state, stream, side);

    direction->doubtful |= !missing;
    session_stream_follow_first_held(hub, stream, direction, missing ? IW_SESSION_MISSING : IW_SESSION_LOST);
    session_stream_follow_ready(hub, stream, direction);
}

/* Whether no more chunks of the side can come: the side begins the next session; or all its chunks are
 * acknowledged when the next session begins, or when the side has shut the association down. A missing chunk
 * was submitted before those that came, so the capture cannot lack all its acknowledgements too. After an
 * ABORT, missing chunks may never have been sent. */
static bool session_is_complete(
    const struct iw_sctp_state *state, const struct iw_session_close *close, enum iw_side side) {
    bool next = close->end == IW_SESSION_END_NEXT;

    return (next && close->side == side) || ((next || state->shut[side]) && !state->unacked[side]);
}

static bool session_hold(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_session_direction *direction = &stream->direction[message->side];

    switch (iw_session_wait_keep(&direction->wait, direction->next, ssn, message)) {
    case IW_SESSION_KEPT:
        break;
    case IW_SESSION_KEPT_ALREADY:
        iw_session_follow_late(hub, stream, message, ssn);
        return true;
    case IW_SESSION_NO_MEMORY: /* this chunk is lost, as if it had not been captured */
        hub->limited++;
        direction->doubtful = true;
        return false;
    }
    session_stream_count_held(hub, (ptrdiff_t)(sizeof(struct iw_session_held) + message->captured));
    if (!session_exceeds_limit(hub, &direction->wait))
        return true;
    hub->limited++;
    session_give_up_gap(hub, stream, message->side, false);
    return true;
}

static enum iw_llp_close session_stream_close_of(enum iw_session_end end) {
    switch (end) {
    case IW_SESSION_END_INPUT:
        return IW_LLP_CLOSE_INPUT;
    case IW_SESSION_END_ABORT:
        return IW_LLP_CLOSE_ABORTIVE;
    case IW_SESSION_END_NEXT:
    case IW_SESSION_END_ASSOCIATION:
        break;
    }
    return IW_LLP_CLOSE_GRACEFUL;
}

bool iw_session_stream_end(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_session_close *close) {
    struct iw_session_event session = {
        .session = &stream->session, .association = hub->state, .end = close->end};
    const struct iw_llp_event event = {.kind = IW_LLP_CLOSE,
        .side = close->side,
        .frame = close->frame,
        .first_frame = close->frame,
        .time_ns = close->time_ns,
        .close = session_stream_close_of(close->end),
        .session = &session};

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        while (stream->direction[side].wait.first != NULL)
            session_give_up_gap(hub, stream, side, session_is_complete(hub->state, close, side));
    if (!session_stream_is_used(stream))
        return false;
    session.lost = iw_session_lost_since(hub->state, stream);
    session.limited = hub->limited + hub->state->limited - stream->limited;
    hub->sink(hub->user, &event);
    return true;
}

/* Returns the current session as `before` of the next. `open`: it was accepted, and no end can have come. */
static struct iw_session_before session_before_of(const struct iw_session_stream *stream) {
    const struct iw_session *session = &stream->session;

    return (struct iw_session_before){.open = session->state == IW_SESSION_ACCEPTED && session->from_start &&
                                              !stream->direction[IW_SIDE_A].doubtful &&
                                              !stream->direction[IW_SIDE_B].doubtful,
        .enhanced = session->enhanced,
        .answer_frame = session->answer_frame};
}

/* Whether the session has an answer, but no Initiate or chunk of this side: this may be the Initiate. */
static bool session_stream_is_answered_already(
    const struct iw_session_stream *stream, const struct iw_sctp_message *message) {
    const struct iw_session *session = &stream->session;

    return session->initiate_frame == 0 && session->answer_frame != 0 && session->active == message->side &&
           !stream->direction[message->side].chunk_seen;
}

/* If the Initiate waited or was captured late, the next chunks of the other side may be of either session. */
static void session_stream_doubt_other(
    struct iw_session_stream *stream, const struct iw_sctp_message *message, bool answered) {
    struct iw_session_direction *other = &stream->direction[iw_side_other(message->side)];

    if (other->frame <= message->frame && !answered)
        return;
    other->known = false;
    other->doubtful = true;
}

static void open_session(struct iw_session *session, const struct iw_sctp_message *message, bool enhanced) {
    if (session->state == IW_SESSION_UNSEEN)
        session->state = IW_SESSION_INITIATED;
    session->active_known = true;
    session->active = message->side;
    session->enhanced = enhanced;
    session->initiate_frame = message->frame;
    session->initiate_tsn = message->tsn;
}

/* Whether the next chunks of the other side may not belong to this session. True if it has answered an
 * Initiate that was not captured (perhaps this one), if its first chunk of the previous session may still
 * come (then its answers belong to earlier Initiates), or if nothing is known of what it has sent. */
static bool session_stream_other_is_uncertain(
    const struct iw_session_stream *stream, const struct iw_session_direction *other) {
    return other->answer_unseen || !other->known || (session_stream_is_used(stream) && !other->opened);
}

/* Whether the side sends its Initiate before it has answered the other side's Initiate. If the capture has
 * this Initiate late, the next chunks of both sides may belong to the session of the other Initiate. */
static bool session_stream_initiate_crosses(const struct iw_session_stream *stream, enum iw_side side) {
    const struct iw_session *session = &stream->session;

    return session->state == IW_SESSION_INITIATED && session->active != side &&
           !stream->direction[side].chunk_seen;
}

/* Returns the latest chunks of the side before its Initiate that may not have arrived; all zero if they were
 * acknowledged, or if they are only an answered Initiate. */
static struct iw_session_run session_stream_outstanding_before(const struct iw_sctp_state *state,
    const struct iw_session_stream *stream, const struct iw_sctp_message *initiate) {
    enum iw_side side = initiate->side;
    const struct iw_session_direction *direction = &stream->direction[side];
    const struct iw_session *session = &stream->session;
    bool acked = state->acked_known[side] && (int32_t)(state->acked[side] - direction->run.to) >= 0;
    bool answered = session->active_known && session->active == side && session->answer_frame != 0 &&
                    direction->next == 1;

    if (acked || answered || (int32_t)(initiate->tsn - direction->run.to) <= 0)
        return (struct iw_session_run){0};
    return direction->run;
}

/* Begins a session. Its Initiate has DDP-SSN 0 (RFC 5043 6.1). Chunks held without a session belong to it. */
static void session_initiate(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, bool enhanced) {
    struct iw_session_direction *other = &stream->direction[iw_side_other(message->side)];
    const struct iw_session_close close = {
        IW_SESSION_END_NEXT, message->side, message->frame, message->time_ns};
    struct iw_session_before before = {0};
    struct iw_session_run outstanding = {0};
    uint32_t number = stream->session.number;
    bool answered = session_stream_is_answered_already(stream, message);
    bool crossing = session_stream_initiate_crosses(stream, message->side);
    bool doubtful;

    if (session_stream_is_used(stream)) {
        iw_session_stream_end(hub, stream, &close);
        before = session_before_of(stream);
        outstanding = session_stream_outstanding_before(hub->state, stream, message);
        number++;
    }
    doubtful = session_stream_other_is_uncertain(stream, other);
    iw_session_stream_begin(hub, stream, number, true);
    other->doubtful = doubtful || crossing;
    other->answer_unseen = false;
    stream->direction[message->side].answer_unseen |= crossing;
    session_stream_doubt_other(stream, message, answered);
    stream->session.before = before;
    stream->session.outstanding = outstanding;
    open_session(&stream->session, message, enhanced);
    iw_session_follow(hub, stream, message, ssn, ssn == 0 ? IW_SESSION_IN_ORDER : IW_SESSION_AGAIN);
    session_stream_follow_ready(hub, stream, &stream->direction[message->side]);
}

/* Whether the message is the Initiate of an answered session, captured after the answer. */
static bool session_stream_is_late_initiate(const struct iw_session_hub *hub,
    const struct iw_session_stream *stream, const struct iw_sctp_message *message, uint16_t ssn) {
    const struct iw_session *session = &stream->session;

    return ssn == 0 && session->initiate_frame == 0 && session->active_known &&
           session->active == message->side && !stream->direction[message->side].chunk_seen &&
           iw_session_is_certain(hub->state, stream, message->side);
}

/* Whether an Initiate begins a new session. A repeated Initiate, from a side that still waits for the answer,
 * does not, unless its DDP-SSN is 0 again: then the capture may lack the answer. */
static bool session_begins_with(
    const struct iw_session_stream *stream, const struct iw_sctp_message *message, uint16_t ssn) {
    return stream->session.state != IW_SESSION_INITIATED || stream->session.active != message->side ||
           (ssn == 0 && stream->direction[message->side].next != 0);
}

static void session_stream_place_initiate(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, bool enhanced) {
    if (!session_stream_is_late_initiate(hub, stream, message, ssn)) {
        session_initiate(hub, stream, message, ssn, enhanced);
        return;
    }
    open_session(&stream->session, message, enhanced);
    stream->direction[iw_side_other(message->side)].answer_unseen = false;
    iw_session_follow(hub, stream, message, ssn, IW_SESSION_IN_ORDER);
    session_stream_follow_ready(hub, stream, &stream->direction[message->side]);
}

/* Whether the chunk, of the side that did not send the Initiate, is of the previous session: captured before
 * the Initiate or, as the side's first chunk since, with the next DDP-SSN of that session. */
static bool session_stream_is_of_before(
    const struct iw_session_stream *stream, const struct iw_sctp_message *message, uint16_t ssn) {
    const struct iw_session_direction *direction = &stream->direction[message->side];
    const struct iw_session *session = &stream->session;

    if (session->initiate_frame == 0 || message->side == session->active)
        return false;
    return message->frame < session->initiate_frame ||
           (!direction->chunk_seen && direction->continues != 0 && ssn == direction->continues);
}

static bool session_place(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn) {
    struct iw_session_direction *direction = &stream->direction[message->side];
    struct iw_sctp_session control;

    if (iw_session_is_control(message) &&
        iw_sctp_session_decode(message->octets, message->captured, &control) &&
        (control.header.function == IW_SCTP_INITIATE ||
            control.header.function == IW_SCTP_ENHANCED_INITIATE) &&
        session_begins_with(stream, message, ssn)) {
        session_stream_place_initiate(
            hub, stream, message, ssn, control.header.function == IW_SCTP_ENHANCED_INITIATE);
    } else if (session_stream_is_of_before(stream, message, ssn)) {
        iw_session_follow_before(hub, stream, message);
    } else if (!direction->known) {
        iw_session_follow(hub, stream, message, ssn, IW_SESSION_UNKNOWN);
    } else if (ssn == direction->next) {
        iw_session_follow(hub, stream, message, ssn, IW_SESSION_IN_ORDER);
        session_stream_follow_ready(hub, stream, direction);
    } else if ((uint16_t)(ssn - direction->next) < SSN_HALF) {
        return session_hold(hub, stream, message, ssn);
    } else {
        iw_session_follow_late(hub, stream, message, ssn);
    }
    return true;
}

/* A control message whose Function Code was truncated may have begun or ended a session. */
static bool session_stream_hides_function(const struct iw_sctp_message *message) {
    return iw_session_is_control(message) && message->captured < message->length &&
           message->captured < iw_sctp_control_octets;
}

bool iw_session_stream_feed(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message) {
    struct iw_sctp_segment head;

    if (session_stream_hides_function(message)) {
        stream->session.from_start = false;
        stream->direction[IW_SIDE_A].doubtful = stream->direction[IW_SIDE_B].doubtful = true;
    }
    if (message->captured < iw_sctp_segment_octets) {
        iw_session_follow_unnumbered(hub, stream, message);
        return true;
    }
    /* Both kinds of chunk begin with a DDP-SSN (RFC 5043 5.2.1). */
    iw_sctp_segment_decode(message->octets, &head);
    return session_place(hub, stream, message, head.ssn);
}
