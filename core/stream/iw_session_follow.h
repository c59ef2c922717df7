#ifndef IW_SESSION_FOLLOW_H
#define IW_SESSION_FOLLOW_H

#include "iw_session_stream.h"

/* The chunks of a DDP Stream in their turn: what each does to its session, and what is certain of it. Each
 * function hands over the event of its chunk. */

static inline bool iw_session_is_control(const struct iw_sctp_message *message) {
    return message->ppid == IW_SCTP_PPID_CONTROL;
}

/* Chunks of both sides that were lost since the session began. One of them may have ended it, and begun
 * another. */
uint64_t iw_session_lost_since(const struct iw_sctp_state *state, const struct iw_session_stream *stream);

/* All chunks of this side before the next one are there, and are of this session. While some of the other
 * side wait for one that is missing, a new session may be among them. */
bool iw_session_is_certain(
    const struct iw_sctp_state *state, const struct iw_session_stream *stream, enum iw_side side);

/* The next chunk of its side; the one behind it is expected next. */
void iw_session_follow(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, enum iw_session_order order);

/* A DDP-SSN that was used before, or one that comes when nobody waits for it any more; or that of another
 * session. */
void iw_session_follow_late(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn);

/* Of the session before this one. From then on the place of what this side sends is a guess. */
void iw_session_follow_before(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);

/* A chunk too short for a DDP-SSN has no place of its own: it is taken as the next. */
void iw_session_follow_unnumbered(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);

#endif
