#include <inttypes.h>

#include "iw_diagnosis_part.h"
#include "iw_plural.h"
#include "iw_private_format.h"

/* Causes before the first message. */

#define SECOND UINT64_C(1000000000)
#define REPLY_WAIT_NS (3 * SECOND) /* without a Reply for so long, the initiator waits in vain */
#define SILENCE_NS (3 * SECOND)    /* without a first message for so long, a side waits for the other */

static uint64_t startup_since(struct iw_history_mark mark, uint64_t until) {
    return mark.frame != 0 && until > mark.time_ns ? until - mark.time_ns : 0;
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

/* RFC 6581 9.1: the responder may reject for an IRD below the ORD that its ULP requires, and names that ORD
 * in the Reply. 0x3FFF asks for no negotiation. */
static void startup_rejected_depth(
    const struct iw_evidence *evidence, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    enum { NOT_NEGOTIATED = 0x3FFF };
    const struct iw_startup *request = &evidence->terms->frame[initiator];
    const struct iw_startup *reply = &evidence->terms->frame[iw_side_other(initiator)];
    struct iw_diagnosed *cause;

    if (!evidence->terms->seen[initiator] || !request->enhanced || !reply->enhanced ||
        request->enhanced_data.ird == NOT_NEGOTIATED || reply->enhanced_data.ord == NOT_NEGOTIATED ||
        reply->enhanced_data.ord <= request->enhanced_data.ird)
        return;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_RESOURCES, IW_CONFIDENCE_LIKELY,
        "The responder rejects and names ORD %u, which is more than the initiator's IRD %u.",
        reply->enhanced_data.ord, request->enhanced_data.ird);
    iw_diagnosis_frame(cause, evidence->history->side[initiator].startup.frame);
    iw_diagnosis_frame(cause, evidence->history->side[iw_side_other(initiator)].startup.frame);
}

static void startup_rejected(
    const struct iw_evidence *evidence, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &evidence->history->side[initiator];
    const struct iw_history_side *reply = &evidence->history->side[iw_side_other(initiator)];
    unsigned asked = evidence->terms->frame[initiator].header.rev;
    unsigned answered = evidence->terms->frame[iw_side_other(initiator)].header.rev;
    struct iw_diagnosed *cause;

    if (evidence->terms->seen[initiator] && answered != asked && evidence->life != NULL) {
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION, IW_CONFIDENCE_LIKELY,
            "The Request has Rev %u; the Reply rejects it and has Rev %u.", asked, answered);
        iw_diagnosis_frame(cause, request->startup.frame);
        iw_diagnosis_frame(cause, reply->startup.frame);
    }
    startup_rejected_depth(evidence, initiator, diagnosis);
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REJECTED,
        diagnosis->count > 0 ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_CERTAIN,
        "%s and carries %u octet%s of private data%s.",
        evidence->life != NULL ? "The Reply has R=1" : "The responder sent a Reject", reply->private_octets,
        iw_plural(reply->private_octets), reply->private_octets > 0 ? ", which may state the reason" : "");
    iw_diagnosis_frame(cause, reply->startup.frame);
    startup_private_data(request, diagnosis);
}

/* ---- no Reply ---- */

static void startup_unanswered(
    const struct iw_evidence *evidence, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *request = &evidence->history->side[initiator];
    const struct iw_history_side *silent = &evidence->history->side[iw_side_other(initiator)];
    uint64_t waited = startup_since(request->startup, iw_evidence_last_ns(evidence));
    bool closed = silent->close.frame != 0 && silent->close_kind != IW_LLP_CLOSE_INPUT &&
                  (request->close.frame == 0 || request->close_kind == IW_LLP_CLOSE_INPUT ||
                      silent->close.frame < request->close.frame);
    struct iw_diagnosed *cause;

    if (!evidence->life->side[initiator].syn ||
        iw_history_trouble(evidence->history, iw_side_other(initiator))->lost_frame != 0 ||
        silent->fpdus > 0 || request->fpdus > 0 || evidence->terms->seen[iw_side_other(initiator)])
        return;
    if (closed) {
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_CLOSED, IW_CONFIDENCE_CERTAIN,
            "The responder closed %.3f s after the Request, without a Reply.",
            (double)startup_since(request->startup, silent->close.time_ns) / 1e9);
        iw_diagnosis_frame(cause, request->startup.frame);
        iw_diagnosis_frame(cause, silent->close.frame);
        if (evidence->terms->frame[initiator].header.rev > 1)
            iw_diagnosis_frame(
                iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION, IW_CONFIDENCE_POSSIBLE,
                    "The Request has Rev %u; a responder that knows only Rev 1 may close.",
                    evidence->terms->frame[initiator].header.rev),
                request->startup.frame);
        startup_private_data(request, diagnosis);
    } else if (waited >= REPLY_WAIT_NS) {
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_TIMEOUT,
            iw_diagnosis_missing(
                diagnosis, diagnosis->count > 0 ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_CERTAIN),
            "For %.3f s after the Request no Reply came.%s", (double)waited / 1e9,
            iw_diagnosis_missing_text(diagnosis));
        iw_diagnosis_frame(cause, request->startup.frame);
        if (request->close_kind != IW_LLP_CLOSE_INPUT)
            iw_diagnosis_frame(cause, request->close.frame);
    }
}

