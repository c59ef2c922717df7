#include "iw_packet.h"

#include <stdbool.h>
#include <string.h>

#include "iw_ip.h"
#include "iw_tcp_mss.h"

/* Extension headers of IPv6. */
enum {
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_AUTHENTICATION = 51,
    PROTOCOL_DESTINATION = 60,
    PROTOCOL_MOBILITY = 135,
    PROTOCOL_HIP = 139,
    PROTOCOL_SHIM6 = 140,
};

/* What is left of the packet: `captured` octets at `at`, `wire` octets if nothing had been cut off. */
struct view {
    const uint8_t *at;
    uint32_t captured;
    uint32_t wire;
};

static uint16_t be16(const uint8_t *at) {
    return (uint16_t)(at[0] << 8 | at[1]);
}

static uint32_t be32(const uint8_t *at) {
    return (uint32_t)be16(at) << 16 | be16(at + 2);
}

/* Takes `octets` from the front; NULL, and nothing taken, if they were not captured. */
static const uint8_t *take(struct view *view, uint32_t octets) {
    const uint8_t *at = view->at;
    if (octets > view->captured)
        return NULL;
    view->at += octets;
    view->captured -= octets;
    view->wire -= octets;
    return at;
}

/* Why `octets` could not be taken: the capture cut them off, or they never were there. */
static enum iw_packet_kind missing(const struct view *view, uint32_t octets) {
    return octets <= view->wire ? IW_PACKET_CUT : IW_PACKET_MALFORMED;
}

/* The IP header states the length: what follows it is padding, and what it claims beyond the record was cut.
 */
static void set_length(struct view *view, uint32_t octets) {
    view->wire = octets;
    if (view->captured > octets)
        view->captured = octets;
}

static uint16_t mss_of(const struct view *view, uint32_t header_length) {
    uint32_t end = view->captured < header_length ? view->captured : header_length;

    return iw_tcp_mss(view->at + IW_TCP_OCTETS, end - IW_TCP_OCTETS);
}

static enum iw_packet_kind decode_tcp(struct view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = view.at;
    if (view.captured < IW_TCP_OCTETS)
        return missing(&view, IW_TCP_OCTETS);
    uint32_t header_length = (uint32_t)(header[12] >> 4) * 4;
    if (header_length < IW_TCP_OCTETS || header_length > view.wire)
        return IW_PACKET_MALFORMED;
    segment->source.port = be16(header);
    segment->destination.port = be16(header + 2);
    segment->seq = be32(header + 4);
    segment->ack = be32(header + 8);
    segment->flags = header[13];
    segment->length = view.wire - header_length;
    segment->mss = segment->flags & IW_TCP_SYN ? mss_of(&view, header_length) : 0;
    /* The options may be cut: everything that stream order needs is before them. */
    bool has_payload = view.captured > header_length;
    segment->captured = has_payload ? view.captured - header_length : 0;
    segment->payload = has_payload ? header + header_length : NULL;
    return segment->length <= IW_TCP_SEGMENT_OCTETS_MAX ? IW_PACKET_TCP : IW_PACKET_MALFORMED;
}

/* RFC 9260 3.1 */
static enum iw_packet_kind decode_sctp(struct view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = take(&view, IW_SCTP_OCTETS);
    if (!header)
        return missing(&view, IW_SCTP_OCTETS);
    segment->source.port = be16(header);
    segment->destination.port = be16(header + 2);
    segment->seq = be32(header + 4);
    segment->length = view.wire;
    segment->captured = view.captured;
    segment->payload = view.at;
    return segment->length <= IW_TCP_SEGMENT_OCTETS_MAX ? IW_PACKET_SCTP : IW_PACKET_MALFORMED;
}

static enum iw_packet_kind decode_transport(
    struct view view, uint8_t protocol, struct iw_tcp_segment *segment) {
    return protocol == IW_IP_TCP ? decode_tcp(view, segment) : decode_sctp(view, segment);
}

static bool is_transport(uint8_t protocol) {
    return protocol == IW_IP_TCP || protocol == IW_IP_SCTP;
}

static void set_address(struct iw_tcp_address *address, uint8_t version, const uint8_t *octets) {
    memset(address, 0, sizeof *address);
    address->version = version;
    memcpy(address->octets, octets, version == 4 ? 4 : 16);
}

static enum iw_packet_kind decode_ipv4(struct view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = view.at;
    if (view.captured < IW_IPV4_OCTETS)
        return missing(&view, IW_IPV4_OCTETS);
    uint32_t header_length = (header[0] & 0x0fu) * 4;
    uint32_t total = be16(header + 2) ? be16(header + 2) : view.wire;
    if (header[0] >> 4 != 4 || header_length < IW_IPV4_OCTETS)
        return IW_PACKET_MALFORMED;
    if (!is_transport(header[9]))
        return IW_PACKET_OTHER;
    if (be16(header + 6) & 0x3fff) /* More Fragments, or an offset */
        return IW_PACKET_FRAGMENT;
    set_address(&segment->source, 4, header + 12);
    set_address(&segment->destination, 4, header + 16);
    set_length(&view, total);
    if (!take(&view, header_length))
        return missing(&view, header_length);
    return decode_transport(view, header[9], segment);
}

