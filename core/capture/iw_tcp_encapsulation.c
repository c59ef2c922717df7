#include "iw_tcp_encapsulation.h"

#include "iw_tcp_withheld.h"

/* Whether the segment acknowledges a number near the next octet of the other direction. */
static bool encapsulation_acknowledgement_fits(
    const struct iw_tcp_stream *other, const struct iw_tcp_segment *segment) {
    return (segment->flags & IW_TCP_ACK) && other->started && iw_tcp_stream_may_be_late(other, segment->ack);
}

static bool encapsulation_sequence_fits(
    const struct iw_tcp_stream *own, const struct iw_tcp_segment *segment) {
    if (segment->flags & IW_TCP_SYN)
        return iw_tcp_stream_first_seq(own) == segment->seq + 1;
    return iw_tcp_stream_may_be_late(own, segment->seq);
}

static bool encapsulation_numbers_fit(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_stream *own = &flow->stream[side], *other = &flow->stream[iw_side_other(side)];

    if (!own->started)
        return encapsulation_acknowledgement_fits(other, segment) ||
               iw_tcp_withheld_fits(flow, side, segment);
    if (!encapsulation_sequence_fits(own, segment))
        return false;
    return !(segment->flags & IW_TCP_ACK) || !other->started ||
           encapsulation_acknowledgement_fits(other, segment);
}

enum iw_tcp_fit iw_tcp_encapsulation_fit(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment) {
    bool seen = flow->scope_seen & 1u << side;

    if (iw_tcp_encapsulation_same_scope(flow, side, segment))
        return IW_TCP_FIT_SCOPE;
    if (!seen && flow->scope[iw_side_other(side)] == segment->scope)
        return IW_TCP_FIT_PARTNER;
    if (seen && (segment->flags & IW_TCP_SYN) && flow->scope[side] != 0 && segment->scope != 0)
        return IW_TCP_FIT_NONE;
    return encapsulation_numbers_fit(flow, side, segment) ? IW_TCP_FIT_NUMBERS : IW_TCP_FIT_NONE;
}
