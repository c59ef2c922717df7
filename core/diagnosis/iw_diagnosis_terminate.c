#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iw_diagnosis_part.h"

/* Causes that a Terminate reports. A Terminate is a statement of its sender: only the captured octets confirm
 * or refute it. */

/* A Terminate and the message that it is about. */
struct terminate_case {
    const struct iw_evidence *evidence;
    struct iw_diagnosis *diagnosis;
    enum iw_side side; /* the sender of the Terminate */
    const struct iw_history_terminate *terminate;
    const struct iw_history_message *message; /* NULL: not known */
};

static const char *terminate_title(const struct iw_history_message *message) {
    return message->known_opcode ? iw_opcodes[message->opcode].title : "message";
}

/* What the Terminate is about: by the message, or else by the header that the Terminate includes. */
static const char *terminate_about(const struct terminate_case *at) {
    uint8_t opcode = at->terminate->header_opcode;

    if (at->message != NULL)
        return terminate_title(at->message);
    return at->terminate->has_header && opcode < IW_RDMAP_OP_COUNT ? iw_opcodes[opcode].title : "message";
}

static const char *terminate_sender(const struct terminate_case *at) {
    return iw_evidence_side_name(at->evidence, at->side);
}

static const char *terminate_other(const struct terminate_case *at) {
    return iw_evidence_side_name(at->evidence, iw_side_other(at->side));
}

/* Adds the frames of the message and of the Terminate. */
static void terminate_frames(const struct terminate_case *at, struct iw_diagnosed *cause) {
    if (at->message != NULL)
        iw_diagnosis_frame(cause, at->message->mark.frame);
    iw_diagnosis_frame(cause, at->terminate->mark.frame);
}

/* Whether the message names memory of its receiver. */
static bool terminate_names_memory(const struct iw_history_message *message) {
    return message->tagged || message->qn == IW_QN_REQUEST;
}

/* The same for a cause in the memory of the sender of the Terminate. */
static void terminate_memory(const struct terminate_case *at, struct iw_diagnosed *cause) {
    terminate_frames(at, cause);
    if (cause == NULL)
        return;
    cause->buffer = (struct iw_named_buffer){
        .known = at->message != NULL ? terminate_names_memory(at->message) : at->terminate->header_tagged,
        .owner = at->side,
        .stag = at->message != NULL ? at->message->stag : at->terminate->header_stag,
        .to = at->message != NULL ? at->message->to : at->terminate->header_to};
}

static void terminate_decide(const struct terminate_case *at, enum iw_truth truth) {
    at->diagnosis->truth[at->side] = truth;
}

/* ---- STags ---- */

/* Whether all segments of the connection so far are kept: then one that is not found did not come. */
static bool terminate_has_all(const struct terminate_case *at) {
    const struct iw_history *history = at->evidence->history;

    return history->message_count <= history->message_max && !iw_evidence_is_partial(at->evidence);
}

static const char *terminate_article(const char *title) {
    return strchr("AIR", title[0]) != NULL ? "an" : "a"; /* "an RDMA Write" */
}

/* RDMAP has an error code for rights, DDP has none (RFC 5040 4.8, RFC 5041 7.2). */
enum { DDP_LAYER = 1 };

static bool terminate_is_read_of(const struct iw_history_message *message, const void *what) {
    const struct terminate_case *at = what;

    return message->decoded && message->side == at->side && message->opcode == IW_RDMAP_OP_READ_REQUEST &&
           message->sink_stag == at->terminate->header_stag;
}

/* Whether the Terminate rejects a Read Response, whose Data Sink belongs to the sender of the Terminate. */
static bool terminate_is_about_own_sink(const struct terminate_case *at) {
    return at->terminate->has_header && at->terminate->header_tagged &&
           at->terminate->header_opcode == IW_RDMAP_OP_READ_RESPONSE;
}

/* A Read Response to the same sink, accepted before the Read Request that is answered now. */
struct terminate_sink {
    const struct terminate_case *at;
    uint64_t before; /* frame of that Read Request */
};

static bool terminate_is_earlier_response(const struct iw_history_message *message, const void *what) {
    const struct terminate_sink *sink = what;

    return message->decoded && message->side != sink->at->side &&
           message->opcode == IW_RDMAP_OP_READ_RESPONSE && message->mark.frame < sink->before &&
           message->stag == sink->at->terminate->header_stag && message->length > 0;
}

