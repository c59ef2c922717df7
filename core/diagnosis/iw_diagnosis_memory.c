#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_terminate.h"
#include "iw_plural.h"

/* Causes that a Terminate reports about memory that a message names: its STag, rights and bounds. */

/* Whether the message names memory of its receiver. */
static bool memory_is_named(const struct iw_history_message *message) {
    return message->tagged || message->qn == IW_QN_REQUEST;
}

/* Adds the frames to a cause in the memory of the sender of the Terminate. */
static void memory_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause) {
    iw_terminate_frames(at, cause);
    if (cause == NULL)
        return;
    cause->buffer = (struct iw_named_buffer){
        .known = at->message != NULL ? memory_is_named(at->message) : at->terminate->header_tagged,
        .owner = at->side,
        .stag = at->message != NULL ? at->message->stag : at->terminate->header_stag,
        .to = at->message != NULL ? at->message->to : at->terminate->header_to};
}

/* Whether all segments of the connection so far are kept: then one that is not found did not come. */
static bool memory_has_all(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->evidence->history;

    return history->message_count <= history->message_max && !iw_evidence_is_partial(at->evidence);
}

/* RDMAP has an error code for rights, DDP has none (RFC 5040 4.8, RFC 5041 7.2). */
enum { DDP_LAYER = 1 };

static bool memory_is_read_of(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && message->side == at->side && message->opcode == IW_RDMAP_OP_READ_REQUEST &&
           message->sink_stag == at->terminate->header_stag;
}

/* Whether the Terminate rejects a Read Response, whose Data Sink belongs to the sender of the Terminate. */
static bool memory_is_about_own_sink(const struct iw_terminate_case *at) {
    return at->terminate->has_header && at->terminate->header_tagged &&
           at->terminate->header_opcode == IW_RDMAP_OP_READ_RESPONSE;
}

/* A Read Response to the same sink, accepted before the Read Request that is answered now. */
struct memory_sink {
    const struct iw_terminate_case *at;
    uint64_t before; /* frame of that Read Request */
};

static bool memory_is_earlier_response(const struct iw_history_message *message, const void *what) {
    const struct memory_sink *sink = what;

    return message->decoded && message->side != sink->at->side &&
           message->opcode == IW_RDMAP_OP_READ_RESPONSE && message->mark.frame < sink->before &&
           message->stag == sink->at->terminate->header_stag && message->length > 0;
}

static void memory_own_sink_rights(
    const struct iw_terminate_case *at, const struct iw_history_message *read, bool named) {
    struct iw_diagnosed *cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_READ_SINK_RIGHTS,
        named ? IW_CONFIDENCE_CERTAIN : IW_CONFIDENCE_LIKELY,
        "%s reads into its own STag 0x%08" PRIx32 ", and itself rejects the Read Response of %s. %s",
        iw_terminate_sender(at), at->terminate->header_stag, iw_terminate_other(at),
        named ? "The Terminate names the access rights."
              : "DDP has no error code for rights, so stacks report an invalid STag.");

    if (read != NULL)
        iw_diagnosis_frame(cause, read->mark.frame);
    memory_frames(at, cause);
}

/* The sender of the Terminate rejects a response to its own Read. */
static void memory_own_sink(const struct iw_terminate_case *at) {
    const struct iw_history_message *read = iw_history_find(at->evidence->history, memory_is_read_of, at);
    const struct memory_sink sink = {at, read != NULL ? read->mark.frame : 0};
    const struct iw_history_message *before =
        iw_history_find(at->evidence->history, memory_is_earlier_response, &sink);
    uint16_t error = at->terminate->error;
    struct iw_diagnosed *cause;

    if (error == IW_ERROR_RDMAP_ACCESS_RIGHTS) {
        memory_own_sink_rights(at, read, true);
    } else if (error != IW_ERROR_DDP_INVALID_STAG && error != IW_ERROR_RDMAP_INVALID_STAG) {
        return; /* the STag is of another connection, which no right changes */
    } else if (before != NULL) {
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_LIKELY,
            "%s took a Read Response into its STag 0x%08" PRIx32
            " in the first frame of the evidence, and rejects this one.",
            iw_terminate_sender(at), at->terminate->header_stag);
        iw_diagnosis_frame(cause, before->mark.frame);
        memory_frames(at, cause);
    } else if (memory_has_all(at)) { /* else an earlier response may be missing */
        memory_own_sink_rights(at, read, false);
    }
}

