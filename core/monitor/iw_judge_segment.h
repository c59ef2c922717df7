#pragma once

#include "iw_rules.h"

/* Decodes a DDP Segment from TCP or SCTP, finds its message and request, and runs the rules about it. */

/* The parts of a SEGMENT event above MPA or SCTP. The caller provides the memory. */
struct iw_judge_parts {
    struct iw_segment segment;
    struct iw_segment_fact fact;
    struct iw_response_fact response;
    struct iw_terminate_message terminate;
    struct iw_terminate_message joined;   /* a Terminate in several segments, the octets so far */
    struct iw_terminate_message reversed; /* the meaning of a Terminate in reversed bit order */
    struct iw_judged_terminate judged;
    struct iw_stag_use stag_uses[IW_STAG_USES_MAX];
};

/* Decodes the DDP Segment of the event. Returns false if its DDP header is incomplete. */
static inline bool iw_judge_decode(
    const struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_segment *segment) {
    return iw_segment_decode(iw_llp_segment(llp), iw_llp_segment_captured(llp), llp->segment_octets,
        judge->config.extensions, segment);
}

/* Decodes the DDP Segment and updates queues, requests and STags. False: its DDP header is incomplete. */
bool iw_judge_follow(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);

/* Counts the segment of the event in judge->counts. Call it after iw_judge_follow. */
void iw_judge_count_segment(struct iw_judge *judge, enum iw_side side);

/* Adds the DDP header of the segment to the log of its sender: a Terminate may include the header. */
IW_COLD void iw_judge_log_header(struct iw_judge *judge, const struct iw_llp_event *llp);

/* Runs the rules about the segment. */
void iw_judge_segment(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);

/* Decodes into `parts` the Terminate that the segment begins or continues, joined with its earlier segments
 * (RFC 5041 5.2), for judge->terminate. Counts the first segment that cannot be joined as not judged. */
IW_COLD void iw_judge_join_terminate(struct iw_judge *judge, struct iw_judge_parts *parts);

/* Octets of the side are missing or invalid: its expected MSN, MO and TO, and the outstanding requests of
 * both sides, are unknown now. */
void iw_judge_forget(struct iw_judge *judge, enum iw_side side);

/* ---- iw_judge_unproven.c ---- */

/* FPDUs that may be payload (struct iw_half_evidence) are counted, but not judged. */

/* Stores the side's expected TO, MSN and MO before a gap. */
void iw_judge_note_before_gap(struct iw_judge *judge, enum iw_side side);

/* Returns whether llp->fpdu must not be judged, as it may be payload or no RFC defines the Rev. If so, counts
 * it as not judged, and adds the segment to judge->event if its DDP header is complete. An FPDU is proven if
 * it continues a message from before the gap, advanced by exactly the length of the gap. */
bool iw_judge_unproven(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);

/* Returns whether llp->fpdu is proven only by the boundaries of TCP segments, but has an MSN that its sender
 * had passed before the gap. Then this FPDU and later ones may be payload: records that they are unproven. */
bool iw_judge_disproves(struct iw_judge *judge, const struct iw_llp_event *llp);

/* ---- iw_judge_session.c: a DDP Stream Session over SCTP ---- */

/* Whether a SACK in the same packet shows that the capture has all chunks that the sender had received. */
bool iw_judge_session_heard(const struct iw_llp_event *llp);

/* Stores the terms that a control message negotiates, before it is judged. */
void iw_judge_session_terms(struct iw_mpa_terms *terms, const struct iw_llp_event *llp);

/* Judges the event, which is judge->event.llp. */
void iw_judge_session(struct iw_judge *judge, const struct iw_llp_event *llp, struct iw_judge_parts *parts);
