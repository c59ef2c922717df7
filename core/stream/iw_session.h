#ifndef IW_SESSION_H
#define IW_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_sctp.h"

/* The DDP Streams of an SCTP association: user data of its chunks in, those of each DDP Stream Session out in
 * the order of their DDP-SSNs (RFC 5043 5.2.1, 6). A DDP Stream is the two SCTP streams of one identifier,
 * and sessions follow one another on it. */

enum iw_session_state {
    IW_SESSION_UNSEEN, /* its Initiate is not there */
    IW_SESSION_INITIATED,
    IW_SESSION_ACCEPTED,
    IW_SESSION_REJECTED,
    IW_SESSION_TERMINATED,
};

const char *iw_session_state_name(enum iw_session_state state); /* "accepted" */

/* The session before on the same DDP Stream. */
struct iw_session_before {
    bool open; /* it was accepted, and no Terminate of it has been seen */
    bool enhanced;
    uint64_t answer_frame;
};

struct iw_session {
    uint16_t stream; /* SCTP stream identifier */
    uint32_t number; /* on its DDP Stream, from 1 */
    enum iw_session_state state;
    bool enhanced; /* begun by an Enhanced Initiate (RFC 6581 7) */
    bool active_known;
    enum iw_side active; /* who asked for the session */
    bool from_start;     /* its first chunks are there: its Initiate, or nothing of the association was missed
                            before them */
    uint64_t first_frame;    /* of its first chunk */
    uint64_t initiate_frame; /* 0 if it was not seen */
    uint64_t answer_frame; /* of the Accept, the Reject, or the Terminate that stands for one; 0 before it */
    bool refused;          /* the answer was a Reject, or a Terminate in place of one */
    struct iw_session_before before;
    void *user; /* for the user's own use; NULL at first */
};

/* How the DDP-SSN of a chunk stands to those before it. */
enum iw_session_order {
    IW_SESSION_IN_ORDER,
    IW_SESSION_UNKNOWN, /* nothing is known of what was before it */
    IW_SESSION_MISSING, /* the sender skipped DDP-SSNs: more are missing than chunks were lost, and no more
                           will come */
    IW_SESSION_LOST,    /* some are missing that the capture may lack, or that may still have come */
    IW_SESSION_AGAIN,   /* it was used before, by a chunk of the same session */
};

enum iw_session_event_kind {
    IW_SESSION_CONTROL, /* a DDP Stream Session Control chunk */
    IW_SESSION_SEGMENT, /* a DDP Segment Chunk */
    IW_SESSION_END,     /* the session is over: another begins, or the association ends */
};

enum iw_session_end {
    IW_SESSION_END_INPUT,       /* nobody knows how it goes on */
    IW_SESSION_END_NEXT,        /* another session has begun on the DDP Stream */
    IW_SESSION_END_ASSOCIATION, /* SCTP has shut the association down */
    IW_SESSION_END_ABORT,       /* or aborted it */
};

struct iw_session_event {
    enum iw_session_event_kind kind;
    struct iw_session *session; /* as the event leaves it */
    const struct iw_sctp_state *association;
    enum iw_side side; /* END: who has ended it, if end is not INPUT */
    uint64_t frame;
    uint64_t time_ns;

    /* CONTROL, SEGMENT */
    const struct iw_sctp_message *message;
    enum iw_session_order order;
    uint16_t ssn_expected;
    uint32_t missing;         /* MISSING, LOST: how many DDP-SSNs */
    bool whole_header;        /* the chunk is long enough for what it begins with, and that was captured */
    uint64_t overtaken_frame; /* of a control message of this side that comes before it, but was sent behind
                                 it; 0 if there is none (RFC 5043 6.6) */
    uint64_t unacked_frame;   /* frame of this side's control message before the chunk, if nothing in the
                                 capture shows that it has arrived (RFC 5043 6.6); else 0 */
    uint32_t unacked_tsn;     /* its TSN */
    struct iw_sctp_session control; /* CONTROL, with whole_header */

    bool certain;     /* all chunks of this side before it are there, and surely of the same session */
    bool of_before;   /* it is not of the session: of one before it, which has been taken to be over */
    bool proves_open; /* all is there since the session before this one began, session->before: neither side
                         has ended it */

    bool first; /* chunk of DDP that this side sends on the association */

    /* END */
    enum iw_session_end end;
    uint64_t lost;    /* chunks of both sides that are not there since the session began, of any DDP Stream */
    uint64_t limited; /* times that no room was left to wait for one of them longer */
};

typedef void iw_session_sink(void *user, const struct iw_session_event *event);

struct iw_sessions;

enum {
    IW_SESSION_HELD_MAX = 4096,           /* chunks of one direction that wait for those before them */
    IW_SESSION_HELD_OCTETS_MAX = 4 << 20, /* their octets, of an association, if its pool has as many */
};

/* Of an association, whose `state` is looked at whenever a chunk comes. NULL if there is no memory. */
struct iw_sessions *iw_sessions_new(const struct iw_sctp_state *state, iw_session_sink *sink, void *user);

/* Takes the next user data; ignores data of other protocols than DDP. Passes events on before it returns, or
 * later if earlier chunks have not come. Returns false if memory ran out for this chunk, or for an earlier
 * one without which its place is unknown. */
bool iw_sessions_feed(struct iw_sessions *sessions, const struct iw_sctp_message *message);

/* The DDP-SSN that is next of what a side sends on a stream. Returns false if none is known. */
bool iw_sessions_next(const struct iw_sessions *sessions, enum iw_side side, uint16_t stream, uint16_t *ssn);

/* The association ends: what waits is handed over, and every session gets its END. */
void iw_sessions_finish(struct iw_sessions *sessions, enum iw_session_end end, enum iw_side side,
    uint64_t frame, uint64_t time_ns);

/* Releases everything without a word. NULL is allowed. */
void iw_sessions_free(struct iw_sessions *sessions);

#endif
