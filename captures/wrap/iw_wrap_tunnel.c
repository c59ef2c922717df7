#include "iw_wrap_tunnel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Protocol numbers as the RFCs give them, written out here: nothing is shared with the project's packet
 * reader. */

enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40, IPV6_FRAGMENT = 8 };

/* A packet under construction: headers are added at the front. `at` begins after its Ethernet header, whose
 * type would be `type`. */
struct growing {
    uint8_t octets[IW_WRAP_PACKET_MAX];
    uint8_t *at;
    size_t length;
    unsigned type;
    unsigned sender;
    uint32_t *id;
};

static uint8_t *packet_grow(struct growing *packet, size_t octets) {
    if ((size_t)(packet->at - packet->octets) < octets)
        abort();
    packet->at -= octets;
    packet->length += octets;
    memset(packet->at, 0, octets);
    return packet->at;
}

static void put_number(uint8_t *at, unsigned octets, uint64_t value) {
    for (unsigned i = 0; i < octets; i++)
        at[i] = (uint8_t)(value >> (8 * (octets - 1 - i)));
}

/* ---- headers ---- */

static void add_ethernet(struct growing *packet) {
    uint8_t *at = packet_grow(packet, ETHERNET);

    at[0] = at[6] = 0x02;
    at[5] = (uint8_t)(0x11 - packet->sender);
    at[11] = (uint8_t)(0x10 + packet->sender);
    put_number(at + 12, 2, packet->type);
}

static void set_checksum(uint8_t *header) {
    uint32_t sum = 0;

    put_number(header + 10, 2, 0);
    for (unsigned i = 0; i < IPV4; i += 2)
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    put_number(header + 10, 2, 0xffff - ((sum & 0xffff) + (sum >> 16)));
}

/* Outer addresses 198.51.100.1 and .2 (RFC 5737). */
static void add_ipv4(struct growing *packet, unsigned protocol) {
    uint8_t *at = packet_grow(packet, IPV4);

    at[0] = 0x45;
    put_number(at + 2, 2, packet->length);
    put_number(at + 4, 2, ++*packet->id);
    at[8] = 64;
    at[9] = (uint8_t)protocol;
    put_number(at + 12, 4, 0xc6336401u + packet->sender);
    put_number(at + 16, 4, 0xc6336402u - packet->sender);
    set_checksum(at);
    packet->type = 0x0800;
}

static void add_ipv6(struct growing *packet, unsigned protocol) {
    uint8_t *at = packet_grow(packet, IPV6);

    at[0] = 0x60;
    put_number(at + 4, 2, packet->length - IPV6);
    at[6] = (uint8_t)protocol;
    at[7] = 64;
    put_number(at + 8, 4, 0x20010db8);
    at[8 + 7] = 0x77;
    at[8 + 15] = (uint8_t)(1 + packet->sender);
    memcpy(at + 24, at + 8, 15);
    at[24 + 15] = (uint8_t)(2 - packet->sender);
    packet->type = 0x86dd;
}

/* The source port is a hash of the inner packet, as usual for tunnels. The UDP checksum is 0 (RFC 6935). */
static void add_udp(struct growing *packet, unsigned port) {
    uint8_t *at = packet_grow(packet, 8);

    put_number(at, 2, 0xc000 + packet->sender);
    put_number(at + 2, 2, port);
    put_number(at + 4, 2, packet->length);
    add_ipv4(packet, 17);
}

/* ---- tunnels ---- */

typedef void wrap(struct growing *packet, uint32_t number);

static void wrap_vlan(struct growing *packet, uint32_t number) {
    uint8_t *at = packet_grow(packet, 4);

    put_number(at, 2, number);
    put_number(at + 2, 2, packet->type);
    packet->type = 0x8100;
}

/* Two labels: the outer one for the route, the bottom one is the number. Each direction has other labels. */
static void wrap_mpls(struct growing *packet, uint32_t number) {
    uint8_t *at = packet_grow(packet, 8);

    put_number(at, 4, (16000u + packet->sender) << 12 | 64);
    put_number(at + 4, 4, (number + packet->sender) << 12 | 0x100 | 64);
    packet->type = 0x8847;
}

/* A pseudo-wire with a control word and a sequence number. */
static void wrap_pw(struct growing *packet, uint32_t number) {
    add_ethernet(packet);
    put_number(packet_grow(packet, 4), 4, 1);
    wrap_mpls(packet, number);
}

