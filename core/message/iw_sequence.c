#include "iw_sequence_part.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"

void iw_sequence_init(struct iw_sequence *sequence) {
    memset(sequence, 0, sizeof *sequence);
}

void iw_sequence_dispose(struct iw_sequence *sequence) {
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        if (sequence->queue[qn] != NULL)
            iw_extent_clear(&sequence->queue[qn]->placed.extent);
        free(sequence->queue[qn]);
        sequence->queue[qn] = NULL;
    }
    iw_extent_clear(&sequence->tagged.placed.extent);
}

const struct iw_queue *iw_sequence_queue(const struct iw_sequence *sequence, uint32_t qn) {
    static const struct iw_queue first = {.known = true, .msn = 1}, first_after_loss = {.msn = 1};

    if (sequence->queue[qn] != NULL)
        return sequence->queue[qn];
    return sequence->lost ? &first_after_loss : &first;
}

/* Most connections use one queue or two. Returns NULL if memory runs out. */
static struct iw_queue *sequence_use_queue(struct iw_sequence *sequence, uint32_t qn) {
    if (sequence->queue[qn] == NULL) {
        struct iw_queue *queue = malloc(sizeof *queue);

        if (queue != NULL)
            *queue = *iw_sequence_queue(sequence, qn);
        sequence->queue[qn] = queue;
    }
    return sequence->queue[qn];
}

void iw_sequence_lost(struct iw_sequence *sequence) {
    for (int qn = 0; qn < IW_QN_COUNT; qn++) {
        struct iw_queue *queue = sequence->queue[qn];

        if (queue == NULL)
            continue;
        iw_extent_clear(&queue->placed.extent);
        *queue = (struct iw_queue){.msn = queue->msn};
    }
    iw_extent_clear(&sequence->tagged.placed.extent);
    sequence->tagged = (struct iw_tagged_message){.lost = true};
    sequence->lost = true;
}

static bool sequence_queue_expects_msn(const struct iw_queue *queue, uint32_t msn) {
    return !queue->known || msn == queue->msn || (queue->doubted && msn == queue->msn_unless_jump) ||
           (queue->went_back && msn == queue->msn_if_jump);
}

enum { SEQUENCE_SKIPPED_MAX = 256 }; /* longest jump of MSNs after which skipped messages may still come */

static bool sequence_queue_skipped(const struct iw_queue *queue, uint32_t msn) {
    if (queue->went_back)
        return msn == queue->skipped_from;
    return msn - queue->skipped_from < queue->skipped_to - queue->skipped_from;
}

/* A skipped message has come. If it is the last skipped message, the messages before it stay skipped;
 * otherwise the messages after it. */
IW_COLD static void sequence_queue_note_found(struct iw_queue *queue, uint32_t msn) {
    if (msn + 1 == queue->skipped_to)
        queue->skipped_to--;
    else
        queue->skipped_from = msn + 1;
}

/* Whether a segment at this MO may fill a hole of the ended message; at MO 0, if the first are missing. */
IW_COLD static bool sequence_queue_may_fill(const struct iw_queue *queue, uint32_t mo) {
    return mo < queue->ended &&
           (mo > 0 || (queue->placed.extent.count > 1 && queue->placed.extent.first.to == 0));
}

IW_COLD static enum iw_segment_bound sequence_queue_bound(
    const struct iw_queue *queue, const struct iw_segment *segment) {
    if (iw_sequence_resumes(&queue->unfinished, segment->msn, segment->mo, segment))
        return IW_BOUND_RESUMED;
    if (queue->open) {
        bool next = segment->msn == queue->msn + 1;

        return segment->mo == 0 && (next || queue->mo > 0) ? IW_BOUND_OPEN : IW_BOUND_KEPT;
    }
    if (sequence_queue_skipped(queue, segment->msn))
        return IW_BOUND_SKIPPED;
    if (segment->msn != queue->msn - 1 || queue->ended == 0)
        return IW_BOUND_KEPT;
    if (sequence_queue_may_fill(queue, segment->mo))
        return IW_BOUND_LATE;
    return segment->mo == 0 ? IW_BOUND_KEPT : IW_BOUND_ENDED;
}

