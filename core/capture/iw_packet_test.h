#pragma once

#include <stdlib.h>
#include <string.h>

#include "iw_packet.h"

/* Packets are written as hexadecimal digits; spaces are ignored. */
#define ETHERNET "0200000000 01 020000000002 "
#define IPV4_TO_TCP "4500002d 12344000 4006 0000 0a000001 0a000002 "
#define IPV6_ADDRESSES "20010db8000000000000000000000001 20010db8000000000000000000000002 "
#define TCP "03e8 07d0 01020304 05060708 5018 ffff 0000 0000 "
#define HELLO "68656c6c6f "

struct built {
    uint8_t octets[1024];
    uint32_t length;
};

static inline uint8_t digit(char c) {
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static inline struct built build(const char *hex) {
    struct built built = {.length = 0};
    uint32_t digits = 0;
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        uint8_t *octet = &built.octets[digits / 2];
        *octet = (uint8_t)(*octet << 4 | digit(*hex));
        digits++;
    }
    built.length = digits / 2;
    return built;
}

/* Decodes the first `captured` octets, from memory that ends there. */
static inline enum iw_packet_kind decode_cut(
    enum iw_link link, const struct built *built, uint32_t captured, struct iw_tcp_segment *segment) {
    uint8_t *octets = malloc(captured + 1u);
    memcpy(octets + 1, built->octets, captured);
    struct iw_packet packet = {.link = link,
        .octets = octets + 1,
        .captured = captured,
        .length = built->length,
        .frame = 42,
        .time_ns = 99};
    enum iw_packet_kind kind = iw_packet_find(&packet, segment, &(struct iw_packet_facts){0});
    /* Reads every octet that the segment points to, while the packet is still in memory. */
    if (kind == IW_PACKET_TCP && segment->captured)
        assert_in_range(segment->payload + segment->captured - octets, 1, captured + 1u);
    free(octets);
    return kind;
}

static inline enum iw_packet_kind decode_kind(enum iw_link link, const char *hex) {
    struct built built = build(hex);
    struct iw_tcp_segment segment;
    return decode_cut(link, &built, built.length, &segment);
}
