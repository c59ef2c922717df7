#ifndef IW_LINK_80211_H
#define IW_LINK_80211_H

#include "iw_packet_walk.h"

/* Reads unencrypted frames of IEEE 802.11 that carry one complete packet: no fragments, no A-MSDU. */

enum iw_link_80211_flag {
    IW_LINK_80211_PADDED = 1 << 0, /* the header is padded to a multiple of 4 octets */
};

/* Reads the 802.11 header; `flags` is a set of enum iw_link_80211_flag. */
struct iw_packet_next iw_link_80211(struct iw_packet_walk *walk, unsigned flags);

/* Reads a radiotap header (https://www.radiotap.org) and the 802.11 header after it. Ignores a frame with a
 * wrong frame check sequence, as receivers do. */
struct iw_packet_next iw_link_radiotap(struct iw_packet_walk *walk);

#endif
