#ifndef IW_LINK_H
#define IW_LINK_H

#include "iw_packet_walk.h"

/* Reads link headers other than Ethernet and Linux cooked: PPP, HDLC, Frame Relay, IEEE 802.11, NFLOG, IPoIB.
 * Returns what follows the link header. */
struct iw_packet_next iw_link_read(struct iw_packet_walk *walk, enum iw_link link);

#endif
