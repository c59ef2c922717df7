#include "iw_tcp_life.h"

#include <stdlib.h>
#include <string.h>

#include "iw_tcp_life_part.h"
#include "iw_tcp_seq.h"

void iw_tcp_life_init(struct iw_tcp_life *life) {
    *life = (struct iw_tcp_life){0};
}

void iw_tcp_life_dispose(struct iw_tcp_life *life) {
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        free(life->side[side].trouble);
        iw_tcp_seen_dispose(&life->side[side].seen);
    }
}

const struct iw_tcp_trouble *iw_tcp_life_trouble(const struct iw_tcp_life *life, enum iw_side side) {
    static const struct iw_tcp_trouble none;

    return life->side[side].trouble != NULL ? life->side[side].trouble : &none;
}

struct iw_tcp_trouble *iw_tcp_life_change(struct iw_tcp_life *life, enum iw_side side) {
    struct iw_tcp_trouble **trouble = &life->side[side].trouble;

    if (*trouble == NULL)
        *trouble = calloc(1, sizeof **trouble);
    life->incomplete |= *trouble == NULL;
    return *trouble;
}

bool iw_tcp_life_in_flight(const struct iw_tcp_life *life, enum iw_side side) {
    const struct iw_tcp_life_side *own = &life->side[side];

    return own->has_next && own->has_acked && iw_tcp_seq_distance(own->acked_seq, own->next) > 0;
}

bool iw_tcp_life_lacks(const struct iw_tcp_life *life, enum iw_side side) {
    const struct iw_tcp_life_side *own = &life->side[side];

    return own->has_next && iw_tcp_seq_distance(own->next + (own->fin_frame != 0), own->shown) > 0;
}

bool iw_tcp_life_is_passed(const struct iw_tcp_life *life, enum iw_side side) {
    const struct iw_tcp_life_side *own = &life->side[side];
    const struct iw_tcp_resend *resend = &iw_tcp_life_trouble(life, side)->resend;

    return own->has_sacked && resend->count > 0 &&
           iw_tcp_seq_distance(resend->seq + resend->octets, own->sacked) > 0;
}

/* ---- copies ---- */

/* Whether the side sends copies of a segment on purpose: acknowledgements without octets, when octets arrive
 * out of order (RFC 5681 3.2). */
static bool tcp_life_may_repeat(const struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    return segment->length == 0 && !(segment->flags & (IW_TCP_SYN | IW_TCP_FIN | IW_TCP_RST)) &&
           (!own->has_next || segment->seq != own->next - 1);
}

/* Whether the segment was captured before. By the time alone, an acknowledgement is a copy only if the
 * connection has copies of other segments. */
static bool tcp_life_is_copy(
    const struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_life_side *own = &life->side[side];

    switch (iw_tcp_seen_find(&own->seen, segment)) {
    case IW_TCP_SEEN_NEW:
        break;
    case IW_TCP_SEEN_SOON:
        return !tcp_life_may_repeat(own, segment) ||
               life->side[IW_SIDE_A].copies + life->side[IW_SIDE_B].copies > 0;
    case IW_TCP_SEEN_PROVEN:
        return true;
    }
    return false;
}

static void tcp_life_copy(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side];

    if (own->copies++ == 0)
        own->copy_frame = segment->frame;
    iw_tcp_seen_take_copy(&own->seen, segment);
    life->incomplete |= own->seen.incomplete;
}

/* ---- acknowledgements ---- */

static void tcp_life_end_resend(struct iw_tcp_trouble *trouble, uint32_t ack) {
    if (trouble->resend.count == 0 || iw_tcp_seq_distance(trouble->resend.seq, ack) <= 0)
        return;
    if (trouble->resend.count > trouble->longest.count)
        trouble->longest = trouble->resend;
    trouble->resend.count = 0;
}

