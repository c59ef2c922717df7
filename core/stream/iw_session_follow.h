#ifndef IW_SESSION_FOLLOW_H
#define IW_SESSION_FOLLOW_H

#include "iw_session_stream.h"

/* Handles the chunks of a DDP Stream in order: updates the session, decides what is certain, and emits the
 * event of each chunk. */

static inline bool iw_session_is_control(const struct iw_sctp_message *message) {
    return message->ppid == IW_SCTP_PPID_CONTROL;
}

/* Chunks of both sides that were lost since the session began. One of them may have ended it, and begun
 * another. */
uint64_t iw_session_lost_since(const struct iw_sctp_state *state, const struct iw_session_stream *stream);

/* Whether all chunks of this side before the next one were captured and belong to this session. While
 * chunks of the other side wait for a missing one, a new session may be among them. */
bool iw_session_is_certain(
    const struct iw_sctp_state *state, const struct iw_session_stream *stream, enum iw_side side);

/* Takes the chunk as the next of its side, and expects the one after it next. */
void iw_session_follow(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn, enum iw_session_order order);

/* Takes a chunk with a DDP-SSN that was used before, is no longer waited for, or belongs to another
 * session. */
void iw_session_follow_late(struct iw_session_hub *hub, struct iw_session_stream *stream,
    const struct iw_sctp_message *message, uint16_t ssn);

/* Takes a chunk of the previous session. After it, the place of what this side sends is a guess. */
void iw_session_follow_before(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);

/* Takes a chunk too short for a DDP-SSN. Its place is unknown, so it is delivered at once. */
void iw_session_follow_unnumbered(
    struct iw_session_hub *hub, struct iw_session_stream *stream, const struct iw_sctp_message *message);

#endif
