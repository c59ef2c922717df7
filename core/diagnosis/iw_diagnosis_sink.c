#include <inttypes.h>

#include "iw_diagnosis_terminate.h"

/* Causes that a Terminate reports about a Read Response: its Data Sink is memory of the reader itself, which
 * sends the Terminate. */

/* Whether the message is a Read with this Data Sink. */
static bool sink_is_read(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && message->side == at->side && message->opcode == IW_RDMAP_OP_READ_REQUEST &&
           message->sink_stag == at->terminate->header_stag &&
           (at->message == NULL || iw_diagnosis_stag_is_sent_before(message, at));
}

bool iw_diagnosis_sink_is_own(const struct iw_terminate_case *at) {
    return at->terminate->has_header && at->terminate->header_tagged &&
           at->terminate->header_opcode == IW_RDMAP_OP_READ_RESPONSE;
}

const struct iw_history_message *iw_diagnosis_sink_read(const struct iw_terminate_case *at) {
    return iw_history_find(at->facts->history, sink_is_read, at);
}

/* Whether the reader accepted the segment, which is to the same sink, before. */
static bool sink_is_accepted(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return message->decoded && message->tagged && message->side == at->message->side &&
           message->stag == at->message->stag && message->length > 0 &&
           iw_diagnosis_stag_accepted(at, message);
}

static void sink_rights(const struct iw_terminate_case *at, const struct iw_history_message *read,
    enum iw_confidence confidence) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_READ_SINK_RIGHTS, confidence,
            "%s reads into its own STag 0x%08" PRIx32 ", and itself rejects the Read Response of %s. %s",
            iw_diagnosis_terminate_sender(at), at->terminate->header_stag, iw_diagnosis_terminate_other(at),
            at->terminate->error == IW_ERROR_RDMAP_ACCESS_RIGHTS
                ? "The Terminate names the access rights."
                : "DDP has no error code for rights, so stacks report an invalid STag.");

    if (read != NULL)
        iw_diagnosis_frame(cause, read->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
}

/* The response itself breaks a rule: the reader is right to reject it, whatever the rights of its buffer. */
static void sink_violation(const struct iw_terminate_case *at, const struct iw_history_finding *finding) {
    const struct iw_history_message *swapped = iw_diagnosis_memory_swapped_stag(at);
    struct iw_diagnosed *cause = iw_diagnosis_add_of(at->diagnosis, iw_side_other(at->side),
        IW_CAUSE_ID_PROTOCOL_VIOLATION, IW_CONFIDENCE_LIKELY, "%s (%s); sent by %s.%s", finding->message,
        finding->requirement->id, iw_diagnosis_terminate_other(at),
        swapped != NULL ? " The Read Request has this STag in the other byte order." : "");

    if (swapped != NULL)
        iw_diagnosis_frame(cause, swapped->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
}

bool iw_diagnosis_sink_response_violates(const struct iw_terminate_case *at) {
    const struct iw_history_finding *finding =
        iw_diagnosis_sink_is_own(at) ? iw_diagnosis_terminate_finding(at, "RFC 5040", NULL) : NULL;

    if (finding != NULL)
        sink_violation(at, finding);
    return finding != NULL;
}

static void sink_withdrawn(const struct iw_terminate_case *at, const struct iw_history_message *accepted) {
    struct iw_diagnosed *cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN,
        iw_facts_side_has_gaps(at->facts, iw_side_other(at->side)) ? IW_CONFIDENCE_POSSIBLE
                                                                   : IW_CONFIDENCE_LIKELY,
        "%s took %s %s into its STag 0x%08" PRIx32 " in frame %" PRIu64 ", and rejects this Read Response.",
        iw_diagnosis_terminate_sender(at),
        iw_diagnosis_terminate_article(iw_diagnosis_terminate_title(accepted)),
        iw_diagnosis_terminate_title(accepted), at->terminate->header_stag,
        iw_diagnosis_terminate_frame_number(at, accepted->mark.frame));

    iw_diagnosis_frame(cause, accepted->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
}

/* The reader named its Data Sink again after a Send that invalidated it: whether the STag was registered
 * again for it, nothing shows. */
static void sink_again(const struct iw_terminate_case *at, const struct iw_history_message *read) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_POSSIBLE,
            "A Send in frame %" PRIu64 " invalidated STag 0x%08" PRIx32
            ", %s reads into it again in frame %" PRIu64
            ", and rejects the Read Response. Perhaps it was not registered again, or not yet.",
            iw_diagnosis_terminate_frame_number(at, at->message->stag_ended_frame), at->message->stag,
            iw_diagnosis_terminate_sender(at), iw_diagnosis_terminate_frame_number(at, read->mark.frame));

    iw_diagnosis_frame(cause, at->message->stag_ended_frame);
    iw_diagnosis_frame(cause, read->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
}