/* New octets of `own` are acknowledged up to `ack`. */
static void tcp_life_advance(struct iw_tcp_life_side *own, uint32_t ack) {
    unsigned acked = 0;

    own->acked_seq = ack;
    own->has_acked = true;
    if (own->has_next && iw_tcp_seq_distance(own->shown, ack) > 0)
        own->shown = ack;
    while (acked < own->larger_count && iw_tcp_seq_distance(own->larger[acked].end, ack) >= 0)
        own->largest_acked_octets = own->larger[acked++].octets;
    own->larger_count -= (uint8_t)acked;
    memmove(own->larger, own->larger + acked, own->larger_count * sizeof *own->larger);
    if (own->trouble != NULL)
        tcp_life_end_resend(own->trouble, ack);
}

/* Takes the acknowledgement that `peer` sends for the octets of `own`. */
static void tcp_life_ack(struct iw_tcp_life_side *own, struct iw_tcp_life_side *peer,
    const struct iw_tcp_segment *segment, bool in_flight) {
    int32_t ahead = own->has_acked ? iw_tcp_seq_distance(own->acked_seq, segment->ack) : 1;

    if (!(segment->flags & IW_TCP_ACK) || (segment->flags & IW_TCP_RST))
        return;
    if (segment->sacked > 0) {
        own->sacked = segment->ack + segment->sacked;
        own->has_sacked = true;
    }
    if (ahead > 0)
        tcp_life_advance(own, segment->ack);
    else if (ahead == 0 && segment->length == 0 && in_flight && !(segment->flags & (IW_TCP_SYN | IW_TCP_FIN)))
        peer->dup_acks++;
}

/* ---- octets ---- */

static void tcp_life_sent_again(const struct iw_tcp_life_side *own, struct iw_tcp_trouble *trouble,
    const struct iw_tcp_segment *segment) {
    struct iw_tcp_resend *resend = &trouble->resend;

    trouble->retransmissions++;
    trouble->resent_ns = segment->time_ns;
    if (own->has_acked && iw_tcp_seq_distance(segment->seq + segment->length, own->acked_seq) >= 0)
        trouble->acked_again = iw_tcp_life_mark(segment);
    if (own->has_acked && segment->seq != own->acked_seq)
        return; /* only the oldest octets without acknowledgement show that nothing arrives */
    if (resend->count == 0 || resend->seq != segment->seq)
        *resend = (struct iw_tcp_resend){.seq = segment->seq, .first = iw_tcp_life_mark(segment)};
    if (resend->count > 0 && resend->large_octets == 0 && segment->length < resend->octets) {
        resend->large_octets = resend->octets;
        resend->large_count = resend->count;
    }
    resend->count++;
    resend->octets = segment->length;
    resend->last = iw_tcp_life_mark(segment);
}

static void tcp_life_add_hole(struct iw_tcp_trouble *trouble, struct iw_tcp_hole hole) {
    trouble->holes[trouble->hole_next++ % IW_TCP_LIFE_HOLES] = hole;
}

/* Returns the hole that the segment lies in, or NULL. */
static struct iw_tcp_hole *tcp_life_hole_of(
    struct iw_tcp_trouble *trouble, const struct iw_tcp_segment *segment) {
    for (unsigned i = 0; i < IW_TCP_LIFE_HOLES; i++) {
        struct iw_tcp_hole *hole = &trouble->holes[i];

        if (hole->from != hole->to && iw_tcp_seq_distance(hole->from, segment->seq) >= 0 &&
            iw_tcp_seq_distance(segment->seq + segment->length, hole->to) >= 0)
            return hole;
    }
    return NULL;
}

/* Takes the octets of the segment out of its hole, which may leave two. */
static void tcp_life_shrink(
    struct iw_tcp_trouble *trouble, struct iw_tcp_hole *hole, const struct iw_tcp_segment *segment) {
    struct iw_tcp_hole rest = *hole;

    rest.from = segment->seq + segment->length;
    hole->to = segment->seq;
    if (hole->from == hole->to)
        *hole = rest;
    else if (rest.from != rest.to)
        tcp_life_add_hole(trouble, rest);
}

