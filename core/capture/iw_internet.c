#include "iw_packet_walk.h"

#include <string.h>

#include "iw_ip.h"

static bool internet_is_carrier(uint8_t protocol) {
    switch (protocol) {
    case IW_IP_TCP:
    case IW_IP_SCTP:
    case IW_IP_UDP:
    case IW_IP_IPV4:
    case IW_IP_IPV6:
    case IW_IP_GRE:
    case IW_IP_AUTHENTICATION:
    case IW_IP_ETHERIP:
    case IW_IP_MPLS:
        return true;
    default:
        return false;
    }
}

static void internet_set_address(struct iw_tcp_address *address, uint8_t version, const uint8_t *octets) {
    memset(address, 0, sizeof *address);
    address->version = version;
    memcpy(address->octets, octets, version == 4 ? 4 : 16);
}

void iw_internet_addresses(struct iw_tcp_segment *segment, uint8_t version, const uint8_t *octets) {
    internet_set_address(&segment->source, version, octets);
    internet_set_address(&segment->destination, version, octets + (version == 4 ? 4 : 16));
}

/* Sets the length of the rest of the packet to `octets`, as an IP header states. Returns false if an earlier
 * header stated a smaller length. The first stated length may exceed the length in the capture file. */
static bool internet_set_length(struct iw_packet_walk *walk, uint32_t octets) {
    if (walk->inside && octets > walk->view.wire)
        return false;
    walk->inside = true;
    iw_packet_trim(&walk->view, octets);
    return true;
}

/* Ends the walk at an IP fragment, whose payload is the rest of the view. */
static struct iw_packet_next internet_end_in_fragment(
    struct iw_packet_walk *walk, uint8_t protocol, uint32_t id, uint32_t offset, bool more) {
    struct iw_fragment *fragment = &walk->facts->fragment;

    *fragment = (struct iw_fragment){.source = walk->segment->source,
        .destination = walk->segment->destination,
        .id = id,
        .scope = walk->scope,
        .protocol = protocol,
        .tunnels = walk->tunnels,
        .more = more,
        .checksum_hidden = walk->checksum_hidden,
        .offset = offset,
        .length = walk->view.wire,
        .captured = walk->view.captured,
        .octets = walk->view.at};
    fragment->source.port = fragment->destination.port = 0;
    return iw_packet_end(IW_PACKET_FRAGMENT);
}

/* Whether IPv4 options have a source route: the TCP checksum covers its last address (RFC 791 3.1). */
static bool internet_has_source_route(const uint8_t *options, uint32_t count) {
    enum { END = 0, NO_OPERATION = 1, LOOSE = 131, STRICT = 137 };
    uint32_t at = 0;

    while (at + 1 < count && options[at] != END) {
        if (options[at] == LOOSE || options[at] == STRICT)
            return true;
        uint32_t length = options[at] == NO_OPERATION ? 1 : options[at + 1];
        if (length == 0)
            break;
        at += length;
    }
    return false;
}

enum { FLAGS_AND_OFFSET = 6, IPV4_MORE_FRAGMENTS = 0x2000, OFFSET_MASK = 0x1fff };

/* Ends the walk at an IPv4 packet without TCP or SCTP. ICMP errors are not fragmented and have no options. */
static struct iw_packet_next internet_end_in_other(struct iw_packet_walk *walk, const uint8_t *header) {
    bool plain = (header[0] & 0x0f) * 4 == IW_IPV4_OCTETS &&
                 (iw_packet_16(header + FLAGS_AND_OFFSET) & (IPV4_MORE_FRAGMENTS | OFFSET_MASK)) == 0;

    return header[9] == IW_IP_ICMP && !plain ? iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, IW_IP_ICMP)
                                             : iw_internet_protocol(walk, header[9]);
}

