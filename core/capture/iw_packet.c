#include "iw_packet.h"

#include <endian.h>
#include <string.h>

#include "iw_ip.h"
#include "iw_packet_walk.h"
#include "iw_placement.h"

static const struct {
    const char *key, *text;
} contents[] = {
    [IW_CONTENT_NONE] = {"none", "nothing"},
#define IW_CONTENT(symbol, key, text) [IW_CONTENT_##symbol] = {key, text},
#include "iw_content.def"
};

const char *iw_content_key(enum iw_content content) {
    return contents[content].key;
}

const char *iw_content_text(enum iw_content content) {
    return contents[content].text;
}

/* Reads an LLC frame of `octets` octets. SNAP (RFC 1042) has an Ethernet type; other frames end the walk. */
IW_COLD static struct iw_packet_next packet_read_llc(struct iw_packet_walk *walk, uint32_t octets) {
    if (octets <= walk->view.wire)
        iw_packet_trim(&walk->view, octets);
    if (walk->view.captured < IW_PACKET_SNAP_OCTETS || !iw_packet_is_snap(walk->view.at))
        return iw_packet_other(walk, IW_CONTENT_ETHERTYPE, 0);
    walk->inside = true;
    return iw_packet_go(
        IW_LAYER_ETHERTYPE, iw_packet_snap_type(iw_packet_take(&walk->view, IW_PACKET_SNAP_OCTETS)));
}

/* Reads a VLAN tag, sets `*ethertype` to the type after the tag, and adds the VLAN number to the scope unless
 * it is 0: no VLAN (IEEE 802.1Q 9.6). Ignores the other bits. Returns false if the tag is truncated. */
static bool packet_ethernet_take_vlan(struct iw_packet_walk *walk, uint32_t *ethertype) {
    const uint8_t *tag = iw_packet_take(&walk->view, IW_VLAN_OCTETS);
    if (!tag)
        return false;
    uint16_t number = iw_packet_16(tag) & 0x0fff;
    if (number != 0)
        walk->scope = iw_packet_scope(walk->scope, IW_SCOPE_VLAN, number);
    *ethertype = iw_packet_16(tag + 2);
    return true;
}

IW_COLD static struct iw_packet_next packet_read_uncommon(struct iw_packet_walk *walk, uint32_t ethertype) {
    static const struct iw_packet_header pppoe = {IW_PPPOE_OCTETS, iw_tunnel_pppoe, 0};

    switch (ethertype) {
    case IW_ETHERTYPE_MPLS:
    case IW_ETHERTYPE_MPLS_MULTICAST:
        return iw_packet_go(IW_LAYER_MPLS, 0);
    case IW_ETHERTYPE_PPPOE:
        return iw_packet_read_header(walk, &pppoe);
    case IW_ETHERTYPE_PPP:
        return iw_packet_go(IW_LAYER_PPP, 0);
    case IW_ETHERTYPE_BRIDGING:
        return iw_packet_enter(walk, IW_LAYER_ETHERNET, 0);
    case IW_ETHERTYPE_ROCE:
        return iw_packet_other(walk, IW_CONTENT_ROCE_V1, 0);
    case IW_ETHERTYPE_MACSEC:
        return iw_packet_other(walk, IW_CONTENT_MACSEC, 0);
    default:
        return ethertype <= IW_ETHERTYPE_LENGTH_MAX ? packet_read_llc(walk, ethertype)
                                                    : iw_packet_other(walk, IW_CONTENT_ETHERTYPE, ethertype);
    }
}

static struct iw_packet_next packet_read_ethertype(struct iw_packet_walk *walk, uint32_t ethertype) {
    while (ethertype == IW_ETHERTYPE_VLAN || ethertype == IW_ETHERTYPE_SERVICE_VLAN ||
           ethertype == IW_ETHERTYPE_OLD_QINQ)
        if (!packet_ethernet_take_vlan(walk, &ethertype))
            return iw_packet_missing(&walk->view, IW_VLAN_OCTETS);
    if (ethertype == IW_ETHERTYPE_IPV4)
        return iw_packet_go(IW_LAYER_IPV4, 0);
    if (ethertype == IW_ETHERTYPE_IPV6)
        return iw_packet_go(IW_LAYER_IPV6, 0);
    return packet_read_uncommon(walk, ethertype);
}

