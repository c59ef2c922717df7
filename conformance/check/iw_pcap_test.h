#ifndef IW_PCAP_TEST_H
#define IW_PCAP_TEST_H

#include <stdio.h>
#include <string.h>

#include "iw_talk_test.h"
#include "iw_tcp_segment.h"

/* A capture file for tests: pcap with packets that begin with IPv4, from 192.0.2.1:1000 (side A) and from
 * 192.0.2.2:2000 (side B). */

enum { PCAP_HEADER = 24, PCAP_PACKET = 16 + 40 };

struct pcap_test {
    uint8_t octets[4096];
    size_t length;
    uint32_t seq[2]; /* next sequence number by side */
    uint32_t packets;
};

static inline void pcap_put(struct pcap_test *file, const void *octets, size_t count) {
    assert(file->length + count <= sizeof file->octets);
    memcpy(file->octets + file->length, octets, count);
    file->length += count;
}

static inline void pcap_begin(struct pcap_test *file) {
    /* magic of microseconds in this order of octets, 2.4, zone, accuracy, snaplen 65535, link type 101 (IP)
     */
    static const uint8_t header[PCAP_HEADER] = {
        0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, [18] = 0xff, [19] = 0xff, [23] = 101};

    memset(file, 0, sizeof *file);
    pcap_put(file, header, sizeof header);
}

static inline void pcap_number(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* A packet with `digits` as payload; its time is its number in seconds. */
static inline void pcap_packet(
    struct pcap_test *file, enum iw_side side, unsigned flags, const char *digits) {
    uint8_t packet[PCAP_PACKET + 256] = {0}, *ip = packet + 16, *tcp = ip + 20;
    size_t payload = talk_octets(digits, packet + PCAP_PACKET, 256);
    uint8_t from = side == IW_SIDE_A ? 1 : 2;

    pcap_number(packet, ++file->packets);
    pcap_number(packet + 8, (uint32_t)(40 + payload));
    pcap_number(packet + 12, (uint32_t)(40 + payload));
    ip[0] = 0x45;
    ip[3] = (uint8_t)(40 + payload);
    ip[8] = 64;
    ip[9] = 6;
    memcpy(ip + 12, (uint8_t[]){192, 0, 2, from, 192, 0, 2, (uint8_t)(3 - from)}, 8);
    memcpy(tcp, from == 1 ? (uint8_t[]){0x03, 0xe8, 0x07, 0xd0} : (uint8_t[]){0x07, 0xd0, 0x03, 0xe8}, 4);
    pcap_number(tcp + 4, file->seq[side]);
    pcap_number(tcp + 8, file->seq[iw_side_other(side)]);
    tcp[12] = 5 << 4;
    tcp[13] = (uint8_t)flags;
    pcap_put(file, packet, PCAP_PACKET + payload);
    file->seq[side] += (uint32_t)payload + ((flags & (IW_TCP_SYN | IW_TCP_FIN)) != 0);
}

/* Frames: 1 SYN, 2 SYN and ACK, 3 Request, 4 Reply. */
static inline void pcap_startup(struct pcap_test *file) {
    pcap_begin(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, TALK_REQUEST);
    pcap_packet(file, IW_SIDE_B, IW_TCP_ACK, TALK_REPLY);
}

/* Two frames: both sides close. */
static inline void pcap_close(struct pcap_test *file) {
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK | IW_TCP_FIN, "");
    pcap_packet(file, IW_SIDE_B, IW_TCP_ACK | IW_TCP_FIN, "");
}

/* Writes the first `length` octets to `path`. */
static inline void pcap_write(const struct pcap_test *file, size_t length, const char *path) {
    FILE *out = fopen(path, "wb");

    assert(out);
    if (fwrite(file->octets, 1, length, out) != length || fclose(out) != 0)
        abort();
}

#endif
