/* Transforms of TCP segments: how a stream is split into segments, and which segments are retransmitted. */

#include <string.h>

#include "iw_transform.h"

static bool carries(const struct iw_trace *trace, size_t at) {
    const struct iw_trace_packet *packet = &trace->packets[at];

    return packet->segment.length > 0 && !packet->foreign && !(packet->segment.flags & IW_TCP_SYN);
}

/* The index of a random packet with payload, or the packet count if no packet has any. */
static size_t choose_data_packet(const struct iw_trace *trace, uint64_t *state) {
    size_t first = trace->count > 0 ? iw_transform_below(state, trace->count) : 0;

    for (size_t i = 0; i < trace->count; i++)
        if (carries(trace, (first + i) % trace->count))
            return (first + i) % trace->count;
    return trace->count;
}

/* Removes `octets` octets from the start of the segment. */
static void advance(struct iw_tcp_segment *segment, uint32_t octets) {
    uint32_t there = segment->captured < octets ? segment->captured : octets;

    segment->seq += octets;
    segment->length -= octets;
    segment->captured -= there;
    segment->payload += there;
}

static void keep_first(struct iw_tcp_segment *segment, uint32_t octets) {
    segment->length = octets;
    if (segment->captured > octets)
        segment->captured = octets;
    segment->flags &= (uint8_t)~IW_TCP_FIN;
}

void iw_transform_retransmit(struct iw_trace *trace, uint64_t *state) {
    size_t at = choose_data_packet(trace, state);
    size_t end = at, later;

    while (end < trace->count && trace->packets[end].copy == trace->packets[at].copy)
        end++;
    if (at == trace->count)
        return;
    later = at + 1 + iw_transform_below(state, end - at);
    iw_trace_insert(trace, later, &trace->packets[at]);
}

void iw_transform_duplicate(struct iw_trace *trace, uint64_t *state) {
    size_t at;

    if (trace->count == 0)
        return;
    at = iw_transform_below(state, trace->count);
    iw_trace_insert(trace, at + 1, &trace->packets[at]);
}

/* How many octets of this side, before the first octet of `packet`, are unacknowledged at packet `at`. TCP
 * keeps only those for retransmission (RFC 9293 3.4). */
static uint32_t unacknowledged(
    const struct iw_trace *trace, size_t at, const struct iw_trace_packet *packet) {
    uint32_t least = UINT32_MAX;

    for (size_t i = 0; i < at; i++) {
        const struct iw_tcp_segment *segment = &trace->packets[i].segment;
        uint32_t left = packet->segment.seq - segment->ack;

        if (trace->packets[i].side == packet->side || trace->packets[i].copy != packet->copy ||
            !(segment->flags & IW_TCP_ACK))
            continue;
        least = (int32_t)left < 0 ? 0 : left < least ? left : least;
    }
    return least;
}

/* Makes a segment begin with the last octets of the previous segment of its side. */
void iw_transform_overlap(struct iw_trace *trace, uint64_t *state) {
    size_t at = choose_data_packet(trace, state);
    struct iw_trace_packet *packet = &trace->packets[at];
    uint8_t *octets;

    for (size_t i = at; at < trace->count && i-- > 0;) {
        const struct iw_tcp_segment *before = &trace->packets[i].segment;
        uint32_t again, most;

        if (trace->packets[i].side != packet->side || !carries(trace, i))
            continue;
        if (before->seq + before->length != packet->segment.seq || before->captured < before->length ||
            packet->segment.captured < packet->segment.length)
            return;
        most = unacknowledged(trace, at, packet);
        most = most < before->length ? most : before->length;
        if (most == 0)
            return;
        again = 1 + (uint32_t)iw_transform_below(state, most);
        octets = iw_trace_octets(trace, again + packet->segment.length);
        if (octets == NULL)
            return;
        memcpy(octets, before->payload + before->length - again, again);
        memcpy(octets + again, packet->segment.payload, packet->segment.length);
        packet->segment.seq -= again;
        packet->segment.length += again;
        packet->segment.captured = packet->segment.length;
        packet->segment.payload = octets;
        return;
    }
}

