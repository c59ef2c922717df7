#include "iw_outer.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADROOM = 512,
    FRAME_MAX = HEADROOM + (1 << 17),
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86DD,
    ETHERTYPE_BRIDGED = 0x6558,
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_IPIP = 4,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_IPV6 = 41,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_GRE = 47,
    PROTOCOL_DESTINATION = 60,
    PROTOCOL_SCTP = 132,
    TCP_OCTETS = 20,
    SCTP_OCTETS = 12,
};

/* A frame under construction, from the innermost header outwards: each header is added at the front. */
struct frame {
    uint8_t octets[FRAME_MAX];
    uint8_t *begin;
    size_t count;    /* octets on the wire */
    size_t kept;     /* octets present at `begin`; less than `count` if the payload was truncated */
    uint16_t type;   /* EtherType of the outermost header so far; ETHERTYPE_BRIDGED for an Ethernet frame */
    uint8_t version; /* IP version of the outermost header so far */
};

/* ---- octets ---- */

static uint8_t *grow(struct frame *frame, size_t count) {
    frame->begin -= count;
    frame->count += count;
    frame->kept += count;
    memset(frame->begin, 0, count);
    return frame->begin;
}

static void put16(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void put32(uint8_t *at, uint32_t value) {
    put16(at, value >> 16);
    put16(at + 2, value);
}

static void put_checksum(uint8_t *header, size_t count, uint8_t *at) {
    uint32_t sum = 0;

    for (size_t i = 0; i < count; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    put16(at, ~sum & 0xFFFF);
}

/* ---- transport and IP ---- */

static void put_tcp(struct frame *frame, const struct iw_tcp_segment *segment) {
    size_t octets = TCP_OCTETS + (segment->mss != 0 ? 4 : 0);
    uint8_t *at = grow(frame, octets);

    put16(at, segment->source.port);
    put16(at + 2, segment->destination.port);
    put32(at + 4, segment->seq);
    put32(at + 8, segment->ack);
    at[12] = (uint8_t)(octets / 4 << 4);
    at[13] = segment->flags;
    put16(at + 14, 65535);
    if (segment->mss != 0) {
        put16(at + TCP_OCTETS, 0x0204);
        put16(at + TCP_OCTETS + 2, segment->mss);
    }
}

static void put_sctp(struct frame *frame, const struct iw_tcp_segment *segment) {
    uint8_t *at = grow(frame, SCTP_OCTETS);

    put16(at, segment->source.port);
    put16(at + 2, segment->destination.port);
    put32(at + 4, segment->seq);
}

static void put_ipv4(struct frame *frame, uint8_t protocol, const uint8_t *source, const uint8_t *destination,
    uint16_t id, uint32_t fragment) {
    size_t length = frame->count + 20;
    uint8_t *at = grow(frame, 20);

    at[0] = 0x45;
    put16(at + 2, (uint32_t)length);
    put16(at + 4, id);
    put16(at + 6, fragment);
    at[8] = 64;
    at[9] = protocol;
    memcpy(at + 12, source, 4);
    memcpy(at + 16, destination, 4);
    put_checksum(at, 20, at + 10);
    frame->type = ETHERTYPE_IPV4;
    frame->version = 4;
}

static void put_ipv6(
    struct frame *frame, uint8_t protocol, const uint8_t *source, const uint8_t *destination) {
    size_t length = frame->count;
    uint8_t *at = grow(frame, 40);

    at[0] = 0x60;
    put16(at + 4, (uint32_t)length);
    at[6] = protocol;
    at[7] = 64;
    memcpy(at + 8, source, 16);
    memcpy(at + 24, destination, 16);
    frame->type = ETHERTYPE_IPV6;
    frame->version = 6;
}

/* An extension header of 8 octets whose options are padding (PadN). */
static void put_extension(struct frame *frame, uint8_t *protocol, uint8_t own) {
    uint8_t *at = grow(frame, 8);

    at[0] = *protocol;
    at[2] = 1;
    at[3] = 4;
    *protocol = own;
}

/* Maps the IPv4 address a.b.c.d to 2001:db8::a.b.c.d. */
static void widen(const struct iw_tcp_address *address, uint8_t wide[16]) {
    memcpy(wide, address->octets, 16);
    if (address->version == 6)
        return;
    memset(wide, 0, 16);
    put32(wide, 0x20010DB8);
    memcpy(wide + 12, address->octets, 4);
}

/* ---- tunnels ---- */

static void put_ethernet(struct frame *frame) {
    uint8_t *at = grow(frame, 14);

    at[0] = at[6] = 2;
    at[5] = 1;
    at[11] = 2;
    put16(at + 12, frame->type);
    frame->type = ETHERTYPE_BRIDGED;
}

static void put_tag(struct frame *frame, uint16_t type, uint16_t tag) {
    uint8_t *at = grow(frame, 4);

    put16(at, tag);
    put16(at + 2, frame->type);
    frame->type = type;
}

static const uint8_t tunnel_from[4] = {198, 51, 100, 1}, tunnel_to[4] = {198, 51, 100, 2};

static void put_udp(struct frame *frame, uint16_t port) {
    uint8_t *at = grow(frame, 8);

    put16(at, 49152);
    put16(at + 2, port);
    put16(at + 4, (uint32_t)frame->count);
    put_ipv4(frame, PROTOCOL_UDP, tunnel_from, tunnel_to, 0, 0);
}

static void put_gre(struct frame *frame, uint16_t flags, uint32_t word) {
    uint8_t *at = grow(frame, 8);

    put16(at, flags);
    put16(at + 2, frame->type);
    put32(at + 4, word);
    put_ipv4(frame, PROTOCOL_GRE, tunnel_from, tunnel_to, 0, 0);
}

static void put_mpls(struct frame *frame) {
    uint8_t *at = grow(frame, 8);

    put32(at, 16 << 12 | 64);
    put32(at + 4, 17 << 12 | 1 << 8 | 64); /* S bit: the last label of the stack */
    frame->type = 0x8847;
}

static void put_pppoe(struct frame *frame) {
    size_t length = frame->count + 2;
    uint8_t *at = grow(frame, 8);

    at[0] = 0x11;
    put16(at + 2, 7);
    put16(at + 4, (uint32_t)length);
    put16(at + 6, frame->version == 6 ? 0x0057 : 0x0021);
    frame->type = 0x8864;
}

static void put_erspan(struct frame *frame) {
    uint8_t *at;

    put_ethernet(frame);
    at = grow(frame, 8);
    put16(at, 0x1000);
    frame->type = 0x88BE;
    put_gre(frame, 0x1000, 1);
}

static void put_vxlan(struct frame *frame) {
    uint8_t *at;

    put_ethernet(frame);
    at = grow(frame, 8);
    at[0] = 0x08;
    put32(at + 4, 7 << 8);
    put_udp(frame, 4789);
}

static void put_geneve(struct frame *frame) {
    uint8_t *at;

    put_ethernet(frame);
    at = grow(frame, 16);
    at[0] = 2; /* two words of options */
    put16(at + 2, ETHERTYPE_BRIDGED);
    put32(at + 4, 7 << 8);
    put32(at + 8, 0x01030001); /* an option with one word of data */
    put_udp(frame, 6081);
}

static void put_gtpu(struct frame *frame) {
    size_t length = frame->count;
    uint8_t *at = grow(frame, 8);

    at[0] = 0x30;
    at[1] = 255;
    put16(at + 2, (uint32_t)length);
    put32(at + 4, 7);
    put_udp(frame, 2152);
}

static void put_ipip(struct frame *frame) {
    put_ipv4(frame, frame->version == 6 ? PROTOCOL_IPV6 : PROTOCOL_IPIP, tunnel_from, tunnel_to, 0, 0);
}

static void put_tunnel(struct frame *frame, enum iw_outer_tunnel tunnel) {
    switch (tunnel) {
    case IW_OUTER_VLAN:
        put_tag(frame, 0x8100, 7);
        break;
    case IW_OUTER_QINQ:
        put_tag(frame, 0x8100, 7);
        put_tag(frame, 0x88A8, 8);
        break;
    case IW_OUTER_MPLS:
        put_mpls(frame);
        break;
    case IW_OUTER_PPPOE:
        put_pppoe(frame);
        break;
    case IW_OUTER_IPIP:
        put_ipip(frame);
        break;
    case IW_OUTER_GRE:
        put_gre(frame, 0x2000, 7);
        break;
    case IW_OUTER_ERSPAN:
        put_erspan(frame);
        break;
    case IW_OUTER_VXLAN:
        put_vxlan(frame);
        break;
    case IW_OUTER_GENEVE:
        put_geneve(frame);
        break;
    case IW_OUTER_GTPU:
        put_gtpu(frame);
        break;
    default:
        break;
    }
}

/* VLAN tags, MPLS and PPPoE follow a link header. The other tunnels carry IP and are carried by IP. */
static bool takes_ip_alone(enum iw_outer_tunnel tunnel) {
    return tunnel == IW_OUTER_IPIP || tunnel == IW_OUTER_GTPU || tunnel == IW_OUTER_GRE ||
           tunnel == IW_OUTER_MPLS || tunnel == IW_OUTER_PPPOE;
}

static bool begins_with_ip(const struct frame *frame) {
    return frame->type == ETHERTYPE_IPV4 || frame->type == ETHERTYPE_IPV6;
}

static void put_tunnels(struct frame *frame, const struct iw_outer *outer) {
    for (int i = 1; i >= 0; i--)
        if (begins_with_ip(frame) || !takes_ip_alone(outer->tunnels[i]))
            put_tunnel(frame, outer->tunnels[i]);
}

/* ---- link and file ---- */

/* The link-type numbers of capture files. */
static const uint32_t link_types[IW_OUTER_LINKS] = {
    [IW_OUTER_ETHERNET] = 1,
    [IW_OUTER_SLL] = 113,
    [IW_OUTER_SLL2] = 276,
    [IW_OUTER_NULL] = 0,
    [IW_OUTER_RAW] = 101,
};

/* The link layer to write: Ethernet if the chosen one carries only IP and the frame is not IP. */
static enum iw_outer_link link_of(const struct frame *frame, const struct iw_outer *outer) {
    bool ip_alone = outer->link == IW_OUTER_NULL || outer->link == IW_OUTER_RAW;

    return ip_alone && !begins_with_ip(frame) ? IW_OUTER_ETHERNET : outer->link;
}

static void put_link(struct frame *frame, const struct iw_outer *outer) {
    uint16_t type = frame->type;
    uint8_t *at;

    switch (outer->link) {
    case IW_OUTER_SLL:
        at = grow(frame, 16);
        put16(at + 2, 1);
        put16(at + 4, 6);
        put16(at + 14, type);
        break;
    case IW_OUTER_SLL2:
        at = grow(frame, 20);
        put16(at, type);
        put16(at + 8, 1);
        at[11] = 6;
        break;
    case IW_OUTER_NULL:
        at = grow(frame, 4);
        at[0] = frame->version == 6 ? 30 : 2;
        break;
    case IW_OUTER_RAW:
        break;
    default:
        put_ethernet(frame);
        break;
    }
}

struct writer {
    const struct iw_outer *outer;
    FILE *file;
    struct iw_outer_frames *frames;
    enum iw_outer_link link;
};

static void write_number(const struct writer *writer, uint32_t value, unsigned octets) {
    for (unsigned i = 0; i < octets; i++)
        fputc((int)(value >> 8 * (writer->outer->big_endian ? octets - 1 - i : i) & 0xFF), writer->file);
}

static void write_words(const struct writer *writer, const uint32_t *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        write_number(writer, words[i], 4);
}

static void write_file_header(const struct writer *writer) {
    const struct iw_outer *outer = writer->outer;

    if (outer->pcapng) {
        write_words(writer, (uint32_t[]){0x0A0D0D0A, 28, 0x1A2B3C4D}, 3);
        write_number(writer, 1, 2);
        write_number(writer, 0, 2);
        write_words(writer, (uint32_t[]){UINT32_MAX, UINT32_MAX, 28, 1, 32}, 5);
        write_number(writer, link_types[writer->link], 2);
        write_number(writer, 0, 2);
        write_number(writer, 0, 4);
        write_number(writer, 9, 2); /* if_tsresol */
        write_number(writer, 1, 2);
        fputc(outer->nanoseconds ? 9 : 6, writer->file);
        for (int i = 0; i < 3; i++)
            fputc(0, writer->file);
        write_words(writer, (uint32_t[]){0, 32}, 2);
        return;
    }
    write_number(writer, outer->nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4, 4);
    write_number(writer, 2, 2);
    write_number(writer, 4, 2);
    write_words(writer, (uint32_t[]){0, 0, 262144, link_types[writer->link]}, 4);
}

static void write_record(const struct writer *writer, const struct frame *frame, uint64_t time_ns) {
    const struct iw_outer *outer = writer->outer;
    uint32_t kept = (uint32_t)frame->kept;
    uint64_t second = outer->nanoseconds ? 1000000000 : 1000000;
    uint64_t ticks = outer->nanoseconds ? time_ns : time_ns / 1000;
    uint32_t padded;

    if (outer->snaplen != 0 && kept > outer->snaplen)
        kept = outer->snaplen;
    padded = (kept + 3) & ~3u;
    if (outer->pcapng)
        write_words(writer,
            (uint32_t[]){
                6, 32 + padded, 0, (uint32_t)(ticks >> 32), (uint32_t)ticks, kept, (uint32_t)frame->count},
            7);
    else
        write_words(writer,
            (uint32_t[]){
                (uint32_t)(ticks / second), (uint32_t)(ticks % second), kept, (uint32_t)frame->count},
            4);
    fwrite(frame->begin, 1, kept, writer->file);
    if (!outer->pcapng)
        return;
    for (uint32_t i = kept; i < padded; i++)
        fputc(0, writer->file);
    write_number(writer, 32 + padded, 4);
}

/* ---- frames of a trace ---- */

void iw_outer_frames_dispose(struct iw_outer_frames *frames) {
    free(frames->packet);
    memset(frames, 0, sizeof *frames);
}

static bool note_frame(struct iw_outer_frames *frames, size_t packet) {
    if (frames->count == frames->capacity) {
        uint32_t capacity = frames->capacity > 0 ? 2 * frames->capacity : 64;
        uint32_t *list = realloc(frames->packet, capacity * sizeof *list);

        if (list == NULL)
            return false;
        frames->packet = list;
        frames->capacity = capacity;
    }
    frames->packet[frames->count++] = (uint32_t)packet;
    return true;
}

static bool is_wide(const struct iw_outer *outer, const struct iw_tcp_segment *segment) {
    return outer->ipv6 || segment->source.version == 6;
}

/* Writes an IP header. `payload` octets follow it, of which `kept` are present; `fragment` has the layout of
 * the IPv4 field. */
static void put_ip(struct frame *frame, const struct iw_outer *outer, const struct iw_tcp_segment *segment,
    uint8_t protocol, uint32_t id, uint32_t fragment) {
    uint8_t source[16], destination[16];

    if (!is_wide(outer, segment)) {
        put_ipv4(
            frame, protocol, segment->source.octets, segment->destination.octets, (uint16_t)id, fragment);
        return;
    }
    widen(&segment->source, source);
    widen(&segment->destination, destination);
    if (fragment != 0 || outer->fragment != 0) {
        uint8_t *at = grow(frame, 8);

        at[0] = protocol;
        put16(at + 2, (fragment & 0x1FFF) << 3 | (fragment & 0x2000 ? 1 : 0));
        put32(at + 4, id);
        protocol = PROTOCOL_FRAGMENT;
    }
    if (outer->extension_headers) {
        put_extension(frame, &protocol, PROTOCOL_DESTINATION);
        put_extension(frame, &protocol, PROTOCOL_HOP_BY_HOP);
    }
    put_ipv6(frame, protocol, source, destination);
}

static bool finish_frame(struct writer *writer, struct frame *frame, size_t packet, uint64_t time_ns) {
    put_tunnels(frame, writer->outer);
    put_link(frame, &(struct iw_outer){.link = writer->link});
    write_record(writer, frame, time_ns);
    return note_frame(writer->frames, packet);
}

/* The payload octets that the snapshot length leaves; `before` octets of headers come before them in the
 * frame. */
static void note_cut(const struct writer *writer, struct iw_tcp_segment *segment, size_t before) {
    uint32_t snaplen = writer->outer->snaplen;
    uint32_t left = snaplen > before ? (uint32_t)(snaplen - before) : 0;

    if (snaplen != 0 && segment->captured > left)
        segment->captured = left;
}

/* Writes the IP payload as IP fragments. */
static bool write_fragments(struct writer *writer, const struct frame *whole, size_t packet,
    const struct iw_tcp_segment *segment, uint8_t protocol) {
    uint32_t piece = writer->outer->fragment;

    for (uint32_t at = 0; at < whole->count; at += piece) {
        static struct frame frame;
        uint32_t left = (uint32_t)whole->count - at;
        uint32_t count = left < piece ? left : piece;

        frame.begin = frame.octets + HEADROOM;
        frame.count = frame.kept = count;
        memcpy(frame.begin, whole->begin + at, count);
        put_ip(&frame, writer->outer, segment, protocol, (uint32_t)packet + 1,
            at / 8 | (left > piece ? 0x2000 : 0));
        if (!finish_frame(writer, &frame, packet, segment->time_ns))
            return false;
    }
    return true;
}

static bool write_packet(struct writer *writer, struct iw_trace *trace, size_t index) {
    static struct frame frame;
    struct iw_tcp_segment *segment = &trace->packets[index].segment;
    uint8_t protocol = trace->sctp ? PROTOCOL_SCTP : PROTOCOL_TCP;

    if (segment->length > FRAME_MAX - HEADROOM)
        return false;
    frame.begin = frame.octets + HEADROOM;
    frame.count = segment->length;
    frame.kept = segment->captured;
    if (segment->captured > 0)
        memcpy(frame.begin, segment->payload, segment->captured);
    if (trace->sctp)
        put_sctp(&frame, segment);
    else
        put_tcp(&frame, segment);
    if (writer->outer->fragment != 0 && frame.count > writer->outer->fragment && frame.kept == frame.count)
        return write_fragments(writer, &frame, index, segment, protocol);
    put_ip(&frame,
        &(struct iw_outer){
            .ipv6 = writer->outer->ipv6, .extension_headers = writer->outer->extension_headers},
        segment, protocol, 0, 0);
    if (!finish_frame(writer, &frame, index, segment->time_ns))
        return false;
    note_cut(writer, segment, frame.count - segment->length);
    return true;
}

/* Builds the first packet without writing it, to find the link type of the file. */
static enum iw_outer_link link_for(const struct iw_outer *outer, const struct iw_trace *trace) {
    static struct frame frame;

    frame.begin = frame.octets + HEADROOM;
    frame.count = frame.kept = 0;
    if (trace->count == 0)
        return outer->link;
    put_ip(&frame, outer, &trace->packets[0].segment, PROTOCOL_TCP, 0, 0);
    put_tunnels(&frame, outer);
    return link_of(&frame, outer);
}

bool iw_outer_write(
    const struct iw_outer *outer, struct iw_trace *trace, FILE *file, struct iw_outer_frames *frames) {
    struct writer writer = {outer, file, frames, link_for(outer, trace)};

    frames->count = 0;
    write_file_header(&writer);
    for (size_t i = 0; i < trace->count; i++)
        if (!write_packet(&writer, trace, i))
            return false;
    return fflush(file) == 0 && !ferror(file);
}