static void terminate_own_sink_rights(
    const struct terminate_case *at, const struct iw_history_message *read, bool named) {
    struct iw_diagnosed *cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_READ_SINK_RIGHTS,
        named ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
        "%s reads into its own STag 0x%08" PRIx32 ", and rejects the Read Response of %s itself. %s",
        terminate_sender(at), at->terminate->header_stag, terminate_other(at),
        named ? "The Terminate names the access rights."
              : "DDP has no error code for rights, so stacks report an invalid STag.");

    if (read != NULL)
        iw_diagnosis_frame(cause, read->mark.frame);
    terminate_memory(at, cause);
}

/* The sender of the Terminate rejects a response to its own Read. */
static void terminate_own_sink(const struct terminate_case *at) {
    const struct iw_history_message *read = iw_history_find(at->evidence->history, terminate_is_read_of, at);
    const struct terminate_sink sink = {at, read != NULL ? read->mark.frame : 0};
    const struct iw_history_message *before =
        iw_history_find(at->evidence->history, terminate_is_earlier_response, &sink);
    uint16_t error = at->terminate->error;
    struct iw_diagnosed *cause;

    if (error == IW_ERROR_RDMAP_ACCESS_RIGHTS) {
        terminate_own_sink_rights(at, read, true);
    } else if (error != IW_ERROR_DDP_INVALID_STAG && error != IW_ERROR_RDMAP_INVALID_STAG) {
        return; /* the STag is of another connection, which no right changes */
    } else if (before != NULL) {
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_LIKELY,
            "%s took a Read Response into its STag 0x%08" PRIx32
            " in the first frame below, and rejects this one.",
            terminate_sender(at), at->terminate->header_stag);
        iw_diagnosis_frame(cause, before->mark.frame);
        terminate_memory(at, cause);
    } else if (terminate_has_all(at)) { /* else an earlier response may be missing */
        terminate_own_sink_rights(at, read, false);
    }
}

/* Another segment of the other side that named the same STag before, by the same or another operation. */
struct terminate_use {
    const struct terminate_case *at;
    bool same_operation;
};

static bool terminate_is_earlier_use(const struct iw_history_message *message, const void *what) {
    const struct terminate_use *use = what;
    const struct iw_history_message *rejected = use->at->message;

    return message->decoded && message->side == rejected->side &&
           message->mark.frame < rejected->mark.frame && message->stag == rejected->stag &&
           message->length > 0 && (message->tagged || message->qn == IW_QN_REQUEST) &&
           (message->opcode == rejected->opcode) == use->same_operation;
}

static void terminate_stag_of_message(const struct terminate_case *at) {
    const struct iw_history_message *message = at->message;
    const struct terminate_use same = {at, true}, other = {at, false};
    const struct iw_history_message *before =
        iw_history_find(at->evidence->history, terminate_is_earlier_use, &same);
    const struct iw_history_message *differing =
        iw_history_find(at->evidence->history, terminate_is_earlier_use, &other);
    struct iw_diagnosed *cause;

    if (message->stag_ended_frame != 0 && message->stag_first_frame == message->mark.frame) {
        terminate_decide(at, IW_TRUTH_CONFIRMED);
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_INVALIDATED, IW_CONFIDENCE_CERTAIN,
            "A Send in the first frame below invalidated STag 0x%08" PRIx32
            ". After it %s used the STag in %s %s.",
            message->stag, terminate_other(at), terminate_article(terminate_title(message)),
            terminate_title(message));
        iw_diagnosis_frame(cause, message->stag_ended_frame);
    } else if (before == NULL && differing != NULL && iw_error_layer(at->terminate->error) == DDP_LAYER) {
        if (!terminate_has_all(at))
            return; /* the same operation may have been accepted before */
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
            "STag 0x%08" PRIx32 " works for the %s in the first frame below, and %s rejects it for %s.",
            message->stag, terminate_title(differing), terminate_sender(at), terminate_title(message));
        iw_diagnosis_frame(cause, differing->mark.frame);
    } else if (iw_evidence_side_has_gaps(at->evidence, iw_side_other(at->side))) {
        return; /* what was lost may have invalidated it, or used it before */
    } else if (before != NULL || differing != NULL ||
               (message->stag_first_frame != 0 && message->stag_first_frame < message->mark.frame)) {
        uint64_t first = before != NULL      ? before->mark.frame
                         : differing != NULL ? differing->mark.frame
                                             : message->stag_first_frame;

        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_LIKELY,
            "STag 0x%08" PRIx32 " was accepted in the first of these frames; now %s rejects it, and no "
            "captured Send invalidated it.",
            message->stag, terminate_sender(at));
        iw_diagnosis_frame(cause, first);
    } else if (iw_evidence_is_partial(at->evidence)) {
        return; /* it may have been used before the capture began */
    } else {
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_UNKNOWN, IW_CONFIDENCE_LIKELY,
            "%s names STag 0x%08" PRIx32 " for the first time, and %s rejects it.", terminate_other(at),
            message->stag, terminate_sender(at));
    }
    terminate_memory(at, cause);
}

