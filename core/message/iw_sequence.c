#include "iw_sequence.h"

#include <string.h>

void iw_sequence_init(struct iw_sequence *sequence) {
    memset(sequence, 0, sizeof *sequence);
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        sequence->queue[qn].known = true;
        sequence->queue[qn].msn = 1;
    }
}

void iw_sequence_dispose(struct iw_sequence *sequence) {
    for (int qn = 0; qn < IW_QN_COUNT; qn++)
        iw_extent_clear(&sequence->queue[qn].extent);
    iw_extent_clear(&sequence->tagged.extent);
}

void iw_sequence_lost(struct iw_sequence *sequence) {
    uint64_t segments = sequence->segments;

    iw_sequence_dispose(sequence);
    iw_sequence_init(sequence);
    for (int qn = 0; qn < IW_QN_COUNT; qn++)
        sequence->queue[qn].known = false;
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

static bool is_alike(const struct iw_alike *alike, uint32_t value) {
    return value == alike->latest || value == alike->other;
}

static void alike_first(struct iw_alike *alike, uint32_t value) {
    alike->latest = alike->other = value;
}

static void alike_next(struct iw_alike *alike, uint32_t value) {
    if (!is_alike(alike, value))
        alike->other = alike->latest;
    alike->latest = value;
}

/* ---- messages that are not ended when the next one begins ---- */

static bool resumes(const struct iw_left *left, uint32_t key, uint64_t at, const struct iw_segment *segment) {
    return left->first_frame != 0 && key == left->key && at == left->at && segment->payload_octets > 0;
}

/* What is open, or comes next, stays so. */
static void resume(struct iw_left *left, const struct iw_segment *segment, struct iw_segment_fact *fact) {
    left->at += segment->length - segment->ddp_octets;
    left->octets += segment->payload_octets;
    fact->bound = IW_BOUND_RESUMED;
    fact->bound_frame = fact->message_frame = left->first_frame;
    fact->message_octets = left->octets;
    if (segment->last)
        left->first_frame = 0;
}

/* ---- untagged messages ---- */

static bool msn_expected(const struct iw_queue *queue, uint32_t msn) {
    return !queue->known || msn == queue->msn || (queue->doubted && msn == queue->meant) ||
           (queue->returned && msn == queue->ahead);
}

enum { SKIPPED_MAX = 256 }; /* a longer jump is no change in the order of messages */

static bool is_skipped(const struct iw_queue *queue, uint32_t msn) {
    if (queue->returned)
        return msn == queue->skipped_from;
    return msn - queue->skipped_from < queue->skipped_to - queue->skipped_from;
}

/* A message that was left out has come: of those before it and behind it one run is remembered. */
static void note_found(struct iw_queue *queue, uint32_t msn) {
    if (msn + 1 == queue->skipped_to)
        queue->skipped_to--;
    else
        queue->skipped_from = msn + 1;
}

/* The last segment has been sent, but these octets have not. */
static bool is_missing(const struct iw_queue *queue, uint32_t mo) {
    return mo < queue->ended && (mo > 0 || (queue->extent.count > 1 && queue->extent.first.to == 0));
}

/* For an MSN that is not expected. */
static enum iw_segment_bound bound(const struct iw_queue *queue, const struct iw_segment *segment) {
    if (resumes(&queue->left, segment->msn, segment->mo, segment))
        return IW_BOUND_RESUMED;
    if (queue->open) {
        bool next = segment->msn == queue->msn + 1;

        return segment->mo == 0 && (next || queue->mo > 0) ? IW_BOUND_OPEN : IW_BOUND_KEPT;
    }
    if (is_skipped(queue, segment->msn))
        return IW_BOUND_SKIPPED;
    if (segment->msn != queue->msn - 1 || queue->ended == 0)
        return IW_BOUND_KEPT;
    if (is_missing(queue, segment->mo))
        return IW_BOUND_LATE;
    return segment->mo == 0 ? IW_BOUND_KEPT : IW_BOUND_ENDED;
}

/* With an MSN that is not expected a segment still goes on with the open message if its MO says so. */
static bool is_first(
    const struct iw_queue *queue, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    if (fact->bound != IW_BOUND_KEPT)
        return fact->bound == IW_BOUND_OPEN;
    if (!queue->known || !queue->open)
        return segment->mo == 0;
    return !fact->msn_ok && segment->mo != queue->mo;
}

/* Untagged messages begin with MO 0. What came before a loss counts as there. */
static void place_untagged(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    struct iw_extent *extent = &queue->extent;
    bool begins = fact->first || (!queue->open && fact->bound == IW_BOUND_KEPT);

    if (!queue->known || begins) {
        iw_extent_clear(extent);
        iw_extent_add(extent, 0, queue->known ? 0 : segment->mo);
        queue->skip_frame = 0;
    }
    fact->order = place(extent, segment->mo, segment->length - segment->ddp_octets);
    fact->order_unknown = extent->full;
    if (fact->order != IW_SEGMENT_OVER && segment->last && !extent->full && !iw_extent_whole(extent))
        fact->order = IW_SEGMENT_HOLE;
    fact->skip_frame = queue->skip_frame;
    fact->missing = extent->first.to;
    if (fact->order == IW_SEGMENT_AHEAD && queue->skip_frame == 0)
        queue->skip_frame = frame;
    if (begins)
        queue->first_frame = frame;
}

static void compare_untagged(
    struct iw_queue *queue, const struct iw_segment *segment, bool begins, struct iw_segment_fact *fact) {
    if (begins) {
        alike_first(&queue->control, segment->control);
        alike_first(&queue->invalidate_stag, segment->invalidate_stag);
    }
    fact->same_message = is_alike(&queue->control, segment->control) &&
                         is_alike(&queue->invalidate_stag, segment->invalidate_stag);
    alike_next(&queue->control, segment->control);
    alike_next(&queue->invalidate_stag, segment->invalidate_stag);
}

/* The sender does go on behind the jump. Of what that left out one run is remembered: what would have come
 * next, or the first. */
static void go_ahead(struct iw_queue *queue) {
    if (queue->returned && queue->msn == queue->skipped_to)
        queue->skipped_to = queue->skipped_from + 1;
    else if (queue->returned)
        queue->skipped_from = queue->msn;
    if (queue->returned)
        queue->msn = queue->ahead;
    queue->doubted = queue->returned = false;
}

/* An expected MSN tells which of two counts is the sender's. Where it was both meant and left out, that is
 * not known before the MSN of the jump comes again, which was wrong alone then, or the one behind it. */
static void settle_count(struct iw_queue *queue, uint32_t msn, bool first) {
    bool meant = queue->doubted && msn != queue->msn;

    if (queue->returned && msn == queue->ahead) {
        go_ahead(queue);
    } else if (meant && first && is_skipped(queue, msn)) {
        queue->returned = true;
        queue->ahead = queue->msn;
    } else if (meant || (queue->returned && msn == queue->skipped_to)) {
        queue->returned = false;
        queue->skipped_to = queue->skipped_from; /* nothing was left out */
    }
    queue->doubted = false;
}

/* MSN 0xFFFFFFFF is followed by 0 (RFC 5041 4.3). An RDMAP header is payload to DDP, so MO counts it. An MSN
 * that was not expected may be wrong alone, or all that follow are as wrong as it. */
static void go_on(
    struct iw_queue *queue, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    uint32_t end = segment->mo + (segment->length - segment->ddp_octets);

    if (!fact->msn_ok && fact->bound == IW_BOUND_KEPT) {
        bool jump = queue->known && segment->msn - queue->msn <= SKIPPED_MAX;

        queue->doubted = true;
        queue->returned = false;
        queue->meant = queue->msn;
        queue->skipped_from = jump ? queue->msn : segment->msn;
        queue->skipped_to = segment->msn;
    } else if (fact->first || segment->msn != queue->msn) {
        settle_count(queue, segment->msn, fact->first);
    }
    queue->known = true;
    queue->open = !segment->last;
    queue->msn = segment->msn + segment->last;
    queue->meant += segment->last;
    queue->mo = segment->last ? 0 : end;
    queue->ended = segment->last ? end : 0;
}

static void untagged(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    bool begins;

    fact->sequence_known = queue->known;
    fact->msn_expected = queue->msn;
    fact->mo_expected = queue->mo;
    fact->msn_ok = msn_expected(queue, segment->msn);
    fact->mo_ok = !queue->known || segment->mo == queue->mo;
    fact->doubted = queue->doubted;
    fact->bound = fact->msn_ok ? IW_BOUND_KEPT : bound(queue, segment);
    fact->bound_frame = queue->first_frame;
    fact->message_octets = (uint64_t)segment->mo + segment->payload_octets;
    if (fact->bound == IW_BOUND_RESUMED) {
        resume(&queue->left, segment, fact);
        return;
    }
    if (fact->bound == IW_BOUND_LATE || fact->bound == IW_BOUND_SKIPPED) {
        fact->first = fact->bound == IW_BOUND_SKIPPED && segment->mo == 0;
        fact->message_frame = fact->bound == IW_BOUND_LATE ? queue->first_frame : frame;
        if (fact->bound == IW_BOUND_SKIPPED) {
            go_ahead(queue);
            if (segment->last && is_skipped(queue, segment->msn))
                note_found(queue, segment->msn);
        }
        return; /* the queue is further on, and stays there */
    }
    if (fact->bound == IW_BOUND_OPEN)
        queue->left = (struct iw_left){queue->msn, queue->mo, queue->mo, queue->first_frame};
    fact->first = is_first(queue, segment, fact);
    begins = fact->first || !queue->known || (!queue->open && fact->bound == IW_BOUND_KEPT);
    place_untagged(queue, segment, frame, fact);
    compare_untagged(queue, segment, begins, fact);
    fact->message_frame = queue->first_frame;
    go_on(queue, segment, fact);
}

/* The queue whose open message the segment goes on with, though it has the QN of another one. */
static struct iw_queue *strayed_from(struct iw_sequence *sequence, const struct iw_segment *segment) {
    struct iw_queue *queue;

    if (segment->op == NULL || segment->op->tagged || segment->op->qn == segment->qn || segment->mo == 0)
        return NULL;
    queue = &sequence->queue[segment->op->qn];
    if (!queue->known || !queue->open || segment->msn != queue->msn || segment->mo != queue->mo)
        return NULL;
    return is_alike(&queue->control, segment->control) &&
                   is_alike(&queue->invalidate_stag, segment->invalidate_stag)
               ? queue
               : NULL;
}

/* ---- tagged messages ---- */

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
    fact->order_unknown = extent->full;
    if (fact->order != IW_SEGMENT_OVER && segment->last && extent->count > 1 && !extent->full)
        fact->order = IW_SEGMENT_HOLE;
    fact->skip_frame = message->skip_frame;
    fact->missing = extent->first.to;
    fact->message_to = extent->count > 0 ? extent->first.from : segment->to;
    if (fact->order == IW_SEGMENT_AHEAD && message->skip_frame == 0)
        message->skip_frame = frame;
}

