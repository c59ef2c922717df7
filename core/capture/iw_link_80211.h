#ifndef IW_LINK_80211_H
#define IW_LINK_80211_H

#include "iw_packet_walk.h"

/* Frames of IEEE 802.11 that are not encrypted, each with a whole packet in it: no fragments, no A-MSDU. */

enum iw_link_80211_flag {
    IW_LINK_80211_PADDED = 1 << 0, /* the header is padded to a multiple of 4 octets */
};

/* Reads the header; `flags` is a set of enum iw_link_80211_flag. */
struct iw_packet_next iw_link_80211(struct iw_packet_walk *walk, unsigned flags);

/* The same after a radiotap header (https://www.radiotap.org). A frame with a wrong check sequence, which no
 * receiver takes, is left out. */
struct iw_packet_next iw_link_radiotap(struct iw_packet_walk *walk);

#endif
