#include <stdarg.h>
#include <stdio.h>

#include "iw_diagnosis_terminate.h"

/* A Terminate about the enhanced startup. */

/* The detail says what the startup frames have. */
static void startup_resources(const struct iw_terminate_case *at, enum iw_confidence confidence,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

static void startup_resources(
    const struct iw_terminate_case *at, enum iw_confidence confidence, const char *format, ...) {
    char frames[160];
    struct iw_diagnosed *cause;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(frames, sizeof frames, format, arguments);
    va_end(arguments);
    if (confidence == IW_CONFIDENCE_CERTAIN && at->facts->history->side[at->side].fpdus > 1)
        confidence = IW_CONFIDENCE_LIKELY; /* it accepted the startup first */
    cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STARTUP_RESOURCES, confidence, "%s says: %s. %s",
        iw_diagnosis_terminate_sender(at), iw_error_name(IW_LLP_MPA, at->terminate->error), frames);
    iw_diagnosis_startup_frames(at->facts, cause);
    iw_diagnosis_terminate_frames(at, cause);
}

/* Error Code 7: both frames name RTR types, and one that both name contradicts it (RFC 6581 9.2). */
static void startup_no_rtr(const struct iw_terminate_case *at) {
    const struct iw_facts *facts = at->facts;
    const struct iw_startup *frame = facts->terms->frame;
    enum iw_side initiator = facts->terms->initiator;
    unsigned rtr;

    if (!iw_mpa_peer_to_peer(facts->terms, &rtr))
        return; /* the error is of peer-to-peer mode only */
    iw_diagnosis_terminate_decide(at, rtr == 0 ? IW_TRUTH_CONFIRMED : IW_TRUTH_REFUTED);
    if (rtr == 0)
        startup_resources(at, IW_CONFIDENCE_CERTAIN, "The Request names %s as RTR, and the Reply %s.",
            iw_startup_rtr_text(iw_startup_rtr(&frame[initiator].enhanced_data)),
            iw_startup_rtr_text(iw_startup_rtr(&frame[iw_side_other(initiator)].enhanced_data)));
}

/* Error Code 6: the initiator lacks resources for an IRD of the Reply's ORD (RFC 6581 9.1). Within the
 * Request's IRD it should have them; nothing on the wire shows it. */
static void startup_no_ird(const struct iw_terminate_case *at) {
    const struct iw_mpa_terms *terms = at->facts->terms;
    unsigned ird = terms->frame[terms->initiator].enhanced_data.ird;
    unsigned ord = terms->frame[iw_side_other(terms->initiator)].enhanced_data.ord;

    if (!terms->frame[IW_SIDE_A].enhanced || !terms->frame[IW_SIDE_B].enhanced)
        return; /* neither IRD nor ORD is negotiated */
    if (!iw_diagnosis_startup_negotiates_depth(terms)) {
        startup_resources(
            at, IW_CONFIDENCE_POSSIBLE, "The startup frames negotiate no ORD of the responder.");
    } else if (ord > ird) {
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
        startup_resources(at, IW_CONFIDENCE_CERTAIN,
            "The Reply names ORD %u, which is more than IRD %u of the Request.", ord, ird);
    } else {
        startup_resources(at, IW_CONFIDENCE_POSSIBLE,
            "The Reply names ORD %u, which is within IRD %u of the Request.", ord, ird);
    }
}

void iw_diagnosis_startup_terminate(const struct iw_terminate_case *at) {
    if (!at->facts->terms->settled)
        startup_resources(at, IW_CONFIDENCE_LIKELY, "The capture does not show a Request and its Reply.");
    else if (at->terminate->error == IW_ERROR_MPA_NO_RTR)
        startup_no_rtr(at);
    else
        startup_no_ird(at);
}
