#include "iw_tcp_flow.h"

#include <assert.h>

#include "iw_placement.h"
#include "iw_tcp_seq.h"

static_assert(sizeof(struct iw_tcp_flow) <= 640, "captures hold hundreds of thousands of flows");

static bool flow_has_syn(const struct iw_tcp_segment *segment) {
    return (segment->flags & (IW_TCP_SYN | IW_TCP_RST)) == IW_TCP_SYN;
}

void iw_tcp_flow_init(struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    bool answer = flow_has_syn(segment) && (segment->flags & IW_TCP_ACK);
    *flow = (struct iw_tcp_flow){0};
    flow->address[IW_SIDE_A] = answer ? segment->destination : segment->source;
    flow->address[IW_SIDE_B] = answer ? segment->source : segment->destination;
    iw_tcp_stream_init(&flow->stream[IW_SIDE_A], IW_SIDE_A);
    iw_tcp_stream_init(&flow->stream[IW_SIDE_B], IW_SIDE_B);
}

enum iw_side iw_tcp_flow_side(const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    return iw_tcp_address_equal(&flow->address[IW_SIDE_A], &segment->source) ? IW_SIDE_A : IW_SIDE_B;
}

static bool flow_has_closed(const struct iw_tcp_flow *flow) {
    return flow->stream[IW_SIDE_A].closed && flow->stream[IW_SIDE_B].closed;
}

static bool flow_has_ended(const struct iw_tcp_flow *flow) {
    return flow->stream[IW_SIDE_A].reset.rank == IW_TCP_RESET_EXACT ||
           flow->stream[IW_SIDE_B].reset.rank == IW_TCP_RESET_EXACT || flow_has_closed(flow);
}

/* After such a pause, hosts do not retransmit: ALL if all octets and FINs are acknowledged, otherwise END. */
#define LATE_AFTER_ALL_NS 5000000000u
#define LATE_AFTER_END_NS 60000000000u

/* A clock may jump: a pause counts only if it is PAUSE_FACTOR times as long as every earlier pause. */
enum { PAUSE_FACTOR = 8 };

static bool flow_comes_too_late(const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    bool done =
        iw_tcp_stream_is_done(&flow->stream[IW_SIDE_A]) && iw_tcp_stream_is_done(&flow->stream[IW_SIDE_B]);
    uint64_t least = done ? LATE_AFTER_ALL_NS : LATE_AFTER_END_NS;
    uint64_t pause = segment->time_ns > flow->time_ns ? segment->time_ns - flow->time_ns : 0;

    return pause > least && pause / PAUSE_FACTOR > flow->longest_pause_ns;
}

static void flow_note_time(struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    uint64_t pause = segment->time_ns >= flow->time_ns ? segment->time_ns - flow->time_ns : UINT64_MAX;

    if (flow->frame != 0 && pause > flow->longest_pause_ns)
        flow->longest_pause_ns = pause;
    flow->frame = segment->frame;
    flow->time_ns = segment->time_ns;
}

/* Whether the segment has or acknowledges octets after the FIN of a side. Not counted: one octet in the place
 * of the FIN, which is a keep-alive probe, and the latest acknowledgement number again. */
static bool flow_is_beyond_the_fins(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    int32_t octets = iw_tcp_seq_distance(own->next_seq, segment->seq + segment->length);
    int32_t acked = iw_tcp_seq_distance(other->next_seq + 1, segment->ack);
    bool again = other->acks.has_latest && other->acks.latest == segment->ack;

    return octets > 1 || ((segment->flags & IW_TCP_ACK) && acked > 0 && !again);
}

/* Whether the segment has the next octets of the stream, or octets missing before the RST, and a near
 * acknowledgement number. No other connection has both numbers by chance, whatever the clock shows. */
static bool flow_continues_stream(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    int32_t ahead = iw_tcp_seq_distance(own->next_seq, segment->seq);
    bool next = ahead <= 0 && iw_tcp_seq_distance(own->next_seq, segment->seq + segment->length) > 0;
    bool missing = ahead > 0 && own->reset.rank != IW_TCP_RESET_NONE &&
                   iw_tcp_seq_distance(segment->seq, own->reset.seq) > 0;

    return !own->closed && own->next_offset > 0 && (next || missing) &&
           (!(segment->flags & IW_TCP_ACK) || iw_tcp_stream_may_be_late(other, segment->ack));
}