/* Another segment of the other side that named the same STag before, by the same or another operation. */
struct memory_use {
    const struct iw_terminate_case *at;
    bool same_operation;
};

static bool memory_is_earlier_use(const struct iw_history_message *message, const void *what) {
    const struct memory_use *use = what;
    const struct iw_history_message *rejected = use->at->message;

    return message->decoded && message->side == rejected->side &&
           message->mark.frame < rejected->mark.frame && message->stag == rejected->stag &&
           message->length > 0 && (message->tagged || message->qn == IW_QN_REQUEST) &&
           (message->opcode == rejected->opcode) == use->same_operation;
}

/* Whether the segment names memory of the sender of the Terminate by the rejected STag in the opposite byte
 * order. */
static bool memory_is_swapped(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;
    uint32_t swapped = __builtin_bswap32(at->message->stag);

    if (!message->decoded || message->mark.frame > at->message->mark.frame)
        return false;
    if (message->side == at->side)
        return message->opcode == IW_RDMAP_OP_READ_REQUEST && message->sink_stag == swapped;
    return memory_is_named(message) ? message->stag == swapped
                                    : message->invalidates && message->invalidate_stag == swapped;
}

static void memory_stag_unknown(const struct iw_terminate_case *at) {
    const struct iw_history_message *swapped = iw_history_find(at->evidence->history, memory_is_swapped, at);
    char other_order[96] = "";
    struct iw_diagnosed *cause;

    if (swapped != NULL)
        snprintf(other_order, sizeof other_order,
            " It is STag 0x%08" PRIx32 " of the first frame of the evidence in the wrong byte order.",
            __builtin_bswap32(at->message->stag));
    cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_UNKNOWN, IW_CONFIDENCE_LIKELY,
        "%s names STag 0x%08" PRIx32 " for the first time, and %s rejects it.%s", iw_terminate_other(at),
        at->message->stag, iw_terminate_sender(at), other_order);
    if (swapped != NULL)
        iw_diagnosis_frame(cause, swapped->mark.frame);
    memory_frames(at, cause);
}

static void memory_stag_of_message(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;
    const struct memory_use same = {at, true}, other = {at, false};
    const struct iw_history_message *before =
        iw_history_find(at->evidence->history, memory_is_earlier_use, &same);
    const struct iw_history_message *differing =
        iw_history_find(at->evidence->history, memory_is_earlier_use, &other);
    struct iw_diagnosed *cause;

    if (message->stag_ended_frame != 0 && message->stag_first_frame == message->mark.frame) {
        iw_terminate_decide(at, IW_TRUTH_CONFIRMED);
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_INVALIDATED, IW_CONFIDENCE_CERTAIN,
            "A Send in the first frame of the evidence invalidated STag 0x%08" PRIx32
            ". After it %s used the STag in %s %s.",
            message->stag, iw_terminate_other(at), iw_terminate_article(iw_terminate_title(message)),
            iw_terminate_title(message));
        iw_diagnosis_frame(cause, message->stag_ended_frame);
    } else if (before == NULL && differing != NULL && iw_error_layer(at->terminate->error) == DDP_LAYER) {
        if (!memory_has_all(at))
            return; /* the same operation may have been accepted before */
        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
            "STag 0x%08" PRIx32
            " works for the %s in the first frame of the evidence, and %s rejects it for %s.",
            message->stag, iw_terminate_title(differing), iw_terminate_sender(at),
            iw_terminate_title(message));
        iw_diagnosis_frame(cause, differing->mark.frame);
    } else if (iw_evidence_side_has_gaps(at->evidence, iw_side_other(at->side))) {
        return; /* what was lost may have invalidated it, or used it before */
    } else if (before != NULL || differing != NULL ||
               (message->stag_first_frame != 0 && message->stag_first_frame < message->mark.frame)) {
        uint64_t first = before != NULL      ? before->mark.frame
                         : differing != NULL ? differing->mark.frame
                                             : message->stag_first_frame;

        cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_LIKELY,
            "STag 0x%08" PRIx32 " was accepted in the first frame of the evidence; now %s rejects it, and no "
            "captured Send invalidated it.",
            message->stag, iw_terminate_sender(at));
        iw_diagnosis_frame(cause, first);
    } else if (iw_evidence_is_partial(at->evidence)) {
        return; /* it may have been used before the capture began */
    } else {
        memory_stag_unknown(at);
        return;
    }
    memory_frames(at, cause);
}

