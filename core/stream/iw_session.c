#include "iw_session.h"

#include <stdlib.h>
#include <string.h>

#include "iw_name.h"

enum {
    SSN_HALF = 0x8000, /* no more chunks than that are under way (RFC 5043 10) */
    PAGES = 256,
    PAGE_STREAMS = 256,
};

/* A chunk that waits for those before it. */
struct held {
    struct held *next;
    uint16_t ssn;
    struct iw_sctp_message message;
    uint8_t octets[];
};

/* What one side sends on a DDP Stream. */
struct direction {
    bool known;   /* the next DDP-SSN is */
    bool skipped; /* DDP-SSNs of this session were missing, and may come late */
    bool control_seen;
    uint16_t next;        /* DDP-SSN */
    uint64_t lost;        /* chunks of this side that were lost when the session began */
    uint32_t control_tsn; /* of the last control message in the order of DDP-SSNs */
    uint64_t control_frame;
    struct held *held; /* by DDP-SSN, on a circle of 16 bits */
    struct held *last;
    unsigned held_count;
};

struct stream {
    uint16_t id;
    struct iw_session session;
    struct direction direction[2]; /* by enum iw_side */
};

struct iw_sessions {
    const struct iw_sctp_state *state;
    iw_session_sink *sink;
    void *user;
    size_t held_octets;
    bool spoken[2];               /* by side: a chunk of DDP has come */
    struct stream **pages[PAGES]; /* SCTP stream identifier -> struct stream */
    bool used[PAGES];             /* by a chunk since sessions were finished */
};

const char *iw_session_state_name(enum iw_session_state state) {
    static const char *const names[] = {
        "initiate not seen", "initiated", "accepted", "rejected", "terminated"};

    return names[state];
}

/* ---- sessions ---- */

/* The session begins with DDP-SSN 0 (RFC 5043 6.1): its Initiate is there, or the association is known from
 * its start. What waits stays. */
static void begin_direction(
    const struct iw_sctp_state *state, struct direction *direction, enum iw_side side, bool from_start) {
    *direction = (struct direction){.known = from_start,
        .skipped = !from_start,
        .lost = state->lost[side],
        .held = direction->held,
        .last = direction->last,
        .held_count = direction->held_count};
}

static void begin_session(
    struct iw_sessions *sessions, struct stream *stream, uint32_t number, bool from_start) {
    stream->session = (struct iw_session){.stream = stream->id, .number = number, .from_start = from_start};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        begin_direction(sessions->state, &stream->direction[side], side, from_start);
}

static void answer_session(struct iw_session *session, enum iw_side side, uint64_t frame) {
    if (session->answer_frame == 0)
        session->answer_frame = frame;
    if (!session->active_known) {
        session->active_known = true;
        session->active = iw_side_other(side);
    }
}

static bool is_initiate(uint16_t function) {
    return function == IW_SCTP_INITIATE || function == IW_SCTP_ENHANCED_INITIATE;
}

/* The messages of RFC 5043 6.2 to 6.4 and RFC 6581 7, but for the Initiate. */
static void follow_control(
    struct iw_session *session, const struct iw_sctp_message *message, uint16_t function) {
    switch (function) {
    case IW_SCTP_ACCEPT:
    case IW_SCTP_ENHANCED_ACCEPT:
        answer_session(session, message->side, message->frame);
        if (session->state <= IW_SESSION_INITIATED)
            session->state = IW_SESSION_ACCEPTED;
        break;
    case IW_SCTP_REJECT:
    case IW_SCTP_ENHANCED_REJECT:
        answer_session(session, message->side, message->frame);
        if (session->state <= IW_SESSION_INITIATED)
            session->state = IW_SESSION_REJECTED;
        break;
    case IW_SCTP_TERMINATE:
        if (session->state == IW_SESSION_INITIATED && message->side != session->active)
            answer_session(session, message->side, message->frame);
        session->state = IW_SESSION_TERMINATED;
        break;
    default:
        break;
    }
}

/* ---- chunks in their turn ---- */

static bool is_control(const struct iw_sctp_message *message) {
    return message->ppid == IW_SCTP_PPID_CONTROL;
}

/* Before the last control message in the order of TSNs, that is, of sending. */
static void look_back(
    struct direction *direction, const struct iw_sctp_message *message, struct iw_session_event *event) {
    if (direction->control_seen && (int32_t)(message->tsn - direction->control_tsn) < 0)
        event->overtaken_frame = direction->control_frame;
    if (is_control(message)) {
        direction->control_seen = true;
        direction->control_tsn = message->tsn;
        direction->control_frame = message->frame;
    }
}

