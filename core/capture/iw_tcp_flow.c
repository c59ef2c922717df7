#include "iw_tcp_flow.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(struct iw_tcp_flow) <= 320, "captures hold hundreds of thousands of flows");

static bool has_syn(const struct iw_tcp_segment *segment) {
    return (segment->flags & (IW_TCP_SYN | IW_TCP_RST)) == IW_TCP_SYN;
}

void iw_tcp_flow_init(struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    bool answer = has_syn(segment) && (segment->flags & IW_TCP_ACK);
    *flow = (struct iw_tcp_flow){0};
    flow->address[IW_SIDE_A] = answer ? segment->destination : segment->source;
    flow->address[IW_SIDE_B] = answer ? segment->source : segment->destination;
    iw_tcp_stream_init(&flow->stream[IW_SIDE_A], IW_SIDE_A);
    iw_tcp_stream_init(&flow->stream[IW_SIDE_B], IW_SIDE_B);
}

enum iw_side iw_tcp_flow_side(const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment) {
    return iw_tcp_address_equal(&flow->address[IW_SIDE_A], &segment->source) ? IW_SIDE_A : IW_SIDE_B;
}

/* True if `ack` acknowledges something of this stream, its SYN at least. */
static bool acknowledges(const struct iw_tcp_stream *stream, uint32_t ack) {
    return ack - stream->first_seq <= stream->next_seq - stream->first_seq;
}

static bool is_dead(const struct iw_tcp_flow *flow) {
    const struct iw_tcp_stream *a = &flow->stream[IW_SIDE_A], *b = &flow->stream[IW_SIDE_B];
    return a->reset || b->reset || (a->closed && b->closed);
}

/* Behind a reset there are at most late segments; octets from quite another place are of a connection whose
 * SYN was not captured. */
static bool is_behind_reset(
    const struct iw_tcp_flow *flow, const struct iw_tcp_stream *own, const struct iw_tcp_segment *segment) {
    bool reset = flow->stream[IW_SIDE_A].reset || flow->stream[IW_SIDE_B].reset;

    return reset && own->started && segment->length > 0 && !(segment->flags & IW_TCP_RST) &&
           !iw_tcp_stream_may_be_late(own, segment->seq);
}

bool iw_tcp_flow_is_over(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_stream *own = &flow->stream[side], *other = &flow->stream[iw_side_other(side)];
    bool answer = segment->flags & IW_TCP_ACK;
    uint32_t first_seq = segment->seq + 1;
    if (!has_syn(segment))
        return is_behind_reset(flow, own, segment);
    if (own->started && own->first_seq == first_seq)
        return !answer && !other->started && other->reset; /* refused, and tried again */
    if (answer)
        return is_dead(flow) || (other->syn && !acknowledges(other, segment->ack));
    /* A SYN of both sides is one connection opened from both (RFC 9293 3.5), or the capture has turned the
     * SYN and its answer around. */
    bool both = !own->started && other->syn && other->next_offset == 0 && !is_dead(flow);
    return !both || (own->has_ack && own->acked != first_seq);
}

void iw_tcp_flow_segment(struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment) {
    flow->frame = segment->frame;
    flow->time_ns = segment->time_ns;
    if ((segment->flags & IW_TCP_ACK) && !(segment->flags & IW_TCP_RST))
        iw_tcp_stream_acked(&flow->stream[iw_side_other(side)], output, segment->ack);
    flow->stream[side].answers_unseen = iw_tcp_stream_has_unseen(&flow->stream[iw_side_other(side)]);
    iw_tcp_stream_segment(&flow->stream[side], output, segment);
}

void iw_tcp_flow_finish(struct iw_tcp_flow *flow, const struct iw_tcp_output *output) {
    iw_tcp_stream_finish(&flow->stream[IW_SIDE_A], output, flow->frame, flow->time_ns);
    iw_tcp_stream_finish(&flow->stream[IW_SIDE_B], output, flow->frame, flow->time_ns);
}

void iw_tcp_flow_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool) {
    iw_tcp_stream_clear(&flow->stream[IW_SIDE_A], pool);
    iw_tcp_stream_clear(&flow->stream[IW_SIDE_B], pool);
}

void iw_tcp_flow_ignore(struct iw_tcp_flow *flow) {
    flow->ignored = true;
}