/* Takes a segment in a hole. Returns whether it is only late: out of order, and not sent again. */
static bool tcp_life_fill(struct iw_tcp_trouble *trouble, struct iw_tcp_hole *hole,
    const struct iw_tcp_segment *segment, const struct iw_tcp_life_side *peer) {
    uint64_t waited = segment->time_ns > hole->time_ns ? segment->time_ns - hole->time_ns : 0;
    bool asked = peer->segments == 0 || peer->dup_acks - hole->dup_acks >= IW_TCP_LIFE_DUP_ACKS;

    tcp_life_shrink(trouble, hole, segment);
    if (waited < IW_TCP_LIFE_REORDER_NS || (!asked && waited < IW_TCP_LIFE_TIMEOUT_NS)) {
        if (trouble->late++ == 0)
            trouble->late_first_frame = segment->frame;
        trouble->late_last_frame = segment->frame;
        trouble->late_ns = segment->time_ns;
        return true;
    }
    trouble->filled_late += waited >= IW_TCP_LIFE_TIMEOUT_NS;
    if (waited >= IW_TCP_LIFE_TIMEOUT_NS && waited > trouble->filled_latest_ns) {
        trouble->filled_latest_ns = waited;
        trouble->filled_latest_frame = segment->frame;
    }
    return false;
}

/* Takes the octets of a segment that begins before `own->next`. */
static void tcp_life_earlier(
    struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_trouble *trouble = iw_tcp_life_change(life, side);
    struct iw_tcp_hole *hole;

    if (trouble == NULL)
        return;
    hole = tcp_life_hole_of(trouble, segment);
    if (hole == NULL || !tcp_life_fill(trouble, hole, segment, &life->side[iw_side_other(side)]))
        tcp_life_sent_again(&life->side[side], trouble, segment);
}

static void tcp_life_hole(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_trouble *trouble = iw_tcp_life_change(life, side);

    if (trouble != NULL)
        tcp_life_add_hole(trouble, (struct iw_tcp_hole){.from = life->side[side].next,
                                       .to = segment->seq,
                                       .dup_acks = life->side[iw_side_other(side)].dup_acks,
                                       .time_ns = segment->time_ns});
}

static void tcp_life_size(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side];
    uint16_t mss = life->side[iw_side_other(side)].mss;
    struct iw_tcp_trouble *trouble;

    if (segment->length > own->largest_octets)
        own->largest_octets = segment->length;
    if (mss > 0 && segment->length > mss && (trouble = iw_tcp_life_change(life, side)) != NULL)
        trouble->oversize++;
}

/* Remembers the segment if its acknowledgement would change largest_acked_octets. */
static void tcp_life_add_larger(struct iw_tcp_life_side *own, uint32_t end, uint32_t octets) {
    unsigned count = own->larger_count;

    if (octets <= (count > 0 ? own->larger[count - 1].octets : own->largest_acked_octets))
        return;
    if (count == IW_TCP_LIFE_LARGER) /* rather too large than too small, which would blame the size */
        own->larger[count - 1].octets = octets;
    else
        own->larger[own->larger_count++] = (struct iw_tcp_sent){end, octets};
}

static void tcp_life_octets(
    struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side];
    uint32_t end = segment->seq + segment->length;

    if (segment->length == 0)
        return;
    own->last_octets_frame = segment->frame;
    tcp_life_size(life, side, segment);
    if (!own->has_next) {
        own->has_next = true;
        own->next = own->shown = segment->seq;
    }
    if (iw_tcp_seq_distance(own->next, end) <= 0) {
        tcp_life_earlier(life, side, segment);
        return;
    }
    if (iw_tcp_seq_distance(own->next, segment->seq) > 0)
        tcp_life_hole(life, side, segment);
    own->next = end;
    tcp_life_add_larger(own, end, segment->length);
}

