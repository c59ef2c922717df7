#ifndef IW_LINK_H
#define IW_LINK_H

#include "iw_packet_walk.h"

/* Link headers beside those of Ethernet and its like: PPP, HDLC, Frame Relay, IEEE 802.11, NFLOG, IPoIB.
 * Reads the header of the link and says what follows. */
struct iw_packet_next iw_link_read(struct iw_packet_walk *walk, enum iw_link link);

#endif