struct iw_packet_next iw_packet_enter(
    struct iw_packet_walk *walk, enum iw_packet_layer layer, uint32_t number) {
    walk->whole = false;
    return ++walk->tunnels <= IW_PACKET_TUNNELS_MAX ? iw_packet_go(layer, number)
                                                    : iw_packet_other(walk, IW_CONTENT_TOO_DEEP, 0);
}

struct iw_packet_next iw_packet_read_header(
    struct iw_packet_walk *walk, const struct iw_packet_header *header) {
    const uint8_t *at;

    if (header->octets > walk->view.captured)
        return iw_packet_missing(&walk->view, header->octets);
    at = iw_packet_take(&walk->view, header->octets);
    return header->read != NULL ? header->read(walk, at)
                                : iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_16(at + header->type_at));
}

/* Each step before the last consumes octets, enters a tunnel, or goes on to a higher layer: the loop ends. */
enum iw_packet_kind iw_packet_walk(struct iw_packet_walk *walk, struct iw_packet_next next) {
    static const struct iw_packet_header headers[] = {
        [IW_LAYER_ETHERNET] = {IW_ETHERNET_OCTETS, NULL, 12},
        [IW_LAYER_IP] = {0, iw_internet_ip, 0},
        [IW_LAYER_IPV4] = {IW_IPV4_OCTETS, iw_internet_ipv4, 0},
        [IW_LAYER_IPV6] = {IW_IPV6_OCTETS, iw_internet_ipv6, 0},
        [IW_LAYER_MPLS] = {0, iw_tunnel_mpls, 0},
        [IW_LAYER_PPP] = {0, iw_tunnel_ppp, 0},
        [IW_LAYER_GRE] = {IW_GRE_OCTETS, iw_tunnel_gre, 0},
    };

    while (next.layer != IW_LAYER_END)
        if (next.layer == IW_LAYER_ETHERTYPE)
            next = packet_read_ethertype(walk, next.number);
        else if (next.layer == IW_LAYER_PROTOCOL)
            next = iw_internet_protocol(walk, (uint8_t)next.number);
        else
            next = iw_packet_read_header(walk, &headers[next.layer]);
    walk->segment->scope = walk->scope;
    return (enum iw_packet_kind)next.number;
}

static enum iw_packet_kind packet_walk_from_link(
    const struct iw_packet *packet, struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    struct iw_packet_walk walk = {
        .view = {packet->octets, packet->captured, packet->length}, .segment = segment, .facts = facts};

    if (walk.view.wire < walk.view.captured)
        walk.view.wire = walk.view.captured;
    return iw_packet_walk(&walk, iw_link_read(&walk, packet->link));
}

enum { PLAIN_IPV4 = 0x45, FRAGMENT_BITS = 0x3fff };

/* Writes each half with one store, because comparisons load halves: a load of two pending stores is slow. */
static inline void packet_set_ipv4(struct iw_tcp_address *address, const uint8_t *octets) {
    uint64_t first = htobe64((uint64_t)iw_packet_32(octets) << 32);

    memcpy(address->octets, &first, sizeof first);
    memset(address->octets + sizeof first, 0, sizeof first);
    address->version = 4;
}

