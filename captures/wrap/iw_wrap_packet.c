#include "iw_wrap_packet.h"

#include <string.h>

#include "iw_bits.h"
#include "iw_crc32c.h"
#include "iw_frame.h"

enum {
    LINK_TYPE_ETHERNET = 1,
    SCTP_HEADER = 12,
    UDP_HEADER = 8,
    ICMP_HEADER = 8,
    QUOTED_TCP = 8, /* as RFC 792 requires */
    PACKET_MAX = IW_FRAME_MAX + 65536,
    FIRST_SECOND = 1700000000,
};

struct packet {
    uint8_t octets[PACKET_MAX];
    size_t length;
};

/* The magic number of pcap gives the byte order; here little-endian. */
static void put_file32(FILE *out, uint32_t value) {
    for (int shift = 0; shift < 32; shift += 8)
        fputc((int)(value >> shift & 0xFF), out);
}

bool iw_wrap_begin(struct iw_wrap_file *file) {
    put_file32(file->out, 0xA1B2C3D4); /* timestamps in microseconds */
    put_file32(file->out, 0x00040002); /* version 2.4 */
    put_file32(file->out, 0);
    put_file32(file->out, 0);
    put_file32(file->out, file->snaplen);
    put_file32(file->out, LINK_TYPE_ETHERNET);
    return ferror(file->out) == 0;
}

/* Packets are one millisecond apart. */
static void write_record(void *user, const uint8_t *octets, size_t length) {
    struct iw_wrap_file *file = user;
    uint32_t kept = length < file->snaplen ? (uint32_t)length : file->snaplen;

    put_file32(file->out, FIRST_SECOND + file->waited + file->packets / 1000);
    put_file32(file->out, file->packets % 1000 * 1000);
    put_file32(file->out, kept);
    put_file32(file->out, (uint32_t)length);
    fwrite(octets, 1, kept, file->out);
    file->packets++;
}

static void write_packet(struct iw_wrap_file *file, unsigned sender, const struct packet *packet) {
    iw_wrap_tunnels_send(&file->tunnels, sender, packet->octets, packet->length, write_record, file);
}

/* 192.0.2.1 and .2 (RFC 5737), 2001:db8::1 and ::2 (RFC 3849). */
static struct iw_tcp_address address_of(const struct iw_wrap_file *file, unsigned sender) {
    struct iw_tcp_address address = {.octets = {192, 0, 2, (uint8_t)(1 + sender)}, .version = 4};

    if (file->ip == 6)
        address = (struct iw_tcp_address){
            .octets = {0x20, 0x01, 0x0D, 0xB8, [15] = (uint8_t)(1 + sender)}, .version = 6};
    address.port = file->port[sender];
    return address;
}

static struct iw_frame_path path_of(const struct iw_wrap_file *file, unsigned sender, uint8_t protocol) {
    return (struct iw_frame_path){.source = address_of(file, sender),
        .destination = address_of(file, 1 - sender),
        .vlan = file->vlan,
        .protocol = protocol,
        .id = (uint16_t)file->packets,
        .hops = file->hops};
}

/* Writes everything before the transport header and payload, which take `count` octets. */
static uint8_t *begin_on_path(struct packet *packet, const struct iw_frame_path *path, size_t count) {
    size_t begin = iw_frame_ethernet(path, packet->octets);

    begin += iw_frame_ip(path, count, packet->octets + begin);
    packet->length = begin + count;
    return packet->octets + begin;
}

static uint8_t *begin_packet(
    struct packet *packet, const struct iw_wrap_file *file, unsigned sender, uint8_t protocol, size_t count) {
    const struct iw_frame_path path = path_of(file, sender, protocol);

    return begin_on_path(packet, &path, count);
}

/* The checksum of the first `summed` octets of `tcp`, as the recipe asks for it. */
static uint16_t checksum_of(
    const struct iw_wrap_file *file, unsigned sender, const uint8_t *tcp, size_t summed, size_t count) {
    const struct iw_frame_path path = path_of(file, sender, IW_IP_TCP);

    switch (file->checksum) {
    case IW_WRAP_CHECKSUM_ZERO:
        return 0;
    case IW_WRAP_CHECKSUM_PSEUDO: /* what the sending host writes before its network card adds the rest */
        return (uint16_t)~iw_frame_tcp_checksum(&path, tcp, 0, count);
    case IW_WRAP_CHECKSUM_WRONG:
        return iw_frame_tcp_checksum(&path, tcp, count, count) ^ 0x0F0F;
    case IW_WRAP_CHECKSUM_RIGHT:
        break;
    }
    return iw_frame_tcp_checksum(&path, tcp, summed, summed);
}

static void quote(struct iw_wrap_file *file, unsigned sender, const uint8_t *tcp) {
    size_t ip = file->ip == 6 ? IW_IPV6_OCTETS : IW_IPV4_OCTETS;

    file->quoted_octets = ip + QUOTED_TCP;
    file->quoted_sender = sender;
    memcpy(file->quoted, tcp - ip, file->quoted_octets);
}

