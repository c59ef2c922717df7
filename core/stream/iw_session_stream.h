#pragma once

#include "iw_session.h"

/* One DDP Stream and the session on it. */

/* ---- iw_session_wait.c: chunks of one side that wait for earlier chunks, in the order of DDP-SSNs ---- */

struct iw_session_held {
    struct iw_session_held *next;
    uint16_t ssn;
    struct iw_sctp_message message;
    uint8_t octets[];
};

/* All zero: empty. */
struct iw_session_wait {
    struct iw_session_held *first, *last;
    unsigned count;
};

enum iw_session_kept {
    IW_SESSION_KEPT,
    IW_SESSION_KEPT_ALREADY, /* a chunk with this DDP-SSN is already held */
    IW_SESSION_NO_MEMORY,
};

/* Keeps a copy of the chunk in the list, sorted by how far the DDP-SSN is ahead of `next`, modulo 65536. */
enum iw_session_kept iw_session_wait_keep(
    struct iw_session_wait *wait, uint16_t next, uint16_t ssn, const struct iw_sctp_message *message);

/* Removes the first chunk, which the caller frees. The list must not be empty. */
struct iw_session_held *iw_session_wait_take(struct iw_session_wait *wait);

void iw_session_wait_clear(struct iw_session_wait *wait);

/* ---- iw_session_stream.c ---- */

/* The chunks of one side. */
struct iw_session_direction {
    bool known;      /* `next` is known */
    bool chunk_seen; /* a chunk of this side in this session has come */
    bool opened;   /* the side's first chunk in this session has come, and certainly belongs to the session */
    bool doubtful; /* some chunks of this side may be missing, or belong to another session */
    bool unnumbered; /* a chunk was too short to have a DDP-SSN; perhaps the sender counted it */
    bool foreign; /* a chunk of another protocol (PPID) was on the side's SCTP stream, and used up an SSN */
    bool answer_unseen; /* the side has answered an Initiate that was not captured so far */
    bool control_seen;
    uint16_t next;             /* DDP-SSN */
    uint16_t continues;        /* DDP-SSN with which the previous session would continue; 0: none */
    uint64_t lost;             /* lost chunks of this side when the session began */
    uint64_t lost_before;      /* lost chunks of this side when the previous session began */
    uint64_t frame;            /* capture frame of this side's latest chunk */
    struct iw_session_run run; /* the latest chunks of this side, also of earlier sessions */
    uint32_t control_tsn;      /* of the last control message in the order of DDP-SSNs */
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
    uint64_t limited;   /* how often a limit ended a stream's wait for a missing chunk, or memory ran out */
    bool chunk_seen[2]; /* by side: a DDP chunk has come */
};

/* How sessions end: the members of the CLOSE event that are the same for all sessions that end. */
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

/* Delivers held chunks, then CLOSE if there was a session. Returns whether there was one. */
bool iw_session_stream_end(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_session_close *close);

/* ---- iw_session_follow.c: handles the chunks of a DDP Stream in order: updates the session, decides what is
 * certain, and emits the event of each chunk ---- */

static inline bool iw_session_is_control(const struct iw_sctp_message *message) {
    return message->ppid == IW_SCTP_PPID_CONTROL;
}

/* Returns the number of chunks of both sides lost since the session began; one of them may have ended it. */
uint64_t iw_session_lost_since(const struct iw_sctp_state *state, const struct iw_session_stream *stream);

/* Whether all chunks of this side before its next chunk were captured and belong to this session. False while
 * the association waits for a chunk of the other side: a new session may begin there. */
bool iw_session_is_certain(
    const struct iw_sctp_state *state, const struct iw_session_stream *stream, enum iw_side side);

/* Takes the next chunk of its side, and from now on expects the DDP-SSN after it. */
void iw_session_follow(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, enum iw_session_order order);

/* Takes a chunk whose DDP-SSN is not expected: already used or held, no longer waited for, too far ahead, or
 * of another session. */
void iw_session_follow_late(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn);

/* Takes a chunk of the previous session. Later chunks of this side may belong to either session. */
void iw_session_follow_before(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);

/* Takes a chunk too short for a DDP-SSN. Its place is unknown, so it is delivered at once. */
void iw_session_follow_unnumbered(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);
