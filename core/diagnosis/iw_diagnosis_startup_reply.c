#include <stdio.h>

#include "iw_diagnosis_startup.h"

/* Causes before the first message: a Request without a Reply. */

#define REPLY_WAIT_NS UINT64_C(3000000000) /* without a Reply for so long, the initiator waits in vain */

/* A responder closes after a Request that it must not accept (RFC 5044 7.1.1). Returns whether it is one. */
static bool startup_closed_for_violation(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    uint64_t frame = facts->history->side[initiator].startup.frame;
    const struct iw_history_finding *finding = iw_facts_finding(facts, initiator, frame, NULL, NULL, 0);
    struct iw_diagnosed *cause;

    if (finding == NULL)
        return false;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_PROTOCOL_VIOLATION, IW_CONFIDENCE_LIKELY,
        "%s (%s); sent by the initiator. Then the responder closed, without a Reply.", finding->message,
        finding->requirement->id);
    iw_diagnosis_frame(cause, finding->frame);
    iw_diagnosis_frame(cause, facts->history->side[iw_side_other(initiator)].close.frame);
    return true;
}

/* A responder must close after a Request of a Rev with which it cannot interoperate (RFC 5044 7.1.1), but it
 * may close for other reasons, too. Returns whether it accepts Rev 1 from the same host. */
static bool startup_closed_for_revision(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    unsigned rev = facts->terms->frame[initiator].header.rev;
    bool shown = facts->rev_1_accepted != NULL;
    struct iw_diagnosed *cause;

    if (rev <= 1 || facts->rev_answered)
        return false;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION,
        shown ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
        "The Request has Rev %u, and a responder that knows only Rev 1 closes.%s%s%s", rev,
        shown ? " It accepts Rev 1 from the same host: " : "", shown ? facts->rev_1_accepted : "",
        shown ? "." : "");
    iw_diagnosis_frame(cause, facts->history->side[initiator].startup.frame);
    iw_diagnosis_frame(cause, facts->history->side[iw_side_other(initiator)].close.frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_INITIATING, initiator);
    return shown;
}

/* The responder closed, and sent no Reply. */
static void startup_closed(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &facts->history->side[initiator];
    const struct iw_history_side *silent = &facts->history->side[iw_side_other(initiator)];
    bool early = silent->close.frame < request->startup.frame;
    bool reset = silent->close_kind == IW_LLP_CLOSE_ABORTIVE, sure, explained;
    struct iw_diagnosed *cause;

    if (reset && iw_diagnosis_is_foreign_reset(facts, iw_side_other(initiator), &sure) && sure)
        return; /* the responder did not close */
    if (!early && startup_closed_for_violation(facts, initiator, diagnosis))
        return;
    explained = !early && startup_closed_for_revision(facts, initiator, diagnosis);
    cause = early ? iw_diagnosis_add_of(diagnosis, iw_side_other(initiator), IW_CAUSE_ID_STARTUP_CLOSED,
                        IW_CONFIDENCE_LIKELY,
                        "The responder closed %.3f s before the Request, without waiting for it.",
                        (double)iw_diagnosis_startup_since(silent->close, request->startup.time_ns) / 1e9)
                  : iw_diagnosis_add_of(diagnosis, iw_side_other(initiator), IW_CAUSE_ID_STARTUP_CLOSED,
                        explained ? IW_CONFIDENCE_POSSIBLE
                        : reset   ? IW_CONFIDENCE_LIKELY
                                  : IW_CONFIDENCE_CERTAIN,
                        "The responder %s %.3f s after the Request, without a Reply.%s",
                        reset ? "sent a RST" : "closed",
                        (double)iw_diagnosis_startup_since(request->startup, silent->close.time_ns) / 1e9,
                        reset ? " A firewall can send it in the name of the responder." : "");
    iw_diagnosis_frame(cause, request->startup.frame);
    iw_diagnosis_frame(cause, silent->close.frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_RESPONDING, iw_side_other(initiator));
    if (early)
        return; /* whatever the Request has, it is not the reason */
    iw_diagnosis_startup_private_data(request, diagnosis);
}

void iw_diagnosis_startup_unanswered(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &facts->history->side[initiator];
    const struct iw_history_side *silent = &facts->history->side[iw_side_other(initiator)];
    uint64_t waited = iw_diagnosis_startup_since(request->startup, iw_facts_last_ns(facts));
    bool closed = silent->close.frame != 0 && silent->close_kind != IW_LLP_CLOSE_INPUT &&
                  (request->close.frame == 0 || request->close_kind == IW_LLP_CLOSE_INPUT ||
                      silent->close.frame < request->close.frame);
    enum iw_side responder = iw_side_other(initiator);
    uint64_t asked = request->startup.time_ns;
    char text[IW_DIAGNOSIS_UNSHOWN];
    struct iw_diagnosed *cause;

    if (!facts->life->side[initiator].syn || facts->life->side[iw_side_other(initiator)].segments == 0 ||
        iw_history_trouble(facts->history, iw_side_other(initiator))->lost_frame != 0 || silent->fpdus > 0 ||
        request->fpdus > 0 || facts->terms->seen[iw_side_other(initiator)] ||
        iw_diagnosis_startup_has_part(facts, iw_side_other(initiator)))
        return;
    if (closed) {
        startup_closed(facts, initiator, diagnosis);
    } else if (waited >= REPLY_WAIT_NS && iw_diagnosis_startup_is_delivered(facts, initiator)) {
        cause = iw_diagnosis_add_of(diagnosis, responder, IW_CAUSE_ID_STARTUP_TIMEOUT,
            iw_diagnosis_startup_silence(facts, responder, asked, diagnosis,
                diagnosis->count > 0 ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_CERTAIN),
            "For %.3f s after the Request no Reply came.%s", (double)waited / 1e9,
            iw_diagnosis_startup_silence_text(facts, responder, asked, diagnosis, text));
        iw_diagnosis_frame(cause, request->startup.frame);
        iw_diagnosis_startup_silence_next(facts, responder, asked, IW_CAUSE_RESPONDING, "Reply", cause);
        if (request->close_kind != IW_LLP_CLOSE_INPUT)
            iw_diagnosis_frame(cause, request->close.frame);
    }
}
