#include "iw_ip.h"
#include "iw_packet_walk.h"
#include "iw_tcp_checksum.h"

enum { LABEL_OCTETS = 4, LABEL_IPV4 = 0, LABEL_IPV6 = 2, LABEL_ENTROPY = 7, LABEL_RESERVED_MAX = 15 };

/* Reads the label stack. Sets *service to the last label that may identify a service or customer, neither
 * reserved (RFC 3032 2.1) nor the entropy label after label 7 (RFC 6790 4.2). False if it is truncated. */
static bool tunnel_link_take_labels(struct iw_packet_view *view, uint32_t *last, uint32_t *service) {
    bool bottom = false, entropy = false;

    *service = UINT32_MAX;
    while (!bottom) {
        const uint8_t *entry = iw_packet_take(view, LABEL_OCTETS);
        if (!entry)
            return false;
        *last = iw_packet_24(entry) >> 4;
        if (*last > LABEL_RESERVED_MAX && !entropy)
            *service = *last;
        entropy = *last == LABEL_ENTROPY;
        bottom = entry[2] & 1;
    }
    return true;
}

static bool tunnel_link_is_common_ethertype(uint16_t ethertype) {
    switch (ethertype) {
    case IW_ETHERTYPE_IPV4:
    case IW_ETHERTYPE_IPV6:
    case IW_ETHERTYPE_VLAN:
    case IW_ETHERTYPE_SERVICE_VLAN:
    case IW_ETHERTYPE_OLD_QINQ:
    case IW_ETHERTYPE_MPLS:
    case IW_ETHERTYPE_PPPOE:
    case 0x0806: /* ARP */
        return true;
    default:
        return false;
    }
}

/* Whether a complete Ethernet header, with a type that pseudo-wires carry, begins after `octets` octets. */
static bool tunnel_link_is_ethernet(const struct iw_packet_view *view, uint32_t octets) {
    return view->captured >= octets + IW_ETHERNET_OCTETS &&
           tunnel_link_is_common_ethertype(iw_packet_16(view->at + octets + 12));
}

/* Whether an IP header begins here and fits into the packet. An Ethernet destination address may also begin
 * with 4 or 6: if the octets may be an Ethernet header, the IPv4 checksum or the IPv6 length decides. */
static bool tunnel_link_is_ip(const struct iw_packet_view *view) {
    const uint8_t *header = view->at;
    uint32_t octets = (header[0] & 0x0fu) * 4;

    if (header[0] >> 4 == 4)
        return octets >= IW_IPV4_OCTETS && (view->captured < 4 || iw_packet_16(header + 2) <= view->wire) &&
               (!tunnel_link_is_ethernet(view, 0) ||
                   (view->captured >= octets && iw_tcp_checksum_sum(header, octets) == 0xffff));
    return header[0] >> 4 == 6 && (!tunnel_link_is_ethernet(view, 0) ||
                                      iw_packet_16(header + 4) + (uint32_t)IW_IPV6_OCTETS == view->wire);
}

/* Guesses what follows the last label. The first four bits are 4 or 6 for IP, and 0 for the control word of a
 * pseudo-wire (RFC 4385 3). Ethernet follows the control word or the label (RFC 4448 4.6). */
static struct iw_packet_next tunnel_link_mpls_payload(struct iw_packet_walk *walk) {
    struct iw_packet_view *view = &walk->view;

    if (view->captured == 0)
        return iw_packet_missing(view, 1);
    if (tunnel_link_is_ip(view))
        return iw_packet_go(IW_LAYER_IP, 0);
    if (view->at[0] >> 4 == 0 && tunnel_link_is_ethernet(view, 4))
        iw_packet_take(view, 4);
    else if (!tunnel_link_is_ethernet(view, 0))
        return view->captured < view->wire && view->captured < 4 + IW_ETHERNET_OCTETS
                   ? iw_packet_end(IW_PACKET_CUT)
                   : iw_packet_other(walk, IW_CONTENT_TUNNEL, 0);
    return iw_packet_go(IW_LAYER_ETHERNET, 0);
}

struct iw_packet_next iw_tunnel_mpls(struct iw_packet_walk *walk, const uint8_t *at) {
    struct iw_packet_next entered = iw_packet_enter(walk, IW_LAYER_MPLS, 0);
    uint32_t last, service;

    (void)at;
    if (entered.layer == IW_LAYER_END)
        return entered;
    if (!tunnel_link_take_labels(&walk->view, &last, &service))
        return iw_packet_missing(&walk->view, LABEL_OCTETS);
    if (service != UINT32_MAX)
        walk->scope = iw_packet_scope(walk->scope, IW_SCOPE_MPLS, service);
    if (last == LABEL_IPV4)
        return iw_packet_go(IW_LAYER_IPV4, 0);
    if (last == LABEL_IPV6)
        return iw_packet_go(IW_LAYER_IPV6, 0);
    return tunnel_link_mpls_payload(walk);
}

enum { PPPOE_VERSION_AND_TYPE = 0x11 };
enum { PPP_IPV4 = 0x0021, PPP_IPV6 = 0x0057, PPP_MPLS = 0x0281 };

struct iw_packet_next iw_tunnel_pppoe(struct iw_packet_walk *walk, const uint8_t *header) {
    uint32_t length = iw_packet_16(header + 4);
    if (header[0] != PPPOE_VERSION_AND_TYPE || header[1] != 0)
        return iw_packet_other(walk, IW_CONTENT_ETHERTYPE, IW_ETHERTYPE_PPPOE);
    if (length > walk->view.wire)
        return iw_packet_end(IW_PACKET_MALFORMED);
    iw_packet_trim(&walk->view, length);
    walk->inside = true;
    walk->scope = iw_packet_scope(walk->scope, IW_SCOPE_PPPOE, iw_packet_16(header + 2));
    return iw_packet_enter(walk, IW_LAYER_PPP, 0);
}

/* PPP may omit address and control, and the first octet of a protocol number if it is 0 (RFC 1661 6.5 and
 * 6.6). The first octet of a protocol number is even, the second is odd. */
struct iw_packet_next iw_tunnel_ppp(struct iw_packet_walk *walk, const uint8_t *at) {
    struct iw_packet_view *view = &walk->view;

    (void)at;
    if (view->captured >= 2 && view->at[0] == 0xff && view->at[1] == 0x03)
        iw_packet_take(view, 2);
    uint32_t octets = view->captured > 0 && (view->at[0] & 1) ? 1 : 2;
    const uint8_t *header = iw_packet_take(view, octets);
    if (!header)
        return iw_packet_missing(view, octets);
    uint16_t protocol = octets == 1 ? header[0] : iw_packet_16(header);
    switch (protocol) {
    case PPP_IPV4:
        return iw_packet_go(IW_LAYER_IPV4, 0);
    case PPP_IPV6:
        return iw_packet_go(IW_LAYER_IPV6, 0);
    case PPP_MPLS:
        return iw_packet_go(IW_LAYER_MPLS, 0);
    default:
        return iw_packet_other(walk, IW_CONTENT_PPP, protocol);
    }
}
