#include "iw_damage.h"
#include "iw_outer_frame.h"

/* Transport and IP headers. */

enum { TCP_OCTETS = 20, SCTP_OCTETS = 12 };

void iw_outer_put_sctp(struct iw_outer_frame *frame, const struct iw_tcp_segment *segment) {
    uint8_t *at = iw_outer_grow(frame, SCTP_OCTETS);

    iw_outer_put16(at, segment->source.port);
    iw_outer_put16(at + 2, segment->destination.port);
    iw_outer_put32(at + 4, segment->seq);
}

void iw_outer_put_ipv4(struct iw_outer_frame *frame, uint8_t protocol, const uint8_t *source,
    const uint8_t *destination, uint16_t id, uint32_t fragment) {
    size_t length = frame->count + 20;
    uint8_t *at = iw_outer_grow(frame, 20);

    at[0] = 0x45;
    iw_outer_put16(at + 2, (uint32_t)length);
    iw_outer_put16(at + 4, id);
    iw_outer_put16(at + 6, fragment);
    at[8] = 64;
    at[9] = protocol;
    memcpy(at + 12, source, 4);
    memcpy(at + 16, destination, 4);
    iw_outer_put16(at + 10, ~iw_damage_sum(0, at, 20) & 0xFFFF);
    frame->type = IW_OUTER_ETHERTYPE_IPV4;
    frame->version = 4;
}

static void put_ipv6(
    struct iw_outer_frame *frame, uint8_t protocol, const uint8_t *source, const uint8_t *destination) {
    size_t length = frame->count;
    uint8_t *at = iw_outer_grow(frame, 40);

    at[0] = 0x60;
    iw_outer_put16(at + 4, (uint32_t)length);
    at[6] = protocol;
    at[7] = 64;
    memcpy(at + 8, source, 16);
    memcpy(at + 24, destination, 16);
    frame->type = IW_OUTER_ETHERTYPE_IPV6;
    frame->version = 6;
}

/* An extension header of 8 octets whose options are padding (PadN). */
static void put_extension(struct iw_outer_frame *frame, uint8_t *protocol, uint8_t own) {
    uint8_t *at = iw_outer_grow(frame, 8);

    at[0] = *protocol;
    at[2] = 1;
    at[3] = 4;
    *protocol = own;
}

/* Maps the IPv4 address a.b.c.d to 2001:db8::a.b.c.d. */
static void map_to_ipv6(const struct iw_tcp_address *address, uint8_t wide[16]) {
    memcpy(wide, address->octets, 16);
    if (address->version == 6)
        return;
    memset(wide, 0, 16);
    iw_outer_put32(wide, 0x20010DB8);
    memcpy(wide + 12, address->octets, 4);
}

static bool uses_ipv6(const struct iw_outer *outer, const struct iw_tcp_segment *segment) {
    return outer->ipv6 || segment->source.version == 6;
}

/* The damaged checksum must not look like the work of checksum offload, which proves no damage. */
static uint32_t field_of(uint32_t right, uint32_t damage, uint32_t pseudo, uint32_t length) {
    uint32_t field = right;

    for (; damage != 0; damage = damage % 0xFFFE + 1) {
        field = (right + damage) % 0xFFFF;
        if (field != 0 && field != pseudo % 0xFFFF && field != (pseudo + 0xFFFF - length) % 0xFFFF)
            break;
    }
    return field;
}

/* Fills in the checksum of the TCP header at the front, if the payload is whole: the right one for the
 * addresses that `outer` asks for, changed by `damage`. */
static void sum_tcp(struct iw_outer_frame *frame, const struct iw_outer *outer,
    const struct iw_tcp_segment *segment, uint16_t damage) {
    bool wide = uses_ipv6(outer, segment);
    uint8_t source[16], destination[16];
    uint32_t length = (uint32_t)frame->count;
    uint32_t pseudo = IW_OUTER_PROTOCOL_TCP + length;

    if (frame->kept < frame->count || length > 0xFFFF)
        return;
    memcpy(source, segment->source.octets, 16);
    memcpy(destination, segment->destination.octets, 16);
    if (wide) {
        map_to_ipv6(&segment->source, source);
        map_to_ipv6(&segment->destination, destination);
    }
    pseudo = iw_damage_sum(pseudo, source, wide ? 16 : 4);
    pseudo = iw_damage_sum(pseudo, destination, wide ? 16 : 4);
    uint32_t right = ~iw_damage_sum(pseudo, frame->begin, length) & 0xFFFF;
    iw_outer_put16(frame->begin + 16, field_of(right, damage != 0 ? damage : outer->edited, pseudo, length));
}

void iw_outer_put_tcp(
    struct iw_outer_frame *frame, const struct iw_outer *outer, const struct iw_trace_packet *packet) {
    const struct iw_tcp_segment *segment = &packet->segment;
    size_t octets = TCP_OCTETS + (segment->mss != 0 ? 4 : 0);
    uint8_t *at = iw_outer_grow(frame, octets);

    iw_outer_put16(at, segment->source.port);
    iw_outer_put16(at + 2, segment->destination.port);
    iw_outer_put32(at + 4, segment->seq);
    iw_outer_put32(at + 8, segment->ack);
    at[12] = (uint8_t)(octets / 4 << 4);
    at[13] = segment->flags;
    iw_outer_put16(at + 14, 65535);
    if (segment->mss != 0) {
        iw_outer_put16(at + TCP_OCTETS, 0x0204);
        iw_outer_put16(at + TCP_OCTETS + 2, segment->mss);
    }
    sum_tcp(frame, outer, segment, packet->damage);
}

void iw_outer_put_ip(struct iw_outer_frame *frame, const struct iw_outer *outer,
    const struct iw_tcp_segment *segment, uint8_t protocol, uint32_t id, uint32_t fragment) {
    uint8_t source[16], destination[16];

    if (!uses_ipv6(outer, segment)) {
        iw_outer_put_ipv4(
            frame, protocol, segment->source.octets, segment->destination.octets, (uint16_t)id, fragment);
        return;
    }
    map_to_ipv6(&segment->source, source);
    map_to_ipv6(&segment->destination, destination);
    if (fragment != 0 || outer->fragment != 0) {
        uint8_t *at = iw_outer_grow(frame, 8);

        at[0] = protocol;
        iw_outer_put16(at + 2, (fragment & 0x1FFF) << 3 | (fragment & 0x2000 ? 1 : 0));
        iw_outer_put32(at + 4, id);
        protocol = IW_OUTER_PROTOCOL_FRAGMENT;
    }
    if (outer->extension_headers) {
        put_extension(frame, &protocol, IW_OUTER_PROTOCOL_DESTINATION);
        put_extension(frame, &protocol, IW_OUTER_PROTOCOL_HOP_BY_HOP);
    }
    put_ipv6(frame, protocol, source, destination);
}
