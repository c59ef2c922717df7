#include "iw_tcp_life.h"

#include "iw_tcp_seq.h"

void iw_tcp_life_init(struct iw_tcp_life *life) {
    *life = (struct iw_tcp_life){0};
}

bool iw_tcp_life_in_flight(const struct iw_tcp_life *life, enum iw_side side) {
    const struct iw_tcp_life_side *own = &life->side[side];

    return own->has_next && own->has_acked && iw_tcp_seq_distance(own->acked_seq, own->next) > 0;
}

static struct iw_tcp_mark tcp_life_mark(const struct iw_tcp_segment *segment) {
    return (struct iw_tcp_mark){segment->frame, segment->time_ns};
}

static uint64_t tcp_life_since(const struct iw_tcp_mark *mark, uint64_t time_ns) {
    return mark->frame > 0 && time_ns > mark->time_ns ? time_ns - mark->time_ns : 0;
}

/* ---- acknowledgements ---- */

/* New octets of `own` are acknowledged up to `ack`. */
static void tcp_life_advance(struct iw_tcp_life_side *own, uint32_t ack, struct iw_tcp_mark mark) {
    own->acked_seq = ack;
    own->has_acked = true;
    own->acked = mark;
    if (own->pending_octets > 0 && iw_tcp_seq_distance(own->pending_end, ack) >= 0) {
        if (own->pending_octets > own->largest_acked_octets)
            own->largest_acked_octets = own->pending_octets;
        own->pending_octets = 0;
    }
    if (own->resend.count > 0 && iw_tcp_seq_distance(own->resend.seq, ack) > 0) {
        if (own->resend.count > own->longest.count)
            own->longest = own->resend;
        own->resend.count = 0;
    }
}

/* Takes the acknowledgement that `peer` sends for the octets of `own`. */
static void tcp_life_ack(struct iw_tcp_life_side *own, struct iw_tcp_life_side *peer,
    const struct iw_tcp_segment *segment, bool in_flight) {
    int32_t ahead = own->has_acked ? iw_tcp_seq_distance(own->acked_seq, segment->ack) : 1;

    if (!(segment->flags & IW_TCP_ACK) || (segment->flags & IW_TCP_RST))
        return;
    if (ahead > 0)
        tcp_life_advance(own, segment->ack, tcp_life_mark(segment));
    else if (ahead == 0 && segment->length == 0 && in_flight && !(segment->flags & (IW_TCP_SYN | IW_TCP_FIN)))
        peer->dup_acks++;
}

static void tcp_life_window(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    bool closed = segment->window == 0;

    if ((segment->flags & (IW_TCP_ACK | IW_TCP_RST | IW_TCP_SYN)) != IW_TCP_ACK)
        return;
    if (closed && own->zero_since.frame == 0) {
        own->zero_since = tcp_life_mark(segment);
        if (own->zero_windows++ == 0)
            own->zero_first = own->zero_since;
    } else if (!closed && own->zero_since.frame != 0) {
        uint64_t closed_ns = tcp_life_since(&own->zero_since, segment->time_ns);

        if (closed_ns > own->zero_longest_ns)
            own->zero_longest_ns = closed_ns;
        own->zero_since.frame = 0;
    }
}

/* ---- octets ---- */

static void tcp_life_sent_again(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    own->retransmissions++;
    if (own->has_acked && segment->seq != own->acked_seq)
        return; /* only the oldest octets without acknowledgement show that nothing arrives */
    if (own->resend.count == 0 || own->resend.seq != segment->seq)
        own->resend = (struct iw_tcp_resend){.seq = segment->seq, .first = tcp_life_mark(segment)};
    own->resend.count++;
    own->resend.octets = segment->length;
    own->resend.last = tcp_life_mark(segment);
}

/* Takes the octets of a segment that begins before `own->next`. */
static void tcp_life_earlier(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    bool in_hole = own->hole_from != own->hole_to && iw_tcp_seq_distance(own->hole_from, segment->seq) >= 0 &&
                   iw_tcp_seq_distance(segment->seq + segment->length, own->hole_to) >= 0;

    if (in_hole && segment->time_ns - own->hole_ns < IW_TCP_LIFE_REORDER_NS) {
        own->late++;
        if (own->hole_from == segment->seq)
            own->hole_from += segment->length;
        return;
    }
    tcp_life_sent_again(own, segment);
}

