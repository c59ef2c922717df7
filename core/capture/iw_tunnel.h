#ifndef IW_TUNNEL_H
#define IW_TUNNEL_H

#include "iw_packet_walk.h"

/* Headers of tunnels. Each step takes its header, marks the scope of what is inside, and says what follows;
 * IW_PACKET_CUT and IW_PACKET_MALFORMED are said of a header that is not whole or contradicts itself. */

/* A stack of MPLS labels (RFC 3032 2.1). What follows the last says no number: see iw_tunnel_link.c. */
struct iw_packet_next iw_tunnel_mpls(struct iw_packet_walk *walk);
/* A PPPoE session (RFC 2516 4), and PPP (RFC 1661 2). */
struct iw_packet_next iw_tunnel_pppoe(struct iw_packet_walk *walk);
struct iw_packet_next iw_tunnel_ppp(struct iw_packet_walk *walk);

/* GRE, versions 0 (RFC 2784, RFC 2890, with the routing of RFC 1701) and 1 (RFC 2637), and in it ERSPAN. */
struct iw_packet_next iw_tunnel_gre(struct iw_packet_walk *walk);

/* UDP: by its ports the tunnels VXLAN, VXLAN-GPE, Geneve, GTP-U, MPLS and GRE, SCTP (RFC 6951), and what
 * is named but not read. */
struct iw_packet_next iw_tunnel_udp(struct iw_packet_walk *walk);

/* True if packets of UDP with these ports are read as a tunnel's, or as SCTP's. */
bool iw_tunnel_is_port(uint16_t source, uint16_t destination);

#endif
