#include <inttypes.h>
#include <stdio.h>

#include "iw_diagnosis_terminate.h"
#include "iw_upper.h"

/* What the capture shows of an STag before the message that its owner rejected. */

enum { STAG_TEXT = 128 };

/* ---- an STag that was accepted before ---- */

bool iw_diagnosis_stag_has_header(
    const struct iw_history_message *message, const struct iw_terminate_case *at) {
    const struct iw_history_message *rejected = at->message;

    if (!message->decoded || message->side != rejected->side || message->tagged != rejected->tagged ||
        message->opcode != rejected->opcode)
        return false;
    return message->tagged
               ? message->stag == rejected->stag && message->to == rejected->to
               : message->qn == rejected->qn && message->msn == rejected->msn && message->mo == rejected->mo;
}

struct stag_accepted {
    const struct iw_terminate_case *at;
    const struct iw_history_message *use;
};

static bool stag_is_rejected_before(const struct iw_history_message *message, const void *what) {
    const struct stag_accepted *accepted = what;

    return iw_diagnosis_stag_has_header(message, accepted->at) &&
           message->mark.frame <= accepted->use->mark.frame;
}

/* Whether the message shows that its sender, the owner, accepted the use: a response to the request; or, as a
 * Terminate comes at once, any other message that was sent after it arrived. A message that crosses it shows
 * nothing. */
static bool stag_shows_acceptance(const struct iw_history_message *message, const void *what) {
    const struct stag_accepted *accepted = what;
    const struct iw_history_message *use = accepted->use;

    if (!message->decoded || message->side != accepted->at->side || message->mark.frame < use->mark.frame ||
        message->mark.frame >= accepted->at->terminate->mark.frame || message->received_at_most < use->end)
        return false;
    return use->tagged || (message->opcode == iw_opcodes[use->opcode].answer &&
                              (!message->tagged || message->stag == use->sink_stag));
}

bool iw_diagnosis_stag_accepted(const struct iw_terminate_case *at, const struct iw_history_message *use) {
    const struct iw_history *history = at->facts->history;
    const struct stag_accepted accepted = {at, use};

    if (use->mark.frame >= at->message->mark.frame || use->mark.frame <= at->message->stag_ended_frame ||
        (!use->tagged && !use->known_opcode))
        return false;
    return (use->tagged && history->message_count <= history->message_max &&
               iw_history_find(history, stag_is_rejected_before, &accepted) == NULL) ||
           iw_history_find(history, stag_shows_acceptance, &accepted) != NULL;
}

struct stag_use {
    const struct iw_terminate_case *at;
    bool same_operation;
};

static bool stag_is_earlier_use(const struct iw_history_message *message, const void *what) {
    const struct stag_use *use = what;
    const struct iw_history_message *rejected = use->at->message;

    return message->decoded && message->side == rejected->side && message->stag == rejected->stag &&
           message->length > 0 && iw_diagnosis_memory_is_named(message) &&
           (message->opcode == rejected->opcode) == use->same_operation &&
           iw_diagnosis_stag_accepted(use->at, message);
}

const struct iw_history_message *iw_diagnosis_stag_earlier_use(
    const struct iw_terminate_case *at, bool same_operation) {
    return iw_history_find(at->facts->history, stag_is_earlier_use, &(struct stag_use){at, same_operation});
}

/* ---- an STag after its invalidation ---- */

/* Whether the owner of the STag advertised it again between its latest invalidation and the rejected message.
 */
enum stag_again {
    STAG_NOT_AGAIN,     /* nothing that it sent there can have done so */
    STAG_HARDLY_AGAIN,  /* no message of the layer above that was read did so */
    STAG_PERHAPS_AGAIN, /* not known */
    STAG_AGAIN,
};

bool iw_diagnosis_stag_is_sent_before(
    const struct iw_history_message *message, const struct iw_terminate_case *at) {
    const struct iw_history_message *rejected = at->message;
    bool acknowledged = rejected->received_at_most != UINT64_MAX && message->end > 0 &&
                        rejected->received_at_most >= message->end;

    return message->side == at->side && (message->mark.frame < rejected->mark.frame || acknowledged);
}

/* Whether the message is of the owner, after the invalidation and before the rejected message. */
static bool stag_is_between(const struct iw_history_message *message, const struct iw_terminate_case *at) {
    return message->mark.frame > at->message->stag_ended_frame &&
           iw_diagnosis_stag_is_sent_before(message, at);
}

/* Whether the message has payload, which may name any STag. */
static bool stag_may_advertise(const struct iw_history_message *message, const void *what) {
    if (!stag_is_between(message, what))
        return false;
    if (!message->decoded || message->opcode == IW_RDMAP_OP_IMMEDIATE ||
        message->opcode == IW_RDMAP_OP_IMMEDIATE_SE)
        return true;
    return (message->tagged || message->qn == IW_QN_SEND) && message->length > 0;
}