/* Length of the extension header `next` that starts with the eight octets at `header` (RFC 8200 4, RFC
 * 4302 2.2); 0 if it is none that can be stepped over. */
static uint32_t extension_length(uint8_t next, const uint8_t *header) {
    switch (next) {
    case PROTOCOL_HOP_BY_HOP:
    case PROTOCOL_ROUTING:
    case PROTOCOL_DESTINATION:
    case PROTOCOL_MOBILITY:
    case PROTOCOL_HIP:
    case PROTOCOL_SHIM6:
        return (header[1] + 1u) * 8;
    case PROTOCOL_AUTHENTICATION:
        return (header[1] + 2u) * 4;
    case PROTOCOL_FRAGMENT:
        return 8;
    default:
        return 0;
    }
}

static bool is_extension(uint8_t next) {
    static const uint8_t zero[8];
    return extension_length(next, zero) != 0;
}

static enum iw_packet_kind decode_ipv6(struct view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = take(&view, IW_IPV6_OCTETS);
    if (!header)
        return missing(&view, IW_IPV6_OCTETS);
    if (header[0] >> 4 != 6)
        return IW_PACKET_MALFORMED;
    set_address(&segment->source, 6, header + 8);
    set_address(&segment->destination, 6, header + 24);
    if (be16(header + 4)) /* 0: a jumbogram, or segmentation offload */
        set_length(&view, be16(header + 4));
    uint8_t next = header[6];
    bool fragment = false;
    while (!fragment && is_extension(next)) {
        if (view.captured < 8)
            return missing(&view, 8);
        const uint8_t *extension = view.at;
        uint32_t length = extension_length(next, extension);
        fragment = next == PROTOCOL_FRAGMENT && (be16(extension + 2) & 0xfff9); /* offset and M flag */
        if (!take(&view, length))
            return missing(&view, length);
        next = extension[0];
    }
    if (!is_transport(next))
        return IW_PACKET_OTHER;
    return fragment ? IW_PACKET_FRAGMENT : decode_transport(view, next, segment);
}

static enum iw_packet_kind decode_ethertype(
    struct view view, uint16_t ethertype, struct iw_tcp_segment *segment) {
    while (ethertype == IW_ETHERTYPE_VLAN || ethertype == IW_ETHERTYPE_SERVICE_VLAN ||
           ethertype == IW_ETHERTYPE_OLD_QINQ) {
        const uint8_t *tag = take(&view, IW_VLAN_OCTETS);
        if (!tag)
            return missing(&view, IW_VLAN_OCTETS);
        ethertype = be16(tag + 2);
    }
    if (ethertype == IW_ETHERTYPE_IPV4)
        return decode_ipv4(view, segment);
    if (ethertype == IW_ETHERTYPE_IPV6)
        return decode_ipv6(view, segment);
    return IW_PACKET_OTHER;
}

/* A link header of `octets` with the Ethernet type at `position` in it. */
static enum iw_packet_kind decode_typed_link(
    struct view view, uint32_t octets, uint32_t position, struct iw_tcp_segment *segment) {
    const uint8_t *header = take(&view, octets);
    if (!header)
        return missing(&view, octets);
    return decode_ethertype(view, be16(header + position), segment);
}

static enum iw_packet_kind decode_ip(struct view view, struct iw_tcp_segment *segment) {
    if (view.captured == 0)
        return missing(&view, 1);
    return view.at[0] >> 4 == 6 ? decode_ipv6(view, segment) : decode_ipv4(view, segment);
}

static enum iw_packet_kind decode_loopback(struct view view, struct iw_tcp_segment *segment) {
    const uint8_t *header = take(&view, 4);
    if (!header)
        return missing(&view, 4);
    uint32_t family = be32(header);
    if (family > 0xffff)
        family = (uint32_t)header[1] << 8 | header[0];
    /* AF_INET is 2 everywhere; AF_INET6 is 10 on Linux, 24, 28 or 30 on the BSDs. */
    bool internet = family == 2 || family == 10 || family == 24 || family == 28 || family == 30;
    return internet ? decode_ip(view, segment) : IW_PACKET_OTHER;
}

enum iw_packet_kind iw_packet_transport(uint8_t protocol, const uint8_t *octets, uint32_t captured,
    uint32_t length, struct iw_tcp_segment *segment) {
    struct view view = {octets, captured, length};

    return is_transport(protocol) ? decode_transport(view, protocol, segment) : IW_PACKET_OTHER;
}

enum iw_packet_kind iw_packet_decode(const struct iw_packet *packet, struct iw_tcp_segment *segment) {
    struct view view = {packet->octets, packet->captured, packet->length};
    if (view.wire < view.captured)
        view.wire = view.captured;
    segment->frame = packet->frame;
    segment->time_ns = packet->time_ns;
    switch (packet->link) {
    case IW_LINK_ETHERNET:
        return decode_typed_link(view, IW_ETHERNET_OCTETS, 12, segment);
    case IW_LINK_SLL:
        return decode_typed_link(view, 16, 14, segment);
    case IW_LINK_SLL2:
        return decode_typed_link(view, 20, 0, segment);
    case IW_LINK_LOOPBACK:
        return decode_loopback(view, segment);
    case IW_LINK_IP:
        return decode_ip(view, segment);
    }
    return IW_PACKET_OTHER;
}