/* Takes the number of a segment without octets, or of a FIN: what the side has sent so far (RFC 9293 3.4). */
static void tcp_life_number(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    uint32_t seq = segment->seq + segment->length;
    int32_t ahead = iw_tcp_seq_distance(own->next, seq);

    if (!own->has_next || (segment->flags & IW_TCP_SYN) ||
        (segment->length > 0 && !(segment->flags & IW_TCP_FIN)))
        return;
    if (iw_tcp_seq_distance(own->shown, seq) > 0)
        own->shown = seq;
    if (ahead == 0 || ahead == -1 || (ahead == 1 && own->fin_frame != 0))
        own->complete = iw_tcp_life_mark(segment);
}

/* ---- control ---- */

/* Whether the segment is a keep-alive probe: it repeats the last octet, or its number, while no octets are in
 * flight (RFC 9293 3.8.4). The same segment at a closed window is a window probe (RFC 9293 3.8.6.1). */
static bool tcp_life_is_probe(
    const struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    const struct iw_tcp_life_side *own = &life->side[side];

    return own->has_next && segment->length <= 1 && segment->seq == own->next - 1 &&
           (segment->flags & (IW_TCP_SYN | IW_TCP_FIN | IW_TCP_RST | IW_TCP_ACK)) == IW_TCP_ACK &&
           !iw_tcp_life_in_flight(life, side) &&
           iw_tcp_life_trouble(life, iw_side_other(side))->zero_since.frame == 0;
}

static void tcp_life_probe(
    struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_trouble *trouble = iw_tcp_life_change(life, side);

    if (trouble == NULL)
        return;
    trouble->probes++;
    if (trouble->probes_unanswered++ == 0)
        trouble->probe_first_frame = segment->frame;
}

/* A SYN with another number, after octets of the side: its host does not know the connection any more. */
static bool tcp_life_connects_again(
    const struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    return own->last_octets_frame != 0 && (segment->flags & (IW_TCP_SYN | IW_TCP_ACK)) == IW_TCP_SYN &&
           segment->seq + 1 != own->next;
}

static void tcp_life_begin(
    struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side];
    struct iw_tcp_trouble *trouble;

    if (tcp_life_connects_again(own, segment)) {
        if ((trouble = iw_tcp_life_change(life, side)) != NULL)
            trouble->syn_again = iw_tcp_life_mark(segment);
        return;
    }
    own->syn = true;
    own->mss = segment->mss;
    own->has_next = true;
    own->next = own->shown = segment->seq + 1;
}

static void tcp_life_time(
    struct iw_tcp_life *life, struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment) {
    uint64_t idle = iw_tcp_life_since(&life->last, segment->time_ns);

    if (idle > life->idle_ns) {
        life->idle_ns = idle;
        life->idle_end_frame = segment->frame;
    }
    life->last = own->last = iw_tcp_life_mark(segment);
    own->segments++;
}

void iw_tcp_life_segment(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment) {
    struct iw_tcp_life_side *own = &life->side[side], *peer = &life->side[iw_side_other(side)];
    bool probe = tcp_life_is_probe(life, side, segment);

    if (tcp_life_is_copy(life, side, segment)) {
        tcp_life_copy(life, side, segment);
        return;
    }
    iw_tcp_seen_add(&own->seen, segment);
    if (segment->flags & IW_TCP_RST) {
        iw_tcp_life_reset(life, side, segment);
        tcp_life_time(life, own, segment);
        return;
    }
    iw_tcp_life_hops(own, segment);
    tcp_life_ack(peer, own, segment, iw_tcp_life_in_flight(life, iw_side_other(side)));
    iw_tcp_life_window(life, side, segment);
    if (peer->trouble != NULL)
        peer->trouble->probes_unanswered = 0;
    if (probe)
        tcp_life_probe(life, side, segment);
    else if (segment->flags & IW_TCP_SYN)
        tcp_life_begin(life, side, segment);
    else
        tcp_life_octets(life, side, segment);
    tcp_life_number(own, segment);
    if ((segment->flags & IW_TCP_FIN) && own->fin_frame == 0)
        own->fin_frame = segment->frame;
    tcp_life_time(life, own, segment);
}