struct iw_packet_next iw_internet_ipv4(struct iw_packet_walk *walk, const uint8_t *header) {
    uint32_t header_length = (header[0] & 0x0fu) * 4, options = header_length - IW_IPV4_OCTETS;
    uint32_t total = iw_packet_16(header + 2);
    if (header[0] >> 4 != 4 || header_length < IW_IPV4_OCTETS)
        return iw_packet_end(IW_PACKET_MALFORMED);
    iw_internet_addresses(walk->segment, 4, header + 12);
    walk->segment->hops = header[8];
    if (!internet_is_carrier(header[9]))
        return internet_end_in_other(walk, header);
    /* total length 0: segmentation offload */
    if (total != 0 && (total < header_length || !internet_set_length(walk, total - IW_IPV4_OCTETS)))
        return iw_packet_end(IW_PACKET_MALFORMED);
    if (!iw_packet_take(&walk->view, options))
        return iw_packet_missing(&walk->view, options);
    walk->segment->ip_id = iw_packet_16(header + 4);
    walk->checksum_hidden = total == 0 || internet_has_source_route(header + IW_IPV4_OCTETS, options);
    uint16_t place = iw_packet_16(header + FLAGS_AND_OFFSET);
    if (place & (IPV4_MORE_FRAGMENTS | OFFSET_MASK))
        return internet_end_in_fragment(walk, header[9], iw_packet_16(header + 4), (place & OFFSET_MASK) * 8u,
            place & IPV4_MORE_FRAGMENTS);
    return iw_packet_go(IW_LAYER_PROTOCOL, header[9]);
}

/* Returns the length of an extension header of type `next` (RFC 8200 4, RFC 4302 2.2); 0 for other types. */
static uint32_t internet_extension_length(uint8_t next, const uint8_t *header) {
    switch (next) {
    case IW_IP_HOP_BY_HOP:
    case IW_IP_ROUTING:
    case IW_IP_DESTINATION:
    case IW_IP_MOBILITY:
    case IW_IP_HIP:
    case IW_IP_SHIM6:
        return (header[1] + 1u) * 8;
    case IW_IP_AUTHENTICATION:
        return (header[1] + 2u) * 4;
    case IW_IP_FRAGMENT:
        return 8;
    default:
        return 0;
    }
}

static bool internet_is_extension(uint8_t next) {
    static const uint8_t zero[8];
    return internet_extension_length(next, zero) != 0;
}

struct iw_packet_next iw_internet_ipv6(struct iw_packet_walk *walk, const uint8_t *header) {
    if (header[0] >> 4 != 6)
        return iw_packet_end(IW_PACKET_MALFORMED);
    iw_internet_addresses(walk->segment, 6, header + 8);
    walk->segment->hops = header[7];
    uint16_t payload = iw_packet_16(header + 4);
    walk->segment->ip_id = 0;
    /* length 0: a jumbogram, or segmentation offload */
    if (payload != 0 && !internet_set_length(walk, payload))
        return iw_packet_end(IW_PACKET_MALFORMED);
    walk->checksum_hidden = payload == 0;
    return iw_packet_go(IW_LAYER_PROTOCOL, header[6]);
}

/* Whether the Destination Options header contains a home address of the source (RFC 6275 6.3). */
static bool internet_has_home_address(const uint8_t *header, uint32_t count) {
    enum { PAD1 = 0, HOME_ADDRESS = 201 };
    uint32_t at = 2;

    while (at + 1 < count && header[at] != HOME_ADDRESS)
        at += header[at] == PAD1 ? 1 : 2u + header[at + 1];
    return at + 1 < count;
}

/* Whether this extension header makes the TCP checksum cover other addresses than those of the IPv6 header:
 * the last destination of a route (RFC 8200 8.1), a home address, or identifiers (RFC 5533, RFC 7401). */
static bool internet_changes_addresses(uint8_t next, const uint8_t *header, uint32_t length) {
    switch (next) {
    case IW_IP_ROUTING:
        return header[3] != 0; /* Segments Left */
    case IW_IP_DESTINATION:
        return internet_has_home_address(header, length);
    default:
        return next == IW_IP_HIP || next == IW_IP_SHIM6;
    }
}

