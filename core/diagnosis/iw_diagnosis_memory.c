#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_terminate.h"
#include "iw_plural.h"

/* Causes that a Terminate reports about memory that a message names: its STag, rights and bounds. */

bool iw_diagnosis_memory_is_named(const struct iw_history_message *message) {
    return message->tagged || message->qn == IW_QN_REQUEST;
}

void iw_diagnosis_memory_frames(const struct iw_terminate_case *at, struct iw_diagnosed *cause) {
    iw_diagnosis_terminate_frames(at, cause);
    if (cause == NULL)
        return;
    cause->buffer =
        (struct iw_named_buffer){.known = at->message != NULL ? iw_diagnosis_memory_is_named(at->message)
                                                              : at->terminate->header_tagged,
            .owner = at->side,
            .stag = at->message != NULL ? at->message->stag : at->terminate->header_stag,
            .to = at->message != NULL ? at->message->to : at->terminate->header_to};
}

bool iw_diagnosis_memory_has_all(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;

    return history->message_count <= history->message_max && !iw_facts_is_partial(at->facts);
}

/* Whether the Terminate may be about this segment with octets instead of the one without. */
static bool memory_is_same_with_octets(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->length > 0 && iw_diagnosis_stag_has_header(message, at);
}

bool iw_diagnosis_memory_is_about_nothing(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;

    return at->message != NULL && iw_diagnosis_memory_is_named(at->message) && at->message->length == 0 &&
           history->message_count <= history->message_max &&
           iw_history_find(history, memory_is_same_with_octets, at) == NULL;
}

/* RDMAP has an error code for rights, DDP has none (RFC 5040 4.8, RFC 5041 7.2). */
enum { DDP_LAYER = 1 };

/* ---- an STag of the other side's message ---- */

/* The owner advertised the STag after its invalidation, and rejects it. */
static void memory_advertised_again(const struct iw_terminate_case *at, uint64_t advertised) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_POSSIBLE,
            "A Send in frame %" PRIu64 " invalidated STag 0x%08" PRIx32
            ", %s advertised it again, and now rejects it. Perhaps it is no longer registered, or not yet.",
            iw_diagnosis_terminate_frame_number(at, at->message->stag_ended_frame), at->message->stag,
            iw_diagnosis_terminate_sender(at));

    iw_diagnosis_frame(cause, at->message->stag_ended_frame);
    iw_diagnosis_frame(cause, advertised);
    iw_diagnosis_memory_frames(at, cause);
}

/* The owner advertised the STag, and rejects its first use. Of rights only RDMAP can report an error. An STag
 * that was used before has its rights, as a receiver takes messages in order. */
static void memory_advertised(const struct iw_terminate_case *at, uint64_t advertised) {
    uint64_t first = at->message->stag_first_frame;
    bool used = first != 0 && first < at->message->mark.frame;
    bool ddp = iw_error_layer(at->terminate->error) == DDP_LAYER && !used;
    struct iw_diagnosed *cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN,
        ddp ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY,
        "%s advertised STag 0x%08" PRIx32 " in frame %" PRIu64 ", and now rejects it.%s",
        iw_diagnosis_terminate_sender(at), at->message->stag,
        iw_diagnosis_terminate_frame_number(at, advertised),
        ddp ? " Perhaps it is no longer registered, or it lacks the right for this access." : "");

    iw_diagnosis_frame(cause, advertised);
    iw_diagnosis_memory_frames(at, cause);
    if (!ddp)
        return;
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_POSSIBLE,
        "%s advertised STag 0x%08" PRIx32 ", and rejects the first %s to it. "
        "DDP has no error code for rights, so stacks report an invalid STag.",
        iw_diagnosis_terminate_sender(at), at->message->stag, iw_diagnosis_terminate_title(at->message));
    iw_diagnosis_frame(cause, advertised);
    iw_diagnosis_memory_frames(at, cause);
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
    return iw_diagnosis_memory_is_named(message)
               ? message->stag == swapped
               : message->invalidates && message->invalidate_stag == swapped;
}

const struct iw_history_message *iw_diagnosis_memory_swapped_stag(const struct iw_terminate_case *at) {
    return iw_history_find(at->facts->history, memory_is_swapped, at);
}

