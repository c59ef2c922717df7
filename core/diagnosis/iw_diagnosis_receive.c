#include "iw_diagnosis_terminate.h"

/* Causes that a Terminate reports about receives, if it does not show the message. */

/* The messages that the other side sent to the queue. */
static uint64_t receive_messages(const struct iw_terminate_case *at, uint8_t qn) {
    const struct iw_history_side *other = &at->facts->history->side[iw_side_other(at->side)];
    uint64_t messages = 0;

    for (unsigned i = 0; i < other->traffic_count; i++)
        if (other->traffic[i].opcode < IW_RDMAP_OP_COUNT && iw_opcodes[other->traffic[i].opcode].qn == qn)
            messages += other->traffic[i].messages;
    return messages;
}

void iw_diagnosis_receive_of_unknown(const struct iw_terminate_case *at) {
    if (receive_messages(at, IW_QN_SEND) == 0 || receive_messages(at, IW_QN_REQUEST) > 0 ||
        iw_diagnosis_violation_before(at) != NULL)
        return;
    iw_diagnosis_terminate_frames(
        at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_NO_RECEIVE_BUFFER,
                iw_facts_confidence(at->facts, IW_CONFIDENCE_LIKELY),
                "%s had no receive posted for a message of %s. The capture does not show which one, but all "
                "of its messages that need a receive are Sends.",
                iw_diagnosis_terminate_sender(at), iw_diagnosis_terminate_other(at)));
}
