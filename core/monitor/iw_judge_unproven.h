#ifndef IW_JUDGE_UNPROVEN_H
#define IW_JUDGE_UNPROVEN_H

#include "iw_judge_segment.h"

/* FPDUs that were found after a gap and may be payload of others (iw_alignment.h): they are shown and
 * counted, and not judged. */

/* Remembers where the side had got to, before a gap makes that unknown. */
void iw_judge_note_thread(struct iw_judge *judge, enum iw_side side);

/* Whether mpa->fpdu is not to be judged; then it is counted as such, and judge->event has its segment.
 * Otherwise the FPDU goes on just as far after what came before the gap as the gap is long, and is proven by
 * that. */
bool iw_judge_unproven(struct iw_judge *judge, const struct iw_mpa_event *mpa, struct iw_judge_parts *parts);

#endif
