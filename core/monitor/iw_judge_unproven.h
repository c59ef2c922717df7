#ifndef IW_JUDGE_UNPROVEN_H
#define IW_JUDGE_UNPROVEN_H

#include "iw_judge_segment.h"

/* FPDUs that were found after a gap and may be payload of other FPDUs (iw_alignment.h). They are shown and
 * counted, but not judged. */

/* Stores the position of the side before a gap. */
void iw_judge_note_thread(struct iw_judge *judge, enum iw_side side);

/* Whether llp->fpdu must not be judged. If so, it is counted as not judged, and judge->event has its segment.
 * An FPDU is proven if it continues the octets before the gap exactly at the length of the gap. */
bool iw_judge_unproven(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);

/* Whether llp->fpdu is proven by the boundaries of TCP segments, but has an MSN that its sender had passed
 * before the gap. Then the FPDUs are payload, or their sender violates the RFC: they are no longer proven. */
bool iw_judge_disproves(struct iw_judge *judge, const struct iw_llp_event *llp);

#endif
