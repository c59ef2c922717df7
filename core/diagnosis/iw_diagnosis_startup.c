#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_part.h"
#include "iw_plural.h"

/* Causes before the first message. */

#define SECOND UINT64_C(1000000000)
#define REPLY_WAIT_NS (3 * SECOND) /* without a Reply for so long, the initiator waits in vain */
#define SILENCE_NS (3 * SECOND)    /* without a first message for so long, a side waits for the other */
#define GIVEN_UP_NS (30 * SECOND)  /* an initiator that closes earlier may have had nothing to send */

static uint64_t startup_since(struct iw_history_mark mark, uint64_t until) {
    return mark.frame != 0 && until > mark.time_ns ? until - mark.time_ns : 0;
}

/* Whether the side sent a part of its startup frame or, after it, of its first message. */
static bool startup_has_part(const struct iw_facts *facts, enum iw_side side) {
    return facts->history->side[side].close_unfinished;
}

/* ---- what did not come ---- */

/* How sure it is that the side sent nothing since `since_ns`, which would be `sure` if that is shown. */
static enum iw_confidence startup_silence(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns,
    const struct iw_diagnosis *diagnosis, enum iw_confidence sure) {
    return iw_diagnosis_is_silence_shown(facts, side, since_ns) ? iw_diagnosis_missing(diagnosis, sure)
                                                                : IW_CONFIDENCE_POSSIBLE;
}

/* Says what that leaves open: a sentence with a space before it, or "". */
static const char *startup_silence_text(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns,
    const struct iw_diagnosis *diagnosis, char text[IW_DIAGNOSIS_UNSHOWN]) {
    return diagnosis->ending == IW_ENDING_OPEN || iw_diagnosis_is_silence_shown(facts, side, since_ns)
               ? iw_diagnosis_missing_text(diagnosis)
               : iw_diagnosis_unshown_text(facts, side, text);
}

/* What to look at next: `words` in the text of the cause stand for the side, which has sent no `what`, unless
 * it may be lost. */
static void startup_silence_next(const struct iw_facts *facts, enum iw_side side, uint64_t since_ns,
    const char *words, const char *what, struct iw_diagnosed *cause) {
    if (iw_diagnosis_is_silence_shown(facts, side, since_ns))
        iw_diagnosis_next(facts, cause, words, side);
    else if (cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Capture again at the host of %s, and see whether it sends the %s. If so, look at the path; "
            "otherwise at the program and the device of %s.",
            iw_facts_side_name(facts, side), what, iw_facts_side_name(facts, side));
}

/* ---- a Reply that rejects ---- */

/* The ULP may have refused the private data, unless the depths explain it. */
static void startup_private_data(const struct iw_history_side *request, struct iw_diagnosis *diagnosis) {
    if (request->private_octets == 0 ||
        (diagnosis->count > 0 && diagnosis->causes[0].cause == &iw_causes[IW_CAUSE_ID_STARTUP_RESOURCES]))
        return;
    iw_diagnosis_frame(iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_PRIVATE_DATA, IW_CONFIDENCE_POSSIBLE,
                           "The Request carries %u octet%s of private data.", request->private_octets,
                           iw_plural(request->private_octets)),
        request->startup.frame);
}

bool iw_diagnosis_startup_negotiates_depth(const struct iw_mpa_terms *terms) {
    enum { NOT_NEGOTIATED = 0x3FFF };
    const struct iw_startup *request = &terms->frame[terms->initiator];
    const struct iw_startup *reply = &terms->frame[iw_side_other(terms->initiator)];

    return terms->seen[IW_SIDE_A] && terms->seen[IW_SIDE_B] && request->enhanced && reply->enhanced &&
           request->enhanced_data.ird != NOT_NEGOTIATED && reply->enhanced_data.ord != NOT_NEGOTIATED;
}

