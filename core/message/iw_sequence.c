#include "iw_sequence_part.h"

#include <string.h>

#include "iw_cold.h"

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
    uint32_t msn[IW_QN_COUNT];

    for (int qn = 0; qn < IW_QN_COUNT; qn++)
        msn[qn] = sequence->queue[qn].msn;
    iw_sequence_dispose(sequence);
    iw_sequence_init(sequence);
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        sequence->queue[qn].known = false;
        sequence->queue[qn].msn = msn[qn];
    }
    sequence->tagged.lost = true;
    sequence->segments = segments;
}

/* ---- what both kinds of messages have ---- */

enum iw_segment_order iw_sequence_place(struct iw_extent *extent, uint64_t from, uint64_t octets) {
    static const enum iw_segment_order orders[] = {
        [IW_EXTENT_NEXT] = IW_SEGMENT_IN_ORDER,
        [IW_EXTENT_AHEAD] = IW_SEGMENT_AHEAD,
        [IW_EXTENT_BACK] = IW_SEGMENT_BACK,
        [IW_EXTENT_OVER] = IW_SEGMENT_OVER,
        [IW_EXTENT_FULL] = IW_SEGMENT_IN_ORDER,
    };

    return orders[iw_extent_add(extent, from, from + octets)];
}

bool iw_sequence_resumes(
    const struct iw_left *left, uint32_t key, uint64_t at, const struct iw_segment *segment) {
    return left->first_frame != 0 && key == left->key && at == left->at && segment->payload_octets > 0;
}

void iw_sequence_resume(
    struct iw_left *left, const struct iw_segment *segment, struct iw_segment_fact *fact) {
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

enum { SKIPPED_MAX = 256 }; /* MSNs: messages skipped by a longer jump are not expected later */

static bool is_skipped(const struct iw_queue *queue, uint32_t msn) {
    if (queue->returned)
        return msn == queue->skipped_from;
    return msn - queue->skipped_from < queue->skipped_to - queue->skipped_from;
}

/* A message that was left out has come: of those before it and behind it one run is remembered. */
IW_COLD static void note_found(struct iw_queue *queue, uint32_t msn) {
    if (msn + 1 == queue->skipped_to)
        queue->skipped_to--;
    else
        queue->skipped_from = msn + 1;
}

/* The last segment has been sent, but these octets have not. */
IW_COLD static bool is_missing(const struct iw_queue *queue, uint32_t mo) {
    return mo < queue->ended && (mo > 0 || (queue->extent.count > 1 && queue->extent.first.to == 0));
}

/* For an MSN that is not expected. */
IW_COLD static enum iw_segment_bound bound(const struct iw_queue *queue, const struct iw_segment *segment) {
    if (iw_sequence_resumes(&queue->left, segment->msn, segment->mo, segment))
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
    uint32_t octets = segment->length - segment->ddp_octets;

    if (!queue->known || begins) {
        iw_extent_clear(extent);
        queue->hidden = !queue->known;
        queue->unseen = queue->known ? 0 : segment->mo;
        iw_extent_add(extent, 0, queue->unseen);
        queue->skip_frame = 0;
    }
    fact->order = iw_sequence_place(extent, segment->mo, octets);
    if (fact->order == IW_SEGMENT_OVER && octets <= queue->unseen && segment->mo <= queue->unseen - octets)
        fact->order = IW_SEGMENT_BACK;
    fact->order_unknown = extent->full;
    if (fact->order != IW_SEGMENT_OVER && segment->last && !extent->full && !queue->hidden &&
        !iw_extent_whole(extent))
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
        iw_alike_first(&queue->control, segment->control);
        iw_alike_first(&queue->invalidate_stag, segment->invalidate_stag);
    }
    fact->control_expected = (uint8_t)queue->control.latest;
    fact->invalidate_stag_expected = queue->invalidate_stag.latest;
    fact->same_message = iw_alike_has(&queue->control, segment->control) &&
                         iw_alike_has(&queue->invalidate_stag, segment->invalidate_stag);
    iw_alike_next(&queue->control, segment->control);
    iw_alike_next(&queue->invalidate_stag, segment->invalidate_stag);
}

/* The sender does go on behind the jump. Of what that left out one run is remembered: what would have come
 * next, or the first. */
IW_COLD static void go_ahead(struct iw_queue *queue) {
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
        iw_sequence_resume(&queue->left, segment, fact);
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
    return iw_alike_has(&queue->control, segment->control) &&
                   iw_alike_has(&queue->invalidate_stag, segment->invalidate_stag)
               ? queue
               : NULL;
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
        iw_sequence_tagged(&sequence->tagged, segment, frame, fact);
        return;
    }
    queue = strayed_from(sequence, segment);
    fact->strayed = queue != NULL;
    if (queue != NULL)
        untagged(queue, segment, frame, fact);
    else if (segment->qn < IW_QN_COUNT)
        untagged(&sequence->queue[segment->qn], segment, frame, fact);
}
