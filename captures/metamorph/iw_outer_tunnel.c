#include "iw_outer_frame.h"

/* Tunnels and link layers. */

static void put_ethernet(struct iw_outer_frame *frame) {
    uint8_t *at = iw_outer_grow(frame, 14);

    at[0] = at[6] = 2;
    at[5] = 1;
    at[11] = 2;
    iw_outer_put16(at + 12, frame->type);
    frame->type = IW_OUTER_ETHERTYPE_BRIDGED;
}

static void put_tag(struct iw_outer_frame *frame, uint16_t type, uint16_t tag) {
    uint8_t *at = iw_outer_grow(frame, 4);

    iw_outer_put16(at, tag);
    iw_outer_put16(at + 2, frame->type);
    frame->type = type;
}

static const uint8_t tunnel_from[4] = {198, 51, 100, 1}, tunnel_to[4] = {198, 51, 100, 2};

static void put_udp(struct iw_outer_frame *frame, uint16_t port) {
    uint8_t *at = iw_outer_grow(frame, 8);

    iw_outer_put16(at, 49152);
    iw_outer_put16(at + 2, port);
    iw_outer_put16(at + 4, (uint32_t)frame->count);
    iw_outer_put_ipv4(frame, IW_OUTER_PROTOCOL_UDP, tunnel_from, tunnel_to, 0, 0);
}

static void put_gre(struct iw_outer_frame *frame, uint16_t flags, uint32_t word) {
    uint8_t *at = iw_outer_grow(frame, 8);

    iw_outer_put16(at, flags);
    iw_outer_put16(at + 2, frame->type);
    iw_outer_put32(at + 4, word);
    iw_outer_put_ipv4(frame, IW_OUTER_PROTOCOL_GRE, tunnel_from, tunnel_to, 0, 0);
}

static void put_mpls(struct iw_outer_frame *frame) {
    uint8_t *at = iw_outer_grow(frame, 8);

    iw_outer_put32(at, 16 << 12 | 64);
    iw_outer_put32(at + 4, 17 << 12 | 1 << 8 | 64); /* S bit: the last label of the stack */
    frame->type = 0x8847;
}

static void put_pppoe(struct iw_outer_frame *frame) {
    size_t length = frame->count + 2;
    uint8_t *at = iw_outer_grow(frame, 8);

    at[0] = 0x11;
    iw_outer_put16(at + 2, 7);
    iw_outer_put16(at + 4, (uint32_t)length);
    iw_outer_put16(at + 6, frame->version == 6 ? 0x0057 : 0x0021);
    frame->type = 0x8864;
}

static void put_erspan(struct iw_outer_frame *frame) {
    uint8_t *at;

    put_ethernet(frame);
    at = iw_outer_grow(frame, 8);
    iw_outer_put16(at, 0x1000);
    frame->type = 0x88BE;
    put_gre(frame, 0x1000, 1);
}

static void put_vxlan(struct iw_outer_frame *frame) {
    uint8_t *at;

    put_ethernet(frame);
    at = iw_outer_grow(frame, 8);
    at[0] = 0x08;
    iw_outer_put32(at + 4, 7 << 8);
    put_udp(frame, 4789);
}

static void put_geneve(struct iw_outer_frame *frame) {
    uint8_t *at;

    put_ethernet(frame);
    at = iw_outer_grow(frame, 16);
    at[0] = 2; /* two words of options */
    iw_outer_put16(at + 2, IW_OUTER_ETHERTYPE_BRIDGED);
    iw_outer_put32(at + 4, 7 << 8);
    iw_outer_put32(at + 8, 0x01030001); /* an option with one word of data */
    put_udp(frame, 6081);
}

static void put_gtpu(struct iw_outer_frame *frame) {
    size_t length = frame->count;
    uint8_t *at = iw_outer_grow(frame, 8);

    at[0] = 0x30;
    at[1] = 255;
    iw_outer_put16(at + 2, (uint32_t)length);
    iw_outer_put32(at + 4, 7);
    put_udp(frame, 2152);
}

static void put_ipip(struct iw_outer_frame *frame) {
    iw_outer_put_ipv4(frame, frame->version == 6 ? IW_OUTER_PROTOCOL_IPV6 : IW_OUTER_PROTOCOL_IPIP,
        tunnel_from, tunnel_to, 0, 0);
}

static void put_vlan(struct iw_outer_frame *frame) {
    put_tag(frame, 0x8100, 7);
}

static void put_qinq(struct iw_outer_frame *frame) {
    put_vlan(frame);
    put_tag(frame, 0x88A8, 8);
}

static void put_gre_with_key(struct iw_outer_frame *frame) {
    put_gre(frame, 0x2000, 7);
}

static void (*const put_tunnel[IW_OUTER_TUNNELS])(struct iw_outer_frame *frame) = {
    [IW_OUTER_VLAN] = put_vlan,
    [IW_OUTER_QINQ] = put_qinq,
    [IW_OUTER_MPLS] = put_mpls,
    [IW_OUTER_PPPOE] = put_pppoe,
    [IW_OUTER_IPIP] = put_ipip,
    [IW_OUTER_GRE] = put_gre_with_key,
    [IW_OUTER_ERSPAN] = put_erspan,
    [IW_OUTER_VXLAN] = put_vxlan,
    [IW_OUTER_GENEVE] = put_geneve,
    [IW_OUTER_GTPU] = put_gtpu,
};

/* VLAN tags, MPLS and PPPoE follow a link header. The other tunnels carry IP and are carried by IP. */
static bool takes_ip_alone(enum iw_outer_tunnel tunnel) {
    return tunnel == IW_OUTER_IPIP || tunnel == IW_OUTER_GTPU || tunnel == IW_OUTER_GRE ||
           tunnel == IW_OUTER_MPLS || tunnel == IW_OUTER_PPPOE;
}

static bool begins_with_ip(const struct iw_outer_frame *frame) {
    return frame->type == IW_OUTER_ETHERTYPE_IPV4 || frame->type == IW_OUTER_ETHERTYPE_IPV6;
}

void iw_outer_put_tunnels(struct iw_outer_frame *frame, const struct iw_outer *outer) {
    for (int i = 1; i >= 0; i--)
        if (outer->tunnels[i] != IW_OUTER_NONE &&
            (begins_with_ip(frame) || !takes_ip_alone(outer->tunnels[i])))
            put_tunnel[outer->tunnels[i]](frame);
}

/* ---- link ---- */

enum iw_outer_link iw_outer_link_of(const struct iw_outer_frame *frame, const struct iw_outer *outer) {
    bool ip_alone = outer->link == IW_OUTER_NULL || outer->link == IW_OUTER_RAW;

    return ip_alone && !begins_with_ip(frame) ? IW_OUTER_ETHERNET : outer->link;
}

void iw_outer_put_link(struct iw_outer_frame *frame, enum iw_outer_link link) {
    uint16_t type = frame->type;
    uint8_t *at;

    switch (link) {
    case IW_OUTER_SLL:
        at = iw_outer_grow(frame, 16);
        iw_outer_put16(at + 2, 1);
        iw_outer_put16(at + 4, 6);
        iw_outer_put16(at + 14, type);
        break;
    case IW_OUTER_SLL2:
        at = iw_outer_grow(frame, 20);
        iw_outer_put16(at, type);
        iw_outer_put16(at + 8, 1);
        at[11] = 6;
        break;
    case IW_OUTER_NULL:
        at = iw_outer_grow(frame, 4);
        at[0] = frame->version == 6 ? 30 : 2;
        break;
    case IW_OUTER_RAW:
        break;
    default:
        put_ethernet(frame);
        break;
    }
}
