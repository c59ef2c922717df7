#include <inttypes.h>

#include "iw_diagnosis_terminate.h"

/* Terminates about untagged buffers: queues, message numbers and lengths. */

/* Wrong MSNs of the other side. */
static void queue_numbers(const struct iw_terminate_case *at, struct iw_diagnosed *cause) {
    iw_diagnosis_terminate_finish(at, cause, IW_CAUSE_NUMBERING, iw_side_other(at->side));
}

static void queue_no_request_buffer(const struct iw_terminate_case *at) {
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
static void queue_no_buffer_for_rest(const struct iw_terminate_case *at) {
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

void iw_diagnosis_queue_no_buffer(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (!at->terminate->has_header)
        iw_diagnosis_receive_of_unknown(at);
    if (!at->terminate->has_header || at->terminate->header_tagged)
        return;
    if (message != NULL && !message->msn_expected) {
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
        queue_numbers(at,
            iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_MSN_SENDER,
                IW_CONFIDENCE_CERTAIN,
                "MSN %" PRIu32 " of the %s is not the next of queue %" PRIu32 ", so no buffer belongs to it.",
                message->msn, iw_diagnosis_terminate_title(message), message->qn));
    } else if (at->terminate->header_qn == IW_QN_REQUEST) {
        queue_no_request_buffer(at);
    } else if (at->terminate->header_qn == IW_QN_SEND && at->terminate->header_mo > 0) {
        queue_no_buffer_for_rest(at);
    } else if (at->terminate->header_qn == IW_QN_SEND) {
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_NO_RECEIVE_BUFFER,
                    IW_CONFIDENCE_LIKELY, "%s had no receive posted for message %" PRIu32 " of %s.%s",
                    iw_diagnosis_terminate_sender(at), at->terminate->header_msn,
                    iw_diagnosis_terminate_other(at), message != NULL ? " The MSN is the right one." : ""));
    }
}

/* The RTR of peer-to-peer mode: the first message of its queue, of no octets (RFC 6581 9.2). */
static bool queue_is_rtr_before(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && !message->tagged && message->side == at->message->side &&
           message->qn == at->message->qn && message->msn == 1 && message->length == 0 &&
           (message->opcode == IW_RDMAP_OP_SEND || message->opcode == IW_RDMAP_OP_READ_REQUEST);
}

/* The RTR that has MSN 1, if the Terminate is about MSN 2 of its queue; or NULL. */
static const struct iw_history_message *queue_rtr_before(const struct iw_terminate_case *at) {
    unsigned rtr;

    return at->message->msn == 2 && iw_mpa_peer_to_peer(at->facts->terms, &rtr) &&
                   iw_role_of(at->facts->terms, at->message->side) == IW_ROLE_INITIATOR
               ? iw_history_find(at->facts->history, queue_is_rtr_before, at)
               : NULL;
}

static void queue_msn_refuted(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message, *rtr = queue_rtr_before(at);
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_MSN_RECEIVER, IW_CONFIDENCE_LIKELY,
            "%s rejects MSN %" PRIu32 " of queue %" PRIu32
            ". On the wire it is the next one, and nothing is missing before it.%s",
            iw_diagnosis_terminate_sender(at), message->msn, message->qn,
            rtr != NULL ? " Message 1 was the RTR, which the receiver seems not to count." : "");

    iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
    if (rtr != NULL)
        iw_diagnosis_frame(cause, rtr->mark.frame);
    iw_diagnosis_terminate_finish(at, cause, IW_CAUSE_TERMINATING, at->side);
}

/* An earlier message of the same queue whose MSN was wrong. */
static bool queue_is_earlier_msn(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && !message->tagged && !message->msn_expected &&
           message->side == at->message->side && message->qn == at->message->qn &&
           message->mark.frame < at->message->mark.frame;
}

/* The MSN of the rejected message is wrong on the wire. */
static void queue_msn_confirmed(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding = iw_diagnosis_terminate_finding(at, "RFC 5041", "4.3");

    iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    queue_numbers(at, iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side), IW_CAUSE_ID_MSN_SENDER,
                          IW_CONFIDENCE_CERTAIN, "%s on queue %" PRIu32 "; sent by %s.",
                          finding != NULL ? finding->message : "The MSN of the message is not the next one",
                          at->message->qn, iw_diagnosis_terminate_other(at)));
}

/* The MSN is the next after one that was wrong: which of them its receiver expects is not known. */
static void queue_msn_after_wrong(
    const struct iw_terminate_case *at, const struct iw_history_message *wrong) {
    struct iw_diagnosed *cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side),
        IW_CAUSE_ID_MSN_SENDER, IW_CONFIDENCE_POSSIBLE,
        "%s rejects MSN %" PRIu32 " of queue %" PRIu32 ". It follows MSN %" PRIu32 " in frame %" PRIu64
        ", which was not the next one.",
        iw_diagnosis_terminate_sender(at), at->message->msn, at->message->qn, wrong->msn,
        iw_diagnosis_terminate_frame_number(at, wrong->mark.frame));

    iw_diagnosis_frame(cause, wrong->mark.frame);
    queue_numbers(at, cause);
}

/* Which message the receiver rejected is not known: its header is truncated, or not of a captured message. */
static void queue_msn_of_unknown(
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
    queue_numbers(at, cause);
}

void iw_diagnosis_queue_msn(const struct iw_terminate_case *at) {
    static const char *const sections[] = {"4.3"};
    const struct iw_history *history = at->facts->history;
    const struct iw_history_finding *finding = iw_facts_finding(
        at->facts, iw_side_other(at->side), at->terminate->mark.frame, "RFC 5041", sections, 1);
    const struct iw_history_message *wrong;

    if (at->message == NULL) {
        queue_msn_of_unknown(at, finding);
        return;
    }
    wrong = iw_history_find(history, queue_is_earlier_msn, at);
    if (!at->message->msn_expected)
        queue_msn_confirmed(at);
    else if (wrong != NULL) /* it may be no longer kept, and then only its finding is */
        queue_msn_after_wrong(at, wrong);
    else if (!iw_facts_is_partial(at->facts) &&
             (history->message_count <= history->message_max ||
                 (finding == NULL && history->finding_count < IW_HISTORY_FINDINGS)))
        queue_msn_refuted(at);
}

/* A Read Request or Atomic Request has a fixed length, which its receiver's buffers have room for. */
static void queue_request_too_long(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (message != NULL && message->last && message->mo == 0 && !iw_facts_is_partial(at->facts) &&
        iw_diagnosis_terminate_finding(at, NULL, NULL) == NULL)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_REFUTED);
}

void iw_diagnosis_queue_too_long(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (at->terminate->has_header && (at->terminate->header_tagged || at->terminate->header_qn != IW_QN_SEND))
        queue_request_too_long(at);
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