void iw_diagnosis_startup_frames(const struct iw_facts *facts, struct iw_diagnosed *cause) {
    iw_diagnosis_frame(cause, facts->history->side[IW_SIDE_A].startup.frame);
    iw_diagnosis_frame(cause, facts->history->side[IW_SIDE_B].startup.frame);
}

/* RFC 6581 9.1: the responder may reject for an IRD below the ORD that its ULP requires, and names that ORD
 * in the Reply. */
static void startup_rejected_depth(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    unsigned ird = facts->terms->frame[initiator].enhanced_data.ird;
    unsigned ord = facts->terms->frame[iw_side_other(initiator)].enhanced_data.ord;

    if (iw_diagnosis_startup_negotiates_depth(facts->terms) && ord > ird)
        iw_diagnosis_startup_frames(
            facts, iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_RESOURCES, IW_CONFIDENCE_LIKELY,
                       "The responder rejects and names ORD %u, which is more than the initiator's IRD %u.",
                       ord, ird));
}

static void startup_rejected(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &facts->history->side[initiator];
    const struct iw_history_side *reply = &facts->history->side[iw_side_other(initiator)];
    unsigned asked = facts->terms->frame[initiator].header.rev;
    unsigned answered = facts->terms->frame[iw_side_other(initiator)].header.rev;
    struct iw_diagnosed *cause;

    if (facts->terms->seen[initiator] && answered != asked && facts->life != NULL) {
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION, IW_CONFIDENCE_LIKELY,
            "The Request has Rev %u; the Reply rejects it and has Rev %u.", asked, answered);
        iw_diagnosis_startup_frames(facts, cause);
        iw_diagnosis_next(facts, cause, IW_CAUSE_INITIATING, initiator);
    }
    startup_rejected_depth(facts, initiator, diagnosis);
    cause = iw_diagnosis_add_of(diagnosis, iw_side_other(initiator), IW_CAUSE_ID_STARTUP_REJECTED,
        diagnosis->count > 0 ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_CERTAIN,
        "%s and carries %u octet%s of private data%s.",
        facts->life != NULL ? "The Reply has R=1" : "The responder sent a Reject", reply->private_octets,
        iw_plural(reply->private_octets), reply->private_octets > 0 ? ", which may state the reason" : "");
    iw_diagnosis_frame(cause, reply->startup.frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_RESPONDING, iw_side_other(initiator));
    startup_private_data(request, diagnosis);
}

/* ---- no Reply ---- */

/* Whether the other host took the startup frame of the side: a host that acknowledges nothing of what is sent
 * again is silent as a whole. If nothing is sent again, TCP has delivered it, though the capture may lack the
 * acknowledgement. */
static bool startup_is_delivered(const struct iw_facts *facts, enum iw_side side) {
    return facts->life == NULL || !iw_tcp_life_in_flight(facts->life, side) ||
           iw_tcp_life_trouble(facts->life, side)->resend.count == 0;
}

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

/* The responder closed, and sent no Reply. */
static void startup_closed(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &facts->history->side[initiator];
    const struct iw_history_side *silent = &facts->history->side[iw_side_other(initiator)];
    bool early = silent->close.frame < request->startup.frame;
    bool reset = silent->close_kind == IW_LLP_CLOSE_ABORTIVE, sure;
    struct iw_diagnosed *cause;

    if (reset && iw_diagnosis_is_foreign_reset(facts, iw_side_other(initiator), &sure) && sure)
        return; /* the responder did not close */
    if (!early && startup_closed_for_violation(facts, initiator, diagnosis))
        return;
    cause = early ? iw_diagnosis_add_of(diagnosis, iw_side_other(initiator), IW_CAUSE_ID_STARTUP_CLOSED,
                        IW_CONFIDENCE_LIKELY,
                        "The responder closed %.3f s before the Request, without waiting for it.",
                        (double)startup_since(silent->close, request->startup.time_ns) / 1e9)
                  : iw_diagnosis_add_of(diagnosis, iw_side_other(initiator), IW_CAUSE_ID_STARTUP_CLOSED,
                        reset ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_CERTAIN,
                        "The responder %s %.3f s after the Request, without a Reply.%s",
                        reset ? "sent a RST" : "closed",
                        (double)startup_since(request->startup, silent->close.time_ns) / 1e9,
                        reset ? " A firewall can send it in the name of the responder." : "");
    iw_diagnosis_frame(cause, request->startup.frame);
    iw_diagnosis_frame(cause, silent->close.frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_RESPONDING, iw_side_other(initiator));
    if (early)
        return; /* whatever the Request has, it is not the reason */
    if (facts->terms->frame[initiator].header.rev > 1) {
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION, IW_CONFIDENCE_POSSIBLE,
            "The Request has Rev %u; a responder that knows only Rev 1 may close.",
            facts->terms->frame[initiator].header.rev);
        iw_diagnosis_frame(cause, request->startup.frame);
        iw_diagnosis_next(facts, cause, IW_CAUSE_INITIATING, initiator);
    }
    startup_private_data(request, diagnosis);
}

