#include "iw_history_part.h"

#include <stdlib.h>

/* The kept segments, and the one that a Terminate is about. */

uint32_t iw_history_kept(const struct iw_history *history) {
    return history->message_count < history->message_max ? (uint32_t)history->message_count
                                                         : history->message_max;
}

const struct iw_history_message *iw_history_back(const struct iw_history *history, uint32_t back) {
    return &history->messages[(history->message_count - 1 - back) % history->message_max];
}

const struct iw_history_message *iw_history_find(const struct iw_history *history,
    bool (*wanted)(const struct iw_history_message *message, const void *what), const void *what) {
    uint32_t kept = iw_history_kept(history);

    for (uint32_t i = 0; i < kept; i++) {
        const struct iw_history_message *message = iw_history_back(history, i);

        if (wanted(message, what))
            return message;
    }
    return NULL;
}

/* ---- new segments ---- */

/* Allocates the ring at once: of rings that grow together, the small ones would leave holes. Returns false if
 * memory runs out. */
static bool history_has_ring(struct iw_history *history) {
    if (history->messages == NULL)
        history->messages = calloc(history->message_max, sizeof *history->messages);
    history->incomplete |= history->messages == NULL;
    return history->messages != NULL;
}

/* Takes where the STag of the memory of the receiver was used before. */
static void history_stag(
    struct iw_history_message *message, const struct iw_monitor_event *event, enum iw_side owner) {
    for (unsigned i = 0; i < event->stag_use_count; i++) {
        const struct iw_stag_use *use = &event->stag_uses[i];

        if (use->owner == owner && use->life != NULL && use->life->stag == message->stag) {
            message->stag_first_frame = use->life->first_frame;
            message->stag_ended_frame = use->life->ended_before;
        }
    }
}

static void history_target(struct iw_history_message *message, const struct iw_segment *segment) {
    const struct iw_opcode *op = segment->op;
    struct iw_read_request read;
    struct iw_target target;

    message->length = segment->payload_octets;
    if (segment->tagged) {
        message->stag = segment->stag;
        message->to = segment->to;
        return;
    }
    message->qn = segment->qn;
    message->msn = segment->msn;
    message->mo = segment->mo;
    message->invalidates = op != NULL && op->invalidate == IW_INVALIDATE_STAG;
    if (message->invalidates)
        message->invalidate_stag = segment->invalidate_stag;
    if (op == NULL || op->answer == IW_RDMAP_OP_NONE || segment->header_octets == 0)
        return;
    target = iw_opcode_target(op, segment->header);
    message->stag = target.stag;
    message->to = target.to;
    message->length = target.length;
    if (op->value != IW_RDMAP_OP_READ_REQUEST || segment->header_octets < iw_read_request_octets)
        return;
    iw_read_request_decode(segment->header, &read);
    message->sink_stag = read.sink_stag;
}

static struct iw_history_message history_message(const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    const struct iw_segment *segment = event->segment;
    struct iw_history_message message = {.mark = iw_history_mark_of(llp),
        .side = (uint8_t)llp->side,
        .crc = (uint8_t)(llp->fpdu != NULL ? llp->fpdu->crc : IW_CRC_GOOD),
        .length = llp->segment_octets,
        .end = llp->offset + llp->octets,
        .received_at_most = UINT64_MAX};

    if (segment == NULL)
        return message;
    message.decoded = true;
    message.opcode = segment->opcode;
    message.known_opcode = segment->op != NULL;
    message.tagged = segment->tagged;
    message.last = segment->last;
    message.msn_expected = event->fact == NULL || event->fact->msn_ok;
    message.waiting = event->requests_waiting;
    message.received_at_most = event->received_at_most;
    history_target(&message, segment);
    history_stag(&message, event, iw_side_other(llp->side));
    return message;
}

void iw_history_take_message(struct iw_history *history, const struct iw_monitor_event *event) {
    if (history_has_ring(history))
        history->messages[history->message_count++ % history->message_max] = history_message(event);
}

/* ---- Terminates ---- */

struct history_terminated {
    const struct iw_history_terminate *terminate;
    enum iw_side sender; /* of the segment */
};

/* Whether the segment is of that sender, and has the header that the Terminate includes. */
static bool history_is_terminated(const struct iw_history_message *message, const void *what) {
    const struct history_terminated *terminated = what;
    const struct iw_history_terminate *terminate = terminated->terminate;

    if (!message->decoded || message->side != terminated->sender ||
        message->tagged != terminate->header_tagged || message->opcode != terminate->header_opcode)
        return false;
    if (message->tagged)
        return message->stag == terminate->header_stag && message->to == terminate->header_to;
    return message->qn == terminate->header_qn && message->msn == terminate->header_msn &&
           message->mo == terminate->header_mo;
}

void iw_history_take_terminate(struct iw_history *history, const struct iw_monitor_event *event) {
    const struct iw_terminate_message *sent = event->terminate;
    enum iw_side side = event->llp->side;
    struct iw_history_trouble *trouble = iw_history_make_trouble(history, side);
    struct iw_history_terminate *own;
    const struct iw_history_message *message;

    if (trouble == NULL || trouble->terminate.mark.frame != 0)
        return;
    own = &trouble->terminate;
    own->mark = iw_history_mark_of(event->llp);
    own->error = iw_terminate_error(&sent->control);
    if (!sent->has_ddp)
        return;
    own->has_header = true;
    own->header_tagged = sent->terminated.tagged;
    own->header_opcode = sent->terminated.opcode;
    own->header_qn = sent->terminated.qn;
    own->header_msn = sent->terminated.msn;
    own->header_mo = sent->terminated.mo;
    own->header_stag = sent->terminated.stag;
    own->header_to = sent->terminated.to;
    message = iw_history_find(
        history, history_is_terminated, &(struct history_terminated){own, iw_side_other(side)});
    if (message == NULL)
        return;
    own->has_message = true;
    own->message = *message;
}
