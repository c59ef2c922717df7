#include "iw_sequence.h"

#include <string.h>

void iw_sequence_init(struct iw_sequence *sequence, bool from_start) {
    memset(sequence, 0, sizeof *sequence);
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        sequence->queue[qn].known = from_start;
        sequence->queue[qn].msn = 1;
    }
}

void iw_sequence_lost(struct iw_sequence *sequence) {
    uint64_t segments = sequence->segments;

    iw_sequence_init(sequence, false);
    sequence->segments = segments;
}

static void untagged(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    fact->sequence_known = queue->known;
    fact->msn_expected = queue->msn;
    fact->mo_expected = queue->mo;
    fact->msn_ok = !queue->known || segment->msn == queue->msn;
    fact->mo_ok = !queue->known || segment->mo == queue->mo;
    fact->first = queue->known && queue->open ? segment->msn != queue->msn : segment->mo == 0;
    fact->same_message =
        fact->first || !queue->open ||
        (segment->control == queue->control && segment->invalidate_stag == queue->invalidate_stag);
    if (fact->first || !queue->open)
        queue->first_frame = frame;
    fact->message_frame = queue->first_frame;
    fact->message_octets = (uint64_t)segment->mo + segment->payload_octets;

    /* MSN 0xFFFFFFFF is followed by 0 (RFC 5041 4.3). An RDMAP header is payload to DDP, so MO counts it. */
    queue->known = true;
    queue->open = !segment->last;
    queue->control = segment->control;
    queue->invalidate_stag = segment->invalidate_stag;
    queue->msn = segment->last ? segment->msn + 1 : segment->msn;
    queue->mo = segment->last ? 0 : segment->mo + (segment->length - segment->ddp_octets);
}

/* In a segment without payload STag and TO mean nothing (RFC 5041 5.2). */
static void tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    bool empty = segment->payload_octets == 0;

    fact->first = !message->open;
    if (fact->first) {
        message->octets = 0;
        message->control = segment->control;
        message->first_frame = frame;
    }
    if (message->octets == 0) { /* nothing placed yet */
        message->stag = segment->stag;
        message->to = segment->to;
    }
    fact->to_expected = message->to;
    fact->to_ok = empty || segment->to == message->to;
    fact->stag_ok = empty || segment->stag == message->stag;
    fact->same_message = fact->stag_ok && segment->control == message->control;
    fact->message_frame = message->first_frame;

    if (!empty) {
        message->stag = segment->stag;
        message->to = segment->to + segment->payload_octets;
    }
    message->control = segment->control;
    message->octets += segment->payload_octets;
    message->open = !segment->last;
    fact->message_octets = message->octets;
}

void iw_sequence_segment(struct iw_sequence *sequence, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    memset(fact, 0, sizeof *fact);
    fact->segment = ++sequence->segments;
    fact->last = segment->last;
    fact->same_message = fact->stag_ok = true;
    fact->message_frame = frame;
    fact->message_octets = segment->payload_octets;
    if (segment->tagged)
        tagged(&sequence->tagged, segment, frame, fact);
    else if (segment->qn < IW_QN_COUNT)
        untagged(&sequence->queue[segment->qn], segment, frame, fact);
}
