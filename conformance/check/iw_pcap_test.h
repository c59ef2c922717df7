#pragma once

#include <stdio.h>
#include <string.h>

#include "iw_frame.h"
#include "iw_report_fixture_test.h"

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
    /* magic for big-endian microseconds, version 2.4, zone, accuracy, snaplen 65535, link type 101 (IP) */
    static const uint8_t header[PCAP_HEADER] = {
        0xa1, 0xb2, 0xc3, 0xd4, 0, 2, 0, 4, [18] = 0xff, [19] = 0xff, [23] = 101};

    memset(file, 0, sizeof *file);
    pcap_put(file, header, sizeof header);
}

static inline void pcap_number(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* Adds a packet with the payload `digits`, in hexadecimal; its time is its number, in seconds. */
static inline void pcap_packet(
    struct pcap_test *file, enum iw_side side, unsigned flags, const char *digits) {
    static const struct iw_tcp_address ends[2] = {{.octets = {192, 0, 2, 1}, .port = 1000, .version = 4},
        {.octets = {192, 0, 2, 2}, .port = 2000, .version = 4}};
    enum iw_side other = iw_side_other(side);
    uint8_t packet[PCAP_PACKET + 256] = {0}, *ip = packet + 16;
    size_t payload = talk_octets(digits, packet + PCAP_PACKET, 256);
    struct iw_frame_path path = {.source = ends[side], .destination = ends[other], .protocol = IW_IP_TCP};
    struct iw_tcp_segment segment = {.source = ends[side],
        .destination = ends[other],
        .seq = file->seq[side],
        .ack = file->seq[other],
        .flags = (uint8_t)flags};

    pcap_number(packet, ++file->packets);
    pcap_number(packet + 8, (uint32_t)(40 + payload));
    pcap_number(packet + 12, (uint32_t)(40 + payload));
    iw_frame_tcp(&segment, ip + iw_frame_ip(&path, 20 + payload, ip));
    pcap_put(file, packet, PCAP_PACKET + payload);
    file->seq[side] += (uint32_t)payload + ((flags & (IW_TCP_SYN | IW_TCP_FIN)) != 0);
}

/* Adds the frames 1 (SYN) and 2 (SYN and ACK). */
static inline void pcap_handshake(struct pcap_test *file) {
    pcap_begin(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_SYN, "");
    pcap_packet(file, IW_SIDE_B, IW_TCP_SYN | IW_TCP_ACK, "");
}

/* Adds the handshake, a Request in frame 3, and its answer in frame 4. */
static inline void pcap_answered(struct pcap_test *file, const char *request, const char *reply) {
    pcap_handshake(file);
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK, request);
    pcap_packet(file, IW_SIDE_B, IW_TCP_ACK, reply);
}

static inline void pcap_startup(struct pcap_test *file) {
    pcap_answered(file, TALK_REQUEST, TALK_REPLY);
}

/* Adds two frames: both sides close. */
static inline void pcap_close(struct pcap_test *file) {
    pcap_packet(file, IW_SIDE_A, IW_TCP_ACK | IW_TCP_FIN, "");
    pcap_packet(file, IW_SIDE_B, IW_TCP_ACK | IW_TCP_FIN, "");
}

/* Writes the octets so far to `out` and removes them. */
static inline void pcap_flush(struct pcap_test *file, FILE *out) {
    if (fwrite(file->octets, 1, file->length, out) != file->length)
        abort();
    file->length = 0;
}

/* Writes the first `length` octets to `path`. */
static inline void pcap_write(const struct pcap_test *file, size_t length, const char *path) {
    FILE *out = fopen(path, "wb");

    assert(out);
    if (fwrite(file->octets, 1, length, out) != length || fclose(out) != 0)
        abort();
}