static struct iw_session_event event_of(
    struct iw_sessions *sessions, struct stream *stream, const struct iw_sctp_message *message) {
    return (struct iw_session_event){.kind = is_control(message) ? IW_SESSION_CONTROL : IW_SESSION_SEGMENT,
        .session = &stream->session,
        .association = sessions->state,
        .side = message->side,
        .frame = message->frame,
        .time_ns = message->time_ns,
        .message = message,
        .first = !sessions->spoken[message->side]};
}

static void hand_over(struct iw_sessions *sessions, struct stream *stream,
    const struct iw_sctp_message *message, struct iw_session_event *event) {
    sessions->spoken[message->side] = true;
    if (stream->session.first_frame == 0)
        stream->session.first_frame = message->frame;
    if (is_control(message)) {
        event->whole_header = iw_sctp_session_decode(message->octets, message->captured, &event->control);
        if (event->whole_header)
            follow_control(&stream->session, message, event->control.header.function);
    } else {
        event->whole_header = message->captured > iw_sctp_segment_octets;
    }
    sessions->sink(sessions->user, event);
}

static void follow(struct iw_sessions *sessions, struct stream *stream, const struct iw_sctp_message *message,
    uint16_t ssn, enum iw_session_order order) {
    struct direction *direction = &stream->direction[message->side];
    struct iw_session_event event = event_of(sessions, stream, message);

    event.order = order;
    event.ssn_expected = direction->next;
    event.missing = (uint16_t)(ssn - direction->next);
    direction->known = true;
    direction->next = (uint16_t)(ssn + 1);
    look_back(direction, message, &event);
    hand_over(sessions, stream, message, &event);
}

/* A DDP-SSN that was used before, or one that comes when nobody waits for it any more; or that of another
 * session, if chunks were lost since this one began. */
static void follow_late(
    struct iw_sessions *sessions, struct stream *stream, const struct iw_sctp_message *message) {
    struct direction *direction = &stream->direction[message->side];
    struct iw_session_event event = event_of(sessions, stream, message);

    event.order = direction->skipped || sessions->state->lost[message->side] != direction->lost
                      ? IW_SESSION_LOST
                      : IW_SESSION_AGAIN;
    event.ssn_expected = direction->next;
    hand_over(sessions, stream, message, &event);
}

/* ---- chunks that wait ---- */

static void follow_first_held(struct iw_sessions *sessions, struct stream *stream,
    struct direction *direction, enum iw_session_order order) {
    struct held *held = direction->held;

    direction->held = held->next;
    if (direction->held == NULL)
        direction->last = NULL;
    direction->held_count--;
    sessions->held_octets -= held->message.captured;
    follow(sessions, stream, &held->message, held->ssn, order);
    free(held);
}

static void follow_ready(struct iw_sessions *sessions, struct stream *stream, struct direction *direction) {
    while (direction->held != NULL && direction->held->ssn == direction->next)
        follow_first_held(sessions, stream, direction, IW_SESSION_IN_ORDER);
}

/* The chunks before the first one that waits will not come, or not soon. With `over` nothing more can come.
 */
static void give_up_gap(struct iw_sessions *sessions, struct stream *stream, enum iw_side side, bool over) {
    struct direction *direction = &stream->direction[side];
    bool missing = over && stream->session.from_start && sessions->state->lost[side] == direction->lost;

    direction->skipped |= !missing;
    follow_first_held(sessions, stream, direction, missing ? IW_SESSION_MISSING : IW_SESSION_LOST);
    follow_ready(sessions, stream, direction);
}

static void give_up_gaps(struct iw_sessions *sessions, struct stream *stream, bool over) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        while (stream->direction[side].held != NULL)
            give_up_gap(sessions, stream, side, over);
}

static struct held *new_held(const struct iw_sctp_message *message, uint16_t ssn) {
    struct held *held = malloc(sizeof *held + message->captured);

    if (held == NULL)
        return NULL;
    held->ssn = ssn;
    held->message = *message;
    if (message->captured > 0)
        memcpy(held->octets, message->octets, message->captured);
    held->message.octets = held->octets;
    return held;
}