static bool stag_is_sink_again(const struct iw_history_message *message, const void *what) {
    const struct iw_terminate_case *at = what;

    return stag_is_between(message, at) && message->decoded && message->opcode == IW_RDMAP_OP_READ_REQUEST &&
           message->sink_stag == at->message->stag;
}

struct stag_advertised {
    const struct iw_terminate_case *at;
    uint64_t frame;
};

static bool stag_is_advertised_before(const struct iw_history_message *message, const void *what) {
    const struct stag_advertised *advertised = what;

    return message->mark.frame == advertised->frame &&
           iw_diagnosis_stag_is_sent_before(message, advertised->at);
}

uint64_t iw_diagnosis_stag_advertised_frame(const struct iw_terminate_case *at) {
    const struct iw_upper *upper = at->facts->upper;
    const struct iw_upper_buffer *buffer =
        upper != NULL ? iw_upper_buffer_find(upper, at->side, at->message->stag, at->message->to) : NULL;

    if (buffer == NULL || buffer->frame <= at->message->stag_ended_frame)
        return 0;
    return buffer->frame < at->message->mark.frame ||
                   iw_history_find(at->facts->history, stag_is_advertised_before,
                       &(struct stag_advertised){at, buffer->frame}) != NULL
               ? buffer->frame
               : 0;
}

static enum stag_again stag_again(const struct iw_terminate_case *at) {
    const struct iw_history *history = at->facts->history;
    const struct iw_upper *upper = at->facts->upper;
    bool all_kept =
        history->message_count <= history->message_max ||
        iw_history_back(history, iw_history_kept(history) - 1)->mark.frame <= at->message->stag_ended_frame;

    if (iw_diagnosis_stag_advertised_frame(at) != 0 ||
        iw_history_find(history, stag_is_sink_again, at) != NULL)
        return STAG_AGAIN;
    if (all_kept && !iw_facts_side_has_gaps(at->facts, at->side) &&
        iw_history_find(history, stag_may_advertise, at) == NULL)
        return STAG_NOT_AGAIN;
    return upper != NULL && iw_upper_protocol(upper) != IW_ULP_UNKNOWN &&
                   iw_upper_is_read_after(upper, at->message->stag_ended_frame)
               ? STAG_HARDLY_AGAIN
               : STAG_PERHAPS_AGAIN;
}

/* What may have advertised it again: a sentence with a space before it. */
static const char *stag_perhaps_text(const struct iw_terminate_case *at, char text[STAG_TEXT]) {
    const struct iw_history_message *between = iw_history_find(at->facts->history, stag_may_advertise, at);

    if (between != NULL && !iw_facts_side_has_gaps(at->facts, at->side))
        snprintf(text, STAG_TEXT,
            " Between them its owner sent a message in frame %" PRIu64
            ", which may have advertised it again.",
            iw_diagnosis_terminate_frame_number(at, between->mark.frame));
    else
        snprintf(text, STAG_TEXT,
            " Between them, what its owner sent, or what was not captured, may have advertised it again.");
    return text;
}

bool iw_diagnosis_stag_after_invalidation(const struct iw_terminate_case *at) {
    static const enum iw_confidence confidence[] = {[STAG_NOT_AGAIN] = IW_CONFIDENCE_CERTAIN,
        [STAG_HARDLY_AGAIN] = IW_CONFIDENCE_LIKELY,
        [STAG_PERHAPS_AGAIN] = IW_CONFIDENCE_POSSIBLE};
    const struct iw_history_message *message = at->message;
    enum stag_again again;
    char text[STAG_TEXT];
    struct iw_diagnosed *cause;

    if (message->stag_ended_frame == 0)
        return false;
    again = stag_again(at);
    if (again == STAG_AGAIN ||
        (again != STAG_NOT_AGAIN && (iw_diagnosis_stag_earlier_use(at, true) != NULL ||
                                        iw_diagnosis_stag_earlier_use(at, false) != NULL)))
        return false;
    if (again == STAG_NOT_AGAIN)
        iw_diagnosis_terminate_decide(at, IW_TRUTH_CONFIRMED);
    cause = iw_diagnosis_add_of(at->diagnosis, at->side, IW_CAUSE_ID_STAG_INVALIDATED, confidence[again],
        "A Send in frame %" PRIu64 " invalidated STag 0x%08" PRIx32 ". After it %s used the STag in %s %s.%s",
        iw_diagnosis_terminate_frame_number(at, message->stag_ended_frame), message->stag,
        iw_diagnosis_terminate_other(at),
        iw_diagnosis_terminate_article(iw_diagnosis_terminate_title(message)),
        iw_diagnosis_terminate_title(message),
        again == STAG_PERHAPS_AGAIN ? stag_perhaps_text(at, text) : "");
    iw_diagnosis_frame(cause, message->stag_ended_frame);
    iw_diagnosis_memory_frames(at, cause);
    return true;
}
