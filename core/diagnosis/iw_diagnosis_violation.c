#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_diagnosis_terminate.h"

/* The last resort: a violation that the monitor found, and after which its receiver ended the connection. */

/* ---- what came after a violation ---- */

struct violation_end {
    enum iw_side side; /* that ended the connection */
    uint64_t frame;    /* of the violation */
    uint64_t until;    /* of the end */
};

static bool violation_is_message_after(const struct iw_history_message *message, const void *what) {
    const struct violation_end *end = what;

    return message->side == end->side && message->mark.frame > end->frame && message->mark.frame < end->until;
}

/* Whether the side went on after the violation, as far as its latest messages show. */
static bool violation_end_goes_on(const struct iw_history *history, const struct violation_end *end) {
    return (history->message_count > history->message_max &&
               iw_history_back(history, iw_history_kept(history) - 1)->mark.frame > end->frame) ||
           iw_history_find(history, violation_is_message_after, end) != NULL;
}

bool iw_diagnosis_violation_goes_on(const struct iw_terminate_case *at, uint64_t frame) {
    return violation_end_goes_on(
        at->facts->history, &(struct violation_end){at->side, frame, at->terminate->mark.frame});
}

/* The latest finding against the side before the frame. */
static const struct iw_history_finding *violation_latest(
    const struct iw_history *history, enum iw_side side, uint64_t before) {
    const struct iw_history_finding *latest = NULL;

    for (uint32_t i = 0; i < history->finding_count; i++)
        if (history->findings[i].side == side && history->findings[i].frame < before)
            latest = &history->findings[i];
    return latest;
}

/* ---- a Terminate for a violation ---- */

/* The latest finding against the other side whose clause demands just this Terminate: about the rejected
 * message, or about any message before if the Terminate does not say which. */
static const struct iw_history_finding *violation_demanding(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;
    const struct iw_history_finding *latest = NULL;
    char error[IW_ERROR_TEXT_OCTETS];

    iw_error_text(at->terminate->error, error);
    for (uint32_t i = 0; i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];

        if (finding->side != at->side && finding->frame <= at->terminate->mark.frame &&
            (at->message == NULL || finding->frame == at->message->mark.frame) &&
            strcmp(finding->requirement->terminate, error) == 0)
            latest = finding;
    }
    return latest;
}

static bool violation_is_crc(const struct iw_cause *cause) {
    switch ((enum iw_cause_id)(cause - iw_causes)) {
    case IW_CAUSE_ID_CRC_ALGORITHM:
    case IW_CAUSE_ID_CRC_DISAGREEMENT:
    case IW_CAUSE_ID_CRC_STALE_PAD:
    case IW_CAUSE_ID_CRC_DAMAGE:
    case IW_CAUSE_ID_MARKER_DISAGREEMENT:
    case IW_CAUSE_ID_MARKER_MISPLACED:
        return true;
    default:
        return false;
    }
}

/* Whether the Terminate has a cause already: of its own, or wrong CRCs or Markers of the other side. */
static bool violation_is_explained(const struct iw_terminate_case *at) {
    const struct iw_diagnosis *diagnosis = at->diagnosis;

    for (unsigned i = 0; i < diagnosis->count; i++) {
        const struct iw_diagnosed *cause = &diagnosis->causes[i];

        if (cause->side != at->side && violation_is_crc(cause->cause))
            return true;
    }
    return diagnosis->count > at->causes_before;
}