/* Most come behind all that wait already. */
static struct held **place_for(struct direction *direction, uint16_t ahead) {
    struct held **place = &direction->held;

    if (direction->last != NULL && (uint16_t)(direction->last->ssn - direction->next) < ahead)
        return &direction->last->next;
    while (*place != NULL && (uint16_t)((*place)->ssn - direction->next) < ahead)
        place = &(*place)->next;
    return place;
}

static bool hold(struct iw_sessions *sessions, struct stream *stream, const struct iw_sctp_message *message,
    uint16_t ssn) {
    struct direction *direction = &stream->direction[message->side];
    struct held **place = place_for(direction, (uint16_t)(ssn - direction->next));
    struct held *held;

    if (*place != NULL && (*place)->ssn == ssn) {
        follow_late(sessions, stream, message);
        return true;
    }
    held = new_held(message, ssn);
    if (held == NULL)
        return false;
    held->next = *place;
    *place = held;
    if (held->next == NULL)
        direction->last = held;
    sessions->held_octets += message->captured;
    if (++direction->held_count > IW_SESSION_HELD_MAX || sessions->held_octets > IW_SESSION_HELD_OCTETS_MAX)
        give_up_gap(sessions, stream, message->side, false);
    return true;
}

/* ---- chunks as they come ---- */

static bool is_used(const struct stream *stream) {
    return stream->session.first_frame != 0;
}

static bool is_whole(const struct iw_sctp_state *state, const struct stream *stream) {
    return state->lost[IW_SIDE_A] == stream->direction[IW_SIDE_A].lost &&
           state->lost[IW_SIDE_B] == stream->direction[IW_SIDE_B].lost;
}

static void end_session(struct iw_sessions *sessions, struct stream *stream, enum iw_session_end end,
    enum iw_side side, uint64_t frame, uint64_t time_ns) {
    const struct iw_session_event event = {.kind = IW_SESSION_END,
        .session = &stream->session,
        .association = sessions->state,
        .side = side,
        .frame = frame,
        .time_ns = time_ns,
        .end = end,
        .whole = is_whole(sessions->state, stream)};

    give_up_gaps(sessions, stream, end != IW_SESSION_END_INPUT);
    if (is_used(stream))
        sessions->sink(sessions->user, &event);
}

/* What waits on a stream that no session has used yet waits for this one. A DDP-SSN other than 0 is judged
 * against that (RFC 5043 6.1). */
static void initiate(struct iw_sessions *sessions, struct stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, bool enhanced) {
    struct direction *direction = &stream->direction[message->side];
    uint32_t number = stream->session.number + (is_used(stream) ? 1 : 0);

    if (is_used(stream))
        end_session(sessions, stream, IW_SESSION_END_NEXT, message->side, message->frame, message->time_ns);
    begin_session(sessions, stream, number, true);
    stream->session.state = IW_SESSION_INITIATED;
    stream->session.active_known = true;
    stream->session.active = message->side;
    stream->session.enhanced = enhanced;
    stream->session.initiate_frame = message->frame;
    follow(sessions, stream, message, ssn, ssn == 0 ? IW_SESSION_IN_ORDER : IW_SESSION_AGAIN);
    follow_ready(sessions, stream, direction);
}

/* Whether the chunk begins a session: an Initiate, and not one more where one still waits for its answer. */
static bool begins(const struct stream *stream, const struct iw_sctp_message *message,
    const struct iw_sctp_session *control) {
    return is_initiate(control->header.function) &&
           (stream->session.state != IW_SESSION_INITIATED || stream->session.active != message->side);
}

static bool place(struct iw_sessions *sessions, struct stream *stream, const struct iw_sctp_message *message,
    uint16_t ssn) {
    struct direction *direction = &stream->direction[message->side];
    struct iw_sctp_session control;

    if (is_control(message) && iw_sctp_session_decode(message->octets, message->captured, &control) &&
        begins(stream, message, &control)) {
        initiate(sessions, stream, message, ssn, control.header.function == IW_SCTP_ENHANCED_INITIATE);
    } else if (!direction->known) {
        follow(sessions, stream, message, ssn, IW_SESSION_UNKNOWN);
    } else if (ssn == direction->next) {
        follow(sessions, stream, message, ssn, IW_SESSION_IN_ORDER);
        follow_ready(sessions, stream, direction);
    } else if ((uint16_t)(ssn - direction->next) < SSN_HALF) {
        return hold(sessions, stream, message, ssn);
    } else {
        follow_late(sessions, stream, message);
    }
    return true;
}

