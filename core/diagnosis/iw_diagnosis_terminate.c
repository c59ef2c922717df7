#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_diagnosis_terminate.h"
#include "iw_plural.h"

/* Causes that a Terminate reports. A Terminate is a statement of its sender: only the captured octets confirm
 * or refute it. */

const char *iw_diagnosis_terminate_title(const struct iw_history_message *message) {
    return message->known_opcode ? iw_opcodes[message->opcode].title : "message";
}

const char *iw_diagnosis_terminate_about(const struct iw_terminate_case *at) {
    uint8_t opcode = at->terminate->header_opcode;

    if (at->message != NULL)
        return iw_diagnosis_terminate_title(at->message);
    return at->terminate->has_header && opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].title : "message";
}

const char *iw_diagnosis_terminate_sender(const struct iw_terminate_case *at) {
    return iw_facts_side_name(at->facts, at->side);
}

const char *iw_diagnosis_terminate_other(const struct iw_terminate_case *at) {
    return iw_facts_side_name(at->facts, iw_side_other(at->side));
}

uint64_t iw_diagnosis_terminate_frame_number(const struct iw_terminate_case *at, uint64_t frame) {
    return iw_facts_frame_number(at->facts, frame);
}

void iw_diagnosis_terminate_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause) {
    if (at->message != NULL)
        iw_diagnosis_frame(cause, at->message->mark.frame);
    iw_diagnosis_frame(cause, at->terminate->mark.frame);
}

/* The frames of a cause that is about one side, and that side in what to look at next. */
static void terminate_finish(
    const struct iw_terminate_case *at, struct iw_diagnosed *cause, const char *words, enum iw_side side) {
    iw_diagnosis_terminate_frames(at, cause);
    iw_diagnosis_next(at->facts, cause, words, side);
}

/* The same for wrong MSNs of the other side. */
static void terminate_numbers(const struct iw_terminate_case *at, struct iw_diagnosed *cause) {
    terminate_finish(at, cause, IW_CAUSE_NUMBERING, iw_side_other(at->side));
}

void iw_diagnosis_terminate_decide(const struct iw_terminate_case *at, enum iw_truth truth) {
    at->diagnosis->truth[at->side] = truth;
}

const struct iw_history_finding *iw_diagnosis_terminate_finding(
    const struct iw_terminate_case *at, const char *document, const char *section) {
    const struct iw_history *history = at->facts->history;

    for (uint32_t i = 0; at->message != NULL && i < history->finding_count; i++) {
        const struct iw_history_finding *finding = &history->findings[i];

        if (finding->side == at->message->side && finding->frame == at->message->mark.frame &&
            (document == NULL || strcmp(finding->requirement->document, document) == 0) &&
            (section == NULL || strcmp(finding->requirement->section, section) == 0))
            return finding;
    }
    return NULL;
}

const char *iw_diagnosis_terminate_article(const char *title) {
    return strchr("AIR", title[0]) != NULL ? "an" : "a"; /* "an RDMA Write" */
}

/* ---- untagged buffers ---- */

static void terminate_no_request_buffer(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;
    uint32_t depth, waiting = message != NULL ? message->waiting : 0; /* with the message */
    bool known = iw_mpa_depth(at->facts->terms, iw_side_other(at->side), &depth);
    /* a response that was not captured leaves its request outstanding */
    bool certain = !iw_facts_side_has_gaps(at->facts, at->side);
    struct iw_diagnosed *cause;

    if (message == NULL) {
        cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_IRD_EXCEEDED,
            IW_CONFIDENCE_LIKELY, "%s has no buffer for one more request of %s.",
            iw_diagnosis_terminate_sender(at), iw_diagnosis_terminate_other(at));
    } else if (!known) {
        cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_IRD_EXCEEDED,
            IW_CONFIDENCE_LIKELY,
            "With this request %s has %" PRIu32 " outstanding. The startup states no IRD.",
            iw_diagnosis_terminate_other(at), waiting);
    } else if (waiting > depth) {
        if (certain)
            iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
        cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_IRD_EXCEEDED,
            certain ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
            "With this request %s has %" PRIu32 " outstanding; the startup permits %" PRIu32 ".",
            iw_diagnosis_terminate_other(at), waiting, depth);
    } else {
        if (!iw_facts_is_partial(at->facts))
            iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
        cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_IRD_EXCEEDED,
            IW_CONFIDENCE_POSSIBLE,
            "With this request %s has %" PRIu32 " outstanding; the startup permits %" PRIu32
            ". Perhaps its receiver takes fewer.",
            iw_diagnosis_terminate_other(at), waiting, depth);
    }
    iw_diagnosis_terminate_frames(at, cause);
}

