#ifndef IW_JUDGE_SESSION_H
#define IW_JUDGE_SESSION_H

#include "iw_judge_segment.h"

/* Judges a DDP Stream Session over SCTP. */

/* Whether everything that the sender of the chunk had received is in the capture, judged by the SACK in the
 * same packet. */
bool iw_judge_session_heard(const struct iw_llp_event *llp);

/* Stores the terms that a control message negotiates, before it is judged. */
void iw_judge_session_terms(struct iw_mpa_terms *terms, const struct iw_llp_event *llp);

/* Judges the event, which is judge->event.llp. */
void iw_judge_session(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);

#endif
