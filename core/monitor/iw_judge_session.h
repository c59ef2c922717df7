#ifndef IW_JUDGE_SESSION_H
#define IW_JUDGE_SESSION_H

#include "iw_judge_segment.h"

/* What a DDP Stream Session over SCTP adds to a monitor. */

/* An event of a session as one of MPA. The storage is the caller's. */
struct iw_session_as_mpa {
    struct iw_mpa_event event;
    struct iw_fpdu fpdu;
    struct iw_span span;
};
void iw_session_as_mpa(const struct iw_session_event *session, struct iw_session_as_mpa *as);

/* Whether everything that the sender of the chunk had received is in the capture, judged by the SACK in the
 * same packet. */
bool iw_judge_session_heard(const struct iw_session_event *session);

/* Takes what a control message says of the session, before it is judged. */
void iw_judge_session_terms(struct iw_mpa_terms *terms, const struct iw_session_event *session);

/* Judges judge->event.session. */
void iw_judge_session(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct iw_judge_parts *parts);

#endif