static void wrap_pppoe(struct growing *packet, uint32_t number) {
    size_t inside = packet->length + 2;
    uint8_t *at = packet_grow(packet, 8);

    at[0] = 0x11;
    put_number(at + 2, 2, number);
    put_number(at + 4, 2, inside);
    put_number(at + 6, 2, packet->type == 0x0800 ? 0x0021 : 0x0057);
    packet->type = 0x8864;
}

static void wrap_vxlan(struct growing *packet, uint32_t number) {
    add_ethernet(packet);
    uint8_t *at = packet_grow(packet, 8);
    at[0] = 0x08;
    put_number(at + 4, 3, number);
    add_udp(packet, 4789);
}

/* A Geneve header with one option of four octets. */
static void wrap_geneve(struct growing *packet, uint32_t number) {
    add_ethernet(packet);
    uint8_t *at = packet_grow(packet, 16);
    at[0] = 2;
    put_number(at + 2, 2, 0x6558);
    put_number(at + 4, 3, number);
    put_number(at + 8, 8, 0x0102030112345678);
    add_udp(packet, 6081);
}

static void add_gre(struct growing *packet, unsigned type, unsigned flags, uint32_t key) {
    if (flags & 0x1000)
        put_number(packet_grow(packet, 4), 4, 1);
    if (flags & 0x2000)
        put_number(packet_grow(packet, 4), 4, key);
    uint8_t *at = packet_grow(packet, 4);
    put_number(at, 2, flags);
    put_number(at + 2, 2, type);
    add_ipv4(packet, 47);
}

static void wrap_gre(struct growing *packet, uint32_t number) {
    add_gre(packet, packet->type, number != 0 ? 0x2000 : 0, number);
}

static void wrap_bridge(struct growing *packet, uint32_t number) {
    add_ethernet(packet);
    add_gre(packet, 0x6558, 0x2000, number);
}

static void wrap_erspan1(struct growing *packet, uint32_t number) {
    (void)number;
    add_ethernet(packet);
    add_gre(packet, 0x88be, 0, 0);
}

static void wrap_erspan2(struct growing *packet, uint32_t number) {
    add_ethernet(packet);
    put_number(packet_grow(packet, 8), 4, 0x10001800 | number);
    add_gre(packet, 0x88be, 0x1000, 0);
}

/* ERSPAN type III with a platform-specific subheader. */
static void wrap_erspan3(struct growing *packet, uint32_t number) {
    add_ethernet(packet);
    uint8_t *at = packet_grow(packet, 20);
    put_number(at, 4, 0x20000000 | number);
    at[11] = 1;
    put_number(at + 12, 2, 0x0c00);
    add_gre(packet, 0x22eb, 0x1000, 0);
}

static void wrap_ipip(struct growing *packet, uint32_t number) {
    (void)number;
    add_ipv4(packet, packet->type == 0x0800 ? 4 : 41);
}

static void wrap_ipip6(struct growing *packet, uint32_t number) {
    (void)number;
    add_ipv6(packet, packet->type == 0x0800 ? 4 : 41);
}

/* GTP-U with an extension header (PDU session container). Each direction has its own TEID. */
static void wrap_gtp(struct growing *packet, uint32_t number) {
    size_t inside = packet->length + 8;
    uint8_t *at = packet_grow(packet, 16);

    at[0] = 0x34;
    at[1] = 255;
    put_number(at + 2, 2, inside);
    put_number(at + 4, 4, number + packet->sender);
    at[11] = 0x85;
    at[12] = 1;
    at[13] = packet->sender == 0 ? 0x10 : 0;
    add_udp(packet, 2152);
}

static const struct {
    const char *name;
    wrap *wrap;
} wraps[] = {
    {"vlan", wrap_vlan},
    {"mpls", wrap_mpls},
    {"pw", wrap_pw},
    {"pppoe", wrap_pppoe},
    {"vxlan", wrap_vxlan},
    {"geneve", wrap_geneve},
    {"gre", wrap_gre},
    {"bridge", wrap_bridge},
    {"erspan1", wrap_erspan1},
    {"erspan2", wrap_erspan2},
    {"erspan3", wrap_erspan3},
    {"ipip", wrap_ipip},
    {"ipip6", wrap_ipip6},
    {"gtp", wrap_gtp},
};

static wrap *wrap_of(const char *name) {
    for (size_t i = 0; i < sizeof wraps / sizeof *wraps; i++)
        if (strcmp(wraps[i].name, name) == 0)
            return wraps[i].wrap;
    return NULL;
}

