#include <string.h>

#include "iw_ip.h"
#include "iw_packet_walk.h"

/* UDP and the protocols that its ports identify. A tunnel has any source port, so only the destination port
 * identifies it. A service that answers from its port is identified by either port. */

/* Enters a tunnel inside UDP. The outer addresses do not identify the tenant; only `identifier` does. */
static struct iw_packet_next udp_enter_tunnel(struct iw_packet_walk *walk, enum iw_packet_scope kind,
    uint32_t identifier, enum iw_packet_layer layer, uint32_t number) {
    walk->scope = iw_packet_scope(0, kind, identifier);
    return iw_packet_enter(walk, layer, number);
}

enum { VXLAN_OCTETS = 8, VXLAN_GPE_PROTOCOL = 0x04 };

/* RFC 7348 5. Ignores the I flag: without it, a receiver may drop the packet, but the VNI is the same. */
static struct iw_packet_next udp_enter_vxlan(struct iw_packet_walk *walk, const uint8_t *header) {
    return udp_enter_tunnel(walk, IW_SCOPE_VXLAN, iw_packet_24(header + 4), IW_LAYER_ETHERNET, 0);
}

/* draft-ietf-nvo3-vxlan-gpe 3.1: with the P flag, a field names the inner protocol; otherwise Ethernet. */
static struct iw_packet_next udp_enter_vxlan_gpe(struct iw_packet_walk *walk, const uint8_t *header) {
    static const enum iw_packet_layer layers[] = {
        [1] = IW_LAYER_IPV4, [2] = IW_LAYER_IPV6, [3] = IW_LAYER_ETHERNET, [5] = IW_LAYER_MPLS};
    uint8_t protocol = header[0] & VXLAN_GPE_PROTOCOL ? header[3] : 3;
    enum iw_packet_layer layer = protocol < sizeof layers / sizeof *layers ? layers[protocol] : IW_LAYER_END;
    if (layer == IW_LAYER_END)
        return iw_packet_other(walk, IW_CONTENT_TUNNEL, protocol);
    return udp_enter_tunnel(walk, IW_SCOPE_VXLAN, iw_packet_24(header + 4), layer, 0);
}

enum { GENEVE_OCTETS = 8 };

/* RFC 8926 3.4: options follow the header; their length is in units of four octets. */
static struct iw_packet_next udp_enter_geneve(struct iw_packet_walk *walk, const uint8_t *header) {
    uint32_t options = (header[0] & 0x3fu) * 4;
    if (header[0] >> 6 != 0)
        return iw_packet_other(walk, IW_CONTENT_TUNNEL, IW_UDP_GENEVE);
    if (!iw_packet_take(&walk->view, options))
        return iw_packet_missing(&walk->view, options);
    return udp_enter_tunnel(
        walk, IW_SCOPE_GENEVE, iw_packet_24(header + 4), IW_LAYER_ETHERTYPE, iw_packet_16(header + 2));
}

/* 3GPP TS 29.281 5.1 */
enum {
    GTP_OCTETS = 8,
    GTP_OPTIONAL_OCTETS = 4,
    GTP_VERSION_AND_TYPE = 0x30, /* version 1, and the protocol type GTP rather than GTP' */
    GTP_EXTENSION = 0x04,
    GTP_OPTIONAL = 0x07, /* extension, sequence number, N-PDU number: all present if one flag is set */
    GTP_G_PDU = 255,
};

/* Skips the optional fields and extension headers, whose first octet is their length in units of four octets,
 * and whose last is the type of the next one (5.2). Returns IW_LAYER_IP, or the end of the walk. */
static struct iw_packet_next udp_skip_gtp_options(struct iw_packet_view *view, uint8_t flags) {
    const uint8_t *at = iw_packet_take(view, GTP_OPTIONAL_OCTETS);
    if (!at)
        return iw_packet_missing(view, GTP_OPTIONAL_OCTETS);
    uint8_t next = flags & GTP_EXTENSION ? at[3] : 0;
    while (next != 0) {
        if (view->captured == 0)
            return iw_packet_missing(view, 1);
        uint32_t octets = view->at[0] * 4u;
        if (octets == 0)
            return iw_packet_end(IW_PACKET_MALFORMED);
        at = iw_packet_take(view, octets);
        if (!at)
            return iw_packet_missing(view, octets);
        next = at[octets - 1];
    }
    return iw_packet_go(IW_LAYER_IP, 0);
}

