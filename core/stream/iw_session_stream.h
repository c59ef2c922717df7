#ifndef IW_SESSION_STREAM_H
#define IW_SESSION_STREAM_H

#include "iw_session.h"
#include "iw_session_wait.h"

/* One DDP Stream and the session on it. */

/* What one side sends. */
struct iw_session_direction {
    bool known;         /* `next` is known */
    bool chunk_seen;    /* a chunk of this side in this session has come */
    bool opened;        /* its first chunk of this session has come, and certainly belongs to it */
    bool doubtful;      /* some of its chunks may be missing, or belong to another session */
    bool unnumbered;    /* a chunk was too short for a DDP-SSN, but may have used one */
    bool foreign;       /* a chunk of another protocol (PPID) was on its SCTP stream, and used up an SSN */
    bool answer_unseen; /* it has answered an Initiate that was not captured yet, in this session or an
                           earlier one */
    bool control_seen;
    uint16_t next;        /* DDP-SSN */
    uint16_t continues;   /* DDP-SSN with which the previous session would continue; 0: none */
    uint64_t lost;        /* lost chunks of this side when the session began */
    uint64_t lost_before; /* lost chunks of this side when the previous session began */
    uint64_t frame;       /* of its latest chunk */
    uint32_t control_tsn; /* of the last control message in the order of DDP-SSNs */
    uint64_t control_frame;
    struct iw_session_wait wait;
};

struct iw_session_stream {
    struct iw_session session;
    uint64_t limited;                         /* how often a limit ended a wait before the session began */
    struct iw_session_direction direction[2]; /* by enum iw_side */
};

/* What all streams of an association share. */
struct iw_session_hub {
    const struct iw_sctp_state *state;
    iw_llp_sink *sink;
    void *user;
    size_t held_octets; /* also counted in the pool */
    uint64_t limited;   /* how often they reached a limit */
    bool chunk_seen[2]; /* by side: a DDP chunk has come */
};

/* How sessions end: the part of the CLOSE event that is not the session's. */
struct iw_session_close {
    enum iw_session_end end;
    enum iw_side side;
    uint64_t frame;
    uint64_t time_ns;
};

/* Begins a session, which emits no event before its first chunk; held chunks stay. */
void iw_session_stream_begin(
    const struct iw_session_hub *hub, struct iw_session_stream *stream, uint32_t number, bool from_start);

/* Takes the next user data; returns false if memory runs out. */
bool iw_session_stream_feed(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);

/* Delivers held chunks, then CLOSE. Returns whether there was a session. */
bool iw_session_stream_end(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_session_close *close);

#endif