static void tcp_life_octets(
    struct iw_tcp_life_side *own, const struct iw_tcp_life_side *peer, const struct iw_tcp_segment *segment) {
    uint32_t end = segment->seq + segment->length;

    if (segment->length == 0)
        return;
    own->last_octets = tcp_life_mark(segment);
    if (segment->length > own->largest_octets)
        own->largest_octets = segment->length;
    own->oversize += peer->mss > 0 && segment->length > peer->mss;
    if (!own->has_next) {
        own->has_next = true;
        own->next = segment->seq;
    }
    if (iw_tcp_seq_distance(own->next, end) <= 0) {
        tcp_life_earlier(own, segment);
        return;
    }
    if (iw_tcp_seq_distance(own->next, segment->seq) > 0) {
        own->hole_from = own->next;
        own->hole_to = segment->seq;
        own->hole_ns = segment->time_ns;
    }
    own->next = end;
    if (segment->length >= own->pending_octets) {
        own->pending_octets = segment->length;
        own->pending_end = end;
    }
}

/* ---- control ---- */

/* Whether the segment is a keep-alive probe: it repeats the last octet, or its number, while no octets are in
 * flight (RFC 9293 3.8.4). The same segment at a closed window is a window probe (RFC 9293 3.8.6.1). */
static bool tcp_life_is_probe(
    const struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_life_side *own = &life->side[side];

    return own->has_next && segment->length <= 1 && segment->seq == own->next - 1 &&
           (segment->flags & (IW_TCP_SYN | IW_TCP_FIN | IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK &&
           !iw_tcp_life_in_flight(life, side) && life->side[iw_side_other(side)].zero_since.frame == 0;
}

static void tcp_life_probe(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    own->probes++;
    if (own->probes_unanswered++ == 0)
        own->probe_first = tcp_life_mark(segment);
}

static void tcp_life_reset(
    struct iw_tcp_life_side *own, const struct iw_tcp_life_side *peer, const struct iw_tcp_segment *segment) {
    if (own->rst.frame != 0)
        return;
    own->rst = tcp_life_mark(segment);
    own->rst_answers = !(segment->flags & IW_TCP_ACK);
    own->rst_silence_ns = tcp_life_since(&own->last, segment->time_ns);
    own->rst_after_octets = peer->last.frame > own->last.frame &&
                            (peer->last_octets.frame == peer->last.frame || peer->probes_unanswered > 0);
}

static void tcp_life_begin(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    own->syn = true;
    own->mss = segment->mss;
    own->has_next = true;
    own->next = segment->seq + 1;
}

static void tcp_life_time(
    struct iw_tcp_life *life, struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    uint64_t idle = tcp_life_since(&life->last, segment->time_ns);

    if (idle > life->idle_ns) {
        life->idle_ns = idle;
        life->idle_end = tcp_life_mark(segment);
    }
    life->last = own->last = tcp_life_mark(segment);
    if (own->segments++ == 0)
        own->first = own->last;
}

void iw_tcp_life_segment(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side], *peer = &life->side[iw_side_other(side)];
    bool probe = tcp_life_is_probe(life, side, segment);

    if (segment->flags & IW_TCP_RST) {
        tcp_life_reset(own, peer, segment);
        tcp_life_time(life, own, segment);
        return;
    }
    tcp_life_ack(peer, own, segment, iw_tcp_life_in_flight(life, iw_side_other(side)));
    tcp_life_window(own, segment);
    peer->probes_unanswered = 0;
    if (probe)
        tcp_life_probe(own, segment);
    else if (segment->flags & IW_TCP_SYN)
        tcp_life_begin(own, segment);
    else
        tcp_life_octets(own, peer, segment);
    if ((segment->flags & IW_TCP_FIN) && own->fin.frame == 0)
        own->fin = tcp_life_mark(segment);
    tcp_life_time(life, own, segment);
}