/* It neither goes on where the open message has got to nor has its STag, or its control octet: what is wrong
 * is not these two but that the message before has no L. */
static bool begins_another(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    if (!message->open || message->octets == 0 || segment->payload_octets == 0)
        return false;
    return segment->to != message->to &&
           (!is_alike(&message->stag, segment->stag) || !is_alike(&message->control, segment->control));
}

/* It ends where the message begins that has come so far. */
static bool is_below(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_extent *extent = &message->extent;

    return !segment->last && segment->payload_octets > 0 && iw_extent_whole(extent) &&
           extent->holed == NULL && segment->to + segment->payload_octets == extent->first.from &&
           is_alike(&message->stag, segment->stag) && is_alike(&message->control, segment->control);
}

/* The open message goes downwards, too, and it ends where the one before begins, which was one segment with
 * L: all of them are one message, whose last segment came first. */
static bool turns_down(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_ended *ended = &message->ended;

    return message->open && is_below(message, segment) && ended->first_frame != 0 &&
           message->extent.first.to == ended->from && ended->stag == segment->stag &&
           ended->control == segment->control;
}

/* Then what comes below is of it. */
static void take_below(
    struct iw_tagged_message *message, const struct iw_segment *segment, struct iw_segment_fact *fact) {
    if (message->open) {
        message->first_frame = message->ended.first_frame;
        message->extent.first.to = message->ended.to;
    }
    message->open = false;
    message->downwards = true;
    message->extent.first.from = segment->to;
    fact->bound = IW_BOUND_LATE;
    fact->bound_frame = fact->message_frame = message->first_frame;
}

