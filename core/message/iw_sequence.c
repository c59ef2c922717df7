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

/* Where `octets` octets from `from` on stand in the message. */
static enum iw_segment_order place(struct iw_extent *extent, uint64_t from, uint64_t octets) {
    static const enum iw_segment_order orders[] = {
        [IW_EXTENT_NEXT] = IW_SEGMENT_IN_ORDER,
        [IW_EXTENT_AHEAD] = IW_SEGMENT_AHEAD,
        [IW_EXTENT_BACK] = IW_SEGMENT_BACK,
        [IW_EXTENT_OVER] = IW_SEGMENT_OVER,
        [IW_EXTENT_FULL] = IW_SEGMENT_IN_ORDER,
    };

    return orders[iw_extent_add(extent, from, from + octets)];
}

/* Untagged messages begin with MO 0. What came before a loss counts as there. */
static void place_untagged(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    struct iw_extent *extent = &queue->extent;

    if (!queue->known || !queue->open || segment->msn != queue->msn) {
        iw_extent_clear(extent);
        iw_extent_add(extent, 0, queue->known ? 0 : segment->mo);
        queue->skip_frame = 0;
    }
    fact->order = place(extent, segment->mo, segment->length - segment->ddp_octets);
    if (fact->order != IW_SEGMENT_OVER && segment->last && !extent->full && !iw_extent_whole(extent))
        fact->order = IW_SEGMENT_HOLE;
    fact->skip_frame = queue->skip_frame;
    fact->missing = extent->runs[0].to;
    if (fact->order == IW_SEGMENT_AHEAD && queue->skip_frame == 0)
        queue->skip_frame = frame;
}

static void untagged(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    fact->sequence_known = queue->known;
    fact->msn_expected = queue->msn;
    fact->mo_expected = queue->mo;
    fact->msn_ok = !queue->known || segment->msn == queue->msn;
    fact->mo_ok = !queue->known || segment->mo == queue->mo;
    fact->first = queue->known && queue->open ? segment->msn != queue->msn : segment->mo == 0;
    place_untagged(queue, segment, frame, fact);
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

/* A tagged message begins at any TO, so that its lowest is known when it is all there. */
static void place_tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    struct iw_extent *extent = &message->extent;

    if (fact->first) {
        iw_extent_clear(extent);
        message->skip_frame = 0;
    }
    if (segment->payload_octets > 0 && segment->to <= UINT64_MAX - segment->payload_octets)
        fact->order = place(extent, segment->to, segment->payload_octets);
    if (fact->order != IW_SEGMENT_OVER && segment->last && extent->count > 1 && !extent->full)
        fact->order = IW_SEGMENT_HOLE;
    fact->skip_frame = message->skip_frame;
    fact->missing = extent->runs[0].to;
    fact->message_to = extent->count > 0 ? extent->runs[0].from : segment->to;
    if (fact->order == IW_SEGMENT_AHEAD && message->skip_frame == 0)
        message->skip_frame = frame;
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
    place_tagged(message, segment, frame, fact);
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
