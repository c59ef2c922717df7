#include "iw_tcp_withheld.h"

#include <stdlib.h>
#include <string.h>

#include "iw_placement.h"
#include "iw_tcp_seq.h"

/* Returns the sequence number of the first octet. */
static uint32_t withheld_segment_begin(const struct iw_tcp_segment *segment) {
    return segment->seq + ((segment->flags & IW_TCP_SYN) != 0);
}

/* Returns the sequence number after the segment, its FIN included. */
static uint32_t withheld_segment_end(const struct iw_tcp_segment *segment) {
    return withheld_segment_begin(segment) + segment->length + ((segment->flags & IW_TCP_FIN) != 0);
}

static bool withheld_segment_sends(const struct iw_tcp_segment *segment) {
    return withheld_segment_end(segment) != segment->seq;
}

static bool withheld_segment_acked(const struct iw_tcp_segment *segment, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(withheld_segment_end(segment), ack);

    return withheld_segment_sends(segment) && ahead >= 0 && ahead <= IW_TCP_IN_FLIGHT_MAX;
}

static uint32_t withheld_flow_turn(const struct iw_tcp_flow *flow) {
    uint32_t turn = 0;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        turn += flow->stream[side].counters.segments + flow->stream[side].counters.discarded;
    return turn;
}

/* Whether other segments contain all octets of the withheld segment. */
static bool withheld_repeated(
    const struct iw_tcp_flow *flow, const struct iw_tcp_withheld_segment *withheld) {
    const struct iw_tcp_stream *stream = &flow->stream[withheld->side];
    const struct iw_tcp_segment *segment = &withheld->segment;
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, withheld_segment_begin(segment));
    int64_t begin = (int64_t)stream->next_offset + ahead;
    int32_t beyond = iw_tcp_seq_distance(withheld_segment_end(segment), stream->next_seq + stream->closed);

    if (!stream->started || begin < 0 || beyond > IW_TCP_IN_FLIGHT_MAX)
        return false;
    return beyond >= 0 || (stream->pending && segment->length > 0 &&
                              iw_tcp_pending_has(stream->pending, (uint64_t)begin, segment->length));
}

