#include "iw_frame.h"

#include <stdbool.h>
#include <string.h>

enum {
    ETHERNET_OCTETS = 14,
    IPV4_OCTETS = 20,
    IPV6_OCTETS = 40,
    TCP_OCTETS = 20,
    MSS_OPTION_OCTETS = 4,
    PROTOCOL_TCP = 6,
    HOP_LIMIT = 64,
    WINDOW = 65535,
    MSS4 = 1460, /* what 1500 octets of Ethernet leave */
    MSS6 = 1440,
};

static void put16(uint8_t *octets, uint32_t value) {
    octets[0] = (uint8_t)(value >> 8);
    octets[1] = (uint8_t)value;
}

static void put32(uint8_t *octets, uint32_t value) {
    put16(octets, value >> 16);
    put16(octets + 2, value);
}

/* The one's complement sum of RFC 1071, over pieces of even size but the last. */
static uint32_t add_up(uint32_t sum, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i + 1 < count; i += 2)
        sum += (uint32_t)octets[i] << 8 | octets[i + 1];
    if (count % 2 == 1)
        sum += (uint32_t)octets[count - 1] << 8;
    return (sum & 0xFFFF) + (sum >> 16);
}

static uint16_t checksum(uint32_t sum) {
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}

/* Locally administered addresses, the last octet that of the IP address. */
static void write_ethernet(const struct iw_tcp_segment *segment, bool wide, uint8_t *octets) {
    static const uint8_t prefix[5] = {0x02, 0x00, 0x00, 0x00, 0x00};
    size_t last = wide ? 15 : 3;

    memcpy(octets, prefix, sizeof prefix);
    octets[5] = segment->destination.octets[last];
    memcpy(octets + 6, prefix, sizeof prefix);
    octets[11] = segment->source.octets[last];
    put16(octets + 12, wide ? 0x86DD : 0x0800);
}

static void write_ipv4(const struct iw_tcp_segment *segment, size_t tcp, uint8_t *octets) {
    memset(octets, 0, IPV4_OCTETS);
    octets[0] = 0x45;
    put16(octets + 2, (uint32_t)(IPV4_OCTETS + tcp));
    octets[6] = 0x40; /* Don't Fragment */
    octets[8] = HOP_LIMIT;
    octets[9] = PROTOCOL_TCP;
    memcpy(octets + 12, segment->source.octets, 4);
    memcpy(octets + 16, segment->destination.octets, 4);
    put16(octets + 10, checksum(add_up(0, octets, IPV4_OCTETS)));
}

static void write_ipv6(const struct iw_tcp_segment *segment, size_t tcp, uint8_t *octets) {
    memset(octets, 0, IPV6_OCTETS);
    octets[0] = 0x60;
    put16(octets + 4, (uint32_t)tcp);
    octets[6] = PROTOCOL_TCP;
    octets[7] = HOP_LIMIT;
    memcpy(octets + 8, segment->source.octets, 16);
    memcpy(octets + 24, segment->destination.octets, 16);
}

static size_t write_tcp_header(const struct iw_tcp_segment *segment, bool wide, uint8_t *octets) {
    bool syn = (segment->flags & IW_TCP_SYN) != 0;
    size_t header = TCP_OCTETS + (syn ? MSS_OPTION_OCTETS : 0);

    memset(octets, 0, header);
    put16(octets, segment->source.port);
    put16(octets + 2, segment->destination.port);
    put32(octets + 4, segment->seq);
    put32(octets + 8, segment->ack);
    octets[12] = (uint8_t)(header / 4 << 4);
    octets[13] = segment->flags;
    put16(octets + 14, WINDOW);
    if (syn) {
        octets[TCP_OCTETS] = 2; /* Maximum Segment Size */
        octets[TCP_OCTETS + 1] = MSS_OPTION_OCTETS;
        put16(octets + TCP_OCTETS + 2, wide ? MSS6 : MSS4);
    }
    return header;
}

size_t iw_frame_write(const struct iw_tcp_segment *segment, uint8_t *octets) {
    bool wide = segment->source.version == 6;
    size_t address = wide ? 16 : 4;
    uint8_t *ip = octets + ETHERNET_OCTETS;
    uint8_t *tcp = ip + (wide ? IPV6_OCTETS : IPV4_OCTETS);
    size_t length = write_tcp_header(segment, wide, tcp);
    uint32_t sum = PROTOCOL_TCP;

    if (segment->length > 0)
        memcpy(tcp + length, segment->payload, segment->length);
    length += segment->length;
    write_ethernet(segment, wide, octets);
    if (wide)
        write_ipv6(segment, length, ip);
    else
        write_ipv4(segment, length, ip);

    sum = add_up(sum + (uint32_t)length, segment->source.octets, address);
    sum = add_up(sum, segment->destination.octets, address);
    put16(tcp + 16, checksum(add_up(sum, tcp, length)));
    return (size_t)(tcp - octets) + length;
}
