#ifndef IW_INTERNET_H
#define IW_INTERNET_H

#include "iw_packet_walk.h"

/* The headers of IP. Each step takes its header and says what follows. */

/* RFC 791 3.1. The segment gets the addresses. A fragment ends the way: see struct iw_fragment. */
struct iw_packet_next iw_internet_ipv4(struct iw_packet_walk *walk);
/* RFC 8200 3 */
struct iw_packet_next iw_internet_ipv6(struct iw_packet_walk *walk);

/* What `protocol` of an IP header announces: an extension header of IPv6 (RFC 8200 4), an Authentication
 * Header, which is stepped over (RFC 4302), a tunnel, or a transport. */
struct iw_packet_next iw_internet_protocol(struct iw_packet_walk *walk, uint8_t protocol);

#endif
