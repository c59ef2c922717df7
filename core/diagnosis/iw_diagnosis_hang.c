#include <inttypes.h>

#include "iw_diagnosis_part.h"
#include "iw_plural.h"

/* Requests of one side that stay without a response although nothing else explains it. */

/* How long the oldest request of `side` has waited without progress, to the end of the connection or of the
 * capture. */
static uint64_t hang_waited(
    const struct iw_evidence *evidence, enum iw_side side, const struct iw_request_name *oldest) {
    uint64_t answer = iw_history_requests(evidence->history)->side[iw_side_other(side)].last_answer_ns;
    uint64_t since = answer > oldest->time_ns ? answer : oldest->time_ns;
    uint64_t last = iw_evidence_last_ns(evidence);

    return last > since ? last - since : 0;
}

/* Whether TCP explains that no response comes: the window of the requester is closed. */
static bool hang_is_of_tcp(const struct iw_evidence *evidence, enum iw_side requester) {
    return evidence->life != NULL && iw_tcp_life_trouble(evidence->life, requester)->zero_since.frame != 0;
}

/* The confidence that a response is missing: a request that TCP has not acknowledged may not have arrived. */
static enum iw_confidence hang_confidence(const struct iw_evidence *evidence, enum iw_side requester,
    const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    bool in_flight = evidence->life != NULL && iw_tcp_life_in_flight(evidence->life, requester);

    return in_flight ? IW_CONFIDENCE_POSSIBLE : iw_diagnosis_missing(diagnosis, sure);
}

static struct iw_diagnosed *hang_stopped(const struct iw_evidence *evidence, enum iw_side side,
    const struct iw_request_name *oldest, uint64_t waited, struct iw_diagnosis *diagnosis) {
    struct iw_diagnosed *cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_RESPONSE_STOPPED,
        iw_diagnosis_missing(diagnosis, IW_CONFIDENCE_CERTAIN),
        "%" PRIu64 " of %" PRIu32 " octets of the Read Response came, and nothing more for %.3f s.%s",
        oldest->answered, oldest->read_octets, (double)waited / 1e9, iw_diagnosis_missing_text(diagnosis));

    iw_diagnosis_frame(cause, oldest->frame);
    iw_diagnosis_frame(
        cause, iw_history_requests(evidence->history)->side[iw_side_other(side)].last_answer_frame);
    return cause;
}

static struct iw_diagnosed *hang_missing(const struct iw_evidence *evidence, enum iw_side side,
    const struct iw_request_name *oldest, struct iw_diagnosis *diagnosis) {
    const struct iw_unanswered *unanswered = &evidence->unanswered[side];
    enum iw_confidence confidence = hang_confidence(evidence, side, diagnosis, IW_CONFIDENCE_LIKELY);
    double waited = (double)(iw_evidence_last_ns(evidence) - oldest->time_ns) / 1e9;
    struct iw_diagnosed *cause;
    uint32_t depth;

    if (iw_mpa_depth(evidence->terms, side, &depth) && depth > 0 && unanswered->count >= depth)
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_QUEUE_FULL, confidence,
            "%" PRIu64 " request%s of %s %s outstanding; the startup permits %" PRIu32
            ". The oldest waits for %.3f s.%s",
            unanswered->count, iw_plural(unanswered->count), iw_evidence_side_name(evidence, side),
            unanswered->count == 1 ? "is" : "are", depth, waited, iw_diagnosis_missing_text(diagnosis));
    else
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_RESPONSE_MISSING, confidence,
            "%" PRIu64 " request%s of %s without a response; the oldest, %s with MSN %" PRIu32
            ", for %.3f s.%s",
            unanswered->count, iw_plural(unanswered->count), iw_evidence_side_name(evidence, side),
            oldest->opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[oldest->opcode].title : "a request", oldest->msn,
            waited, iw_diagnosis_missing_text(diagnosis));
    iw_diagnosis_frame(cause, oldest->frame);
    return cause;
}

void iw_diagnose_hang(const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_unanswered *unanswered = &evidence->unanswered[side];
    const struct iw_request_name *oldest = &unanswered->named[0];
    uint64_t waited;

    if (unanswered->count == 0 || unanswered->named_count == 0 || unanswered->perhaps > 0 ||
        unanswered->end == IW_UNANSWERED_TERMINATE || iw_evidence_is_partial(evidence) ||
        hang_is_of_tcp(evidence, side) || iw_diagnosis_has_group(diagnosis, IW_CAUSE_DEATH))
        return;
    waited = hang_waited(evidence, side, oldest);
    if (waited < IW_DIAGNOSIS_HANG_NS)
        return;
    iw_diagnosis_next(evidence,
        oldest->answered > 0 ? hang_stopped(evidence, side, oldest, waited, diagnosis)
                             : hang_missing(evidence, side, oldest, diagnosis),
        IW_CAUSE_OWING, iw_side_other(side));
}
