/* Transforms that damage segments in transit. Their receiver discards them (RFC 9293 3.1). */

#include <string.h>

#include "iw_transform.h"

/* Changes one part of the packet; keeps its checksum. */
static void damage(struct iw_trace *trace, uint64_t *state, struct iw_trace_packet *packet) {
    struct iw_tcp_segment *segment = &packet->segment;
    uint8_t *octets = iw_trace_octets(trace, segment->length + 1u);

    if (octets == NULL)
        return;
    if (segment->length > 0 && iw_transform_below(state, 4) != 0) {
        memcpy(octets, segment->payload, segment->length);
        octets[iw_transform_below(state, segment->length)] ^= (uint8_t)(1 + iw_transform_below(state, 255));
        segment->payload = octets;
    } else if (iw_transform_below(state, 2) == 0) {
        segment->flags ^= (uint8_t)(IW_TCP_FIN << iw_transform_below(state, 3));
    } else {
        segment->ack += 1u << iw_transform_below(state, 32);
    }
    packet->damage = (uint16_t)(1 + iw_transform_below(state, 0xFFFE));
    packet->foreign = true;
}

/* The index of a random complete packet, or the packet count if no packet is complete. */
static size_t choose_whole(const struct iw_trace *trace, uint64_t *state) {
    size_t at = trace->count > 0 ? (size_t)iw_transform_below(state, trace->count) : 0;

    for (size_t tried = 0; tried < trace->count; tried++, at = (at + 1) % trace->count)
        if (!trace->packets[at].foreign && trace->packets[at].damage == 0 &&
            trace->packets[at].segment.captured == trace->packets[at].segment.length)
            return at;
    return trace->count;
}

void iw_transform_damage(struct iw_trace *trace, uint64_t *state) {
    size_t at = choose_whole(trace, state);
    struct iw_trace_packet packet;

    if (at == trace->count)
        return;
    packet = trace->packets[at];
    damage(trace, state, &packet);
    iw_trace_insert(trace, at + iw_transform_below(state, 2), &packet);
}

void iw_transform_damage_alone(struct iw_trace *trace, uint64_t *state) {
    size_t at = choose_whole(trace, state);

    if (at < trace->count)
        damage(trace, state, &trace->packets[at]);
}
