/* Transforms that add packets which do not carry the conversation. */

#include <string.h>

#include "iw_transform.h"

static void rise(bool known, uint32_t *to, uint32_t value) {
    if (!known || (int32_t)(value - *to) > 0)
        *to = value;
}

/* The state of the side before packet `at`: the sequence number after the highest one sent, and the number it
 * has acknowledged. False before its first acknowledgement, and after a FIN or RST. */
static bool place_of(
    const struct iw_trace *trace, size_t at, enum iw_side side, struct iw_tcp_segment *place) {
    bool sent = false, acked = false;

    for (size_t i = 0; i < at; i++) {
        const struct iw_trace_packet *packet = &trace->packets[i];
        const struct iw_tcp_segment *segment = &packet->segment;

        if (packet->foreign)
            continue;
        if (segment->flags & (IW_TCP_RST | IW_TCP_FIN))
            return false;
        if (packet->side != side)
            continue;
        place->source = segment->source;
        place->destination = segment->destination;
        rise(sent, &place->seq, segment->seq + segment->length + (segment->flags & IW_TCP_SYN ? 1 : 0));
        sent = true;
        if (segment->flags & IW_TCP_ACK)
            rise(acked, &place->ack, segment->ack);
        acked |= (segment->flags & IW_TCP_ACK) != 0;
    }
    place->flags = IW_TCP_ACK;
    return sent && acked;
}

/* A random index after both sides have sent something. Fills in `packet` as one side could send it there,
 * still without payload. With `idle`, all octets of that side are acknowledged there. 0 if there is no such
 * index. */
static size_t choose_stray_place(
    const struct iw_trace *trace, uint64_t *state, bool idle, struct iw_trace_packet *packet) {
    size_t first = trace->count > 0 ? iw_transform_below(state, trace->count) : 0;
    enum iw_side side = (enum iw_side)iw_transform_below(state, 2);
    struct iw_tcp_segment other = {0};

    for (size_t i = 0; i < trace->count; i++) {
        size_t at = 1 + (first + i) % trace->count;

        *packet =
            (struct iw_trace_packet){.side = side, .copy = trace->packets[at - 1].copy, .foreign = true};
        packet->segment.time_ns = trace->packets[at - 1].segment.time_ns;
        if (place_of(trace, at, side, &packet->segment) && place_of(trace, at, iw_side_other(side), &other) &&
            (!idle || other.ack == packet->segment.seq))
            return at;
    }
    return 0;
}

/* Adds a keep-alive probe, with or without its garbage octet, and its acknowledgement (RFC 9293 3.8.4). */
void iw_transform_keep_alive(struct iw_trace *trace, uint64_t *state) {
    static const uint8_t garbage[1] = {0};
    struct iw_trace_packet packet;
    size_t at = choose_stray_place(trace, state, true, &packet);

    /* Before the first octet of the stream, the probe would look like a retransmitted SYN. */
    if (at == 0 || packet.segment.seq == trace->start[packet.copy][packet.side])
        return;
    packet.segment.seq--;
    packet.segment.length = packet.segment.captured = (uint32_t)iw_transform_below(state, 2);
    packet.segment.payload = garbage;
    iw_trace_insert(trace, at, &packet);
}

/* Adds a zero-window probe: the next octet sent alone, then retransmitted (RFC 9293 3.8.6.1). */
void iw_transform_zero_window(struct iw_trace *trace, uint64_t *state) {
    size_t first = trace->count > 0 ? iw_transform_below(state, trace->count) : 0;

    for (size_t i = 0; i < trace->count; i++) {
        size_t at = (first + i) % trace->count;
        struct iw_trace_packet packet = trace->packets[at];

        if (packet.segment.captured < 2 || packet.foreign || packet.segment.flags & IW_TCP_SYN)
            continue;
        packet.segment.length = packet.segment.captured = 1;
        packet.segment.flags = IW_TCP_ACK;
        iw_trace_insert(trace, at, &packet);
        return;
    }
}

/* Whether the side sends a FIN later: proof that its receiver ignored the RST. */
static bool ends_later(const struct iw_trace *trace, size_t at, const struct iw_trace_packet *packet) {
    for (; at < trace->count; at++)
        if (trace->packets[at].side == packet->side && trace->packets[at].copy == packet->copy &&
            trace->packets[at].segment.flags & IW_TCP_FIN)
            return true;
    return false;
}

/* As `choose_stray_place`, with a sequence number 70,000 to 2^30 octets after the expected one, near or far
 * with equal chance. 0 also if the side sends no FIN later. */