static struct iw_packet_next udp_enter_gtp(struct iw_packet_walk *walk, const uint8_t *header) {
    struct iw_packet_view *view = &walk->view;
    struct iw_packet_next next = {IW_LAYER_IP, 0};
    uint32_t length = iw_packet_16(header + 2);
    if ((header[0] & 0xf0) != GTP_VERSION_AND_TYPE || header[1] != GTP_G_PDU)
        return iw_packet_other(walk, IW_CONTENT_UDP, IW_UDP_GTP);
    if (length > view->wire)
        return iw_packet_end(IW_PACKET_MALFORMED);
    iw_packet_trim(view, length);
    if (header[0] & GTP_OPTIONAL)
        next = udp_skip_gtp_options(view, header[0]);
    if (next.layer == IW_LAYER_END)
        return next;
    if (view->captured == 0)
        return iw_packet_missing(view, 1);
    if (view->at[0] >> 4 != 4 && view->at[0] >> 4 != 6) /* for example a PDU Session of type Ethernet */
        return iw_packet_other(walk, IW_CONTENT_TUNNEL, IW_UDP_GTP);
    return udp_enter_tunnel(walk, IW_SCOPE_GTP, iw_packet_32(header + 4), IW_LAYER_IP, 0);
}

/* Whether the payload looks like WireGuard, which has no assigned port: type, three zeros, fitting length. */
static bool udp_is_wireguard(const struct iw_packet_view *view) {
    static const uint32_t lengths[] = {[1] = 148, [2] = 92, [3] = 64};

    if (view->captured < 4 || view->at[1] != 0 || view->at[2] != 0 || view->at[3] != 0)
        return false;
    if (view->at[0] == 4)
        return view->wire >= 32 && view->wire % 16 == 0;
    return view->at[0] >= 1 && view->at[0] <= 3 && view->wire == lengths[view->at[0]];
}

/* Whether the payload is ESP. IKE begins with four zeros, and a keep-alive is one octet long (RFC 3948 2). */
static bool udp_is_esp(const struct iw_packet_view *view) {
    static const uint8_t marker[4];

    return view->wire > 1 && (view->captured < sizeof marker || memcmp(view->at, marker, sizeof marker) != 0);
}

static struct iw_packet_next udp_port_mapper(
    struct iw_packet_walk *walk, uint16_t source, uint16_t destination) {
    struct iw_tcp_segment *segment = walk->segment;

    segment->source.port = source;
    segment->destination.port = destination;
    segment->length = walk->view.wire;
    segment->captured = walk->view.captured;
    segment->payload = walk->view.at;
    return iw_packet_other(walk, IW_CONTENT_PORT_MAPPER, 0);
}

static struct iw_packet_next udp_end_in_other(
    struct iw_packet_walk *walk, uint16_t source, uint16_t destination) {
    if (source == IW_UDP_PORT_MAPPER || destination == IW_UDP_PORT_MAPPER)
        return udp_port_mapper(walk, source, destination);
    if ((source == IW_UDP_ESP || destination == IW_UDP_ESP) && udp_is_esp(&walk->view))
        return iw_packet_other(walk, IW_CONTENT_ESP, 0);
    if (udp_is_wireguard(&walk->view))
        return iw_packet_other(walk, IW_CONTENT_WIREGUARD, 0);
    return iw_packet_other(walk, IW_CONTENT_UDP, source < destination ? source : destination);
}

/* Enters SCTP in UDP. No other IP header follows, so addresses (RFC 6951 5.1) and scope do not change. */
static struct iw_packet_next udp_enter_sctp(struct iw_packet_walk *walk, const uint8_t *at) {
    (void)at;
    return iw_packet_enter(walk, IW_LAYER_PROTOCOL, IW_IP_SCTP);
}

