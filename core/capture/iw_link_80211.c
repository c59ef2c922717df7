#include "iw_packet_walk.h"

/* Frame Control (IEEE 802.11 9.2.4.1): bits of its first octet, then bits of its second octet. */
enum { VERSION_AND_TYPE = 0x0f, DATA = 0x08, WITHOUT_DATA = 0x40, QOS = 0x80 };
enum { TO_AND_FROM_DS = 0x03, MORE_FRAGMENTS = 0x04, PROTECTED = 0x40, ORDER = 0x80 };

enum {
    HEADER_OCTETS = 24,
    SEQUENCE_AT = 22,
    FRAGMENT_NUMBER = 0x0f,
    ADDRESS_OCTETS = 6,
    QOS_OCTETS = 2,
    QOS_A_MSDU = 0x80,
    HT_CONTROL_OCTETS = 4,
};

static bool link_80211_is_plain_data(const uint8_t *header) {
    return (header[0] & VERSION_AND_TYPE) == DATA && !(header[0] & WITHOUT_DATA) &&
           !(header[1] & (MORE_FRAGMENTS | PROTECTED)) && !(header[SEQUENCE_AT] & FRAGMENT_NUMBER);
}

static uint32_t link_80211_qos_at(const uint8_t *header) {
    return HEADER_OCTETS + ((header[1] & TO_AND_FROM_DS) == TO_AND_FROM_DS ? ADDRESS_OCTETS : 0);
}

static uint32_t link_80211_wlan_header_octets(const uint8_t *header) {
    if (!(header[0] & QOS))
        return link_80211_qos_at(header);
    return link_80211_qos_at(header) + QOS_OCTETS + (header[1] & ORDER ? HT_CONTROL_OCTETS : 0);
}

/* Reads LLC with SNAP (RFC 1042), which ends with an Ethernet type. */
static struct iw_packet_next link_80211_read_snap(struct iw_packet_walk *walk) {
    const uint8_t *header = iw_packet_take(&walk->view, IW_PACKET_SNAP_OCTETS);

    if (!header)
        return iw_packet_missing(&walk->view, IW_PACKET_SNAP_OCTETS);
    if (!iw_packet_is_snap(header))
        return iw_packet_other(walk, IW_CONTENT_LINK, 0);
    return iw_packet_go(IW_LAYER_ETHERTYPE, iw_packet_snap_type(header));
}

/* `padded`: the 802.11 header is padded to a multiple of 4 octets. */
static struct iw_packet_next link_80211_read(struct iw_packet_walk *walk, bool padded) {
    const uint8_t *header = walk->view.at;
    uint32_t octets;

    if (walk->view.captured < HEADER_OCTETS)
        return iw_packet_missing(&walk->view, HEADER_OCTETS);
    if (!link_80211_is_plain_data(header))
        return iw_packet_other(walk, header[1] & PROTECTED ? IW_CONTENT_WIRELESS : IW_CONTENT_LINK, 0);
    octets = link_80211_wlan_header_octets(header);
    if (padded)
        octets = (octets + 3) / 4 * 4;
    if (!iw_packet_take(&walk->view, octets))
        return iw_packet_missing(&walk->view, octets);
    if ((header[0] & QOS) && (header[link_80211_qos_at(header)] & QOS_A_MSDU))
        return iw_packet_other(walk, IW_CONTENT_LINK, 0);
    return link_80211_read_snap(walk);
}

struct iw_packet_next iw_link_80211(struct iw_packet_walk *walk, const uint8_t *at) {
    (void)at;
    return link_80211_read(walk, false);
}

enum {
    PRESENT_TIME = 1 << 0,  /* 8 octets, aligned to 8 (TSFT) */
    PRESENT_FLAGS = 1 << 1, /* 1 octet */
    MORE_PRESENT = 1 << 7,  /* in the last octet of a presence word: another word follows */
    FLAG_PADDED = 0x20,
    FLAG_BAD_CHECK = 0x40,
};

/* Returns the field Flags of a radiotap header of `octets` octets; 0 if it is absent. */
static uint8_t link_80211_radiotap_flags(const uint8_t *header, uint32_t octets) {
    uint32_t at = IW_RADIOTAP_OCTETS;

    if (!(header[4] & PRESENT_FLAGS))
        return 0;
    while (at + 4 <= octets && header[at - 1] & MORE_PRESENT)
        at += 4;
    if (header[4] & PRESENT_TIME)
        at = (at + 7) / 8 * 8 + 8;
    return at < octets ? header[at] : 0;
}

struct iw_packet_next iw_link_radiotap(struct iw_packet_walk *walk, const uint8_t *at) {
    uint32_t octets = (uint32_t)at[3] << 8 | at[2], more = octets - IW_RADIOTAP_OCTETS;
    uint8_t flags;

    if (at[0] != 0 || octets < IW_RADIOTAP_OCTETS)
        return iw_packet_other(walk, IW_CONTENT_LINK, 0);
    if (!iw_packet_take(&walk->view, more))
        return iw_packet_missing(&walk->view, more);
    flags = link_80211_radiotap_flags(at, octets);
    if (flags & FLAG_BAD_CHECK)
        return iw_packet_other(walk, IW_CONTENT_LINK, 0);
    return link_80211_read(walk, flags & FLAG_PADDED);
}