static size_t choose_ahead(const struct iw_trace *trace, uint64_t *state, struct iw_trace_packet *packet) {
    size_t at = choose_stray_place(trace, state, false, packet);
    uint32_t away =
        1 + (uint32_t)iw_transform_below(state, iw_transform_below(state, 2) == 0 ? 30000 : 1u << 30);

    packet->segment.seq += 70000 + away;
    return at > 0 && ends_later(trace, at, packet) ? at : 0;
}

/* Adds a RST that does not end the connection: outside the window it is dropped; inside, but not at the next
 * octet, it gets a challenge ACK (RFC 9293 3.10.7.4). */
void iw_transform_stray_reset(struct iw_trace *trace, uint64_t *state) {
    struct iw_trace_packet packet;
    size_t at = choose_ahead(trace, state, &packet);

    if (at == 0)
        return;
    packet.segment.flags = IW_TCP_RST | (iw_transform_below(state, 2) == 0 ? IW_TCP_ACK : 0);
    iw_trace_insert(trace, at, &packet);
}

/* Adds a SYN inside the connection. It gets a challenge ACK, and the connection goes on (RFC 9293
 * 3.10.7.4). */
void iw_transform_stray_syn(struct iw_trace *trace, uint64_t *state) {
    struct iw_trace_packet packet;
    size_t at = choose_ahead(trace, state, &packet);

    if (at == 0)
        return;
    packet.segment.flags = IW_TCP_SYN;
    packet.segment.ack = 0;
    iw_trace_insert(trace, at, &packet);
}

/* Whether a single packet before `at` shows all octets of `packet`. */
static bool is_shown(const struct iw_trace *trace, size_t at, const struct iw_trace_packet *packet) {
    for (size_t i = 0; i < at; i++) {
        const struct iw_trace_packet *shown = &trace->packets[i];
        uint32_t before = packet->segment.seq - shown->segment.seq;

        if (shown->side == packet->side && shown->copy == packet->copy && !shown->foreign &&
            before <= shown->segment.captured && packet->segment.length <= shown->segment.captured - before)
            return true;
    }
    return false;
}

/* Adds octets that the receiver drops: already received, or outside its window. */
void iw_transform_junk(struct iw_trace *trace, uint64_t *state) {
    enum { OCTETS = 64 };
    struct iw_trace_packet packet;
    size_t at = choose_stray_place(trace, state, true, &packet);
    uint8_t *octets = iw_trace_octets(trace, OCTETS);

    if (at == 0 || octets == NULL)
        return;
    memset(octets, (int)iw_transform_below(state, 256), OCTETS);
    packet.segment.payload = octets;
    packet.segment.length = packet.segment.captured = 1 + (uint32_t)iw_transform_below(state, OCTETS);
    packet.segment.seq -= packet.segment.length;
    if (iw_transform_below(state, 2) == 0 || !is_shown(trace, at, &packet))
        packet.segment.seq += 1u << 31;
    iw_trace_insert(trace, at, &packet);
}

/* Repeats the conversation between the same ports after it has ended. */
void iw_transform_reuse(struct iw_trace *trace, uint64_t *state) {
    uint32_t away[2] = {
        (uint32_t)iw_transform_below(state, UINT32_MAX), (uint32_t)iw_transform_below(state, UINT32_MAX)};
    size_t count = trace->count;
    unsigned syn = 0, over = 0;
    uint64_t last = 0;

    for (size_t i = 0; i < count; i++) {
        const struct iw_trace_packet *packet = &trace->packets[i];

        syn += (packet->segment.flags & IW_TCP_SYN) != 0;
        if (!packet->foreign && packet->segment.flags & (IW_TCP_FIN | IW_TCP_RST))
            over |= packet->segment.flags & IW_TCP_RST ? 3u : 1u << packet->side;
        last = packet->segment.time_ns > last ? packet->segment.time_ns : last;
    }
    if (trace->copies > 1 || syn < 2 || over != 3 || count > 512)
        return;
    trace->copies = 2;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        trace->start[1][side] = trace->start[0][side] + away[side];
    for (size_t i = 0; i < count && !trace->failed; i++) {
        struct iw_trace_packet packet = trace->packets[i];

        packet.copy = 1;
        packet.segment.seq += away[packet.side];
        packet.segment.ack += packet.segment.flags & IW_TCP_ACK ? away[iw_side_other(packet.side)] : 0;
        packet.segment.time_ns += last - trace->packets[0].segment.time_ns + 1000000000;
        iw_trace_insert(trace, trace->count, &packet);
    }
}
