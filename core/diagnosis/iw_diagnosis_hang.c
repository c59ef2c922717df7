#include <inttypes.h>

#include "iw_diagnosis_part.h"

/* Requests of one side that stay without a response although nothing else explains it. */

#define HANG_NS UINT64_C(1000000000) /* shorter waits are latency, not a hang */

/* How long the oldest request of `side` has waited without progress, to the end of the connection or of the
 * capture. */
static uint64_t hang_waited(
    const struct iw_evidence *evidence, enum iw_side side, const struct iw_request_name *oldest) {
    uint64_t answer = evidence->history->side[iw_side_other(side)].last_answer_ns;
    uint64_t since = answer > oldest->time_ns ? answer : oldest->time_ns;
    uint64_t last = iw_evidence_last_ns(evidence);

    return last > since ? last - since : 0;
}

static void hang_stopped(const struct iw_evidence *evidence, enum iw_side side,
    const struct iw_request_name *oldest, uint64_t waited, struct iw_diagnosis *diagnosis) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add(diagnosis, IW_CAUSE_ID_RESPONSE_STOPPED, IW_CONFIDENCE_CERTAIN,
            "%" PRIu64 " of %" PRIu32 " octets of the Read Response came, and nothing more for %.3f s.",
            oldest->answered, oldest->read_octets, (double)waited / 1e9);

    iw_diagnosis_frame(cause, oldest->frame);
    iw_diagnosis_frame(cause, evidence->history->side[iw_side_other(side)].last_answer_frame);
}

void iw_diagnose_hang(const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_unanswered *unanswered = &evidence->unanswered[side];
    const struct iw_request_name *oldest = &unanswered->named[0];
    uint64_t waited;
    uint32_t depth;
    struct iw_diagnosed *cause;

    if (unanswered->count == 0 || unanswered->named_count == 0 || unanswered->perhaps > 0 ||
        unanswered->end == IW_UNANSWERED_TERMINATE || iw_evidence_is_partial(evidence))
        return;
    waited = hang_waited(evidence, side, oldest);
    if (waited < HANG_NS)
        return;
    if (oldest->answered > 0) {
        hang_stopped(evidence, side, oldest, waited, diagnosis);
        return;
    }
    waited = iw_evidence_last_ns(evidence) - oldest->time_ns; /* at least as long as without progress */
    if (iw_mpa_depth(evidence->terms, side, &depth) && depth > 0 && unanswered->count >= depth)
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_QUEUE_FULL, IW_CONFIDENCE_LIKELY,
            "%" PRIu64 " requests of %s are outstanding; the startup permits %" PRIu32
            ". The oldest waits for %.3f s.",
            unanswered->count, iw_evidence_side_name(evidence, side), depth, (double)waited / 1e9);
    else
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_RESPONSE_MISSING, IW_CONFIDENCE_LIKELY,
            "%" PRIu64 " request%s of %s without a response; the oldest, %s with MSN %" PRIu32
            ", for %.3f s.",
            unanswered->count, unanswered->count == 1 ? "" : "s", iw_evidence_side_name(evidence, side),
            oldest->opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[oldest->opcode].title : "a request", oldest->msn,
            (double)waited / 1e9);
    iw_diagnosis_frame(cause, oldest->frame);
}