/* Whether this is an empty acknowledgement with the expected numbers: damage would hardly keep them. */
static bool withheld_is_plain_ack(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return segment->length == 0 && segment->seq == stream->next_seq && segment->ack == other->next_seq &&
           (segment->flags & (IW_TCP_FIN | IW_TCP_SYN | IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK;
}

enum treatment { TAKE, WITHHOLD, WITHHOLD_AFTER };

/* Decides by the checksum. WITHHOLD_AFTER: withhold only after a withheld segment of the same side, to keep
 * the order. The segment may be joined (LRO), or unverifiable on a side without right checksums so far. */
static enum treatment withheld_treatment_of(
    struct iw_tcp_stream *stream, const struct iw_tcp_stream *other, const struct iw_tcp_segment *segment) {
    if (withheld_is_plain_ack(stream, other, segment))
        return TAKE;
    enum iw_tcp_checksum checksum = iw_tcp_checksum_verify(segment, &stream->payload_sum);
    stream->payload_summed = segment->tcp != NULL;
    if (checksum == IW_TCP_CHECKSUM_RIGHT) {
        iw_tcp_checksums_right(&stream->checksums, segment->length);
        return TAKE;
    }
    if (checksum == IW_TCP_CHECKSUM_UNKNOWN) {
        stream->offloaded |= segment->tcp != NULL;
        return stream->checksums.right == 0 ? WITHHOLD_AFTER : TAKE;
    }
    return iw_tcp_checksums_may_be_damage(&stream->checksums, segment->length) ? WITHHOLD : WITHHOLD_AFTER;
}

IW_COLD static bool withheld_has_segment(const struct iw_tcp_flow *flow, enum iw_side side) {
    const struct iw_tcp_withheld_segment *withheld = flow->withheld ? flow->withheld->first : NULL;

    while (withheld && withheld->side != (uint8_t)side)
        withheld = withheld->next;
    return withheld;
}

static void withheld_drop(struct iw_tcp_withheld_segment *withheld, struct iw_tcp_pool *pool) {
    pool->used -= sizeof *withheld + withheld->segment.captured;
    free(withheld);
}

/* Drops withheld segments of which the capture has a valid copy. */
static void withheld_drop_repeated(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool) {
    struct iw_tcp_withheld_segment **at = &flow->withheld->first;

    while (*at) {
        struct iw_tcp_withheld_segment *withheld = *at;
        if (!withheld_segment_sends(&withheld->segment) || !withheld_repeated(flow, withheld)) {
            at = &withheld->next;
            continue;
        }
        flow->withheld->repeated += withheld->counts;
        flow->withheld->count--;
        *at = withheld->next;
        withheld_drop(withheld, pool);
    }
}

static struct iw_tcp_withheld_segment *withheld_copy(
    struct iw_tcp_pool *pool, const struct iw_tcp_segment *segment) {
    size_t octets = sizeof(struct iw_tcp_withheld_segment) + segment->captured;
    struct iw_tcp_withheld_segment *withheld;

    if (octets > pool->octets - pool->used)
        return NULL;
    withheld = malloc(octets);
    if (!withheld)
        return NULL;
    *withheld = (struct iw_tcp_withheld_segment){.segment = *segment};
    if (segment->captured > 0)
        memcpy(withheld->octets, segment->payload, segment->captured);
    withheld->segment.payload = withheld->octets;
    withheld->segment.tcp = NULL;
    pool->used += octets;
    return withheld;
}

/* Notes whether the segment shows that its sender has sent further octets. `seq` may be damaged: unless the
 * segment repeats old octets, its octets count as the next ones of the stream. */
static void withheld_note_sent(const struct iw_tcp_stream *stream, struct iw_tcp_withheld_segment *withheld) {
    int32_t ahead = iw_tcp_seq_distance(stream->next_seq, withheld_segment_end(&withheld->segment));

    withheld->shows_sent =
        withheld->segment.length > 0 && (!stream->started || ahead > 0 || ahead < -IW_TCP_IN_FLIGHT_MAX);
    withheld->sent_up_to = stream->started ? stream->next_seq + withheld->segment.length
                                           : withheld_segment_end(&withheld->segment);
}

static void withheld_append(struct iw_tcp_withheld *list, struct iw_tcp_withheld_segment *withheld) {
    struct iw_tcp_withheld_segment **last = &list->first;
    const struct iw_tcp_segment *segment = &withheld->segment;

    for (; *last; last = &(*last)->next) {
        struct iw_tcp_withheld_segment *earlier = *last;
        if (earlier->side == withheld->side)
            withheld->counts &=
                !withheld_segment_sends(&earlier->segment) || earlier->segment.seq != segment->seq;
        else
            earlier->acked |=
                (segment->flags & IW_TCP_ACK) && withheld_segment_acked(&earlier->segment, segment->ack);
    }
    *last = withheld;
    list->count++;
}

IW_COLD static enum iw_tcp_withholding withheld_keep(struct iw_tcp_flow *flow, enum iw_side side,
    struct iw_tcp_pool *pool, const struct iw_tcp_segment *segment, bool counts) {
    struct iw_tcp_withheld_segment *withheld;

    if (!flow->withheld)
        flow->withheld = calloc(1, sizeof *flow->withheld);
    if (!flow->withheld)
        return IW_TCP_WITHHOLD_FAILED;
    withheld_drop_repeated(flow, pool);
    if (flow->withheld->count == IW_TCP_WITHHELD_SEGMENTS || !(withheld = withheld_copy(pool, segment)))
        return IW_TCP_WITHHOLD_FAILED;
    withheld->side = (uint8_t)side;
    withheld->turn = withheld_flow_turn(flow);
    withheld->counts = counts && withheld_segment_sends(segment);
    withheld_note_sent(&flow->stream[side], withheld);
    withheld_append(flow->withheld, withheld);
    flow->stream[side].counters.discarded++;
    return IW_TCP_WITHHELD;
}

enum iw_tcp_withholding iw_tcp_withhold(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_pool *pool,
    const struct iw_tcp_segment *segment) {
    struct iw_tcp_stream *stream = &flow->stream[side];
    enum treatment treatment = withheld_treatment_of(stream, &flow->stream[iw_side_other(side)], segment);

    if (treatment == TAKE || flow->edited || (stream->offloaded && stream->checksums.right == 0) ||
        (treatment == WITHHOLD_AFTER && !withheld_has_segment(flow, side)))
        return IW_TCP_TAKEN;
    return withheld_keep(flow, side, pool, segment, treatment == WITHHOLD);
}

/* Whether the receiver took the segment: it was acknowledged, or the capture lacks the other side. */
static bool withheld_received(
    const struct iw_tcp_flow *flow, const struct iw_tcp_withheld_segment *withheld) {
    const struct iw_tcp_stream *stream = &flow->stream[withheld->side];
    const struct iw_tcp_stream *other = &flow->stream[iw_side_other((enum iw_side)withheld->side)];

    return withheld->acked ||
           (stream->acks.has_latest && withheld_segment_acked(&withheld->segment, stream->acks.latest)) ||
           (!stream->acks.has_latest && other->counters.segments + other->counters.discarded == 0);
}

struct evidence {
    uint32_t received;   /* segments that count as evidence and were received */
    uint32_t counted[2]; /* segments that count as evidence, by enum iw_side */
    uint32_t senders;    /* bits 1 << enum iw_side: the side has withheld segments */
};

static struct evidence withheld_evidence(const struct iw_tcp_flow *flow, bool at_end) {
    struct evidence evidence = {0};
    uint32_t turn = withheld_flow_turn(flow);

    for (const struct iw_tcp_withheld_segment *withheld = flow->withheld->first; withheld;
         withheld = withheld->next) {
        evidence.senders |= 1u << withheld->side;
        evidence.counted[withheld->side] += withheld->counts;
        evidence.received += withheld->counts && withheld_received(flow, withheld) &&
                             (at_end || turn - withheld->turn >= IW_TCP_WITHHELD_AGE);
    }
    return evidence;
}

/* Whether a side has only wrong checksums, too many for damage; or, at the end, both sides have. */
static bool withheld_are_all_wrong(
    const struct iw_tcp_flow *flow, const struct evidence *evidence, bool at_end) {
    const struct iw_tcp_stream *a = &flow->stream[IW_SIDE_A], *b = &flow->stream[IW_SIDE_B];

    if ((a->checksums.right == 0 && evidence->counted[IW_SIDE_A] >= IW_TCP_WITHHELD_RECEIVED) ||
        (b->checksums.right == 0 && evidence->counted[IW_SIDE_B] >= IW_TCP_WITHHELD_RECEIVED))
        return true;
    return at_end && a->checksums.right + b->checksums.right == 0 &&
           evidence->senders == (1u << IW_SIDE_A | 1u << IW_SIDE_B);
}

/* Removes and returns withheld segments: all, or those that were received or do not count as evidence. */
static struct iw_tcp_withheld_segment *withheld_take_out(struct iw_tcp_flow *flow, bool all) {
    struct iw_tcp_withheld_segment *first = NULL, **last = &first, **at = &flow->withheld->first;

    while (*at) {
        struct iw_tcp_withheld_segment *withheld = *at;
        if (!all && withheld->counts && !withheld_received(flow, withheld)) {
            at = &withheld->next;
            continue;
        }
        *at = withheld->next;
        withheld->next = NULL;
        *last = withheld;
        last = &withheld->next;
        flow->withheld->count--;
        flow->stream[withheld->side].counters.discarded--;
    }
    return first;
}

struct iw_tcp_withheld_segment *iw_tcp_withheld_release(
    struct iw_tcp_flow *flow, struct iw_tcp_pool *pool, bool at_end) {
    if (!flow->withheld || !flow->withheld->first)
        return NULL;
    withheld_drop_repeated(flow, pool);
    struct evidence evidence = withheld_evidence(flow, at_end);
    bool all = withheld_are_all_wrong(flow, &evidence, at_end);
    if (!all && (flow->withheld->some_received ? evidence.received == 0
                                               : evidence.received < IW_TCP_WITHHELD_RECEIVED ||
                                                     evidence.received <= flow->withheld->repeated))
        return NULL;
    flow->edited |= all;
    flow->withheld->some_received = true;
    return withheld_take_out(flow, all || at_end);
}

void iw_tcp_withheld_free(struct iw_tcp_withheld_segment *first, struct iw_tcp_pool *pool) {
    while (first) {
        struct iw_tcp_withheld_segment *next = first->next;
        withheld_drop(first, pool);
        first = next;
    }
}

bool iw_tcp_withheld_fits(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_withheld_segment *withheld = flow->withheld ? flow->withheld->first : NULL;

    for (; withheld; withheld = withheld->next)
        if (withheld->side == (uint8_t)side
                ? iw_tcp_seq_is_in_flight(withheld_segment_end(&withheld->segment), segment->seq)
                : (segment->flags & IW_TCP_ACK) && withheld_segment_acked(&withheld->segment, segment->ack))
            return true;
    return false;
}

uint32_t iw_tcp_withheld_unread(
    const struct iw_tcp_flow *flow, enum iw_side side, uint64_t *frame, uint64_t *time_ns) {
    const struct iw_tcp_withheld_segment *withheld = flow->withheld ? flow->withheld->first : NULL;
    const struct iw_tcp_stream *stream = &flow->stream[side];
    uint32_t octets = 0;

    for (; withheld; withheld = withheld->next) {
        if (withheld->side != (uint8_t)side || !withheld->shows_sent || withheld_repeated(flow, withheld) ||
            (stream->started && iw_tcp_seq_distance(withheld->sent_up_to, stream->next_seq) >= 0))
            continue;
        octets += withheld->segment.length;
        *frame = withheld->segment.frame;
        *time_ns = withheld->segment.time_ns;
    }
    return octets;
}

void iw_tcp_withheld_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool) {
    if (!flow->withheld)
        return;
    iw_tcp_withheld_free(flow->withheld->first, pool);
    free(flow->withheld);
    flow->withheld = NULL;
}