static void terminate_stag(const struct terminate_case *at) {
    if (terminate_is_about_own_sink(at)) {
        terminate_own_sink(at);
    } else if (at->message != NULL && !at->message->invalidates) {
        if (terminate_names_memory(at->message))
            terminate_stag_of_message(at);
    } else if (at->message == NULL && at->terminate->has_header && at->terminate->header_tagged &&
               !iw_evidence_is_partial(at->evidence)) {
        terminate_memory(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_UNKNOWN, IW_CONFIDENCE_POSSIBLE,
                                 "The Terminate names STag 0x%08" PRIx32
                                 ". No message with it is in the capture, or it is no longer kept.",
                                 at->terminate->header_stag));
    }
}

/* An Invalidate STag that cannot be invalidated: it is not valid, or not of this connection. */
static void terminate_invalidate(const struct terminate_case *at) {
    if (at->message == NULL || !at->message->invalidates) {
        terminate_stag(at);
        return;
    }
    terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_UNKNOWN,
                             iw_evidence_confidence(at->evidence, IW_CONFIDENCE_LIKELY),
                             "%s asks to invalidate STag 0x%08" PRIx32
                             ", which %s does not know or does not let it invalidate.",
                             terminate_other(at), at->message->invalidate_stag, terminate_sender(at)));
}

static void terminate_rights(const struct terminate_case *at) {
    if (terminate_is_about_own_sink(at)) {
        terminate_own_sink(at);
        return;
    }
    if (at->message != NULL ? terminate_names_memory(at->message)
                            : at->terminate->has_header && at->terminate->header_tagged)
        terminate_memory(
            at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
                    "%s rejects the %s of %s to STag 0x%08" PRIx32 ": its buffer lacks the right for it.",
                    terminate_sender(at), terminate_about(at), terminate_other(at),
                    at->message != NULL ? at->message->stag : at->terminate->header_stag));
    else if (at->terminate->has_header) /* without it, this may be the sender's own Data Sink */
        terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
                                 "%s rejects the %s of %s: its buffer lacks the right for it.",
                                 terminate_sender(at), terminate_about(at), terminate_other(at)));
}

static void terminate_bounds(const struct terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (message == NULL || !terminate_names_memory(message)) {
        terminate_memory(
            at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY,
                    "%s says that %s %s of %s is not within its buffer.", terminate_sender(at),
                    terminate_article(terminate_about(at)), terminate_about(at), terminate_other(at)));
        return;
    }
    if (message->length > 0 && message->to > UINT64_MAX - (message->length - 1))
        terminate_decide(at, IW_TRUTH_CONFIRMED);
    terminate_memory(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY,
                             "The %s of %s names %" PRIu32 " octets at Tagged Offset 0x%" PRIx64
                             " of STag 0x%08" PRIx32 "; %s says that they are not all in its buffer.",
                             terminate_title(message), terminate_other(at), message->length, message->to,
                             message->stag, terminate_sender(at)));
}

/* ---- untagged buffers ---- */

