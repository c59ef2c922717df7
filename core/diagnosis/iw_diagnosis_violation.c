#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_diagnosis_terminate.h"

/* The last resort: a violation that the monitor found, and after which its receiver ended the connection. */

/* A finding against the other side whose clause demands just this Terminate: about the rejected message, or
 * about any message before if the Terminate does not say which. */
static const struct iw_history_finding *violation_demanding(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->evidence->history;
    char error[IW_ERROR_TEXT_OCTETS];

    iw_error_text(at->terminate->error, error);
    for (uint32_t i = 0; i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];

        if (finding->side != at->side && finding->frame <= at->terminate->mark.frame &&
            (at->message == NULL || finding->frame == at->message->mark.frame) &&
            strcmp(finding->requirement->terminate, error) == 0)
            return finding;
    }
    return NULL;
}

void iw_terminate_violation(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding = violation_demanding(at);
    const struct iw_history *history = at->evidence->history;
    const struct iw_history_crc *crc = &iw_history_trouble(history, iw_side_other(at->side))->crc;
    char counts[64] = "";
    bool same = !at->terminate->has_header || at->message != NULL; /* otherwise it is of an unknown message */
    struct iw_diagnosed *cause;

    if (finding == NULL)
        return;
    if (same)
        iw_terminate_decide(at, IW_TRUTH_CONFIRMED);
    if (at->diagnosis->count > 0)
        return;
    if (at->terminate->error == IW_ERROR_MPA_CRC && crc->bad > 1)
        snprintf(counts, sizeof counts, " %" PRIu64 " of its %" PRIu64 " CRCs are wrong.", crc->bad,
            crc->bad + history->side[iw_side_other(at->side)].crc_good);
    cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_PROTOCOL_VIOLATION,
        same ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_POSSIBLE, "%s (%s); sent by %s.%s", finding->message,
        finding->requirement->id, iw_terminate_other(at), counts);
    iw_diagnosis_frame(cause, finding->frame);
    iw_terminate_frames(at, cause);
}

/* ---- a reset without a Terminate ---- */

struct violation_reset {
    enum iw_side side; /* that reset the connection */
    uint64_t frame;    /* of the violation */
};

static bool violation_is_message_after(const struct iw_history_message *message, const void *what) {
    const struct violation_reset *reset = what;

    return message->side == reset->side && message->mark.frame > reset->frame;
}

/* The latest finding against the other side before its receiver ended the connection. */
static const struct iw_history_finding *violation_before_end(
    const struct iw_evidence *evidence, const struct iw_diagnosis *diagnosis) {
    const struct iw_history *history = evidence->history;
    const struct iw_history_finding *latest = NULL;

    for (uint32_t i = 0; i < history->finding_count; i++)
        if (history->findings[i].side != diagnosis->ender &&
            history->findings[i].frame < diagnosis->end.frame)
            latest = &history->findings[i];
    return latest;
}

void iw_diagnose_violation(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis) {
    const struct iw_history_finding *finding;
    struct iw_diagnosed *cause;

    if (diagnosis->count > 0 || diagnosis->ending != IW_ENDING_RESET)
        return;
    finding = violation_before_end(evidence, diagnosis);
    if (finding == NULL || iw_history_find(evidence->history, violation_is_message_after,
                               &(struct violation_reset){diagnosis->ender, finding->frame}) != NULL)
        return; /* a receiver that goes on has not ended the connection for it */
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_PROTOCOL_VIOLATION, IW_CONFIDENCE_POSSIBLE,
        "%s (%s); sent by %s. Then %s ended the connection %s, without a Terminate.", finding->message,
        finding->requirement->id, iw_evidence_side_name(evidence, iw_side_other(diagnosis->ender)),
        iw_evidence_side_name(evidence, diagnosis->ender), iw_ending_text(evidence, diagnosis->ending));
    iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_frame(cause, diagnosis->end.frame);
}
