#include "iw_tcp_life_part.h"
#include "iw_tcp_seq.h"

/* RSTs and ICMP errors, and who may have sent them. */

void iw_tcp_life_hops(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    if (segment->hops == 0)
        return;
    if (own->hops_least == 0 || segment->hops < own->hops_least)
        own->hops_least = segment->hops;
    if (segment->hops > own->hops_most)
        own->hops_most = segment->hops;
}

/* Whether the RST acknowledges all octets of the other side that were captured: so does a host whose program
 * ends the connection, whether it has acknowledged them before or not. */
static bool tcp_life_reset_acks_all(
    const struct iw_tcp_life_side *peer, const struct iw_tcp_segment *segment) {
    return (segment->flags & IW_TCP_ACK) && peer->has_next &&
           iw_tcp_seq_distance(peer->next + (peer->fin_frame != 0), segment->ack) == 0;
}

void iw_tcp_life_reset(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side];
    const struct iw_tcp_life_side *peer = &life->side[iw_side_other(side)];
    struct iw_tcp_trouble *trouble = iw_tcp_life_change(life, side);

    if (trouble == NULL || trouble->rst_frame != 0)
        return;
    trouble->rst_frame = segment->frame;
    trouble->rst_hops = segment->hops;
    trouble->rst_answers = !(segment->flags & IW_TCP_ACK);
    trouble->rst_before_frame = own->last.frame;
    trouble->rst_silence_ns = iw_tcp_life_since(&own->last, segment->time_ns);
    if (own->has_next && iw_tcp_seq_distance(own->shown, segment->seq) > 0)
        own->shown = segment->seq; /* RFC 9293 3.10.7: the next number, or one that was acknowledged */
    trouble->rst_after_octets =
        peer->last.frame > own->last.frame &&
        ((peer->last_octets_frame == peer->last.frame && !tcp_life_reset_acks_all(peer, segment)) ||
            trouble->syn_again.frame != 0 ||
            iw_tcp_life_trouble(life, iw_side_other(side))->probes_unanswered > 0);
}

void iw_tcp_life_rejected(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment,
    const struct iw_icmp *icmp) {
    const struct iw_tcp_life_side *own = &life->side[side];
    int32_t sent = iw_tcp_seq_distance(segment->seq, own->next);
    struct iw_tcp_trouble *trouble;
    struct iw_tcp_rejection *rejection;

    if (!own->has_next || sent <= 0 || sent > IW_TCP_IN_FLIGHT_MAX ||
        (trouble = iw_tcp_life_change(life, side)) == NULL)
        return;
    rejection = icmp->kind == IW_ICMP_TOO_BIG ? &trouble->too_big : &trouble->refused;
    if (rejection->count++ == 0)
        rejection->first = iw_tcp_life_mark(segment);
    rejection->last = iw_tcp_life_mark(segment);
    rejection->seq = segment->seq;
    rejection->icmp = *icmp;
}