/* Splits the segment after `octets` octets of its payload. */
static void split_at(struct iw_trace *trace, size_t at, uint32_t octets) {
    iw_trace_insert(trace, at, &trace->packets[at]);
    if (trace->failed)
        return;
    keep_first(&trace->packets[at].segment, octets);
    advance(&trace->packets[at + 1].segment, octets);
}

void iw_transform_split(struct iw_trace *trace, uint64_t *state) {
    size_t at = choose_data_packet(trace, state);
    unsigned times = 1 + (unsigned)iw_transform_below(state, 4);

    for (; times > 0 && at < trace->count && trace->packets[at].segment.length > 1; times--, at++)
        split_at(trace, at, 1 + (uint32_t)iw_transform_below(state, trace->packets[at].segment.length - 1));
}

/* Joins the segment with the next one in the capture, if that one continues it. */
static bool merge_at(struct iw_trace *trace, size_t at) {
    struct iw_tcp_segment *one = &trace->packets[at].segment;
    const struct iw_tcp_segment *other = one + 1;
    uint8_t *octets;

    if (at + 1 >= trace->count || !carries(trace, at) || !carries(trace, at + 1) ||
        trace->packets[at].side != trace->packets[at + 1].side)
        return false;
    other = &trace->packets[at + 1].segment;
    if (one->seq + one->length != other->seq || one->captured < one->length || one->ack != other->ack ||
        one->length + other->length > 60000)
        return false;
    octets = iw_trace_octets(trace, one->length + other->length);
    if (octets == NULL)
        return false;
    memcpy(octets, one->payload, one->length);
    if (other->captured > 0)
        memcpy(octets + one->length, other->payload, other->captured);
    one->payload = octets;
    one->captured = one->length + other->captured;
    one->length += other->length;
    one->flags |= other->flags;
    iw_trace_remove(trace, at + 1);
    return true;
}

void iw_transform_merge(struct iw_trace *trace, uint64_t *state) {
    size_t first = trace->count > 0 ? iw_transform_below(state, trace->count) : 0;

    for (size_t i = 0; i < trace->count; i++)
        if (merge_at(trace, (first + i) % trace->count))
            return;
}

void iw_transform_resegment(struct iw_trace *trace, uint64_t *state) {
    uint32_t most = 1 + (uint32_t)iw_transform_below(state, iw_transform_below(state, 2) == 0 ? 40 : 2000);

    for (size_t i = 0; i < trace->count; i++)
        while (iw_transform_below(state, 2) == 0 && merge_at(trace, i))
            continue;
    for (size_t i = 0; i < trace->count; i++) {
        uint32_t octets = 1 + (uint32_t)iw_transform_below(state, most);

        if (trace->count < 4096 && carries(trace, i) && octets < trace->packets[i].segment.length)
            split_at(trace, i, octets);
    }
}

/* Chooses the initial sequence number of a side so that the numbers wrap within its stream. */
void iw_transform_wrap(struct iw_trace *trace, uint64_t *state) {
    enum iw_side side = (enum iw_side)iw_transform_below(state, 2);
    uint32_t octets = 0, shift;

    for (size_t i = 0; i < trace->count; i++) {
        const struct iw_trace_packet *packet = &trace->packets[i];
        uint32_t end = packet->segment.seq + packet->segment.length - trace->start[packet->copy][side];

        if (packet->side == side && !packet->foreign && end < 1u << 30 && end > octets)
            octets = end;
    }
    octets = (uint32_t)iw_transform_below(state, octets + 2);
    shift = -octets - trace->start[0][side];
    for (unsigned copy = 0; copy < trace->copies; copy++)
        trace->start[copy][side] += shift;
    for (size_t i = 0; i < trace->count; i++) {
        struct iw_trace_packet *packet = &trace->packets[i];

        if (packet->side == side)
            packet->segment.seq += shift;
        else if (packet->segment.flags & IW_TCP_ACK)
            packet->segment.ack += shift;
    }
}