static void startup_unanswered(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &facts->history->side[initiator];
    const struct iw_history_side *silent = &facts->history->side[iw_side_other(initiator)];
    uint64_t waited = startup_since(request->startup, iw_facts_last_ns(facts));
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
        startup_has_part(facts, iw_side_other(initiator)))
        return;
    if (closed) {
        startup_closed(facts, initiator, diagnosis);
    } else if (waited >= REPLY_WAIT_NS && startup_is_delivered(facts, initiator)) {
        cause = iw_diagnosis_add_of(diagnosis, responder, IW_CAUSE_ID_STARTUP_TIMEOUT,
            startup_silence(facts, responder, asked, diagnosis,
                diagnosis->count > 0 ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_CERTAIN),
            "For %.3f s after the Request no Reply came.%s", (double)waited / 1e9,
            startup_silence_text(facts, responder, asked, diagnosis, text));
        iw_diagnosis_frame(cause, request->startup.frame);
        startup_silence_next(facts, responder, asked, IW_CAUSE_RESPONDING, "Reply", cause);
        if (request->close_kind != IW_LLP_CLOSE_INPUT)
            iw_diagnosis_frame(cause, request->close.frame);
    }
}

/* ---- a Reply of another revision ---- */

/* The Reply accepts, but has another revision than the Request, and no message follows. */
static void startup_other_revision(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    unsigned asked = facts->terms->frame[initiator].header.rev;
    unsigned answered = facts->terms->frame[iw_side_other(initiator)].header.rev;
    struct iw_diagnosed *cause;

    if (asked == answered || facts->history->message_count > 0 || diagnosis->ending == IW_ENDING_OPEN ||
        iw_facts_has_gaps(facts) || startup_has_part(facts, IW_SIDE_A) || startup_has_part(facts, IW_SIDE_B))
        return;
    /* a Rev of 2 without enhanced data asks for nothing that Rev 1 lacks */
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION,
        facts->terms->frame[initiator].enhanced ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
        "The Request has Rev %u; the Reply accepts and has Rev %u, and the connection ended without a "
        "message.",
        asked, answered);
    iw_diagnosis_startup_frames(facts, cause);
    iw_diagnosis_frame(cause, diagnosis->end.frame);
    iw_diagnosis_next(facts, cause, IW_CAUSE_INITIATING, initiator);
}

/* ---- no first message ---- */

