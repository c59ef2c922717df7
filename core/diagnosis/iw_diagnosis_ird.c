#include <inttypes.h>

#include "iw_diagnosis_terminate.h"

/* A Terminate for a request beyond the IRD that does not say so. */

void iw_diagnosis_ird_catastrophic(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;
    uint32_t depth;

    if (message == NULL || message->tagged || message->qn != IW_QN_REQUEST ||
        !iw_mpa_depth(at->facts->terms, iw_side_other(at->side), &depth) || message->waiting <= depth)
        return;
    iw_diagnosis_terminate_frames(
        at, iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_IRD_EXCEEDED,
                iw_facts_confidence(at->facts, IW_CONFIDENCE_LIKELY),
                "With the rejected request %s has %" PRIu32 " outstanding; the startup permits %" PRIu32
                ". The Terminate does not say why it is rejected.",
                iw_diagnosis_terminate_other(at), message->waiting, depth));
}
