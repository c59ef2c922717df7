#include "iw_session.h"

#include <stdlib.h>

#include "iw_session_map.h"
#include "iw_session_stream.h"

struct iw_sessions {
    struct iw_session_hub hub;
    struct iw_session_map map; /* of struct iw_session_stream; marked: used since the last finish */
    bool failed;               /* no memory for a chunk that may have begun a session: drops later chunks */
};

const char *iw_session_state_name(enum iw_session_state state) {
    static const char *const names[] = {
        "initiate not seen", "initiated", "accepted", "rejected", "terminated"};

    return names[state];
}

struct iw_sessions *iw_sessions_new(const struct iw_sctp_state *state, iw_llp_sink *sink, void *user) {
    struct iw_sessions *sessions = calloc(1, sizeof *sessions);

    if (sessions == NULL)
        return NULL;
    sessions->hub.state = state;
    sessions->hub.sink = sink;
    sessions->hub.user = user;
    return sessions;
}

static bool session_is_known_from_start(const struct iw_sctp_state *state) {
    return state->setup[IW_SIDE_A].frame != 0 && state->setup[IW_SIDE_B].frame != 0 &&
           state->lost[IW_SIDE_A] == 0 && state->lost[IW_SIDE_B] == 0;
}

static struct iw_session_stream *sessions_stream(struct iw_sessions *sessions, uint16_t id) {
    void **place = iw_session_map_place(&sessions->map, id);
    struct iw_session_stream *stream;

    if (place == NULL || *place != NULL)
        return place == NULL ? NULL : *place;
    stream = calloc(1, sizeof *stream);
    if (stream == NULL)
        return NULL;
    *place = stream;
    stream->session.stream = id;
    iw_session_stream_begin(&sessions->hub, stream, 1, session_is_known_from_start(sessions->hub.state));
    return stream;
}

bool iw_sessions_feed(struct iw_sessions *sessions, const struct iw_sctp_message *message) {
    struct iw_session_stream *stream;

    if (!iw_sctp_message_is_ddp(message)) {
        stream = iw_session_map_find(&sessions->map, message->stream);
        if (stream != NULL)
            stream->direction[message->side].foreign = true;
        return true;
    }
    stream = sessions->failed ? NULL : sessions_stream(sessions, message->stream);
    sessions->failed |= stream == NULL;
    return stream != NULL && iw_session_stream_feed(&sessions->hub, stream, message);
}

bool iw_sessions_has_stream(const struct iw_sessions *sessions, uint16_t id) {
    return iw_session_map_find(&sessions->map, id) != NULL;
}

bool iw_sessions_next(const struct iw_sessions *sessions, enum iw_side side, uint16_t id, uint16_t *ssn) {
    const struct iw_session_stream *stream = iw_session_map_find(&sessions->map, id);

    if (stream == NULL || !stream->direction[side].known)
        return false;
    *ssn = stream->direction[side].next;
    return true;
}

struct finishing {
    struct iw_sessions *sessions;
    struct iw_session_close close;
};

static void sessions_finish_stream(void *user, void *entry) {
    struct finishing *finishing = user;
    struct iw_session_hub *hub = &finishing->sessions->hub;
    struct iw_session_stream *stream = entry;
    bool ended = iw_session_stream_end(hub, stream, &finishing->close);

    iw_session_stream_begin(hub, stream, stream->session.number + (ended ? 1 : 0), false);
}

/* An association may end many times, so this visits only the streams used since its last end. */
void iw_sessions_finish(struct iw_sessions *sessions, enum iw_session_end end, enum iw_side side,
    uint64_t frame, uint64_t time_ns) {
    struct finishing finishing = {sessions, {end, side, frame, time_ns}};

    iw_session_map_sweep(&sessions->map, sessions_finish_stream, &finishing);
}

static void sessions_free_stream(void *user, void *entry) {
    struct iw_session_stream *stream = entry;

    (void)user;
    iw_session_wait_clear(&stream->direction[IW_SIDE_A].wait);
    iw_session_wait_clear(&stream->direction[IW_SIDE_B].wait);
    free(stream);
}

void iw_sessions_free(struct iw_sessions *sessions) {
    if (sessions == NULL)
        return;
    if (sessions->hub.state->pool != NULL)
        sessions->hub.state->pool->held -= sessions->hub.held_octets;
    iw_session_map_clear(&sessions->map, sessions_free_stream, NULL);
    free(sessions);
}
