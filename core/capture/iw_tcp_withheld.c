#include "iw_tcp_withheld.h"

#include <stdlib.h>
#include <string.h>

#include "iw_tcp_seq.h"

/* ---- withholding ---- */

/* An acknowledgement of all that was captured, in its turn: damage would hardly have left these numbers. */
static bool is_plain_ack(const struct iw_tcp_stream *stream, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return segment->length == 0 && segment->seq == stream->next_seq && segment->ack == other->next_seq &&
           (segment->flags & (IW_TCP_FIN | IW_TCP_SYN | IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK;
}

enum judgement { TAKE, WITHHOLD, WITHHOLD_BEHIND };

/* WITHHOLD_BEHIND: shows nothing itself, but must stay behind a withheld segment of its side, if there is
 * one: one that may be joint; and while no checksum of the side was right, one that cannot be verified. */
static enum judgement judge(
    struct iw_tcp_stream *stream, const struct iw_tcp_stream *other, const struct iw_tcp_segment *segment) {
    if (is_plain_ack(stream, other, segment))
        return TAKE;
    enum iw_tcp_checksum checksum = iw_tcp_checksum_verify(segment, &stream->payload_sum);
    stream->payload_summed = segment->tcp != NULL;
    if (checksum == IW_TCP_CHECKSUM_RIGHT) {
        iw_tcp_checksums_right(&stream->checksums, segment->length);
        return TAKE;
    }
    if (checksum == IW_TCP_CHECKSUM_UNKNOWN) {
        stream->offloaded |= segment->tcp != NULL;
        return stream->checksums.right == 0 ? WITHHOLD_BEHIND : TAKE;
    }
    return iw_tcp_checksums_wrong(&stream->checksums, segment->length) ? WITHHOLD : WITHHOLD_BEHIND;
}

static bool has_withheld(const struct iw_tcp_flow *flow, enum iw_side side) {
    const struct iw_tcp_withheld_segment *withheld = flow->withheld;

    while (withheld && withheld->side != (uint8_t)side)
        withheld = withheld->next;
    return withheld;
}

/* The sequence number after all that the segment sends. */
static uint32_t end_of(const struct iw_tcp_segment *segment) {
    return segment->seq + segment->length + ((segment->flags & IW_TCP_SYN) != 0) +
           ((segment->flags & IW_TCP_FIN) != 0);
}

/* Whether `ack` acknowledges all that the segment sends, and that is something. */
static bool is_acked(const struct iw_tcp_segment *segment, uint32_t ack) {
    int32_t ahead = iw_tcp_seq_distance(end_of(segment), ack);

    return end_of(segment) != segment->seq && ahead >= 0 && ahead <= IW_TCP_IN_FLIGHT_MAX;
}

static void mark_acked(
    struct iw_tcp_withheld_segment *first, enum iw_side sender, const struct iw_tcp_segment *segment) {
    if (!(segment->flags & IW_TCP_ACK))
        return;
    for (; first; first = first->next)
        first->acked |= first->side != (uint8_t)sender && is_acked(&first->segment, segment->ack);
}

static size_t cost(const struct iw_tcp_withheld_segment *withheld) {
    return sizeof *withheld + withheld->segment.captured;
}

static void drop(struct iw_tcp_withheld_segment *withheld, struct iw_tcp_pool *pool) {
    pool->used -= cost(withheld);
    free(withheld);
}

static struct iw_tcp_withheld_segment *copy(struct iw_tcp_pool *pool, const struct iw_tcp_segment *segment) {
    size_t octets = sizeof(struct iw_tcp_withheld_segment) + segment->captured;
    struct iw_tcp_withheld_segment *withheld;

    if (segment->captured > pool->stream_octets || octets > pool->octets - pool->used)
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

static uint32_t turn_of(const struct iw_tcp_flow *flow) {
    uint32_t turn = 0;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        turn += flow->stream[side].counters.segments + flow->stream[side].counters.discarded;
    return turn;
}

/* Appends it. */
static void append(
    struct iw_tcp_flow *flow, struct iw_tcp_pool *pool, struct iw_tcp_withheld_segment *withheld) {
    struct iw_tcp_withheld_segment **last = &flow->withheld;
    unsigned count = 0;

    for (; *last; last = &(*last)->next, count++)
        withheld->counts &= (*last)->side != withheld->side || (*last)->segment.seq != withheld->segment.seq;
    *last = withheld;
    if (count == IW_TCP_WITHHELD_SEGMENTS) {
        struct iw_tcp_withheld_segment *oldest = flow->withheld;
        flow->withheld = oldest->next;
        drop(oldest, pool);
    }
}

static bool withhold(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_pool *pool,
    const struct iw_tcp_segment *segment, enum judgement judgement) {
    const struct iw_tcp_stream *stream = &flow->stream[side];

    if (flow->edited || (stream->offloaded && stream->checksums.right == 0) ||
        (judgement == WITHHOLD_BEHIND && !has_withheld(flow, side)))
        return false;
    struct iw_tcp_withheld_segment *withheld = copy(pool, segment);
    if (withheld) {
        withheld->side = (uint8_t)side;
        withheld->turn = turn_of(flow);
        withheld->counts = judgement == WITHHOLD;
        mark_acked(flow->withheld, side, segment);
        append(flow, pool, withheld);
    }
    iw_tcp_stream_note_discarded(&flow->stream[side], segment);
    return true;
}

bool iw_tcp_withhold(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_pool *pool,
    const struct iw_tcp_segment *segment) {
    enum judgement judgement = judge(&flow->stream[side], &flow->stream[iw_side_other(side)], segment);

    return judgement != TAKE && withhold(flow, side, pool, segment, judgement);
}

/* ---- what the capture shows of them ---- */

/* Whether its stream has gone past it: a copy with a right checksum was captured. */
static bool is_repeated(const struct iw_tcp_flow *flow, const struct iw_tcp_withheld_segment *withheld) {
    const struct iw_tcp_stream *stream = &flow->stream[withheld->side];
    int32_t past = iw_tcp_seq_distance(end_of(&withheld->segment), stream->next_seq + stream->closed);

    return stream->started && past >= 0 && past <= IW_TCP_IN_FLIGHT_MAX;
}

static bool is_received(const struct iw_tcp_flow *flow, const struct iw_tcp_withheld_segment *withheld) {
    const struct iw_tcp_stream *stream = &flow->stream[withheld->side];

    return withheld->acked || (stream->has_ack && is_acked(&withheld->segment, stream->acked));
}

/* Segments that count. */
struct evidence {
    uint32_t repeated;
    uint32_t received; /* acknowledged, without a copy */
    uint32_t alone[2]; /* without a copy, acknowledged or not; by enum iw_side */
    uint32_t senders;  /* set of the sides that all withheld segments come from */
};

static struct evidence collect(const struct iw_tcp_flow *flow, bool at_end) {
    struct evidence evidence = {0};
    uint32_t turn = turn_of(flow);

    for (const struct iw_tcp_withheld_segment *withheld = flow->withheld; withheld;
         withheld = withheld->next) {
        evidence.senders |= 1u << withheld->side;
        if (!withheld->counts || end_of(&withheld->segment) == withheld->segment.seq)
            continue;
        if (is_repeated(flow, withheld)) {
            evidence.repeated++;
            continue;
        }
        evidence.alone[withheld->side]++;
        evidence.received +=
            is_received(flow, withheld) && (at_end || turn - withheld->turn >= IW_TCP_WITHHELD_AGE);
    }
    return evidence;
}

/* Whether a direction has more wrong checksums than damage would leave. */
static bool is_wrong_as_a_rule(
    const struct iw_tcp_flow *flow, const struct evidence *evidence, enum iw_side side) {
    const struct iw_tcp_checksums *checksums = &flow->stream[side].checksums;

    if (checksums->right == 0)
        return evidence->alone[side] >= IW_TCP_WITHHELD_RECEIVED;
    return checksums->wrong > checksums->right + IW_TCP_WITHHELD_MORE &&
           evidence->alone[side] > evidence->repeated;
}

/* Whether no checksum of either side was right, and both sides have sent something. */
static bool is_all_wrong(const struct iw_tcp_flow *flow, const struct evidence *evidence) {
    return evidence->senders == (1u << IW_SIDE_A | 1u << IW_SIDE_B) &&
           flow->stream[IW_SIDE_A].checksums.right == 0 && flow->stream[IW_SIDE_B].checksums.right == 0;
}

bool iw_tcp_withheld_were_received(const struct iw_tcp_flow *flow, bool at_end) {
    if (!flow->withheld)
        return false;
    struct evidence evidence = collect(flow, at_end);
    return (evidence.received >= IW_TCP_WITHHELD_RECEIVED && evidence.received > evidence.repeated) ||
           is_wrong_as_a_rule(flow, &evidence, IW_SIDE_A) || is_wrong_as_a_rule(flow, &evidence, IW_SIDE_B) ||
           (at_end && is_all_wrong(flow, &evidence));
}

struct iw_tcp_withheld_segment *iw_tcp_withheld_release(struct iw_tcp_flow *flow) {
    struct iw_tcp_withheld_segment *first = flow->withheld;

    for (const struct iw_tcp_withheld_segment *withheld = first; withheld; withheld = withheld->next)
        flow->stream[withheld->side].counters.discarded--;
    flow->withheld = NULL;
    flow->edited = true;
    return first;
}

void iw_tcp_withheld_free(struct iw_tcp_withheld_segment *first, struct iw_tcp_pool *pool) {
    while (first) {
        struct iw_tcp_withheld_segment *next = first->next;
        drop(first, pool);
        first = next;
    }
}