static void terminate_no_request_buffer(const struct terminate_case *at) {
    const struct iw_history_message *message = at->message;
    uint32_t depth, waiting = message != NULL ? message->waiting : 0; /* with the message */
    bool known = iw_mpa_depth(at->evidence->terms, iw_side_other(at->side), &depth);
    bool exceeds = known && waiting > depth;
    struct iw_diagnosed *cause;

    if (message == NULL) {
        terminate_frames(at,
            iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_IRD_EXCEEDED, IW_CONFIDENCE_LIKELY,
                "%s has no buffer for one more request of %s.", terminate_sender(at), terminate_other(at)));
        return;
    }
    terminate_decide(at, exceeds                                          ? IW_TRUTH_CONFIRMED
                         : known && !iw_evidence_is_partial(at->evidence) ? IW_TRUTH_REFUTED
                                                                          : IW_TRUTH_UNDECIDED);
    if (known)
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_IRD_EXCEEDED,
            exceeds ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
            "With this request %s has %" PRIu32 " outstanding; the startup permits %" PRIu32 ".%s",
            terminate_other(at), waiting, depth,
            exceeds ? "" : " The responder takes fewer than it promised.");
    else
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_IRD_EXCEEDED, IW_CONFIDENCE_LIKELY,
            "With this request %s has %" PRIu32 " outstanding. The startup states no IRD.",
            terminate_other(at), waiting);
    terminate_frames(at, cause);
}

static void terminate_no_buffer(const struct terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (!at->terminate->has_header || at->terminate->header_tagged)
        return;
    if (at->terminate->header_qn == IW_QN_REQUEST) {
        terminate_no_request_buffer(at);
        return;
    }
    if (at->terminate->header_qn != IW_QN_SEND)
        return;
    if (message != NULL && !message->msn_expected) {
        terminate_decide(at, IW_TRUTH_CONFIRMED);
        terminate_frames(
            at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_MSN_SENDER, IW_CONFIDENCE_CERTAIN,
                    "MSN %" PRIu32 " of the %s is not the next of queue 0, so no buffer belongs to it.",
                    message->msn, terminate_title(message)));
        return;
    }
    terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_NO_RECEIVE_BUFFER,
                             message != NULL ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
                             "%s had no receive posted for message %" PRIu32 " of %s.%s",
                             terminate_sender(at), at->terminate->header_msn, terminate_other(at),
                             message != NULL ? " The MSN is the right one." : ""));
}

static void terminate_msn(const struct terminate_case *at) {
    const struct iw_history_message *message = at->message;
    static const char *const sections[] = {"4.3"};
    const struct iw_history_finding *finding = iw_evidence_finding(
        at->evidence, iw_side_other(at->side), at->terminate->mark.frame, "RFC 5041", sections, 1);

    if (finding != NULL || (message != NULL && !message->msn_expected)) {
        struct iw_diagnosed *cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_MSN_SENDER,
            IW_CONFIDENCE_CERTAIN, "%s; sent by %s.",
            finding != NULL ? finding->message : "The MSN of the message is not the next one of its queue",
            terminate_other(at));

        terminate_decide(at, IW_TRUTH_CONFIRMED);
        if (finding != NULL)
            iw_diagnosis_frame(cause, finding->frame);
        terminate_frames(at, cause);
    } else if (message != NULL && !iw_evidence_is_partial(at->evidence)) {
        terminate_decide(at, IW_TRUTH_REFUTED);
        terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_MSN_RECEIVER, IW_CONFIDENCE_LIKELY,
                                 "%s rejects MSN %" PRIu32 " of queue %" PRIu32
                                 ". On the wire it is the next one, and nothing is missing before it.",
                                 terminate_sender(at), message->msn, message->qn));
    }
}

static void terminate_too_long(const struct terminate_case *at) {
    const struct iw_history_message *message = at->message;

    if (message != NULL && message->tagged)
        return;
    if (message == NULL)
        terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_SEND_TOO_LONG, IW_CONFIDENCE_LIKELY,
                                 "%s says that a %s of %s is longer than its receive buffer.",
                                 terminate_sender(at), terminate_about(at), terminate_other(at)));
    else
        terminate_frames(
            at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_SEND_TOO_LONG, IW_CONFIDENCE_LIKELY,
                    "The %s of %s reaches octet %" PRIu64 " of its message, beyond the receive buffer of %s.",
                    terminate_title(message), terminate_other(at), (uint64_t)message->mo + message->length,
                    terminate_sender(at)));
}

/* ---- the LLP ---- */