/* A later segment of a Send is rejected: the first one found a receive buffer, which may be too short. */
static void terminate_no_buffer_for_rest(const struct iw_terminate_case *at) {
    iw_diagnosis_terminate_frames(
        at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_SEND_TOO_LONG, IW_CONFIDENCE_POSSIBLE,
                "%s rejects the octets from MO %" PRIu32 " of message %" PRIu32
                " on, and not those before. Perhaps its receive buffer is shorter than the message.",
                iw_diagnosis_terminate_sender(at), at->terminate->header_mo, at->terminate->header_msn));
    iw_diagnosis_terminate_frames(at,
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_NO_RECEIVE_BUFFER, IW_CONFIDENCE_POSSIBLE,
            "%s says that it had no receive posted for message %" PRIu32 " of %s.",
            iw_diagnosis_terminate_sender(at), at->terminate->header_msn, iw_diagnosis_terminate_other(at)));
}

static void terminate_no_buffer(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (!at->terminate->has_header || at->terminate->header_tagged)
        return;
    if (message != NULL && !message->msn_expected) {
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
        terminate_numbers(at,
            iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_MSN_SENDER,
                IW_CONFIDENCE_CERTAIN,
                "MSN %" PRIu32 " of the %s is not the next of queue %" PRIu32 ", so no buffer belongs to it.",
                message->msn, iw_diagnosis_terminate_title(message), message->qn));
    } else if (at->terminate->header_qn == IW_QN_REQUEST) {
        terminate_no_request_buffer(at);
    } else if (at->terminate->header_qn == IW_QN_SEND && at->terminate->header_mo > 0) {
        terminate_no_buffer_for_rest(at);
    } else if (at->terminate->header_qn == IW_QN_SEND) {
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_NO_RECEIVE_BUFFER,
                    IW_CONFIDENCE_LIKELY, "%s had no receive posted for message %" PRIu32 " of %s.%s",
                    iw_diagnosis_terminate_sender(at), at->terminate->header_msn,
                    iw_diagnosis_terminate_other(at), message != NULL ? " The MSN is the right one." : ""));
    }
}

/* The RTR of peer-to-peer mode: the first message of its queue, of no octets (RFC 6581 9.2). */
static bool terminate_is_rtr_before(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && !message->tagged && message->side == at->message->side &&
           message->qn == at->message->qn && message->msn == 1 && message->length == 0 &&
           (message->opcode == IW_RDMAP_OP_SEND || message->opcode == IW_RDMAP_OP_READ_REQUEST);
}

/* The RTR that has MSN 1, if the Terminate is about MSN 2 of its queue; or NULL. */
static const struct iw_history_message *terminate_rtr_before(const struct iw_terminate_case *at) {
    unsigned rtr;

    return at->message->msn == 2 && iw_mpa_peer_to_peer(at->facts->terms, &rtr) &&
                   iw_role_of(at->facts->terms, at->message->side) == IW_ROLE_INITIATOR
               ? iw_history_find(at->facts->history, terminate_is_rtr_before, at)
               : NULL;
}

static void terminate_msn_refuted(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message, *rtr = terminate_rtr_before(at);
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_MSN_RECEIVER, IW_CONFIDENCE_LIKELY,
            "%s rejects MSN %" PRIu32 " of queue %" PRIu32
            ". On the wire it is the next one, and nothing is missing before it.%s",
            iw_diagnosis_terminate_sender(at), message->msn, message->qn,
            rtr != NULL ? " Message 1 was the RTR, which the receiver seems not to count." : "");

    iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
    if (rtr != NULL)
        iw_diagnosis_frame(cause, rtr->mark.frame);
    terminate_finish(at, cause, IW_CAUSE_TERMINATING, at->side);
}

/* An earlier message of the same queue whose MSN was wrong. */
static bool terminate_is_earlier_msn(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && !message->tagged && !message->msn_expected &&
           message->side == at->message->side && message->qn == at->message->qn &&
           message->mark.frame < at->message->mark.frame;
}

/* The MSN of the rejected message is wrong on the wire. */
static void terminate_msn_confirmed(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding = iw_diagnosis_terminate_finding(at, "RFC 5041", "4.3");

    iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    terminate_numbers(
        at, iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_MSN_SENDER,
                IW_CONFIDENCE_CERTAIN, "%s on queue %" PRIu32 "; sent by %s.",
                finding != NULL ? finding->message : "The MSN of the message is not the next one",
                at->message->qn, iw_diagnosis_terminate_other(at)));
}