/* ---- a Reply of another revision ---- */

/* The Reply accepts, but has another revision than the Request, and no message follows. */
static void startup_other_revision(
    const struct iw_evidence *evidence, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    enum iw_side responder = iw_side_other(initiator);
    unsigned asked = evidence->terms->frame[initiator].header.rev;
    unsigned answered = evidence->terms->frame[responder].header.rev;
    struct iw_diagnosed *cause;

    if (asked == answered || evidence->history->message_count > 0 || diagnosis->ending == IW_ENDING_OPEN ||
        iw_evidence_has_gaps(evidence))
        return;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_STARTUP_REVISION, IW_CONFIDENCE_LIKELY,
        "The Request has Rev %u; the Reply accepts and has Rev %u, and the connection ended without a "
        "message.",
        asked, answered);
    iw_diagnosis_frame(cause, evidence->history->side[initiator].startup.frame);
    iw_diagnosis_frame(cause, evidence->history->side[responder].startup.frame);
    iw_diagnosis_frame(cause, diagnosis->end.frame);
}

/* ---- no first message ---- */

static void startup_without_messages(
    const struct iw_evidence *evidence, enum iw_side initiator, struct iw_diagnosis *diagnosis) {
    const struct iw_history_side *reply = &evidence->history->side[iw_side_other(initiator)];
    uint64_t silent = startup_since(reply->startup, iw_evidence_last_ns(evidence));
    unsigned rtr;
    bool peer_to_peer = iw_mpa_peer_to_peer(evidence->terms, &rtr);
    struct iw_diagnosed *cause;

    if (evidence->history->message_count > 0 || silent < SILENCE_NS || iw_evidence_is_partial(evidence) ||
        iw_history_trouble(evidence->history, initiator)->lost_frame != 0)
        return;
    if (peer_to_peer)
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_RTR_MISSING,
            iw_diagnosis_missing(diagnosis, IW_CONFIDENCE_CERTAIN),
            "Both frames have A=1. For %.3f s after the Reply the initiator sent nothing; the RTR would be a "
            "%s.%s",
            (double)silent / 1e9, iw_startup_rtr_text(rtr), iw_diagnosis_missing_text(diagnosis));
    else
        cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_BOTH_WAIT,
            iw_diagnosis_missing(
                diagnosis, silent >= 3 * SILENCE_NS ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE),
            "For %.3f s after the Reply neither side sent a message.%s", (double)silent / 1e9,
            iw_diagnosis_missing_text(diagnosis));
    iw_diagnosis_frame(cause, reply->startup.frame);
}

/* ---- SMB Direct ---- */

/* IRD and ORD of SMB Direct's peers with MPA Rev 1: two words of small numbers in network byte order. */
static void startup_byte_order(
    const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis) {
    enum { DEPTH_MAX = 1024 };
    const struct iw_history_side *own = &evidence->history->side[side];
    const uint8_t *data = own->private_data;
    const struct iw_private_format *format =
        own->private_kept < own->private_octets ? NULL : iw_private_smbd_find(data, own->private_kept);
    struct iw_diagnosed *cause;
    uint32_t ird, ord;

    if (format == NULL || !format->little_endian)
        return;
    ird = iw_private_get(format, IW_PRIVATE_SMBD_IRD, data);
    ord = iw_private_get(format, IW_PRIVATE_SMBD_ORD, data);
    if (ird == 0 || ord == 0 || ird > DEPTH_MAX || ord > DEPTH_MAX)
        return;
    cause = iw_diagnosis_add(diagnosis, IW_CAUSE_ID_SMB_BYTE_ORDER, IW_CONFIDENCE_LIKELY,
        "The private data of %s are IRD %" PRIu32 " and ORD %" PRIu32
        " in little-endian order; in network byte order they are %" PRIu32 " and %" PRIu32 ".",
        iw_evidence_side_name(evidence, side), ird, ord,
        iw_private_get(&iw_private_smbd, IW_PRIVATE_SMBD_IRD, data),
        iw_private_get(&iw_private_smbd, IW_PRIVATE_SMBD_ORD, data));
    iw_diagnosis_frame(cause, own->startup.frame);
    iw_diagnosis_next(evidence, cause, IW_CAUSE_SENDING, side);
}

void iw_diagnose_startup(const struct iw_evidence *evidence, struct iw_diagnosis *diagnosis) {
    const struct iw_mpa_terms *terms = evidence->terms;
    enum iw_side initiator = terms->initiator;

    if (evidence->life == NULL && !terms->rejected)
        return; /* over SCTP the startup is that of a session */
    if (!terms->initiator_known || (!terms->seen[initiator] && !terms->rejected))
        return;
    if (terms->rejected || evidence->history->message_count == 0 || diagnosis->count > 0)
        for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
            startup_byte_order(evidence, side, diagnosis);
    if (!terms->rejected && terms->seen[IW_SIDE_A] && terms->seen[IW_SIDE_B])
        startup_other_revision(evidence, initiator, diagnosis);
    if (terms->rejected)
        startup_rejected(evidence, initiator, diagnosis);
    else if (!terms->settled)
        startup_unanswered(evidence, initiator, diagnosis);
    else
        startup_without_messages(evidence, initiator, diagnosis);
}
