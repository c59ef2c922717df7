#include "iw_packet_walk.h"

#include "iw_ip.h"

static struct iw_packet_next link_read_loopback(struct iw_packet_walk *walk, const uint8_t *at) {
    uint32_t family = iw_packet_32(at);
    if (family > 0xffff)
        family = (uint32_t)at[1] << 8 | at[0];
    /* AF_INET is 2 everywhere; AF_INET6 is 10 on Linux, 24, 28 or 30 on the BSDs and macOS. */
    bool internet = family == 2 || family == 10 || family == 24 || family == 28 || family == 30;
    return internet ? iw_packet_go(IW_LAYER_IP, 0) : iw_packet_other(walk, IW_CONTENT_LINK, family);
}

enum { HDLC_UNICAST = 0x0f, HDLC_MULTICAST = 0x8f };

/* Cisco HDLC: address, control, Ethernet type. */
static const struct iw_packet_header hdlc = {4, NULL, 2};

/* Reads PPP or Cisco HDLC, which share a link type: no PPP protocol begins like Cisco HDLC (RFC 1661 2). */
static struct iw_packet_next link_read_ppp(struct iw_packet_walk *walk, const uint8_t *at) {
    const struct iw_packet_view *view = &walk->view;

    (void)at;
    if (view->captured >= 2 && (view->at[0] == HDLC_UNICAST || view->at[0] == HDLC_MULTICAST) &&
        view->at[1] == 0)
        return iw_packet_read_header(walk, &hdlc);
    return iw_packet_go(IW_LAYER_PPP, 0);
}

enum { NLPID_SNAP = 0x80, NLPID_IPV6 = 0x8e, NLPID_IPV4 = 0xcc, UNNUMBERED = 0x03, ADDRESS_MAX = 4 };

/* Returns the length of the address: its last octet is the first with the lowest bit set (Q.922 3.3). */
static uint32_t link_frame_relay_address_octets(const struct iw_packet_view *view) {
    uint32_t octets = 1;

    while (octets < view->captured && octets < ADDRESS_MAX && !(view->at[octets - 1] & 1))
        octets++;
    return octets;
}

/* Reads SNAP (RFC 2427 4.1): 00-00-00 and an Ethernet type, or 00-80-C2, 1 or 7, and an Ethernet frame. */
static struct iw_packet_next link_read_frame_relay_snap(struct iw_packet_walk *walk, const uint8_t *snap) {
    if (iw_packet_24(snap) == 0)
        return iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_16(snap + 3));
    if (iw_packet_24(snap) == 0x0080c2 && (snap[4] == 1 || snap[4] == 7))
        return iw_packet_go(IW_LAYER_ETHERNET, 0);
    return iw_packet_other(walk, IW_CONTENT_LINK, 0);
}

/* Reads Frame Relay in the form of RFC 2427, or of Cisco: an Ethernet type right after the address. */
static struct iw_packet_next link_read_frame_relay(struct iw_packet_walk *walk, const uint8_t *at) {
    static const struct iw_packet_header snap = {5, link_read_frame_relay_snap, 0};
    uint32_t address = link_frame_relay_address_octets(&walk->view);

    if (!iw_packet_take(&walk->view, address) || !(at = iw_packet_take(&walk->view, 2)))
        return iw_packet_missing(&walk->view, 2);
    if (at[0] != UNNUMBERED)
        return iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_16(at));
    if (at[1] == 0 && !(at = iw_packet_take(&walk->view, 1))) /* an octet of padding before the NLPID */
        return iw_packet_missing(&walk->view, 1);
    switch (at[0] == UNNUMBERED ? at[1] : at[0]) {
    case NLPID_IPV4:
        return iw_packet_go(IW_LAYER_IPV4, 0);
    case NLPID_IPV6:
        return iw_packet_go(IW_LAYER_IPV6, 0);
    case NLPID_SNAP:
        return iw_packet_read_header(walk, &snap);
    default:
        return iw_packet_other(walk, IW_CONTENT_LINK, 0);
    }
}

enum { NFLOG_OCTETS = 4, NFLOG_TLV_OCTETS = 4, NFLOG_PAYLOAD = 9, NFLOG_TYPE_MAX = 255 };

static uint16_t link_number16(bool little, const uint8_t *at) {
    return (uint16_t)(little ? at[1] << 8 | at[0] : at[0] << 8 | at[1]);
}

/* Skips NFLOG attributes up to the packet. Lengths and types are in the byte order of the capturing host;
 * because all types are below 256, they show this order. Each iteration consumes at least 4 octets. */
static struct iw_packet_next link_read_nflog(struct iw_packet_walk *walk, const uint8_t *at) {
    (void)at;
    for (;;) {
        const uint8_t *tlv = iw_packet_take(&walk->view, NFLOG_TLV_OCTETS);
        if (!tlv)
            return iw_packet_missing(&walk->view, NFLOG_TLV_OCTETS);
        bool little = link_number16(true, tlv + 2) <= NFLOG_TYPE_MAX;
        uint32_t length = link_number16(little, tlv);
        if (length < NFLOG_TLV_OCTETS)
            return iw_packet_end(IW_PACKET_MALFORMED);
        if (link_number16(little, tlv + 2) == NFLOG_PAYLOAD)
            return iw_packet_go(IW_LAYER_IP, 0);
        length = (length + 3) / 4 * 4 - NFLOG_TLV_OCTETS;
        if (!iw_packet_take(&walk->view, length))
            return iw_packet_missing(&walk->view, length);
    }
}

enum { IPOIB_GRH_OCTETS = 40 }; /* a Global Routing Header, before the IPoIB header (RFC 4391 6) */

static const struct iw_packet_header links[] = {
    [IW_LINK_ETHERNET] = {IW_ETHERNET_OCTETS, NULL, 12},
    [IW_LINK_SLL] = {16, NULL, 14},
    [IW_LINK_SLL2] = {20, NULL, 0},
    [IW_LINK_LOOPBACK] = {4, link_read_loopback, 0},
    [IW_LINK_IP] = {0, iw_internet_ip, 0},
    [IW_LINK_PPP] = {0, link_read_ppp, 0},
    [IW_LINK_PPP_DIRECTION] = {1, link_read_ppp, 0},
    [IW_LINK_PPP_PPPD] = {2, link_read_ppp, 0},
    [IW_LINK_PPPOE] = {IW_PPPOE_OCTETS, iw_tunnel_pppoe, 0},
    [IW_LINK_HDLC] = {4, NULL, 2},
    [IW_LINK_FRAME_RELAY] = {0, link_read_frame_relay, 0},
    [IW_LINK_80211] = {0, iw_link_80211, 0},
    [IW_LINK_RADIOTAP] = {IW_RADIOTAP_OCTETS, iw_link_radiotap, 0},
    [IW_LINK_NFLOG] = {NFLOG_OCTETS, link_read_nflog, 0},
    [IW_LINK_IPOIB] = {IPOIB_GRH_OCTETS + 4, NULL, IPOIB_GRH_OCTETS},
};

struct iw_packet_next iw_link_read(struct iw_packet_walk *walk, enum iw_link link) {
    return iw_packet_read_header(walk, &links[link]);
}