/* Whether octets are lost after the Read: a Send among them may have invalidated its sink. What was lost
 * before it does not matter so much, as the reader names the sink again. */
static bool sink_lacks_after(const struct iw_terminate_case *at, const struct iw_history_message *read) {
    const struct iw_history *history = at->facts->history;

    return iw_history_trouble(history, IW_SIDE_A)->lost_last_frame > read->mark.frame ||
           iw_history_trouble(history, IW_SIDE_B)->lost_last_frame > read->mark.frame;
}

/* Whether the response is longer than the Read asked for: then no right of the sink is why it was rejected.
 */
static bool sink_is_exceeded(const struct iw_terminate_case *at, const struct iw_history_message *read) {
    return at->message->length > read->length;
}

/* Segments that are not captured or no longer kept may have been accepted into the sink, unless the Read is
 * its first use. */
static void sink_forgotten(const struct iw_terminate_case *at, const struct iw_history_message *read) {
    uint64_t first = at->message->stag_first_frame;
    bool is_first = first != 0 && first >= read->mark.frame && !iw_facts_is_partial(at->facts);
    struct iw_diagnosed *cause;

    sink_rights(at, read, is_first ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE);
    if (is_first)
        return;
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_WITHDRAWN, IW_CONFIDENCE_POSSIBLE,
        "%s reads into its STag 0x%08" PRIx32
        ", which may have been accepted before, and rejects the Read Response.",
        iw_diagnosis_terminate_sender(at), at->terminate->header_stag);
    iw_diagnosis_frame(cause, read->mark.frame);
    iw_diagnosis_memory_frames(at, cause);
}

/* The sender of the Terminate rejects a response, for its STag or its rights. */
static void sink_response(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;
    const struct iw_history_message *read = iw_diagnosis_sink_read(at);
    const struct iw_history_message *accepted = iw_history_find(history, sink_is_accepted, at);
    const struct iw_history_finding *finding = iw_diagnosis_terminate_finding(at, "RFC 5040", NULL);
    bool rights = at->terminate->error == IW_ERROR_RDMAP_ACCESS_RIGHTS;
    bool has_all = iw_diagnosis_memory_has_all(at);

    if (finding != NULL && (!rights || read == NULL))
        sink_violation(at, finding);
    if (read == NULL && (has_all || finding != NULL))
        return; /* the sender of the Terminate did not read into this STag */
    if (rights)
        sink_rights(at, read, accepted != NULL ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY);
    else if (accepted != NULL)
        sink_withdrawn(at, accepted);
    else if (read != NULL && at->message->stag_ended_frame != 0) {
        sink_again(at, read);
        sink_rights(at, read, IW_CONFIDENCE_POSSIBLE);
    } else if (has_all)
        sink_rights(at, read, finding != NULL ? IW_CONFIDENCE_POSSIBLE : IW_CONFIDENCE_LIKELY);
    else if (read != NULL && finding == NULL && !sink_lacks_after(at, read) && !sink_is_exceeded(at, read))
        sink_forgotten(at, read);
}

void iw_diagnosis_sink_own(const struct iw_terminate_case *at) {
    uint16_t error = at->terminate->error;

    if (error != IW_ERROR_RDMAP_ACCESS_RIGHTS && error != IW_ERROR_DDP_INVALID_STAG &&
        error != IW_ERROR_RDMAP_INVALID_STAG)
        return; /* the STag is of another connection: no right of the buffer changes that */
    if (at->message != NULL) {
        if (!iw_diagnosis_stag_after_invalidation(at))
            sink_response(at);
    } else if (error == IW_ERROR_RDMAP_ACCESS_RIGHTS && !iw_diagnosis_memory_has_all(at)) {
        sink_rights(at, iw_diagnosis_sink_read(at), IW_CONFIDENCE_LIKELY);
    }
}
