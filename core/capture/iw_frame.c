#include "iw_frame.h"

#include <arpa/inet.h>
#include <string.h>

#include "iw_tcp_checksum.h"
#include "iw_tcp_option.h"

enum {
    SACK_OCTETS = 2 + IW_TCP_OPTION_HEADER_OCTETS + IW_TCP_OPTION_SACK_BLOCK_OCTETS, /* 2: No-Operations */
    HOP_LIMIT = 64,
    WINDOW = 65535,
};

static uint8_t *frame_put16(uint8_t *octets, uint32_t value) {
    octets[0] = (uint8_t)(value >> 8);
    octets[1] = (uint8_t)value;
    return octets + 2;
}

static uint8_t *frame_put32(uint8_t *octets, uint32_t value) {
    return frame_put16(frame_put16(octets, value >> 16), value);
}

static uint32_t frame_sum(const uint8_t *octets, size_t count) {
    return ntohs(iw_tcp_checksum_sum(octets, count));
}

/* Folds a sum of 16-bit numbers into the Internet checksum (RFC 1071). */
static uint16_t frame_checksum(uint32_t sum) {
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t) ~(sum + (sum >> 16));
}

static size_t frame_address_octets(const struct iw_tcp_address *address) {
    return address->version == 6 ? 16 : 4;
}

size_t iw_frame_ethernet(const struct iw_frame_path *path, uint8_t *octets) {
    bool wide = path->source.version == 6;
    size_t last = frame_address_octets(&path->source) - 1;
    uint8_t *type = octets + 12;

    memset(octets, 0, 12);
    octets[0] = octets[6] = 0x02;
    octets[5] = path->destination.octets[last];
    octets[11] = path->source.octets[last];
    if (path->vlan != 0)
        type = frame_put16(frame_put16(type, IW_ETHERTYPE_VLAN), path->vlan);
    frame_put16(type, wide ? IW_ETHERTYPE_IPV6 : IW_ETHERTYPE_IPV4);
    return IW_ETHERNET_OCTETS + (path->vlan != 0 ? IW_VLAN_OCTETS : 0);
}

static size_t frame_write_ipv4(const struct iw_frame_path *path, size_t payload, uint8_t *octets) {
    memset(octets, 0, IW_IPV4_OCTETS);
    octets[0] = 0x45;
    frame_put16(octets + 2, (uint32_t)(IW_IPV4_OCTETS + payload));
    frame_put16(octets + 4, path->id);
    octets[6] = 0x40; /* Don't Fragment */
    octets[8] = path->hops != 0 ? path->hops : HOP_LIMIT;
    octets[9] = path->protocol;
    memcpy(octets + 12, path->source.octets, 4);
    memcpy(octets + 16, path->destination.octets, 4);
    frame_put16(octets + 10, frame_checksum(frame_sum(octets, IW_IPV4_OCTETS)));
    return IW_IPV4_OCTETS;
}

static size_t frame_write_ipv6(const struct iw_frame_path *path, size_t payload, uint8_t *octets) {
    memset(octets, 0, IW_IPV6_OCTETS);
    octets[0] = 0x60;
    frame_put16(octets + 4, (uint32_t)payload);
    octets[6] = path->protocol;
    octets[7] = path->hops != 0 ? path->hops : HOP_LIMIT;
    memcpy(octets + 8, path->source.octets, 16);
    memcpy(octets + 24, path->destination.octets, 16);
    return IW_IPV6_OCTETS;
}

size_t iw_frame_ip(const struct iw_frame_path *path, size_t payload, uint8_t *octets) {
    return path->source.version == 6 ? frame_write_ipv6(path, payload, octets)
                                     : frame_write_ipv4(path, payload, octets);
}

size_t iw_frame_tcp(const struct iw_tcp_segment *segment, uint8_t *octets) {
    size_t header = IW_TCP_OCTETS;
    uint8_t *at = frame_put16(frame_put16(octets, segment->source.port), segment->destination.port);

    header += segment->mss != 0 ? IW_TCP_OPTION_MSS_OCTETS : 0;
    header += segment->sacked != 0 ? SACK_OCTETS : 0;
    at = frame_put32(frame_put32(at, segment->seq), segment->ack);
    *at++ = (uint8_t)(header / 4 << 4);
    *at++ = segment->flags;
    at = frame_put32(frame_put16(at, WINDOW), 0); /* checksum 0, urgent pointer 0 */
    if (segment->mss != 0) {
        *at++ = IW_TCP_OPTION_MSS;
        *at++ = IW_TCP_OPTION_MSS_OCTETS;
        at = frame_put16(at, segment->mss);
    }
    if (segment->sacked != 0) {
        at = frame_put16(at, IW_TCP_OPTION_NONE << 8 | IW_TCP_OPTION_NONE);
        *at++ = IW_TCP_OPTION_SACK;
        *at++ = IW_TCP_OPTION_HEADER_OCTETS + IW_TCP_OPTION_SACK_BLOCK_OCTETS;
        at = frame_put32(at, segment->ack + segment->sacked - 1);
        frame_put32(at, segment->ack + segment->sacked);
    }
    return header;
}

uint16_t iw_frame_tcp_checksum(
    const struct iw_frame_path *path, const uint8_t *tcp, size_t count, size_t length) {
    size_t address = frame_address_octets(&path->source);

    return frame_checksum(IW_IP_TCP + (uint32_t)length + frame_sum(path->source.octets, address) +
                          frame_sum(path->destination.octets, address) + frame_sum(tcp, count));
}

size_t iw_frame_write(const struct iw_tcp_segment *segment, unsigned vlan, uint8_t *octets) {
    const struct iw_frame_path path = {
        .source = segment->source, .destination = segment->destination, .vlan = vlan, .protocol = IW_IP_TCP};
    bool wide = segment->source.version == 6;
    uint8_t *ip = octets + iw_frame_ethernet(&path, octets);
    uint8_t *tcp = ip + (wide ? IW_IPV6_OCTETS : IW_IPV4_OCTETS);
    size_t length = iw_frame_tcp(segment, tcp);

    if (segment->length > 0)
        memcpy(tcp + length, segment->payload, segment->length);
    length += segment->length;
    iw_frame_ip(&path, length, ip);
    frame_put16(tcp + 16, iw_frame_tcp_checksum(&path, tcp, length, length));
    return (size_t)(tcp - octets) + length;
}