/* RFC 1071; of ICMPv6 with a pseudo-header (RFC 4443 2.3). `octets` is even. */
static uint16_t icmp_checksum(const struct iw_frame_path *path, const uint8_t *icmp, size_t octets) {
    uint32_t sum = 0;

    for (size_t i = 0; i < octets; i += 2)
        sum += (uint32_t)icmp[i] << 8 | icmp[i + 1];
    for (unsigned i = 0; path->source.version == 6 && i < 16; i += 2)
        sum += ((uint32_t)path->source.octets[i] << 8 | path->source.octets[i + 1]) +
               ((uint32_t)path->destination.octets[i] << 8 | path->destination.octets[i + 1]);
    if (path->source.version == 6)
        sum += (uint32_t)octets + IW_IP_ICMPV6;
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t) ~((sum & 0xFFFF) + (sum >> 16));
}

void iw_wrap_tcp(struct iw_wrap_file *file, unsigned sender, const struct iw_tcp_segment *segment,
    const struct iw_wrap_damage *damage) {
    static struct packet packet;
    struct iw_tcp_segment sent = *segment;
    uint8_t header[IW_FRAME_TCP_MAX];
    uint8_t *at;
    size_t octets;

    sent.source = address_of(file, sender);
    sent.destination = address_of(file, 1 - sender);
    sent.mss = sent.flags & IW_TCP_SYN ? file->mss : 0;
    octets = iw_frame_tcp(&sent, header);
    at = begin_packet(&packet, file, sender, IW_IP_TCP, octets + sent.length);
    memcpy(at, header, octets);
    if (sent.length > 0)
        memcpy(at + octets, sent.payload, sent.length);
    if (damage->closed)
        iw_bits_put(at, 112, 16, 0);
    iw_bits_put(at, 128, 16,
        checksum_of(
            file, sender, at, octets + (damage->joint ? damage->joint : sent.length), octets + sent.length));
    if (damage->damaged)
        at[octets + damage->octet] ^= 0xFF;
    quote(file, sender, at);
    write_packet(file, sender, &packet);
}

void iw_wrap_icmp(struct iw_wrap_file *file, uint8_t type, uint8_t code, uint32_t rest) {
    static struct packet packet;
    bool six = file->ip == 6;
    struct iw_frame_path path = path_of(file, 1 - file->quoted_sender, six ? IW_IP_ICMPV6 : IW_IP_ICMP);
    size_t octets = ICMP_HEADER + file->quoted_octets;
    uint8_t *at;

    path.source.octets[six ? 15 : 3] = 254;
    at = begin_on_path(&packet, &path, octets);
    at[0] = type;
    at[1] = code;
    iw_bits_put(at, 16, 16, 0);
    iw_bits_put(at, 32, 32, rest);
    memcpy(at + ICMP_HEADER, file->quoted, file->quoted_octets);
    iw_bits_put(at, 16, 16, icmp_checksum(&path, at, octets));
    write_packet(file, 1 - file->quoted_sender, &packet);
}

static void put_udp(uint8_t *header, uint16_t source, uint16_t destination, size_t count) {
    iw_bits_put(header, 0, 16, source);
    iw_bits_put(header, 16, 16, destination);
    iw_bits_put(header, 32, 16, UDP_HEADER + count);
    iw_bits_put(header, 48, 16, 0);
}

void iw_wrap_udp(struct iw_wrap_file *file, unsigned sender, uint16_t source, uint16_t destination,
    const uint8_t *octets, size_t count) {
    static struct packet packet;
    uint8_t *header = begin_packet(&packet, file, sender, IW_IP_UDP, UDP_HEADER + count);

    put_udp(header, source, destination, count);
    memcpy(header + UDP_HEADER, octets, count);
    write_packet(file, sender, &packet);
}

void iw_wrap_sctp(
    struct iw_wrap_file *file, unsigned sender, uint32_t tag, const uint8_t *chunks, size_t count) {
    static struct packet packet;
    bool inside = file->udp[0] != 0;
    size_t octets = (inside ? UDP_HEADER : 0u) + SCTP_HEADER + count;
    uint8_t *header = begin_packet(&packet, file, sender, inside ? IW_IP_UDP : IW_IP_SCTP, octets);

    if (inside) {
        put_udp(header, file->udp[sender], file->udp[1 - sender], SCTP_HEADER + count);
        header += UDP_HEADER;
    }
    iw_bits_put(header, 0, 16, file->port[sender]);
    iw_bits_put(header, 16, 16, file->port[1 - sender]);
    iw_bits_put(header, 32, 32, tag);
    iw_bits_put(header, 64, 32, 0);
    memcpy(header + SCTP_HEADER, chunks, count);
    iw_bits_put(header, 64, 32, iw_crc32c(header, SCTP_HEADER + count)); /* RFC 9260 appendix A: as in MPA */
    write_packet(file, sender, &packet);
}