/* What came before the kept segments may have been accepted, or be under way as the rejected one. */
static void memory_stag_unknown(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;
    uint64_t first = at->message->stag_first_frame;
    bool forgotten = history->message_count > history->message_max &&
                     first < iw_history_back(history, iw_history_kept(history) - 1)->mark.frame;
    const struct iw_history_message *swapped = iw_diagnosis_memory_swapped_stag(at);
    char other_order[96] = "";
    struct iw_diagnosed *cause;

    if (swapped != NULL)
        snprintf(other_order, sizeof other_order,
            " It is STag 0x%08" PRIx32 " of frame %" PRIu64 " in the wrong byte order.",
            __builtin_bswap32(at->message->stag),
            iw_diagnosis_terminate_frame_number(at, swapped->mark.frame));
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_UNKNOWN,
        forgotten ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY,
        "%s names STag 0x%08" PRIx32 "%s, and %s rejects it.%s", iw_diagnosis_terminate_other(at),
        at->message->stag,
        first == at->message->mark.frame ? " for the first time"
                                         : ". Nothing shows that it was accepted before",
        iw_diagnosis_terminate_sender(at), other_order);
    if (swapped != NULL)
        iw_diagnosis_frame(cause, swapped->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
    if (!forgotten || first == 0)
        return;
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_POSSIBLE,
        "STag 0x%08" PRIx32 " is in use since frame %" PRIu64 ", and now %s rejects it.", at->message->stag,
        iw_diagnosis_terminate_frame_number(at, first), iw_diagnosis_terminate_sender(at));
    iw_diagnosis_frame(cause, first);
    iw_diagnosis_memory_frames(at, cause);
}

static void memory_stag_of_message(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message;
    const struct iw_history_message *before = iw_diagnosis_stag_earlier_use(at, true);
    const struct iw_history_message *differing = iw_diagnosis_stag_earlier_use(at, false);
    uint64_t advertised;
    struct iw_diagnosed *cause;

    if (iw_diagnosis_stag_after_invalidation(at))
        return;
    advertised = iw_diagnosis_stag_advertised_frame(at);
    if (before == NULL && differing == NULL && advertised != 0 && message->stag_ended_frame != 0) {
        memory_advertised_again(at, advertised);
        return;
    } else if (before == NULL && differing != NULL && iw_error_layer(at->terminate->error) == DDP_LAYER) {
        if (!iw_diagnosis_memory_has_all(at))
            return; /* the same operation may have been accepted before */
        cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
            "STag 0x%08" PRIx32 " works for the %s in frame %" PRIu64 ", and %s rejects it for %s.",
            message->stag, iw_diagnosis_terminate_title(differing),
            iw_diagnosis_terminate_frame_number(at, differing->mark.frame), iw_diagnosis_terminate_sender(at),
            iw_diagnosis_terminate_title(message));
        iw_diagnosis_frame(cause, differing->mark.frame);
    } else if (iw_facts_side_has_gaps(at->facts, iw_side_other(at->side))) {
        return; /* what was lost may have invalidated it, or used it before */
    } else if (before != NULL || differing != NULL) {
        uint64_t accepted = before != NULL ? before->mark.frame : differing->mark.frame;

        cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_LIKELY,
            "STag 0x%08" PRIx32 " was accepted in frame %" PRIu64 "; now %s rejects it, and no "
            "captured Send invalidated it since.",
            message->stag, iw_diagnosis_terminate_frame_number(at, accepted),
            iw_diagnosis_terminate_sender(at));
        iw_diagnosis_frame(cause, accepted);
    } else if (advertised != 0) {
        memory_advertised(at, advertised);
        return;
    } else if (iw_facts_is_partial(at->facts)) {
        return; /* it may have been used before the capture began */
    } else {
        memory_stag_unknown(at);
        return;
    }
    iw_diagnosis_memory_frames(at, cause);
}

void iw_diagnosis_memory_stag(const struct iw_terminate_case *at) {
    if (iw_diagnosis_sink_is_own(at)) {
        iw_diagnosis_sink_own(at);
    } else if (at->message != NULL && !at->message->invalidates) {
        if (iw_diagnosis_memory_is_named(at->message))
            memory_stag_of_message(at);
    } else if (at->message == NULL && at->terminate->has_header && at->terminate->header_tagged &&
               !iw_facts_is_partial(at->facts)) {
        iw_diagnosis_memory_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_UNKNOWN, IW_CONFIDENCE_POSSIBLE,
                    "The Terminate names STag 0x%08" PRIx32
                    ". No message with it is in the capture, or it is no longer kept.",
                    at->terminate->header_stag));
    }
}

/* An Invalidate STag that cannot be invalidated: it is not valid, or not of this connection. */
void iw_diagnosis_memory_invalidate(const struct iw_terminate_case *at) {
    if (at->message == NULL || !at->message->invalidates)
        return; /* what the Terminate is about invalidates nothing */
    iw_diagnosis_terminate_frames(at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_UNKNOWN,
                                          iw_facts_confidence(at->facts, IW_CONFIDENCE_LIKELY),
                                          "%s asks to invalidate STag 0x%08" PRIx32
                                          ", which %s does not know or does not let it invalidate.",
                                          iw_diagnosis_terminate_other(at), at->message->invalidate_stag,
                                          iw_diagnosis_terminate_sender(at)));
}