static void note_end(struct iw_tagged_message *message, const struct iw_segment *segment, bool first) {
    bool alone = first && iw_extent_whole(&message->extent);

    message->ended = (struct iw_ended){message->extent.first.from, message->extent.first.to,
        alone ? message->first_frame : 0, segment->stag, segment->control};
}

/* The message has had its segment with L, and this stands where octets of it have not come. One with L may be
 * a message of its own. */
static bool is_late(const struct iw_tagged_message *message, const struct iw_segment *segment) {
    const struct iw_extent *extent = &message->extent;
    uint64_t end = segment->to + segment->payload_octets;

    return !message->open && !segment->last && segment->payload_octets > 0 && extent->count > 1 &&
           !extent->full && segment->to >= extent->first.to &&
           end <= iw_extent_runs(extent)[extent->count - 1].from &&
           !iw_range_meets(iw_extent_runs(extent), extent->count, segment->to, end) &&
           is_alike(&message->stag, segment->stag) && is_alike(&message->control, segment->control);
}

/* In a segment without payload STag and TO mean nothing (RFC 5041 5.2). */
static void tagged(struct iw_tagged_message *message, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    bool empty = segment->payload_octets == 0;

    fact->bound_frame = message->first_frame;
    if (is_late(message, segment)) {
        fact->bound = IW_BOUND_LATE;
        fact->message_frame = message->first_frame;
        return;
    }
    if (turns_down(message, segment) || (message->downwards && is_below(message, segment))) {
        take_below(message, segment, fact);
        return;
    }
    message->downwards = false;
    if (begins_another(message, segment)) {
        if (resumes(&message->left, segment->stag, segment->to, segment)) {
            resume(&message->left, segment, fact);
            return;
        }
        fact->bound = IW_BOUND_OPEN;
        message->left =
            (struct iw_left){message->stag.latest, message->to, message->octets, message->first_frame};
    }
    fact->first = !message->open || fact->bound == IW_BOUND_OPEN;
    if (fact->first) {
        message->octets = 0;
        alike_first(&message->control, segment->control);
        message->first_frame = frame;
    }
    if (message->octets == 0) { /* nothing placed yet */
        alike_first(&message->stag, segment->stag);
        message->to = segment->to;
    }
    place_tagged(message, segment, frame, fact);
    fact->to_expected = message->to;
    fact->to_ok = empty || segment->to == message->to;
    fact->stag_ok = empty || is_alike(&message->stag, segment->stag);
    fact->same_message = fact->stag_ok && is_alike(&message->control, segment->control);
    fact->message_frame = message->first_frame;

    if (!empty) {
        alike_next(&message->stag, segment->stag);
        message->to = segment->to + segment->payload_octets;
    }
    alike_next(&message->control, segment->control);
    message->octets += segment->payload_octets;
    message->open = !segment->last;
    if (segment->last)
        note_end(message, segment, fact->first);
    fact->message_octets = message->octets;
}

void iw_sequence_segment(struct iw_sequence *sequence, const struct iw_segment *segment, uint64_t frame,
    struct iw_segment_fact *fact) {
    struct iw_queue *queue;

    memset(fact, 0, sizeof *fact);
    fact->segment = ++sequence->segments;
    fact->last = segment->last;
    fact->same_message = fact->stag_ok = true;
    fact->message_frame = frame;
    fact->message_octets = segment->payload_octets;
    if (segment->tagged) {
        tagged(&sequence->tagged, segment, frame, fact);
        return;
    }
    queue = strayed_from(sequence, segment);
    fact->strayed = queue != NULL;
    if (queue != NULL)
        untagged(queue, segment, frame, fact);
    else if (segment->qn < IW_QN_COUNT)
        untagged(&sequence->queue[segment->qn], segment, frame, fact);
}
