#pragma once

#include "iw_frame_store.h"
#include "iw_conclusion.h"

/* Why a connection failed, hung or was slow (iw_diagnosis.h), stored when the connection has ended. Its last
 * frame shows it. */

struct iw_explanation_cause {
    const struct iw_cause *cause;
    enum iw_confidence confidence;
    const char *detail;
    const char *next;                     /* what to look at next */
    uint32_t frames[IW_DIAGNOSIS_FRAMES]; /* the evidence */
    unsigned frame_count;
};

struct iw_explanation {
    const struct iw_explanation *next; /* of another connection with the same last frame */
    const struct iw_stored_flow *flow;
    const char *address[2]; /* of the sides, with ports */
    uint32_t frame;         /* the last frame of the connection */
    enum iw_conclusion conclusion;
    const char *title;   /* the most probable cause; without one, the result in words */
    const char *ending;  /* such as "by a FIN of the initiator" */
    uint32_t end_frame;  /* frame of the FIN, RST, Terminate or Reply that ended it; 0: none */
    const char *advice;  /* what to look at next if it failed and no cause is known; otherwise NULL */
    bool replays;        /* the most probable cause lies in octets, so that a replay has it, too */
    unsigned count;      /* of causes */
    unsigned note_count; /* about the capture itself: no cause of a failure */
    struct iw_explanation_cause causes[]; /* the most probable first; after the last one, the notes */
};

/* Forgets all explanations. Call this function when a capture file is opened. */
void iw_explanation_open(void);

/* Explains the connection, whose last segment is in this frame. */
const struct iw_explanation *iw_explanation_store(
    const struct iw_stored_flow *flow, uint32_t frame, const struct iw_facts *facts);

/* Returns the first explanation that this frame shows, or NULL. */
const struct iw_explanation *iw_explanation_first(uint32_t frame);