/* Whether the segment belongs to a new connection: the other side has sent its FIN, the sequence number is
 * far from the octets of its own side, and the acknowledgement number far from that FIN. No octets follow a
 * FIN, so this is not a loss. */
IW_COLD static bool flow_is_beyond_a_fin(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return (other->closed || other->fin_waits) && own->started && segment->length > 0 &&
           (segment->flags & (IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK &&
           !iw_tcp_stream_may_be_late(own, segment->seq) && !iw_tcp_stream_may_be_late(other, segment->ack);
}

/* Whether `number` is far from the captured octets of the stream. If none were captured: far from the first
 * acknowledged number, because later acknowledgements may belong to a new connection. */
static bool flow_is_far_from(const struct iw_tcp_stream *stream, uint32_t number) {
    if (stream->started)
        return !iw_tcp_stream_may_be_late(stream, number);
    return stream->acks.has_latest && !iw_tcp_seq_is_in_flight(stream->acks.first, number);
}

/* Whether octets of only one side were captured, and both numbers of the segment are far from the known ones.
 * An empty segment of the captured side is not enough: it may be one that its receiver drops. */
IW_COLD static bool flow_is_far_from_all(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return own->started != other->started && (!own->started || segment->length > 0) &&
           (segment->flags & (IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK &&
           flow_is_far_from(own, segment->seq) && flow_is_far_from(other, segment->ack);
}

/* Whether the segment belongs to a later connection without captured SYN: its numbers are far away, or the
 * flow has ended and the segment is not a late one. */
IW_COLD static bool flow_is_after_the_end(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_stream *own = &flow->stream[side], *other = &flow->stream[iw_side_other(side)];

    if (flow_is_beyond_a_fin(own, other, segment) || flow_is_far_from_all(own, other, segment))
        return true;
    if (!flow_has_ended(flow) || !own->started || segment->length == 0 || (segment->flags & IW_TCP_RST))
        return false;
    return !iw_tcp_stream_may_be_late(own, segment->seq) ||
           (flow_comes_too_late(flow, segment) && !flow_continues_stream(own, other, segment)) ||
           (flow_has_closed(flow) && flow_is_beyond_the_fins(own, other, segment));
}

/* Sets *first to the first known number of a side: of an octet, acknowledgement or RST. Returns false if
 * none. */
static bool flow_first_number(
    const struct iw_tcp_stream *own, const struct iw_tcp_stream *other, uint32_t *first) {
    if (own->started)
        *first = iw_tcp_stream_first_seq(own);
    else if (own->acks.has_latest)
        *first = own->acks.first;
    else if (own->reset.rank != IW_TCP_RESET_NONE)
        *first = own->reset.seq;
    else if (other->reset.rank != IW_TCP_RESET_NONE && other->reset.has_ack)
        *first = other->reset.ack;
    else
        return false;
    return true;
}

/* Whether the side has no SYN yet, and its first known number is at or a little after `first_seq`. */
static bool flow_may_precede(
    const struct iw_tcp_stream *own, const struct iw_tcp_stream *other, uint32_t first_seq) {
    uint32_t first;

    return !own->syn && flow_first_number(own, other, &first) && first - first_seq <= IW_TCP_IN_FLIGHT_MAX;
}

/* Whether the SYN is of this flow, but captured late: its number is a little below the known numbers. */
static bool flow_is_late_handshake(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    bool answers = (segment->flags & IW_TCP_ACK) ? flow_may_precede(other, own, segment->ack) : !own->started;

    return answers && flow_may_precede(own, other, segment->seq + 1);
}

bool iw_tcp_flow_is_new_connection(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_stream *own = &flow->stream[side], *other = &flow->stream[iw_side_other(side)];
    bool answer = segment->flags & IW_TCP_ACK;
    uint32_t first_seq = segment->seq + 1;
    if (own->counters.segments + other->counters.segments == 0)
        return false; /* all earlier segments were withheld: see iw_tcp_withheld.h */
    if (!flow_has_syn(segment))
        return flow_is_after_the_end(flow, side, segment);
    if (own->started && iw_tcp_stream_first_seq(own) == first_seq)
        /* a RST refused the SYN, and the host sends it again */
        return !answer && !other->started && other->reset.rank != IW_TCP_RESET_NONE;
    if (flow_is_late_handshake(own, other, segment))
        return false;
    if (answer) /* a SYN+ACK of this connection acknowledges at least the SYN of the other side */
        return flow_has_ended(flow) ||
               (other->syn && other->next_seq - segment->ack > (uint32_t)other->next_offset);
    /* The first SYN of the second side: a simultaneous open (RFC 9293 3.5), or captured after its SYN+ACK. */
    bool both = !own->started && other->syn && !flow_has_ended(flow);
    return !both || (own->acks.has_latest ? own->acks.first != first_seq : other->next_offset != 0);
}

bool iw_tcp_flow_may_survive(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_stream *own = &flow->stream[side];

    return (segment->flags & (IW_TCP_SYN | IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_SYN && segment->length == 0 &&
           !flow_has_ended(flow) && own->started && (own->next_offset > 0 || own->acks.has_latest);
}

/* Whether `number` is at most IW_TCP_IN_FLIGHT_MAX after `syn`, and closer to `syn` than to `stream`. */
static bool flow_is_nearer(const struct iw_tcp_stream *stream, uint32_t syn, uint32_t number) {
    uint32_t ahead = number - (syn + 1);
    uint32_t distance = number - stream->next_seq;

    return ahead < IW_TCP_IN_FLIGHT_MAX && ahead < distance && ahead < 0 - distance;
}

bool iw_tcp_flow_is_replaced(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_segment *syn = flow->rival ? &flow->rival->syn : NULL;

    if (!syn || (segment->flags & IW_TCP_RST))
        return false;
    if (iw_tcp_flow_side(flow, syn) == side)
        return !flow_has_syn(segment) && flow_is_nearer(&flow->stream[side], syn->seq, segment->seq);
    if (flow_has_syn(segment))
        return (segment->flags & IW_TCP_ACK) && segment->ack == syn->seq + 1;
    return (segment->flags & IW_TCP_ACK) &&
           flow_is_nearer(&flow->stream[iw_side_other(side)], syn->seq, segment->ack);
}

bool iw_tcp_flow_is_confirmed(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    return segment->length > 0 && !flow_has_syn(segment) && iw_tcp_flow_side(flow, &flow->rival->syn) == side;
}

/* Returns the side that hands over octets next; -1 if neither can. If only one side need not wait for the
 * other: that side. If neither need wait: the side captured first. If each waits for the other, one has
 * retransmitted, and the capture lacks the first transmission: the side captured later. */
static int flow_next_side(const struct iw_tcp_flow *flow, const struct iw_tcp_output output[2]) {
    bool passes[2] = {false, false};
    const struct iw_tcp_piece *a =
        iw_tcp_stream_first_ready(&flow->stream[IW_SIDE_A], &output[IW_SIDE_A], &passes[IW_SIDE_A]);
    const struct iw_tcp_piece *b =
        iw_tcp_stream_first_ready(&flow->stream[IW_SIDE_B], &output[IW_SIDE_B], &passes[IW_SIDE_B]);

    if (passes[IW_SIDE_A] != passes[IW_SIDE_B])
        return passes[IW_SIDE_A] ? IW_SIDE_A : IW_SIDE_B;
    if (!a || !b)
        return -1;
    return (a->turn <= b->turn) == passes[IW_SIDE_A] ? IW_SIDE_A : IW_SIDE_B;
}

/* Hands over the held octets that need not wait any longer. */
static void flow_hand_over(struct iw_tcp_flow *flow, const struct iw_tcp_output output[2]) {
    int side;

    do {
        while ((side = flow_next_side(flow, output)) >= 0)
            iw_tcp_stream_pass(&flow->stream[side], &output[side]);
    } while (iw_tcp_stream_settle(&flow->stream[IW_SIDE_A], &output[IW_SIDE_A]) ||
             iw_tcp_stream_settle(&flow->stream[IW_SIDE_B], &output[IW_SIDE_B]));
}

static void flow_set_outputs(
    const struct iw_tcp_flow *flow, const struct iw_tcp_output *output, struct iw_tcp_output outputs[2]) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        outputs[side] = *output;
        outputs[side].other = &flow->stream[iw_side_other(side)];
        outputs[side].turn =
            flow->stream[IW_SIDE_A].counters.segments + flow->stream[IW_SIDE_B].counters.segments;
    }
}

/* Starts the other side if octets of `side` have waited long enough for its first segment. */
static void flow_begin_unseen(
    struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_output output[2]) {
    struct iw_tcp_stream *other = &flow->stream[iw_side_other(side)];
    bool passes;
    const struct iw_tcp_piece *first =
        other->started ? NULL : iw_tcp_stream_first_ready(&flow->stream[side], &output[side], &passes);

    if (!first || output[side].turn - first->turn < IW_TCP_WAIT_FIRST)
        return;
    iw_tcp_stream_begin_unseen(other);
    flow->stream[side].wait_timed_out = other->started;
}

IW_COLD static void flow_hand_over_waiting(struct iw_tcp_flow *flow, const struct iw_tcp_output *output) {
    struct iw_tcp_output outputs[2];

    flow_set_outputs(flow, output, outputs);
    flow_begin_unseen(flow, IW_SIDE_A, outputs);
    flow_begin_unseen(flow, IW_SIDE_B, outputs);
    flow_hand_over(flow, outputs);
}

/* Whether the segment belongs to an earlier connection: it acknowledges octets before the SYN of the other
 * side or, as the first of its side, octets far ahead (RFC 5961 5.2). */
static bool flow_segment_is_stale(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    int32_t ahead = iw_tcp_seq_distance(other->next_seq, segment->ack);

    if (!other->syn || (segment->flags & (IW_TCP_SYN | IW_TCP_ACK)) != IW_TCP_ACK)
        return false;
    if (!own->started)
        return segment->ack - iw_tcp_stream_first_seq(other) >
               (uint32_t)other->next_offset + IW_TCP_IN_FLIGHT_MAX;
    return ahead < 0 && (uint64_t) - (int64_t)ahead > other->next_offset && !(segment->flags & IW_TCP_RST);
}

/* Whether the segment acknowledges octets far from all captured octets, and does not continue its own side.
 * Only a second such segment with a similar number shows a loss in the capture: see iw_tcp_stream_acked. */
static bool flow_acks_too_far(const struct iw_tcp_stream *own, const struct iw_tcp_stream *other,
    const struct iw_tcp_segment *segment) {
    return other->acks.has_doubtful && own->started && segment->seq != own->next_seq && other->syn &&
           other->acks.doubtful == segment->ack && (segment->flags & (IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK;
}

/* Whether the segment, which has no octets, is only an acknowledgement at the place where its side continues:
 * of a side without octets so far, one sent before its first octet. */
static bool flow_is_before_all(const struct iw_tcp_stream *own, const struct iw_tcp_segment *segment) {
    enum { FLAGS = IW_TCP_SYN | IW_TCP_FIN | IW_TCP_RST | IW_TCP_ACK };

    return (segment->flags & FLAGS) == IW_TCP_ACK && (!own->started || own->next_seq == segment->seq);
}

/* Receivers drop segments without ACK (RFC 9293 3.10.7.4), but some capture writers never set it. */
static bool flow_lacks_ack(const struct iw_tcp_stream *own, const struct iw_tcp_segment *segment) {
    return !(segment->flags & (IW_TCP_ACK | IW_TCP_SYN | IW_TCP_RST)) && own->sets_ack;
}

void iw_tcp_flow_segment(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment) {
    struct iw_tcp_stream *own = &flow->stream[side], *other = &flow->stream[iw_side_other(side)];

    output->other = other;
    output->turn = own->counters.segments + other->counters.segments;
    if (segment->frame > flow->frame)
        flow_note_time(flow, segment);
    if (output->turn % (IW_TCP_WAIT / 2) == 0 && !output->late) {
        iw_tcp_stream_age(own);
        iw_tcp_stream_age(other);
    }
    if (flow_segment_is_stale(own, other, segment) || flow_lacks_ack(own, segment)) {
        iw_tcp_stream_refuse(own, output, segment);
        return;
    }
    if ((segment->flags & IW_TCP_ACK) && !(segment->flags & IW_TCP_RST) &&
        iw_tcp_stream_acknowledges(own, other, segment)) {
        iw_tcp_stream_acked(other, segment->ack);
        if (segment->sacked > 0)
            iw_tcp_stream_sacked(other, segment->ack + segment->sacked);
    }
    if (flow_acks_too_far(own, other, segment)) {
        iw_tcp_stream_refuse(own, output, segment);
        return;
    }
    if (segment->length > 0) {
        other->wait_timed_out = false;
        own->sets_ack |= (segment->flags & IW_TCP_ACK) != 0;
    } else if (own->next_offset == 0 && flow_is_before_all(own, segment)) {
        iw_tcp_stream_acked_first(other, segment->ack);
    }
    bool began = own->syn;
    iw_tcp_stream_segment(own, output, segment);
    if (own->pending || other->pending) {
        if (own->syn && !began)
            iw_tcp_stream_other_began(other, output, segment);
        flow_hand_over_waiting(flow, output);
    }
}

void iw_tcp_flow_skip(struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    flow_note_time(flow, segment);
    if (segment->flags & IW_TCP_ACK)
        iw_tcp_stream_acked(&flow->stream[iw_side_other(side)], segment->ack);
    iw_tcp_stream_skip(&flow->stream[side], segment);
}

/* Returns the side whose hole becomes a GAP next: its octets after the hole were captured first. -1: no
 * hole. */
static int flow_side_with_hole(const struct iw_tcp_flow *flow) {
    uint64_t a = iw_tcp_stream_hole(&flow->stream[IW_SIDE_A]),
             b = iw_tcp_stream_hole(&flow->stream[IW_SIDE_B]);

    if (a == 0 && b == 0)
        return -1;
    return b == 0 || (a != 0 && a <= b) ? IW_SIDE_A : IW_SIDE_B;
}

static void flow_acknowledge_by_resets(struct iw_tcp_flow *flow) {
    uint32_t ack;

    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        if (iw_tcp_stream_reset_ack(&flow->stream[side], &ack))
            iw_tcp_stream_acked(&flow->stream[iw_side_other(side)], ack);
}

void iw_tcp_flow_finish(struct iw_tcp_flow *flow, const struct iw_tcp_output *output) {
    struct iw_tcp_output outputs[2];
    int side;

    flow_set_outputs(flow, output, outputs);
    iw_tcp_stream_begin_unseen(&flow->stream[IW_SIDE_A]);
    iw_tcp_stream_begin_unseen(&flow->stream[IW_SIDE_B]);
    for (;;) {
        flow_hand_over(flow, outputs);
        if ((side = flow_side_with_hole(flow)) >= 0)
            iw_tcp_stream_give_up(&flow->stream[side], &outputs[side]);
        else if (flow->stream[IW_SIDE_A].pending || flow->stream[IW_SIDE_B].pending)
            side = flow->stream[IW_SIDE_A].pending ? IW_SIDE_A : IW_SIDE_B,
            iw_tcp_stream_pass(&flow->stream[side], &outputs[side]);
        else
            break;
    }
    flow_acknowledge_by_resets(flow);
    iw_tcp_stream_finish(&flow->stream[IW_SIDE_A], &outputs[IW_SIDE_A], flow->frame, flow->time_ns);
    iw_tcp_stream_finish(&flow->stream[IW_SIDE_B], &outputs[IW_SIDE_B], flow->frame, flow->time_ns);
}

void iw_tcp_flow_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool) {
    iw_tcp_stream_clear(&flow->stream[IW_SIDE_A], pool);
    iw_tcp_stream_clear(&flow->stream[IW_SIDE_B], pool);
}