static void startup_without_rtr(
    const struct iw_facts *facts, uint64_t silent, unsigned rtr, struct iw_diagnosis *diagnosis) {
    enum iw_side initiator = facts->terms->initiator;
    uint64_t replied = facts->history->side[iw_side_other(initiator)].startup.time_ns;
    char text[IW_DIAGNOSIS_UNSHOWN];
    struct iw_diagnosed *cause;

    if (startup_has_part(facts, initiator))
        return;
    cause = iw_diagnosis_add_of(diagnosis, initiator, IW_CAUSE_ID_RTR_MISSING,
        startup_silence(facts, initiator, replied, diagnosis, IW_CONFIDENCE_CERTAIN),
        "Both frames have A=1. For %.3f s after the Reply the initiator sent no message; the RTR would be "
        "a %s.%s",
        (double)silent / 1e9, iw_startup_rtr_text(rtr),
        startup_silence_text(facts, initiator, replied, diagnosis, text));
    iw_diagnosis_frame(cause, facts->history->side[iw_side_other(initiator)].startup.frame);
    startup_silence_next(facts, initiator, replied, IW_CAUSE_INITIATING, "RTR", cause);
}

/* An initiator may have nothing to send for a while. It has to send first, so if it closes itself, only a
 * long wait suggests that it waited for the responder. */
static void startup_both_wait(const struct iw_facts *facts, uint64_t silent, struct iw_diagnosis *diagnosis) {
    enum iw_side initiator = facts->terms->initiator;
    uint64_t replied = facts->history->side[iw_side_other(initiator)].startup.time_ns;
    bool given_up = diagnosis->ending != IW_ENDING_OPEN && diagnosis->ender == initiator;
    char text[IW_DIAGNOSIS_UNSHOWN];
    struct iw_diagnosed *cause;

    if (startup_has_part(facts, IW_SIDE_A) || startup_has_part(facts, IW_SIDE_B) ||
        (given_up && silent < GIVEN_UP_NS))
        return;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_BOTH_WAIT,
        startup_silence(facts, initiator, replied, diagnosis,
            !given_up && silent >= 3 * SILENCE_NS ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE),
        "For %.3f s after the Reply no message of either side came.%s%s", (double)silent / 1e9,
        given_up ? " The initiator closed; perhaps it had nothing to send." : "",
        startup_silence_text(facts, initiator, replied, diagnosis, text));
    iw_diagnosis_frame(cause, facts->history->side[iw_side_other(initiator)].startup.frame);
    startup_silence_next(facts, initiator, replied, IW_CAUSE_INITIATING, "first message", cause);
    if (given_up && cause != NULL)
        snprintf(cause->next, sizeof cause->next,
            "Look at the log of the initiator. If it waited for a message, let it send first, or negotiate "
            "peer-to-peer mode (Rev 2); if it had nothing to send, nothing is wrong.");
}

static void startup_without_messages(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *reply = &facts->history->side[iw_side_other(initiator)];
    uint64_t silent = startup_since(reply->startup, iw_facts_last_ns(facts));
    unsigned rtr;

    if (facts->history->message_count > 0 || silent < SILENCE_NS || iw_facts_is_partial(facts) ||
        iw_history_trouble(facts->history, initiator)->lost_frame != 0 ||
        !startup_is_delivered(facts, iw_side_other(initiator)))
        return;
    if (iw_mpa_peer_to_peer(facts->terms, &rtr))
        startup_without_rtr(facts, silent, rtr, diagnosis);
    else
        startup_both_wait(facts, silent, diagnosis);
}

void iw_diagnose_startup(const struct iw_facts *facts, struct iw_diagnosis *diagnosis) {
    const struct iw_mpa_terms *terms = facts->terms;
    enum iw_side initiator = terms->initiator;

    if (facts->life == NULL && !terms->rejected)
        return; /* over SCTP the startup is that of a session */
    if (!terms->initiator_known || (!terms->seen[initiator] && !terms->rejected))
        return;
    iw_diagnosis_smb_startup(facts, diagnosis);
    if (!terms->rejected && terms->seen[IW_SIDE_A] && terms->seen[IW_SIDE_B])
        startup_other_revision(facts, initiator, diagnosis);
    if (terms->rejected)
        startup_rejected(facts, initiator, diagnosis);
    else if (!terms->settled)
        startup_unanswered(facts, initiator, diagnosis);
    else
        startup_without_messages(facts, initiator, diagnosis);
}
