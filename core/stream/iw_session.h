#pragma once

#include "iw_llp_event.h"
#include "iw_sctp.h"

/* The DDP Streams of an SCTP association: delivers the user data of each DDP Stream Session in the order of
 * DDP-SSNs (RFC 5043 5.2.1, 6). A DDP Stream, two SCTP streams with one number, may carry many sessions. */

enum iw_session_state {
    IW_SESSION_UNSEEN, /* the Initiate was not captured */
    IW_SESSION_INITIATED,
    IW_SESSION_ACCEPTED,
    IW_SESSION_REJECTED,
    IW_SESSION_TERMINATED,
};

const char *iw_session_state_name(enum iw_session_state state); /* "accepted" */

/* The previous session on the same DDP Stream. */
struct iw_session_before {
    bool open; /* the session was accepted, and no Terminate of it was captured */
    bool enhanced;
    uint64_t answer_frame;
};

/* Chunks of one side on a DDP Stream with consecutive TSNs. */
struct iw_session_run {
    uint64_t frame;    /* capture frame of the last chunk; 0: there is no chunk */
    uint32_t from, to; /* TSNs */
};

struct iw_session {
    uint16_t stream; /* SCTP stream identifier */
    uint32_t number; /* on its DDP Stream, from 1 */
    enum iw_session_state state;
    bool enhanced; /* begun by an Enhanced Initiate (RFC 6581 7) */
    bool active_known;
    enum iw_side active;     /* the side that initiated the session */
    bool from_start;         /* its first chunks are known: the Initiate, or nothing is missing before them */
    uint64_t first_frame;    /* capture frame of the session's first chunk */
    uint64_t initiate_frame; /* capture frame of the Initiate; 0: not captured */
    uint64_t answer_frame;   /* frame of the Accept or Reject, or of a Terminate instead; 0: none so far */
    bool refused;            /* the answer was certainly a Reject, or a Terminate instead */
    uint32_t initiate_tsn;
    struct iw_session_run outstanding; /* the active side's latest chunks before the Initiate, if nothing
                                          shows that they arrived before it (RFC 5043 6.6) */
    struct iw_session_before before;
    void *user; /* for the user's own use; NULL at first */
};

/* How the DDP-SSN of a chunk relates to earlier DDP-SSNs. */
enum iw_session_order {
    IW_SESSION_IN_ORDER,
    IW_SESSION_UNKNOWN, /* earlier DDP-SSNs are unknown */
    IW_SESSION_MISSING, /* the sender skipped DDP-SSNs: more DDP-SSNs are missing than chunks were lost, and
                           the missing chunks can no longer come */
    IW_SESSION_LOST,    /* DDP-SSNs are missing that the capture may lack, or that may still come */
    IW_SESSION_AGAIN,   /* an earlier chunk of the same session used this DDP-SSN */
};

enum iw_session_end {
    IW_SESSION_END_INPUT,       /* the input ended */
    IW_SESSION_END_NEXT,        /* another session has begun on the DDP Stream */
    IW_SESSION_END_ASSOCIATION, /* SCTP has shut the association down */
    IW_SESSION_END_ABORT,       /* SCTP has aborted the association */
};

/* Details of an event over SCTP. CLOSE: its side has ended the session, unless `end` is INPUT. */
struct iw_session_event {
    struct iw_session *session; /* in its state after the event */
    const struct iw_sctp_state *association;

    /* CONTROL, SEGMENT */
    const struct iw_sctp_message *message;
    enum iw_session_order order;
    uint16_t ssn_expected;
    uint32_t missing;         /* MISSING, LOST: how many DDP-SSNs */
    bool whole_header;        /* the header of the chunk is complete and captured */
    uint64_t overtaken_frame; /* frame of an overtaken control message; or 0 (RFC 5043 6.6) */
    uint64_t unacked_frame;   /* frame of this side's control message before the chunk, if nothing in the
                                 capture shows that it has arrived (RFC 5043 6.6); else 0 */
    uint32_t unacked_tsn;     /* TSN of that control message */
    struct iw_sctp_session control; /* CONTROL, with whole_header */

    bool certain;   /* all earlier chunks of this side were captured and surely belong to the same session */
    bool of_before; /* the chunk belongs to an earlier session that seemed to be over */
    bool proves_open; /* nothing is missing since session->before began, and neither side has ended it */

    bool first; /* the first DDP chunk of this side on the association */

    /* CLOSE */
    enum iw_session_end end;
    uint64_t lost;    /* chunks of both sides, on any DDP Stream, missing since the session began */
    uint64_t limited; /* how often a limit or lack of memory ended the wait for a missing chunk */
};

struct iw_sessions;

enum {
    IW_SESSION_HELD_MAX = 4096,           /* limit of chunks of one direction that wait for earlier chunks */
    IW_SESSION_HELD_OCTETS_MAX = 4 << 20, /* octets held for an association; iw_sctp_pool may allow fewer */
};

/* Returns the sessions of an association; NULL if memory runs out. Reads `state` whenever a chunk comes. */
struct iw_sessions *iw_sessions_new(const struct iw_sctp_state *state, iw_llp_sink *sink, void *user);

/* Takes the next user data; ignores protocols other than DDP. Emits events before it returns, or later if
 * earlier chunks are missing. Returns false if memory ran out for this chunk, or for one before it. */
bool iw_sessions_feed(struct iw_sessions *sessions, const struct iw_sctp_message *message);

/* Whether a chunk of DDP has come on the stream. */
bool iw_sessions_has_stream(const struct iw_sessions *sessions, uint16_t stream);

/* The next DDP-SSN of a side on a stream. Returns false if it is unknown. */
bool iw_sessions_next(const struct iw_sessions *sessions, enum iw_side side, uint16_t stream, uint16_t *ssn);

/* The association ends: delivers the chunks that wait, and emits CLOSE for every session. */
void iw_sessions_finish(struct iw_sessions *sessions, enum iw_session_end end, enum iw_side side,
    uint64_t frame, uint64_t time_ns);

/* Frees everything and emits no events. NULL is allowed. */
void iw_sessions_free(struct iw_sessions *sessions);
