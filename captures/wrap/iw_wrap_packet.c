#include "iw_wrap_packet.h"

#include <string.h>

enum {
    PACKET_MAX = 65536 + 128,
    LINK_TYPE_ETHERNET = 1,
    PROTOCOL_TCP = 6,
    PROTOCOL_SCTP = 132,
    TCP_HEADER = 20,
    SCTP_HEADER = 12,
    FIRST_SECOND = 1700000000,
};

struct packet {
    uint8_t octets[PACKET_MAX];
    size_t length;
};

static uint8_t *reserve(struct packet *packet, size_t count) {
    uint8_t *at = packet->octets + packet->length;

    memset(at, 0, count);
    packet->length += count;
    return at;
}

static void put(struct packet *packet, const void *octets, size_t count) {
    memcpy(reserve(packet, count), octets, count);
}

static void put16(struct packet *packet, unsigned value) {
    put(packet, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

static void put32(struct packet *packet, uint32_t value) {
    put16(packet, value >> 16);
    put16(packet, value & 0xFFFF);
}

/* pcap: the order of octets is said by its magic number; here the least significant first. */
static void put_file32(FILE *out, uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
        fputc((int)(value >> shift & 0xFF), out);
}

bool iw_wrap_begin(struct iw_wrap_file *file) {
    put_file32(file->out, 0xA1B2C3D4); /* times in microseconds */
    put_file32(file->out, 0x00040002); /* version 2.4 */
    put_file32(file->out, 0);
    put_file32(file->out, 0);
    put_file32(file->out, file->snaplen);
    put_file32(file->out, LINK_TYPE_ETHERNET);
    return ferror(file->out) == 0;
}

/* One millisecond after the other. */
static void write_packet(struct iw_wrap_file *file, const struct packet *packet) {
    uint32_t kept = packet->length < file->snaplen ? (uint32_t)packet->length : file->snaplen;

    put_file32(file->out, FIRST_SECOND + file->packets / 1000);
    put_file32(file->out, file->packets % 1000 * 1000);
    put_file32(file->out, kept);
    put_file32(file->out, (uint32_t)packet->length);
    fwrite(packet->octets, 1, kept, file->out);
    file->packets++;
}

/* Locally administered addresses that end in the sender's number. */
static void put_ethernet(struct packet *packet, const struct iw_wrap_file *file, unsigned sender) {
    put(packet, (uint8_t[]){2, 0, 0, 0, 0, (uint8_t)(2 - sender), 2, 0, 0, 0, 0, (uint8_t)(1 + sender)}, 12);
    if (file->vlan != 0) {
        put16(packet, 0x8100);
        put16(packet, file->vlan);
    }
    put16(packet, file->ip == 6 ? 0x86DD : 0x0800);
}

static unsigned ones_complement(uint32_t sum, const uint8_t *octets, size_t count) {
    for (size_t i = 0; i < count; i++)
        sum += i % 2 == 0 ? (uint32_t)octets[i] << 8 : octets[i];
    while (sum > 0xFFFF)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

/* 192.0.2.1 and .2 (RFC 5737), 2001:db8::1 and ::2 (RFC 3849). */
static void put_ip(struct packet *packet, const struct iw_wrap_file *file, unsigned sender, unsigned protocol,
    size_t count) {
    size_t begin = packet->length;

    if (file->ip == 6) {
        put32(packet, 0x60000000);
        put16(packet, (unsigned)count);
        put(packet, (uint8_t[]){(uint8_t)protocol, 64}, 2);
        for (unsigned end = 0; end < 2; end++) {
            put32(packet, 0x20010DB8);
            reserve(packet, 8);
            put32(packet, end == 0 ? 1 + sender : 2 - sender);
        }
        return;
    }
    put16(packet, 0x4500);
    put16(packet, (unsigned)count + 20);
    put16(packet, file->packets & 0xFFFF);
    put16(packet, 0x4000); /* Don't Fragment */
    put(packet, (uint8_t[]){64, (uint8_t)protocol, 0, 0}, 4);
    put32(packet, 0xC0000201 + sender);
    put32(packet, 0xC0000202 - sender);
    unsigned sum = 0xFFFF - ones_complement(0, packet->octets + begin, 20);
    packet->octets[begin + 10] = (uint8_t)(sum >> 8);
    packet->octets[begin + 11] = (uint8_t)sum;
}

static void begin_packet(struct packet *packet, const struct iw_wrap_file *file, unsigned sender,
    unsigned protocol, size_t count) {
    packet->length = 0;
    put_ethernet(packet, file, sender);
    put_ip(packet, file, sender, protocol, count);
    put16(packet, file->port[sender]);
    put16(packet, file->port[1 - sender]);
}

/* The TCP checksum is left out, as a capture on a host with checksum offload has it. */
void iw_wrap_tcp(struct iw_wrap_file *file, unsigned sender, const struct iw_wrap_tcp *tcp,
    const uint8_t *octets, size_t count) {
    static struct packet packet;

    begin_packet(&packet, file, sender, PROTOCOL_TCP, TCP_HEADER + count);
    put32(&packet, tcp->seq);
    put32(&packet, tcp->ack);
    put16(&packet, 0x5000 | tcp->flags);
    put16(&packet, 0xFFFF);
    put32(&packet, 0);
    put(&packet, octets, count);
    write_packet(file, &packet);
}

/* RFC 9260 appendix A: CRC32c, least significant octet first. */
static void put_crc32c(uint8_t at[4], const uint8_t *octets, size_t count) {
    uint32_t crc = 0xFFFFFFFF;

    for (size_t i = 0; i < count; i++) {
        crc ^= octets[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0x82F63B78 : 0);
    }
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(~crc >> 8 * i);
}

void iw_wrap_sctp(
    struct iw_wrap_file *file, unsigned sender, uint32_t tag, const uint8_t *chunks, size_t count) {
    static struct packet packet;
    uint8_t *header;

    begin_packet(&packet, file, sender, PROTOCOL_SCTP, SCTP_HEADER + count);
    header = packet.octets + packet.length - 4;
    put32(&packet, tag);
    put32(&packet, 0);
    put(&packet, chunks, count);
    put_crc32c(header + 8, header, SCTP_HEADER + count);
    write_packet(file, &packet);
}