/* Whether the rejected message is of a kind that names no STag: no buffer needs a right for it. */
static bool memory_is_without_stag(const struct iw_terminate_case *at) {
    uint8_t opcode = at->message != NULL ? at->message->opcode : at->terminate->header_opcode;

    return at->terminate->has_header && !at->terminate->header_tagged &&
           at->terminate->header_qn == IW_QN_SEND && opcode < IW_RDMAP_OP_COUNT &&
           iw_opcodes[opcode].invalidate == IW_INVALIDATE_ZERO;
}

void iw_diagnosis_memory_rights(const struct iw_terminate_case *at) {
    if (iw_diagnosis_sink_is_own(at)) {
        iw_diagnosis_sink_own(at);
        return;
    }
    if (at->message != NULL ? iw_diagnosis_memory_is_named(at->message)
                            : at->terminate->has_header && at->terminate->header_tagged) {
        bool accepted = at->message != NULL && iw_diagnosis_stag_earlier_use(at, true) != NULL;

        iw_diagnosis_memory_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_RIGHTS,
                    accepted ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY,
                    "%s rejects the %s of %s to STag 0x%08" PRIx32 ": its buffer lacks the right for it.%s",
                    iw_diagnosis_terminate_sender(at), iw_diagnosis_terminate_about(at),
                    iw_diagnosis_terminate_other(at),
                    at->message != NULL ? at->message->stag : at->terminate->header_stag,
                    accepted ? " It accepted the same operation before." : ""));
    } else if (at->terminate->has_header &&
               !memory_is_without_stag(at)) { /* without it, this may be the sender's own Data Sink */
        iw_diagnosis_terminate_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_LIKELY,
                    "%s rejects the %s of %s: its buffer lacks the right for it.",
                    iw_diagnosis_terminate_sender(at), iw_diagnosis_terminate_about(at),
                    iw_diagnosis_terminate_other(at)));
    }
}

/* The first segment of the tagged message that the rejected segment continues; NULL if it is the first
 * itself, or if the first is not known. */
static const struct iw_history_message *memory_first_segment(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;
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
    return iw_diagnosis_memory_has_all(at) ? first : NULL;
}

/* Whether all octets that the rejected message names were accepted before, in one earlier segment or request.
 */
static bool memory_is_accepted_place(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;
    const struct iw_history_message *rejected = at->message;

    return message->decoded && message->side == rejected->side && message->stag == rejected->stag &&
           iw_diagnosis_memory_is_named(message) && message->to <= rejected->to &&
           rejected->to - message->to <= message->length &&
           message->length - (rejected->to - message->to) >= rejected->length &&
           iw_diagnosis_stag_accepted(at, message);
}

void iw_diagnosis_memory_bounds(const struct iw_terminate_case *at) {
    const struct iw_history_message *message = at->message, *first, *accepted, *read;
    char whole[112] = "";
    struct iw_diagnosed *cause;
    bool otherwise = iw_diagnosis_sink_response_violates(at); /* which explains it otherwise */

    if (message == NULL || !iw_diagnosis_memory_is_named(message)) {
        iw_diagnosis_memory_frames(
            at, iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_BOUNDS,
                    at->terminate->has_header ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE,
                    "%s says that %s %s of %s is not within its buffer.", iw_diagnosis_terminate_sender(at),
                    iw_diagnosis_terminate_article(iw_diagnosis_terminate_about(at)),
                    iw_diagnosis_terminate_about(at), iw_diagnosis_terminate_other(at)));
        return;
    }
    if (message->length > 0 && message->to > UINT64_MAX - (message->length - 1))
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    else if (iw_diagnosis_bounds_are_advertised(at))
        return;
    first = memory_first_segment(at);
    accepted = iw_history_find(at->facts->history, memory_is_accepted_place, at);
    read = iw_diagnosis_sink_is_own(at) ? iw_diagnosis_sink_read(at) : NULL;
    if (first != NULL)
        snprintf(whole, sizeof whole,
            " They are a segment of a message of %s%" PRIu64 " octets from Tagged Offset 0x%" PRIx64 " on.",
            message->last ? "" : "at least ", message->to + message->length - first->to, first->to);
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_BOUNDS,
        accepted != NULL || otherwise ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY,
        "The %s of %s names %" PRIu32 " octet%s at Tagged Offset 0x%" PRIx64 " of STag 0x%08" PRIx32
        "; %s says that they are not all in its buffer.%s%s%s",
        iw_diagnosis_terminate_title(message), iw_diagnosis_terminate_other(at), message->length,
        iw_plural(message->length), message->to, message->stag, iw_diagnosis_terminate_sender(at), whole,
        accepted != NULL ? " It accepted this place before." : "",
        read != NULL ? " Its own Read Request names this STag." : "");
    if (read != NULL)
        iw_diagnosis_frame(cause, read->mark.frame);
    if (first != NULL)
        iw_diagnosis_frame(cause, first->mark.frame);
    if (accepted != NULL)
        iw_diagnosis_frame(cause, accepted->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
}