/* Whether the segment begins a message. A wrong MSN with the expected MO continues the open message. */
static bool sequence_queue_is_first(
    const struct iw_queue *queue, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    if (fact->bound != IW_BOUND_KEPT)
        return fact->bound == IW_BOUND_OPEN;
    if (!queue->known || !queue->open)
        return segment->mo == 0;
    return !fact->msn_ok && segment->mo != queue->mo;
}

/* Untagged messages begin with MO 0. Octets before the first segment after a loss count as received. */
static void sequence_queue_place(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    struct iw_extent *extent = &queue->placed.extent;
    bool begins = fact->first || (!queue->open && fact->bound == IW_BOUND_KEPT);
    uint32_t octets = segment->length - segment->ddp_octets;

    if (!queue->known || begins) {
        iw_placed_begin(&queue->placed, !queue->known);
        queue->placed.lost_octets = queue->known ? 0 : segment->mo;
        iw_extent_add(extent, 0, queue->placed.lost_octets);
    }
    fact->order = iw_extent_add(extent, segment->mo, (uint64_t)segment->mo + octets);
    if (fact->order == IW_SEGMENT_OVERLAPS && octets <= queue->placed.lost_octets &&
        segment->mo <= queue->placed.lost_octets - octets)
        fact->order = IW_SEGMENT_FILLS_HOLE;
    iw_placed_note(&queue->placed, segment->last, frame, fact);
    if (begins)
        queue->first_frame = frame;
}

static void sequence_queue_compare(
    struct iw_queue *queue, const struct iw_segment *segment, bool begins, struct iw_segment_fact *fact) {
    if (begins) {
        iw_constant_init(&queue->control, segment->control);
        iw_constant_init(&queue->invalidate_stag, segment->invalidate_stag);
    }
    fact->control_expected = (uint8_t)queue->control.latest;
    fact->invalidate_stag_expected = queue->invalidate_stag.latest;
    fact->same_message = iw_constant_has(&queue->control, segment->control) &&
                         iw_constant_has(&queue->invalidate_stag, segment->invalidate_stag);
    iw_constant_update(&queue->control, segment->control);
    iw_constant_update(&queue->invalidate_stag, segment->invalidate_stag);
}

/* The sender continues after the jump. If it went back before, the MSNs from `queue->msn` on stay skipped; if
 * that is the end of the skipped MSNs, the first one does. */
IW_COLD static void sequence_queue_follow_jump(struct iw_queue *queue) {
    if (queue->went_back && queue->msn == queue->skipped_to)
        queue->skipped_to = queue->skipped_from + 1;
    else if (queue->went_back)
        queue->skipped_from = queue->msn;
    if (queue->went_back)
        queue->msn = queue->msn_if_jump;
    queue->doubted = queue->went_back = false;
}

/* Decides whether the jump was real, or only its MSN was wrong. If an MSN fits both, a later MSN decides: the
 * MSN of the jump again (it was wrong), or the MSN after it (the jump was real). */
IW_COLD static void sequence_queue_settle_jump(struct iw_queue *queue, uint32_t msn, bool first) {
    bool without_jump = queue->doubted && msn != queue->msn;

    if (queue->went_back && msn == queue->msn_if_jump) {
        sequence_queue_follow_jump(queue);
    } else if (without_jump && first && sequence_queue_skipped(queue, msn)) {
        queue->went_back = true;
        queue->msn_if_jump = queue->msn;
    } else if (without_jump || (queue->went_back && msn == queue->skipped_to)) {
        queue->went_back = false;
        queue->skipped_to = queue->skipped_from; /* nothing was skipped */
    }
    queue->doubted = false;
}

/* MSN 0xFFFFFFFF is followed by 0 (RFC 5041 4.3). DDP sees the RDMAP header as payload, so MO counts it.
 * After an unexpected MSN, later MSNs may continue from it, or from the expected MSN. */
static void sequence_queue_advance(
    struct iw_queue *queue, const struct iw_segment *segment, const struct iw_segment_fact *fact) {
    uint32_t end = segment->mo + (segment->length - segment->ddp_octets);

    if (!fact->msn_ok && fact->bound == IW_BOUND_KEPT) {
        bool jump = queue->known && segment->msn - queue->msn <= SEQUENCE_SKIPPED_MAX;

        queue->doubted = true;
        queue->went_back = false;
        queue->msn_unless_jump = queue->msn;
        queue->skipped_from = jump ? queue->msn : segment->msn;
        queue->skipped_to = segment->msn;
    } else if (fact->first || segment->msn != queue->msn) {
        sequence_queue_settle_jump(queue, segment->msn, fact->first);
    }
    queue->known = true;
    queue->open = !segment->last;
    queue->msn = segment->msn + segment->last;
    queue->msn_unless_jump += segment->last;
    queue->mo = segment->last ? 0 : end;
    queue->ended = segment->last ? end : 0;
}