static struct iw_packet_next udp_enter_mpls(struct iw_packet_walk *walk, const uint8_t *at) {
    (void)at;
    walk->scope = 0;
    return iw_packet_go(IW_LAYER_MPLS, 0);
}

static const struct tunnel {
    uint16_t port;
    struct iw_packet_header header;
} tunnels[] = {
    {IW_UDP_SCTP, {0, udp_enter_sctp, 0}},
    {IW_UDP_VXLAN, {VXLAN_OCTETS, udp_enter_vxlan, 0}},
    {IW_UDP_VXLAN_LINUX, {VXLAN_OCTETS, udp_enter_vxlan, 0}},
    {IW_UDP_VXLAN_GPE, {VXLAN_OCTETS, udp_enter_vxlan_gpe, 0}},
    {IW_UDP_GENEVE, {GENEVE_OCTETS, udp_enter_geneve, 0}},
    {IW_UDP_GTP, {GTP_OCTETS, udp_enter_gtp, 0}},
    {IW_UDP_GRE, {IW_GRE_OCTETS, iw_tunnel_gre, 0}},
    {IW_UDP_MPLS, {0, udp_enter_mpls, 0}},
};

/* An SCTP peer behind a NAT may have any port; packets to it come from port 9899 (RFC 6951 5.4). */
static const struct iw_packet_header *udp_tunnel_of(uint16_t source, uint16_t destination) {
    for (size_t i = 0; i < sizeof tunnels / sizeof *tunnels; i++)
        if (tunnels[i].port == destination)
            return &tunnels[i].header;
    return source == IW_UDP_SCTP ? &tunnels[0].header : NULL;
}

bool iw_tunnel_is_port(uint16_t source, uint16_t destination) {
    return udp_tunnel_of(source, destination) != NULL;
}

/* Whether a packet to the port of RoCEv2 begins with a Base Transport Header (InfiniBand Architecture 9.2): a
 * transport service that exists, version 0, reserved bits of 0, and octets left for the invariant CRC. */
static bool udp_is_roce(struct iw_packet_view *view) {
    enum { BTH_OCTETS = 12, ICRC_OCTETS = 4, XRC = 5, CONGESTION_NOTIFICATION = 0x81 };
    uint32_t wire = view->wire;
    const uint8_t *bth = wire >= BTH_OCTETS + ICRC_OCTETS ? iw_packet_take(view, BTH_OCTETS) : NULL;

    if (bth == NULL)
        return false;
    return (bth[0] >> 5 < 4 || bth[0] >> 5 == XRC || bth[0] == CONGESTION_NOTIFICATION) &&
           (bth[1] & 0x0F) == 0 && (bth[4] & 0x3F) == 0 && (bth[8] & 0x7F) == 0;
}

struct iw_packet_next iw_tunnel_udp(struct iw_packet_walk *walk) {
    struct iw_packet_view *view = &walk->view;
    const uint8_t *header = iw_packet_take(view, IW_UDP_OCTETS);
    if (!header)
        return iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, IW_IP_UDP);
    uint16_t source = iw_packet_16(header), destination = iw_packet_16(header + 2);
    uint32_t length = iw_packet_16(header + 4); /* 0: segmentation offload, or a jumbogram (RFC 2675 4) */
    const struct iw_packet_header *tunnel = udp_tunnel_of(source, destination);
    bool sound = length == 0 || (length >= IW_UDP_OCTETS && length - IW_UDP_OCTETS <= view->wire);
    if (tunnel && !sound)
        return iw_packet_end(IW_PACKET_MALFORMED);
    if (length != 0 && sound)
        iw_packet_trim(view, length - IW_UDP_OCTETS);
    if (tunnel)
        return iw_packet_read_header(walk, tunnel);
    if (destination == IW_UDP_ROCE && udp_is_roce(view))
        return iw_packet_other(walk, IW_CONTENT_ROCE_V2, 0);
    return udp_end_in_other(walk, source, destination);
}
