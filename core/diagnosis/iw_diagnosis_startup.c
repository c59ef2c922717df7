#include <stdio.h>

#include "iw_diagnosis_startup.h"
#include "iw_plural.h"

/* Causes before the first message: a startup that is rejected, or of different revisions. */

/* ---- a Reply that rejects ---- */

void iw_diagnosis_startup_private_data(
    const struct iw_history_side *request, struct iw_diagnosis *diagnosis) {
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
    iw_diagnosis_startup_private_data(request, diagnosis);
}

/* ---- a Reply of another revision ---- */

/* The Reply accepts, but has another revision than the Request, and no message follows. */
static void startup_other_revision(
    const struct iw_facts *facts, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    unsigned asked = facts->terms->frame[initiator].header.rev;
    unsigned answered = facts->terms->frame[iw_side_other(initiator)].header.rev;
    struct iw_diagnosed *cause;

    if (asked == answered || facts->history->message_count > 0 || diagnosis->ending == IW_ENDING_OPEN ||
        iw_facts_has_gaps(facts) || iw_diagnosis_startup_has_part(facts, IW_SIDE_A) ||
        iw_diagnosis_startup_has_part(facts, IW_SIDE_B))
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
        iw_diagnosis_startup_unanswered(facts, initiator, diagnosis);
    else
        iw_diagnosis_startup_without_messages(facts, initiator, diagnosis);
}