void iw_diagnosis_violation_terminate(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding = violation_demanding(at);
    const struct iw_history *history = at->facts->history;
    const struct iw_history_crc *crc = iw_facts_crc(at->facts, iw_side_other(at->side));
    char counts[64] = "";
    struct iw_diagnosed *cause;
    bool same;

    if (finding == NULL)
        return;
    /* otherwise it is of an unknown message, or of any after which its receiver did not go on */
    same = at->message != NULL ||
           (!at->terminate->has_header && !iw_diagnosis_violation_goes_on(at, finding->frame));
    if (same)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    if (violation_is_explained(at))
        return;
    if (at->terminate->error == IW_ERROR_MPA_CRC && crc->bad > 1)
        snprintf(counts, sizeof counts, " %" PRIu64 " of its %" PRIu64 " CRCs are wrong.", crc->bad,
            crc->bad + history->side[iw_side_other(at->side)].crc_good);
    cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_PROTOCOL_VIOLATION,
        same ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_POSSIBLE, "%s (%s); sent by %s.%s", finding->message,
        finding->requirement->id, iw_diagnosis_terminate_other(at), counts);
    iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_terminate_frames(at, cause);
}

const struct iw_history_finding *iw_diagnosis_violation_before(const struct iw_terminate_case *at) {
    const struct iw_history_finding *latest =
        violation_latest(at->facts->history, iw_side_other(at->side), at->terminate->mark.frame);

    return latest != NULL && !iw_diagnosis_violation_goes_on(at, latest->frame) ? latest : NULL;
}

/* ---- a Terminate that is not true ---- */

/* Findings against a Terminate which show that its message has no such error. */
static bool violation_is_untruth(const struct iw_requirement *requirement) {
    switch ((enum iw_requirement_id)(requirement - iw_requirements)) {
    case IW_REQ_RFC5041_5_2_10:   /* STag and TO of a message without octets are not checked */
    case IW_REQ_RFC5040_5_2_1_13: /* nor those of a Read of size 0 */
    case IW_REQ_RFC5041_7_2_01:   /* the error is of other messages */
    case IW_REQ_RFC5040_7_1_02:
        return true;
    default:
        return false;
    }
}

bool iw_diagnosis_violation_is_untrue(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;

    if (iw_diagnosis_terminate_finding(at, NULL, NULL) != NULL)
        return false; /* its message has another error */
    for (uint32_t i = 0; i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];

        if (finding->side == at->side && finding->frame == at->terminate->mark.frame &&
            violation_is_untruth(finding->requirement))
            return true;
    }
    return false;
}

/* ---- a reset without a Terminate ---- */

void iw_diagnosis_violation_next(
    const struct iw_facts *facts, struct iw_diagnosed *cause, const struct iw_history_finding *finding) {
    if (cause != NULL && finding->requirement == &iw_requirements[IW_REQ_RFC5044_7_1_1_03])
        snprintf(cause->next, sizeof cause->next,
            "Another protocol may answer: check that %s has the right port and program. "
            "'warpcheck check' shows the octets.",
            iw_facts_side_name(facts, finding->side));
}

void iw_diagnose_violation(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    const struct iw_history_finding *finding;
    struct iw_diagnosed *cause;

    if (iw_diagnosis_explains_end(facts, diagnosis) || diagnosis->ending != IW_ENDING_RESET)
        return;
    finding = violation_latest(facts->history, iw_side_other(diagnosis->ender), diagnosis->end.frame);
    if (finding == NULL || violation_end_goes_on(facts->history,
                               &(struct violation_end){diagnosis->ender, finding->frame, UINT64_MAX}))
        return; /* a receiver that goes on has not ended the connection for it */
    cause = iw_diagnosis_add_of(diagnosis, iw_side_other(diagnosis->ender), IW_CAUSE_ID_PROTOCOL_VIOLATION,
        IW_CONFIDENCE_POSSIBLE, "%s (%s); sent by %s. Then %s ended the connection %s, without a Terminate.",
        finding->message, finding->requirement->id,
        iw_facts_side_name(facts, iw_side_other(diagnosis->ender)),
        iw_facts_side_name(facts, diagnosis->ender), iw_ending_text(facts, diagnosis->ending));
    iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_frame(cause, diagnosis->end.frame);
    iw_diagnosis_violation_next(facts, cause, finding);
}
