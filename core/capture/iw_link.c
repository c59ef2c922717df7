#include "iw_packet_walk.h"

#include <string.h>

#include "iw_tunnel.h"

/* ---- PPP and HDLC ---- */

enum { HDLC_OCTETS = 4, HDLC_TYPE_AT = 2, HDLC_UNICAST = 0x0f, HDLC_MULTICAST = 0x8f };

/* Cisco HDLC: address, control, Ethernet type. */
static struct iw_packet_next read_hdlc(struct iw_packet_walk *walk) {
    const uint8_t *header = iw_packet_take(&walk->view, HDLC_OCTETS);
    if (!header)
        return iw_packet_missing(&walk->view, HDLC_OCTETS);
    return iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_16(header + HDLC_TYPE_AT));
}

/* On serial lines PPP and Cisco HDLC share a link type; no PPP protocol begins like Cisco HDLC (RFC 1661
 * 2). */
static struct iw_packet_next read_ppp(struct iw_packet_walk *walk) {
    const struct iw_packet_view *view = &walk->view;

    if (view->captured >= 2 && (view->at[0] == HDLC_UNICAST || view->at[0] == HDLC_MULTICAST) &&
        view->at[1] == 0)
        return read_hdlc(walk);
    return iw_packet_go(IW_LAYER_PPP, 0);
}

/* PPP after `octets` octets of other information, such as the direction. */
static struct iw_packet_next read_ppp_after(struct iw_packet_walk *walk, uint32_t octets) {
    if (!iw_packet_take(&walk->view, octets))
        return iw_packet_missing(&walk->view, octets);
    return read_ppp(walk);
}

/* ---- Frame Relay ---- */

enum { NLPID_SNAP = 0x80, NLPID_IPV6 = 0x8e, NLPID_IPV4 = 0xcc, UNNUMBERED = 0x03, ADDRESS_MAX = 4 };

/* The last octet of the address is the first one with its lowest bit set (Q.922 3.3). */
static uint32_t frame_relay_address_octets(const struct iw_packet_view *view) {
    uint32_t octets = 1;

    while (octets < view->captured && octets < ADDRESS_MAX && !(view->at[octets - 1] & 1))
        octets++;
    return octets;
}

/* SNAP (RFC 2427 4.1): organisation and protocol. 00-00-00 means an Ethernet type, 00-80-C2 a bridged
 * frame. */
static struct iw_packet_next read_frame_relay_snap(struct iw_packet_walk *walk) {
    const uint8_t *snap = iw_packet_take(&walk->view, 5);
    if (!snap)
        return iw_packet_missing(&walk->view, 5);
    if (iw_packet_24(snap) == 0)
        return iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_16(snap + 3));
    if (iw_packet_24(snap) == 0x0080c2 && (snap[4] == 1 || snap[4] == 7))
        return iw_packet_go(IW_LAYER_ETHERNET, 0);
    return iw_packet_other(walk, IW_CONTENT_LINK, 0);
}

/* RFC 2427, or Cisco's form: an Ethernet type right after the address. */
static struct iw_packet_next read_frame_relay(struct iw_packet_walk *walk) {
    uint32_t address = frame_relay_address_octets(&walk->view);
    const uint8_t *at;

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
        return read_frame_relay_snap(walk);
    default:
        return iw_packet_other(walk, IW_CONTENT_LINK, 0);
    }
}

/* ---- NFLOG ---- */

enum { NFLOG_OCTETS = 4, NFLOG_TLV_OCTETS = 4, NFLOG_PAYLOAD = 9, NFLOG_TYPE_MAX = 255 };

static uint16_t number16(bool little, const uint8_t *at) {
    return (uint16_t)(little ? at[1] << 8 | at[0] : at[0] << 8 | at[1]);
}

/* Reads NFLOG attributes. Lengths and types are in the byte order of the capturing host; all types are small
 * numbers. Each iteration consumes at least 4 octets. */
static struct iw_packet_next read_nflog(struct iw_packet_walk *walk) {
    const uint8_t *header = iw_packet_take(&walk->view, NFLOG_OCTETS);
    if (!header)
        return iw_packet_missing(&walk->view, NFLOG_OCTETS);
    for (;;) {
        const uint8_t *tlv = iw_packet_take(&walk->view, NFLOG_TLV_OCTETS);
        if (!tlv)
            return iw_packet_missing(&walk->view, NFLOG_TLV_OCTETS);
        bool little = number16(true, tlv + 2) <= NFLOG_TYPE_MAX;
        uint32_t length = number16(little, tlv);
        if (length < NFLOG_TLV_OCTETS)
            return iw_packet_end(IW_PACKET_MALFORMED);
        if (number16(little, tlv + 2) == NFLOG_PAYLOAD)
            return iw_packet_go(IW_LAYER_IP, 0);
        length = (length + 3) / 4 * 4 - NFLOG_TLV_OCTETS;
        if (!iw_packet_take(&walk->view, length))
            return iw_packet_missing(&walk->view, length);
    }
}

/* ---- IPoIB ---- */

enum { IPOIB_GRH_OCTETS = 40, IPOIB_OCTETS = IPOIB_GRH_OCTETS + 4 };

/* IPoIB header (RFC 4391 6), after a Global Routing Header. */
static struct iw_packet_next read_ipoib(struct iw_packet_walk *walk) {
    const uint8_t *header = iw_packet_take(&walk->view, IPOIB_OCTETS);
    if (!header)
        return iw_packet_missing(&walk->view, IPOIB_OCTETS);
    return iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_16(header + IPOIB_GRH_OCTETS));
}

struct iw_packet_next iw_link_read(struct iw_packet_walk *walk, enum iw_link link) {
    switch (link) {
    case IW_LINK_PPP:
        return read_ppp(walk);
    case IW_LINK_PPP_DIRECTION:
        return read_ppp_after(walk, 1);
    case IW_LINK_PPP_PPPD:
        return read_ppp_after(walk, 2);
    case IW_LINK_PPPOE:
        return iw_tunnel_pppoe(walk);
    case IW_LINK_HDLC:
        return read_hdlc(walk);
    case IW_LINK_FRAME_RELAY:
        return read_frame_relay(walk);
    case IW_LINK_NFLOG:
        return read_nflog(walk);
    case IW_LINK_IPOIB:
        return read_ipoib(walk);
    case IW_LINK_80211:
        return iw_link_80211(walk, 0);
    case IW_LINK_RADIOTAP:
        return iw_link_radiotap(walk);
    case IW_LINK_ETHERNET:
    case IW_LINK_SLL:
    case IW_LINK_SLL2:
    case IW_LINK_LOOPBACK:
    case IW_LINK_IP:
        break;
    }
    return iw_packet_other(walk, IW_CONTENT_LINK, 0);
}