static void terminate_crc(const struct terminate_case *at) {
    enum iw_side other = iw_side_other(at->side);
    const struct iw_history_crc *crc = &iw_history_trouble(at->evidence->history, other)->crc;
    uint64_t good = at->evidence->history->side[other].crc_good;

    if (crc->bad > 0) {
        terminate_decide(at, IW_TRUTH_CONFIRMED);
        return; /* iw_diagnose_crc names the cause */
    }
    if (good == 0 || iw_evidence_is_partial(at->evidence))
        return;
    terminate_decide(at, IW_TRUTH_REFUTED);
    terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_CRC_RECEIVER, IW_CONFIDENCE_LIKELY,
                             "%s reports a wrong CRC. All %" PRIu64 " CRCs of %s are right in the capture.",
                             terminate_sender(at), good, terminate_other(at)));
}

static void terminate_marker(const struct terminate_case *at) {
    if (iw_history_trouble(at->evidence->history, iw_side_other(at->side))->markers_unexpected_frame != 0)
        terminate_decide(at, IW_TRUTH_CONFIRMED);
}

static void terminate_local(const struct terminate_case *at) {
    terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_LOCAL_ERROR, IW_CONFIDENCE_LIKELY,
                             "%s says that it has an error of its own.", terminate_sender(at)));
}

static void terminate_startup(const struct terminate_case *at) {
    terminate_frames(
        at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STARTUP_RESOURCES, IW_CONFIDENCE_CERTAIN,
                "%s says: %s.", terminate_sender(at), iw_error_name(IW_LLP_MPA, at->terminate->error)));
}

/* A finding against the other side whose clause demands just this Terminate confirms it. */
static const struct iw_history_finding *terminate_finding(const struct terminate_case *at) {
    const struct iw_history *history = at->evidence->history;
    char error[IW_ERROR_TEXT_OCTETS];

    iw_error_text(at->terminate->error, error);
    for (uint32_t i = 0; i < history->finding_count; i++)
        if (history->findings[i].side != at->side &&
            history->findings[i].frame <= at->terminate->mark.frame &&
            strcmp(history->findings[i].requirement->terminate, error) == 0)
            return &history->findings[i];
    return NULL;
}

/* The last resort: a violation that the Terminate reports, whatever it is. */
static void terminate_violation(const struct terminate_case *at) {
    const struct iw_history_finding *finding = terminate_finding(at);
    struct iw_diagnosed *cause;

    if (finding == NULL)
        return;
    terminate_decide(at, IW_TRUTH_CONFIRMED);
    if (at->diagnosis->count > 0)
        return;
    cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_PROTOCOL_VIOLATION, IW_CONFIDENCE_CERTAIN,
        "%s (%s); sent by %s.", finding->message, finding->requirement->id, terminate_other(at));
    iw_diagnosis_frame(cause, finding->frame);
    terminate_frames(at, cause);
}

static void terminate_by_error(const struct terminate_case *at) {
    switch (at->terminate->error) {
    case IW_ERROR_RDMAP_INVALID_STAG:
    case IW_ERROR_RDMAP_STAG_NOT_ASSOCIATED:
    case IW_ERROR_DDP_INVALID_STAG:
    case IW_ERROR_DDP_STAG_NOT_ASSOCIATED:
        terminate_stag(at);
        break;
    case IW_ERROR_RDMAP_CANNOT_INVALIDATE:
    case IW_ERROR_RDMAP_OPERATION_CANNOT_INVALIDATE:
        terminate_invalidate(at);
        break;
    case IW_ERROR_RDMAP_ACCESS_RIGHTS:
        terminate_rights(at);
        break;
    case IW_ERROR_RDMAP_BASE_BOUNDS:
    case IW_ERROR_DDP_BASE_BOUNDS:
    case IW_ERROR_RDMAP_TO_WRAP:
    case IW_ERROR_DDP_TO_WRAP:
        terminate_bounds(at);
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
        terminate_startup(at);
        break;
    case IW_ERROR_RDMAP_LOCAL_CATASTROPHIC:
    case IW_ERROR_DDP_LOCAL_CATASTROPHIC:
    case IW_ERROR_MPA_LOCAL_CATASTROPHIC:
        terminate_local(at);
        break;
    default:
        break;
    }
}

void iw_diagnose_terminate(
    const struct iw_evidence *evidence, enum iw_side side, struct iw_diagnosis *diagnosis) {
    const struct iw_history_terminate *terminate = &iw_history_trouble(evidence->history, side)->terminate;
    const struct terminate_case at = {
        evidence, diagnosis, side, terminate, terminate->has_message ? &terminate->message : NULL};

    if (terminate->mark.frame == 0)
        return;
    terminate_by_error(&at);
    terminate_violation(&at);
}