static inline bool packet_read_plain_ipv4(
    const uint8_t *header, struct iw_packet_view *view, struct iw_tcp_segment *segment) {
    uint32_t total = iw_packet_16(header + 2);

    if (header[0] != PLAIN_IPV4 || header[9] != IW_IP_TCP || total < IW_IPV4_OCTETS + IW_TCP_OCTETS ||
        (iw_packet_16(header + 6) & FRAGMENT_BITS))
        return false;
    segment->ip_id = iw_packet_16(header + 4);
    packet_set_ipv4(&segment->source, header + 12);
    packet_set_ipv4(&segment->destination, header + 16);
    segment->hops = header[8];
    view->at = header + IW_IPV4_OCTETS;
    view->captured -= IW_IPV4_OCTETS;
    iw_packet_trim(view, total - IW_IPV4_OCTETS);
    return true;
}

static inline bool packet_read_plain_ipv6(
    const uint8_t *header, struct iw_packet_view *view, struct iw_tcp_segment *segment) {
    uint32_t payload = iw_packet_16(header + 4);

    if (view->captured < IW_IPV6_OCTETS + IW_TCP_OCTETS || header[0] >> 4 != 6 || header[6] != IW_IP_TCP ||
        payload < IW_TCP_OCTETS)
        return false;
    segment->source = (struct iw_tcp_address){.version = 6};
    segment->destination = (struct iw_tcp_address){.version = 6};
    memcpy(segment->source.octets, header + 8, 16);
    memcpy(segment->destination.octets, header + 24, 16);
    segment->hops = header[7];
    view->at = header + IW_IPV6_OCTETS;
    view->captured -= IW_IPV6_OCTETS;
    iw_packet_trim(view, payload);
    return true;
}

/* Reads Ethernet without VLAN tags and IP without options or fragments in one step, if TCP follows: nearly
 * all packets of most captures. `view` then begins with TCP. Otherwise returns false: see iw_packet_walk. */
static inline bool packet_read_plain(
    const struct iw_packet *packet, struct iw_packet_view *view, struct iw_tcp_segment *segment) {
    const uint8_t *header = packet->octets + IW_ETHERNET_OCTETS;

    if (packet->link != IW_LINK_ETHERNET ||
        packet->captured < IW_ETHERNET_OCTETS + IW_IPV4_OCTETS + IW_TCP_OCTETS)
        return false;
    view->captured = packet->captured - IW_ETHERNET_OCTETS;
    switch (iw_packet_16(packet->octets + 12)) {
    case IW_ETHERTYPE_IPV4:
        return packet_read_plain_ipv4(header, view, segment);
    case IW_ETHERTYPE_IPV6:
        return packet_read_plain_ipv6(header, view, segment);
    default:
        return false;
    }
}

IW_HOT enum iw_packet_kind iw_packet_find(
    const struct iw_packet *packet, struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    struct iw_packet_view view;

    segment->frame = packet->frame;
    segment->time_ns = packet->time_ns;
    segment->scope = 0;
    segment->ip_id = 0;
    if (packet_read_plain(packet, &view, segment))
        return iw_transport_tcp(view, segment);
    return packet_walk_from_link(packet, segment, facts);
}

enum iw_packet_kind iw_packet_resume(
    const struct iw_fragment *whole, struct iw_tcp_segment *segment, struct iw_packet_facts *facts) {
    struct iw_packet_walk walk = {.view = {whole->octets, whole->captured, whole->length},
        .segment = segment,
        .facts = facts,
        .scope = whole->scope,
        .tunnels = whole->tunnels,
        .inside = true,
        .checksum_hidden = whole->checksum_hidden,
        .whole = true};

    segment->source = whole->source;
    segment->destination = whole->destination;
    return iw_packet_walk(&walk, iw_packet_go(IW_LAYER_PROTOCOL, whole->protocol));
}

enum iw_packet_kind iw_packet_transport(uint8_t protocol, const uint8_t *octets, uint32_t captured,
    uint32_t length, struct iw_tcp_segment *segment) {
    struct iw_packet_view view = {octets, captured, length};

    segment->scope = 0;
    if (protocol == IW_IP_TCP)
        return iw_transport_tcp(view, segment);
    return protocol == IW_IP_SCTP ? iw_transport_sctp(view, segment) : IW_PACKET_OTHER;
}