void iw_terminate_stag(const struct iw_terminate_case *at) {
    if (memory_is_about_own_sink(at)) {
        memory_own_sink(at);
    } else if (at->message != NULL && !at->message->invalidates) {
        if (memory_is_named(at->message))
            memory_stag_of_message(at);
    } else if (at->message == NULL && at->terminate->has_header && at->terminate->header_tagged &&
               !iw_evidence_is_partial(at->evidence)) {
        memory_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_UNKNOWN, IW_CONFIDENCE_POSSIBLE,
                              "The Terminate names STag 0x%08" PRIx32
                              ". No message with it is in the capture, or it is no longer kept.",
                              at->terminate->header_stag));
    }
}

/* An Invalidate STag that cannot be invalidated: it is not valid, or not of this connection. */
void iw_terminate_invalidate(const struct iw_terminate_case *at) {
    if (at->message == NULL || !at->message->invalidates) {
        iw_terminate_stag(at);
        return;
    }
    iw_terminate_frames(
        at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_STAG_UNKNOWN,
                iw_evidence_confidence(at->evidence, IW_CONFIDENCE_LIKELY),
                "%s asks to invalidate STag 0x%08" PRIx32
                ", which %s does not know or does not let it invalidate.",
                iw_terminate_other(at), at->message->invalidate_stag, iw_terminate_sender(at)));
}

void iw_terminate_rights(const struct iw_terminate_case *at) {
    if (memory_is_about_own_sink(at)) {
        memory_own_sink(at);
        return;
    }
    if (at->message != NULL ? memory_is_named(at->message)
                            : at->terminate->has_header && at->terminate->header_tagged)
        memory_frames(
            at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
                    "%s rejects the %s of %s to STag 0x%08" PRIx32 ": its buffer lacks the right for it.",
                    iw_terminate_sender(at), iw_terminate_about(at), iw_terminate_other(at),
                    at->message != NULL ? at->message->stag : at->terminate->header_stag));
    else if (at->terminate->has_header) /* without it, this may be the sender's own Data Sink */
        iw_terminate_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
                                    "%s rejects the %s of %s: its buffer lacks the right for it.",
                                    iw_terminate_sender(at), iw_terminate_about(at), iw_terminate_other(at)));
}

/* The first segment of the tagged message that the rejected segment continues; NULL if it is the first
 * itself, or if the first is not known. */
static const struct iw_history_message *memory_first_segment(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->evidence->history;
    const struct iw_history_message *rejected = at->message, *first = NULL;
    uint64_t begin = rejected->to;
    uint32_t kept = iw_history_kept(history);

    for (uint32_t i = 0; rejected->tagged && i < kept; i++) {
        const struct iw_history_message *message = iw_history_back(history, i);

        if (message->side != rejected->side || message->mark.frame > rejected->mark.frame)
            continue;
        if (message->decoded && message->tagged && !message->last && message->opcode == rejected->opcode &&
            message->stag == rejected->stag && message->to + message->length == begin) {
            first = message;
            begin = message->to;
        } else if (first != NULL) {
            return first; /* segments of two messages of a side do not mix (RFC 5041 5.3) */
        }
    }
    return memory_has_all(at) ? first : NULL;
}

void iw_terminate_bounds(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message, *first;
    char whole[112] = "";
    struct iw_diagnosed *cause;

    if (message == NULL || !memory_is_named(message)) {
        memory_frames(at, iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY,
                              "%s says that %s %s of %s is not within its buffer.", iw_terminate_sender(at),
                              iw_terminate_article(iw_terminate_about(at)), iw_terminate_about(at),
                              iw_terminate_other(at)));
        return;
    }
    if (message->length > 0 && message->to > UINT64_MAX - (message->length - 1))
        iw_terminate_decide(at, IW_TRUTH_CONFIRMED);
    first = memory_first_segment(at);
    if (first != NULL)
        snprintf(whole, sizeof whole,
            " They are a segment of a message of %s%" PRIu64 " octets from Tagged Offset 0x%" PRIx64 " on.",
            message->last ? "" : "at least ", message->to + message->length - first->to, first->to);
    cause = iw_diagnosis_add(at->diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY,
        "The %s of %s names %" PRIu32 " octet%s at Tagged Offset 0x%" PRIx64 " of STag 0x%08" PRIx32
        "; %s says that they are not all in its buffer.%s",
        iw_terminate_title(message), iw_terminate_other(at), message->length, iw_plural(message->length),
        message->to, message->stag, iw_terminate_sender(at), whole);
    if (first != NULL)
        iw_diagnosis_frame(cause, first->mark.frame);
    memory_frames(at, cause);
}