IW_HOT static void sequence_queue_segment(
    struct iw_queue *queue, const struct iw_segment *segment, uint64_t frame, struct iw_segment_fact *fact) {
    bool begins;

    fact->sequence_known = queue->known;
    fact->msn_expected = queue->msn;
    fact->mo_expected = queue->mo;
    fact->msn_ok = sequence_queue_expects_msn(queue, segment->msn);
    fact->mo_ok = !queue->known || segment->mo == queue->mo;
    fact->doubted = queue->doubted;
    fact->bound = fact->msn_ok ? IW_BOUND_KEPT : sequence_queue_bound(queue, segment);
    fact->bound_frame = queue->first_frame;
    fact->message_octets = (uint64_t)segment->mo + segment->payload_octets;
    if (fact->bound == IW_BOUND_RESUMED) {
        iw_sequence_resume(&queue->unfinished, segment, fact);
        return;
    }
    if (fact->bound == IW_BOUND_LATE || fact->bound == IW_BOUND_SKIPPED) {
        fact->first = fact->bound == IW_BOUND_SKIPPED && segment->mo == 0;
        fact->message_frame = fact->bound == IW_BOUND_LATE ? queue->first_frame : frame;
        if (fact->bound == IW_BOUND_SKIPPED) {
            sequence_queue_follow_jump(queue);
            if (segment->last && sequence_queue_skipped(queue, segment->msn))
                sequence_queue_note_found(queue, segment->msn);
        }
        return; /* the segment itself does not change what the queue expects */
    }
    if (fact->bound == IW_BOUND_OPEN)
        queue->unfinished = (struct iw_unfinished){queue->msn, queue->mo, queue->mo, queue->first_frame};
    fact->first = sequence_queue_is_first(queue, segment, fact);
    begins = fact->first || !queue->known || (!queue->open && fact->bound == IW_BOUND_KEPT);
    sequence_queue_place(queue, segment, frame, fact);
    sequence_queue_compare(queue, segment, begins, fact);
    fact->message_frame = queue->first_frame;
    sequence_queue_advance(queue, segment, fact);
}

/* The queue of the opcode, if the segment continues its open message although its QN differs; or NULL. */
static struct iw_queue *sequence_stray_queue(struct iw_sequence *sequence, const struct iw_segment *segment) {
    struct iw_queue *queue;

    if (segment->op == NULL || segment->op->tagged || segment->op->qn == segment->qn || segment->mo == 0)
        return NULL;
    queue = sequence->queue[segment->op->qn];
    if (queue == NULL || !queue->known || !queue->open || segment->msn != queue->msn ||
        segment->mo != queue->mo)
        return NULL;
    return iw_constant_has(&queue->control, segment->control) &&
                   iw_constant_has(&queue->invalidate_stag, segment->invalidate_stag)
               ? queue
               : NULL;
}

IW_HOT void iw_sequence_segment(struct iw_sequence *sequence, const struct iw_segment *segment,
    uint64_t frame, struct iw_segment_fact *fact) {
    struct iw_queue *queue;

    assert(segment->length >= segment->ddp_octets);
    memset(fact, 0, sizeof *fact);
    fact->segment = ++sequence->segments;
    fact->same_message = fact->stag_ok = true;
    fact->message_frame = frame;
    fact->message_octets = segment->payload_octets;
    if (segment->tagged) {
        iw_sequence_tagged(&sequence->tagged, segment, frame, fact);
        return;
    }
    queue = sequence_stray_queue(sequence, segment);
    fact->strayed = queue != NULL;
    if (queue == NULL && segment->qn >= IW_QN_COUNT)
        return;
    if (queue == NULL)
        queue = sequence_use_queue(sequence, segment->qn);
    if (queue != NULL) {
        sequence_queue_segment(queue, segment, frame, fact);
    } else {
        fact->order_unknown = true;
        sequence->lost = true;
    }
}
