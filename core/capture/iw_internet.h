#ifndef IW_INTERNET_H
#define IW_INTERNET_H

#include "iw_packet_walk.h"

/* Reads IP headers. Each step reads one header and returns what follows it. */

/* IPv4 (RFC 791 3.1). Writes the addresses to the segment. A fragment ends the walk: see struct
 * iw_fragment. */
struct iw_packet_next iw_internet_ipv4(struct iw_packet_walk *walk);
/* RFC 8200 3 */
struct iw_packet_next iw_internet_ipv6(struct iw_packet_walk *walk);

/* Handles what follows an IP header by its `protocol`: an IPv6 extension header (RFC 8200 4), an
 * Authentication Header (RFC 4302), which is skipped, a tunnel, or a transport. */
struct iw_packet_next iw_internet_protocol(struct iw_packet_walk *walk, uint8_t protocol);

#endif
