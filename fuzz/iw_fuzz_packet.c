/* Fuzz target: headers of packets, tunnels and IP fragments. Reads the input as a little-endian pcap file: a
 * file header of 24 octets, where octets 20 and 21 are the link type, and packets with headers of 16 octets.
 * Decodes each packet with tunnels and fragments, from memory that ends with the packet, and reads every
 * octet of the result. */

#include "iw_fuzz_target.h"

#include <stdlib.h>
#include <string.h>

#include "iw_link_type.h"
#include "iw_packet_reader.h"
#include "iw_tcp_checksum.h"

enum { FILE_HEADER = 24, LINK_AT = 20, RECORD_HEADER = 16, LINKS = IW_LINK_IPOIB + 1 };

static uint32_t little_endian(const uint8_t *at) {
    return (uint32_t)at[3] << 24 | (uint32_t)at[2] << 16 | (uint32_t)at[1] << 8 | at[0];
}

static void require(int condition) {
    if (!condition)
        abort();
}

/* Checks the promises of iw_packet.h and reads every octet, so that a sanitizer reports invalid ones. */
static void check_segment(const struct iw_tcp_segment *segment, const struct iw_packet *packet) {
    volatile uint8_t sum = 0;

    require(segment->captured <= segment->length && segment->length <= IW_TCP_SEGMENT_OCTETS_MAX);
    require(segment->source.version == segment->destination.version);
    require(segment->source.version == 4 || segment->source.version == 6);
    require(segment->frame == packet->frame && segment->time_ns == packet->time_ns);
    for (uint32_t i = 0; i < segment->captured; i++)
        sum = (uint8_t)(sum + segment->payload[i]);
}

/* Reads all octets that the checksum covers. */
static void check_checksum(const struct iw_tcp_segment *segment) {
    uint16_t payload = 0;

    iw_tcp_checksum_verify(segment, &payload);
    if (segment->tcp != NULL)
        require(segment->captured == segment->length &&
                payload == iw_tcp_checksum_sum(segment->payload, segment->length));
}

static void check_packet(struct iw_reassembly *reader, const struct iw_packet *packet) {
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;
    volatile uint8_t sum = 0;

    switch (iw_packet_read(reader, packet, &segment, &facts)) {
    case IW_PACKET_TCP:
        check_segment(&segment, packet);
        check_checksum(&segment);
        break;
    case IW_PACKET_SCTP:
        check_segment(&segment, packet);
        break;
    case IW_PACKET_OTHER:
        require(facts.content > IW_CONTENT_NONE && facts.content < IW_CONTENT_COUNT);
        if (facts.content == IW_CONTENT_ICMP)
            require(facts.icmp.kind < IW_ICMP_OTHER &&
                    segment.source.version == facts.icmp.reporter.version &&
                    segment.destination.version == facts.icmp.reporter.version);
        if (facts.content == IW_CONTENT_PORT_MAPPER)
            for (uint32_t i = 0; i < segment.captured; i++)
                sum = (uint8_t)(sum + segment.payload[i]);
        break;
    default:
        break;
    }
}

/* An unknown link type gives any link, so that mutations reach all links. */
static enum iw_link link_of(const uint8_t *type) {
    enum iw_link link;

    return iw_link_type_find((uint32_t)type[1] << 8 | type[0], &link) ? link
                                                                      : (enum iw_link)(type[0] % LINKS);
}

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t length) {
    struct iw_reassembly *reader = iw_reassembly_new();
    uint64_t frame = 0;
    size_t at = FILE_HEADER;

    require(reader != NULL);
    while (length >= at + RECORD_HEADER) {
        uint32_t captured = little_endian(octets + at + 8), wire = little_endian(octets + at + 12);
        struct iw_packet packet = {.link = link_of(octets + LINK_AT), .length = wire};
        uint8_t *copy;

        at += RECORD_HEADER;
        if (captured > length - at)
            captured = (uint32_t)(length - at);
        copy = malloc(captured > 0 ? captured : 1);
        require(copy != NULL);
        memcpy(copy, octets + at, captured);
        at += captured;
        packet.octets = copy;
        packet.captured = captured;
        packet.frame = ++frame;
        packet.time_ns = frame;
        check_packet(reader, &packet);
        free(copy);
    }
    require(iw_reassembly_counts(reader).fragments <= frame);
    iw_reassembly_free(reader);
    return 0;
}