/* The MSN is the next after one that was wrong: which of them its receiver expects is not known. */
static void terminate_msn_after_wrong(
    const struct iw_terminate_case *at, const struct iw_history_message *wrong) {
    struct iw_diagnosed *cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side),
        IW_CAUSE_ID_MSN_SENDER, IW_CONFIDENCE_POSSIBLE,
        "%s rejects MSN %" PRIu32 " of queue %" PRIu32 ". It follows MSN %" PRIu32 " in frame %" PRIu64
        ", which was not the next one.",
        iw_diagnosis_terminate_sender(at), at->message->msn, at->message->qn, wrong->msn,
        iw_diagnosis_terminate_frame_number(at, wrong->mark.frame));

    iw_diagnosis_frame(cause, wrong->mark.frame);
    terminate_numbers(at, cause);
}

/* Which message the receiver rejected is not known: its header is truncated, or not of a captured message. */
static void terminate_msn_of_unknown(
    const struct iw_terminate_case *at, const struct iw_history_finding *finding) {
    struct iw_diagnosed *cause;
    bool any;

    if (finding == NULL)
        return;
    any = !at->terminate->has_header && !iw_diagnosis_violation_goes_on(at, finding->frame);
    if (any)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_MSN_SENDER,
        any ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_POSSIBLE, "%s; sent by %s.", finding->message,
        iw_diagnosis_terminate_other(at));
    iw_diagnosis_frame(cause, finding->frame);
    terminate_numbers(at, cause);
}

static void terminate_msn(const struct iw_terminate_case *at) {
    static const char *const sections[] = {"4.3"};
    const struct iw_history *history = at->facts->history;
    const struct iw_history_finding *finding = iw_facts_finding(
        at->facts, iw_side_other(at->side), at->terminate->mark.frame, "RFC 5041", sections, 1);
    const struct iw_history_message *wrong;

    if (at->message == NULL) {
        terminate_msn_of_unknown(at, finding);
        return;
    }
    wrong = iw_history_find(history, terminate_is_earlier_msn, at);
    if (!at->message->msn_expected)
        terminate_msn_confirmed(at);
    else if (wrong != NULL) /* it may be no longer kept, and then only its finding is */
        terminate_msn_after_wrong(at, wrong);
    else if (!iw_facts_is_partial(at->facts) &&
             (history->message_count <= history->message_max ||
                 (finding == NULL && history->finding_count < IW_HISTORY_FINDINGS)))
        terminate_msn_refuted(at);
}

/* A Read Request or Atomic Request has a fixed length, which its receiver's buffers have room for. */
static void terminate_request_too_long(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (message != NULL && message->last && message->mo == 0 && !iw_facts_is_partial(at->facts) &&
        iw_diagnosis_terminate_finding(at, NULL, NULL) == NULL)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
}

static void terminate_too_long(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (at->terminate->has_header && (at->terminate->header_tagged || at->terminate->header_qn != IW_QN_SEND))
        terminate_request_too_long(at);
    else if (message != NULL && message->mo == 0 && message->length == 0 && message->last)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED); /* no buffer is shorter than 0 octets */
    else if (message == NULL)
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_SEND_TOO_LONG,
                    at->terminate->has_header ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
                    "%s says that %s %s of %s is longer than its receive buffer.",
                    iw_diagnosis_terminate_sender(at),
                    iw_diagnosis_terminate_article(iw_diagnosis_terminate_about(at)),
                    iw_diagnosis_terminate_about(at), iw_diagnosis_terminate_other(at)));
    else
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_SEND_TOO_LONG, IW_CONFIDENCE_LIKELY,
                    "The %s of %s has %" PRIu64 "%s octets; %s says that its receive buffer is shorter.",
                    iw_diagnosis_terminate_title(message), iw_diagnosis_terminate_other(at),
                    (uint64_t)message->mo + message->length, message->last ? "" : " or more",
                    iw_diagnosis_terminate_sender(at)));
}

/* ---- the LLP ---- */

static void terminate_crc(const struct iw_terminate_case *at) {
    enum iw_side other = iw_side_other(at->side);
    const struct iw_history_crc *crc = &iw_history_trouble(at->facts->history, other)->crc;
    uint64_t good = at->facts->history->side[other].crc_good;
    uint64_t differing = at->facts->counts->unjudged[IW_UNJUDGED_DIFFERING];

    /* A receiver takes Markers that it does not expect for octets of the FPDU, which the CRC would cover. */
    if (crc->bad > 0 || iw_history_trouble(at->facts->history, other)->markers_unexpected_frame != 0) {
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
        return; /* iw_diagnose_crc names the cause */
    }
    if (differing > 0) { /* of two copies with different octets, one has a wrong CRC */
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_CRC_DAMAGE,
                    IW_CONFIDENCE_POSSIBLE,
                    "%s reports a wrong CRC. In this connection %" PRIu64
                    " octet%s came twice with different content, and which copy it took is not known.",
                    iw_diagnosis_terminate_sender(at), differing, iw_plural(differing)));
        return;
    }
    if (good == 0 || iw_facts_is_partial(at->facts))
        return;
    iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
    terminate_finish(at,
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_CRC_RECEIVER, IW_CONFIDENCE_LIKELY,
            "%s reports a wrong CRC. In the capture %" PRIu64 " CRC%s of %s %s right, and none is wrong.",
            iw_diagnosis_terminate_sender(at), good, iw_plural(good), iw_diagnosis_terminate_other(at),
            good == 1 ? "is" : "are"),
        IW_CAUSE_TERMINATING, at->side);
}