bool iw_wrap_tunnel_is(const char *name) {
    return wrap_of(name) != NULL;
}

/* ---- fragments ---- */

struct target {
    struct iw_wrap_tunnels *tunnels;
    unsigned sender;
    void (*write)(void *user, const uint8_t *octets, size_t length);
    void *user;
};

typedef void frame_sink(struct target *target, const uint8_t *frame, size_t length);

static void take_frame(struct target *target, const uint8_t *frame, size_t length) {
    target->write(target->user, frame, length);
}

/* Makes a frame of its own from octets `from` to `to` of the IP payload of `frame`. */
static void send_fragment(struct target *target, const uint8_t *frame, size_t length, size_t from, size_t to,
    bool invert, frame_sink *take) {
    static uint8_t copy[IW_WRAP_PACKET_MAX];
    bool wide = frame[12] == 0x86;
    size_t header = ETHERNET + (wide ? IPV6 : IPV4);
    size_t begin = header + (wide ? IPV6_FRAGMENT : 0);
    bool more = header + to < length;

    memcpy(copy, frame, header);
    memcpy(copy + begin, frame + header + from, to - from);
    for (size_t i = 0; invert && i < 8; i++)
        copy[begin + i] ^= 0xff;
    if (wide) {
        put_number(copy + ETHERNET + 4, 2, IPV6_FRAGMENT + to - from);
        copy[ETHERNET + 6] = 44;
        put_number(copy + header, 8,
            (uint64_t)frame[ETHERNET + 6] << 56 | (uint64_t)(from | more) << 32 | target->tunnels->id);
    } else {
        put_number(copy + ETHERNET + 2, 2, IPV4 + to - from);
        put_number(copy + ETHERNET + 6, 2, from / 8 | (more ? 0x2000u : 0));
        set_checksum(copy + ETHERNET);
    }
    take(target, copy, begin + to - from);
}

/* Splits the IP packet of an Ethernet frame into fragments if it is too large; passes each frame to
 * `take`. */
static void send_fragments(struct target *target, const uint8_t *frame, size_t length, frame_sink *take) {
    const struct iw_wrap_tunnels *tunnels = target->tunnels;
    size_t header = ETHERNET + (frame[12] == 0x86 ? IPV6 : IPV4);
    size_t count = (length - header + tunnels->octets - 1) / tunnels->octets;

    if (count <= 1) {
        take(target, frame, length);
        return;
    }
    target->tunnels->id++;
    for (size_t i = 0; i < count; i++) {
        size_t number = tunnels->reversed ? count - 1 - i : i;
        size_t from = number * tunnels->octets, to = from + tunnels->octets;
        bool overlaps = tunnels->overlapping && number > 0;

        if (to > length - header)
            to = length - header;
        if (number + 1 == tunnels->missing)
            continue;
        for (unsigned times = 0; times < (tunnels->doubled ? 2u : 1u); times++)
            send_fragment(target, frame, length, from - (overlaps ? 8 : 0), to, overlaps, take);
    }
}

/* ---- all layers together ---- */

static void take_outer(struct target *target, const uint8_t *frame, size_t length) {
    if (target->tunnels->part == IW_WRAP_OUTER)
        send_fragments(target, frame, length, take_frame);
    else
        take_frame(target, frame, length);
}

static void take_inner(struct target *target, const uint8_t *frame, size_t length) {
    static struct growing packet;
    const struct iw_wrap_tunnels *tunnels = target->tunnels;

    if (tunnels->count == 0) {
        take_outer(target, frame, length);
        return;
    }
    packet.length = length - ETHERNET;
    packet.at = packet.octets + sizeof packet.octets - packet.length;
    memcpy(packet.at, frame + ETHERNET, packet.length);
    packet.type = (unsigned)frame[12] << 8 | frame[13];
    packet.sender = target->sender;
    packet.id = &target->tunnels->id;
    for (unsigned i = tunnels->count; i-- > 0;)
        wrap_of(tunnels->list[i].name)(&packet, tunnels->list[i].number);
    add_ethernet(&packet);
    take_outer(target, packet.at, packet.length);
}

void iw_wrap_tunnels_send(struct iw_wrap_tunnels *tunnels, unsigned sender, const uint8_t *frame,
    size_t length, void (*write)(void *user, const uint8_t *octets, size_t length), void *user) {
    struct target target = {tunnels, sender, write, user};

    if (tunnels->part == IW_WRAP_INNER)
        send_fragments(&target, frame, length, take_inner);
    else
        take_inner(&target, frame, length);
}