static bool is_known_from_start(const struct iw_sctp_state *state) {
    return state->setup[IW_SIDE_A].frame != 0 && state->setup[IW_SIDE_B].frame != 0 &&
           state->lost[IW_SIDE_A] == 0 && state->lost[IW_SIDE_B] == 0;
}

static struct stream *stream_of(struct iw_sessions *sessions, uint16_t id) {
    struct stream ***page = &sessions->pages[id / PAGE_STREAMS];
    struct stream **stream;

    if (*page == NULL && (*page = calloc(PAGE_STREAMS, sizeof(struct stream *))) == NULL)
        return NULL;
    sessions->used[id / PAGE_STREAMS] = true;
    stream = &(*page)[id % PAGE_STREAMS];
    if (*stream == NULL && (*stream = calloc(1, sizeof **stream)) != NULL) {
        (*stream)->id = id;
        begin_session(sessions, *stream, 1, is_known_from_start(sessions->state));
    }
    return *stream;
}

/* A chunk too short for a DDP-SSN has no place of its own: it is taken as the next. */
bool iw_sessions_feed(struct iw_sessions *sessions, const struct iw_sctp_message *message) {
    struct stream *stream;
    struct iw_sctp_segment head;

    if (message->ppid != IW_SCTP_PPID_SEGMENT && message->ppid != IW_SCTP_PPID_CONTROL)
        return true;
    stream = stream_of(sessions, message->stream);
    if (stream == NULL)
        return false;
    if (message->captured < iw_sctp_segment_octets) {
        struct iw_session_event event = event_of(sessions, stream, message);

        event.order = IW_SESSION_LOST;
        stream->direction[message->side].skipped = true;
        hand_over(sessions, stream, message, &event);
        return true;
    }
    iw_sctp_segment_decode(message->octets, &head); /* both kinds of chunk begin with it (RFC 5043 5.2.1) */
    return place(sessions, stream, message, head.ssn);
}

bool iw_sessions_next(const struct iw_sessions *sessions, enum iw_side side, uint16_t id, uint16_t *ssn) {
    struct stream **page = sessions->pages[id / PAGE_STREAMS];
    const struct stream *stream = page == NULL ? NULL : page[id % PAGE_STREAMS];

    if (stream == NULL || !stream->direction[side].known)
        return false;
    *ssn = stream->direction[side].next;
    return true;
}

/* ---- the association ---- */

struct iw_sessions *iw_sessions_new(const struct iw_sctp_state *state, iw_session_sink *sink, void *user) {
    struct iw_sessions *sessions = calloc(1, sizeof *sessions);

    if (sessions == NULL)
        return NULL;
    sessions->state = state;
    sessions->sink = sink;
    sessions->user = user;
    return sessions;
}

/* The next stream of a page, from place `*at` on; NULL behind the last. */
static struct stream *next_stream(struct stream **page, unsigned *at) {
    while (page != NULL && *at < PAGE_STREAMS)
        if (page[(*at)++] != NULL)
            return page[*at - 1];
    return NULL;
}

/* An association may be said to end any number of times: only pages that were used since are looked at. */
void iw_sessions_finish(struct iw_sessions *sessions, enum iw_session_end end, enum iw_side side,
    uint64_t frame, uint64_t time_ns) {
    struct stream *stream;

    for (unsigned i = 0; i < PAGES; i++) {
        if (!sessions->used[i])
            continue;
        sessions->used[i] = false;
        for (unsigned at = 0; (stream = next_stream(sessions->pages[i], &at)) != NULL;) {
            end_session(sessions, stream, end, side, frame, time_ns);
            begin_session(sessions, stream, stream->session.number + (is_used(stream) ? 1 : 0), false);
        }
    }
}

static void free_stream(struct stream *stream) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        while (stream->direction[side].held != NULL) {
            struct held *held = stream->direction[side].held;

            stream->direction[side].held = held->next;
            free(held);
        }
    free(stream);
}

void iw_sessions_free(struct iw_sessions *sessions) {
    struct stream *stream;

    if (sessions == NULL)
        return;
    for (unsigned i = 0; i < PAGES; i++) {
        for (unsigned at = 0; (stream = next_stream(sessions->pages[i], &at)) != NULL;)
            free_stream(stream);
        free(sessions->pages[i]);
    }
    free(sessions);
}