static void terminate_marker(const struct iw_terminate_case *at) {
    if (iw_history_trouble(at->facts->history, iw_side_other(at->side))->markers_unexpected_frame != 0)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
}

static void terminate_local(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding = iw_diagnosis_violation_before(at);
    struct iw_diagnosed *cause =
        finding == NULL
            ? iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_LOCAL_ERROR, IW_CONFIDENCE_LIKELY,
                  "%s says that it has an error of its own.", iw_diagnosis_terminate_sender(at))
            : iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_LOCAL_ERROR, IW_CONFIDENCE_POSSIBLE,
                  "%s says that it has an error of its own, directly after a violation: %s (%s).",
                  iw_diagnosis_terminate_sender(at), finding->message, finding->requirement->id);

    if (finding != NULL)
        iw_diagnosis_frame(cause, finding->frame);
    terminate_finish(at, cause, IW_CAUSE_TERMINATING, at->side);
}

/* Terminates about memory. */
static void terminate_memory(const struct iw_terminate_case *at) {
    switch (at->terminate->error) {
    case IW_ERROR_RDMAP_INVALID_STAG:
    case IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED:
    case IW_ERROR_DDP_INVALID_STAG:
    case IW_ERROR_DDP_STAG_NOT_ASSOCIATED:
        iw_diagnosis_memory_stag(at);
        break;
    case IW_ERROR_RDMAP_ACCESS_RIGHTS:
        iw_diagnosis_memory_rights(at);
        break;
    case IW_ERROR_RDMAP_BASE_BOUNDS:
    case IW_ERROR_DDP_BASE_BOUNDS:
    case IW_ERROR_RDMAP_TO_WRAP:
    case IW_ERROR_DDP_TO_WRAP:
        iw_diagnosis_memory_bounds(at);
        break;
    default:
        break;
    }
}

static void terminate_by_error(const struct iw_terminate_case *at) {
    switch (at->terminate->error) {
    case IW_ERROR_RDMAP_CANNOT_INVALIDATE:
    case IW_ERROR_RDMAP_OPERATION_CANNOT_INVALIDATE:
        iw_diagnosis_memory_invalidate(at);
        break;
    case IW_ERROR_DDP_MSN_NO_BUFFER:
        terminate_no_buffer(at);
        break;
    case IW_ERROR_DDP_MSN_RANGE:
        terminate_msn(at);
        break;
    case IW_ERROR_DDP_TOO_LONG:
        terminate_too_long(at);
        break;
    case IW_ERROR_MPA_CRC:
        terminate_crc(at);
        break;
    case IW_ERROR_MPA_MARKER:
        terminate_marker(at);
        break;
    case IW_ERROR_MPA_INSUFFICIENT_IRD:
    case IW_ERROR_MPA_NO_RTR:
        iw_diagnosis_startup_terminate(at);
        break;
    case IW_ERROR_RDMAP_LOCAL_CATASTROPHIC:
    case IW_ERROR_DDP_LOCAL_CATASTROPHIC:
    case IW_ERROR_MPA_LOCAL_CATASTROPHIC:
        terminate_local(at);
        break;
    default:
        if (!iw_diagnosis_memory_is_about_nothing(at))
            terminate_memory(at);
        break;
    }
}

void iw_diagnose_terminate(const struct iw_facts *facts, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_terminate *terminate = &iw_history_trouble(facts->history, side)->terminate;
    const struct iw_terminate_case at = {facts, diagnosis, side, terminate,
        terminate->has_message ? &terminate->message : NULL, diagnosis->count};

    if (terminate->mark.frame == 0)
        return;
    if (iw_diagnosis_violation_is_untrue(&at)) {
        iw_diagnosis_terminate_decide(&at, IW_TRUTH_REFUTED);
        return;
    }
    terminate_by_error(&at);
    iw_diagnosis_violation_terminate(&at);
    if (terminate->error == IW_ERROR_RDMAP_CATASTROPHIC_STREAM && diagnosis->count == at.causes_before)
        iw_diagnosis_ird_catastrophic(&at);
}
