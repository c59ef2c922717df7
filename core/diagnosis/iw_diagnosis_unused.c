#include <stdio.h>

#include "iw_diagnosis_part.h"

/* Connections that are given up before the initiator's first message, because of what the other side sent. */

/* A longer silence before the end suggests that the initiator went on, and had nothing to send. */
#define GIVEN_UP_AT_ONCE_NS (3 * IW_SECOND_NS)

/* RFC 5044 7.1: MPA rejects the start of a connection by both sides. */
static void unused_both_request(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    const struct iw_mpa_terms *terms = facts->terms;
    const struct iw_startup *frame = terms->frame;
    struct iw_diagnosed *cause;

    if (terms->initiator_known || !terms->seen[IW_SIDE_A] || !terms->seen[IW_SIDE_B] ||
        frame[IW_SIDE_A].key != IW_STARTUP_REQUEST || frame[IW_SIDE_B].key != IW_STARTUP_REQUEST)
        return;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_PROTOCOL_VIOLATION,
        iw_diagnosis_missing(diagnosis, IW_CONFIDENCE_LIKELY),
        "Both sides sent a Request; the answer to a Request is a Reply (RFC 5044 7.1.1).");
    if (cause == NULL)
        return;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_diagnosis_frame(cause, facts->history->side[side].startup.frame);
    snprintf(cause->next, sizeof cause->next,
        "Let one program be the initiator and the other one the responder: MPA rejects two initiators.");
}

/* Whether the capture has all that the side sent: no octets of a message are missing. */
static bool unused_sent_nothing_else(const struct iw_facts *facts, enum iw_side side) {
    return facts->history->side[side].fpdus == 0 && !facts->history->side[side].close_unfinished &&
           iw_history_trouble(facts->history, side)->lost_frame == 0 && !iw_tcp_life_lacks(facts->life, side);
}

/* The initiator ended the connection after an answer that violates a rule, and sent no message. */
static void unused_after_violation(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    enum iw_side initiator = facts->terms->initiator, responder = iw_side_other(initiator);
    const struct iw_history_finding *finding;
    struct iw_diagnosed *cause;

    if (!facts->terms->initiator_known || diagnosis->count > 0 || diagnosis->ender != initiator ||
        (diagnosis->ending != IW_ENDING_GRACEFUL && diagnosis->ending != IW_ENDING_RESET) ||
        iw_diagnosis_closer(facts, diagnosis) != initiator || !unused_sent_nothing_else(facts, initiator))
        return;
    finding = iw_facts_finding(facts, responder, diagnosis->end.frame, NULL, NULL, 0);
    if (finding == NULL)
        return;
    cause = iw_diagnosis_add_of(diagnosis, responder, IW_CAUSE_ID_PROTOCOL_VIOLATION,
        facts->life->idle_ns < GIVEN_UP_AT_ONCE_NS ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
        "%s (%s); sent by the responder. Then the initiator ended the connection %s, without a message.",
        finding->message, finding->requirement->id, iw_ending_text(facts, diagnosis->ending));
    iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_frame(cause, diagnosis->end.frame);
    iw_diagnosis_violation_next(facts, cause, finding);
}

void iw_diagnose_unused(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    if (facts->life == NULL || facts->terms->rejected)
        return;
    unused_both_request(facts, diagnosis);
    unused_after_violation(facts, diagnosis);
}
