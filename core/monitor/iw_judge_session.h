#ifndef IW_JUDGE_SESSION_H
#define IW_JUDGE_SESSION_H

#include "iw_judge_segment.h"

/* Judges a DDP Stream Session over SCTP. */

/* A session event converted to an MPA event. The storage is the caller's. */
struct iw_session_as_mpa {
    struct iw_llp_event event;
    struct iw_fpdu fpdu;
    struct iw_span span;
};
void iw_session_as_mpa(const struct iw_session_event *session, struct iw_session_as_mpa *as);

/* Whether everything that the sender of the chunk had received is in the capture, judged by the SACK in the
 * same packet. */
bool iw_judge_session_heard(const struct iw_session_event *session);

/* Stores the terms that a control message negotiates, before it is judged. */
void iw_judge_session_terms(struct iw_mpa_terms *terms, const struct iw_session_event *session);

/* Judges judge->event.session. */
void iw_judge_session(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);

#endif