/* Skips the extension header of type `next`. The walk ends if it is a Fragment header of a fragment. */
static struct iw_packet_next internet_skip_extension(struct iw_packet_walk *walk, uint8_t next) {
    struct iw_packet_view *view = &walk->view;
    if (view->captured < 8)
        return iw_packet_missing(view, 8);
    const uint8_t *extension = view->at;
    uint32_t length = internet_extension_length(next, extension);
    if (!iw_packet_take(view, length))
        return iw_packet_missing(view, length);
    walk->checksum_hidden |= internet_changes_addresses(next, extension, length);
    uint16_t place = iw_packet_16(extension + 2);
    bool fragmented = next == IW_IP_FRAGMENT && (place & 0xfff9) != 0; /* offset or M flag is not 0 */
    if (!fragmented)
        return iw_packet_go(IW_LAYER_PROTOCOL, extension[0]);
    if (extension[0] == IW_IP_ICMPV6)
        return iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, IW_IP_ICMPV6);
    if (!internet_is_carrier(extension[0]) && !internet_is_extension(extension[0]))
        return iw_internet_protocol(walk, extension[0]);
    if (walk->whole)
        return iw_packet_end(IW_PACKET_MALFORMED);
    return internet_end_in_fragment(
        walk, extension[0], iw_packet_32(extension + 4), place & 0xfff8u, (place & 1) != 0);
}

struct iw_packet_next iw_internet_ip(struct iw_packet_walk *walk, const uint8_t *at) {
    if (walk->view.captured == 0)
        return iw_packet_missing(&walk->view, 1);
    return iw_packet_go(at[0] >> 4 == 6 ? IW_LAYER_IPV6 : IW_LAYER_IPV4, 0);
}

static struct iw_packet_next internet_enter_ip(struct iw_packet_walk *walk, enum iw_packet_layer layer) {
    walk->scope = 0; /* VLANs and MPLS labels so far belong to the outer addresses */
    return iw_packet_enter(walk, layer, 0);
}

static struct iw_packet_next internet_enter_etherip(struct iw_packet_walk *walk, const uint8_t *header) {
    if (header[0] >> 4 != 3) /* RFC 3378 3 */
        return iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, IW_IP_ETHERIP);
    return internet_enter_ip(walk, IW_LAYER_ETHERNET);
}

static struct iw_packet_next internet_end_in_tcp(struct iw_packet_walk *walk) {
    enum iw_packet_kind kind = iw_transport_tcp(walk->view, walk->segment);

    if (walk->checksum_hidden)
        walk->segment->tcp = NULL;
    return iw_packet_end(kind);
}

struct iw_packet_next iw_internet_protocol(struct iw_packet_walk *walk, uint8_t protocol) {
    static const struct iw_packet_header etherip = {2, internet_enter_etherip, 0};

    switch (protocol) {
    case IW_IP_TCP:
        return internet_end_in_tcp(walk);
    case IW_IP_SCTP:
        return iw_packet_end(iw_transport_sctp(walk->view, walk->segment));
    case IW_IP_UDP:
        return iw_tunnel_udp(walk);
    case IW_IP_IPV4:
        return internet_enter_ip(walk, IW_LAYER_IPV4);
    case IW_IP_IPV6:
        return internet_enter_ip(walk, IW_LAYER_IPV6);
    case IW_IP_GRE:
        return iw_packet_go(IW_LAYER_GRE, 0);
    case IW_IP_MPLS:
        walk->scope = 0;
        return iw_packet_go(IW_LAYER_MPLS, 0);
    case IW_IP_ETHERIP:
        return iw_packet_read_header(walk, &etherip);
    case IW_IP_ICMP:
    case IW_IP_ICMPV6:
        return iw_icmp_read(walk, protocol);
    case IW_IP_ESP:
        return iw_packet_other(walk, IW_CONTENT_ESP, 0);
    default:
        return protocol == IW_IP_AUTHENTICATION ||
                       (internet_is_extension(protocol) && walk->segment->source.version == 6)
                   ? internet_skip_extension(walk, protocol)
                   : iw_packet_other(walk, IW_CONTENT_IP_PROTOCOL, protocol);
    }
}
