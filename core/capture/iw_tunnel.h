#ifndef IW_TUNNEL_H
#define IW_TUNNEL_H

#include "iw_packet_walk.h"

/* Reads tunnel headers. Each step reads one header, adds its identifier to the scope, and returns what
 * follows: IW_PACKET_CUT for a truncated header, IW_PACKET_MALFORMED for one that contradicts itself. */

/* A stack of MPLS labels (RFC 3032 2.1). No field says what follows the last label: see iw_tunnel_link.c. */
struct iw_packet_next iw_tunnel_mpls(struct iw_packet_walk *walk);
/* A PPPoE session (RFC 2516 4), and PPP (RFC 1661 2). */
struct iw_packet_next iw_tunnel_pppoe(struct iw_packet_walk *walk);
struct iw_packet_next iw_tunnel_ppp(struct iw_packet_walk *walk);

/* GRE version 0 (RFC 2784, RFC 2890, with the routing of RFC 1701) and version 1 (RFC 2637), and ERSPAN
 * inside GRE. */
struct iw_packet_next iw_tunnel_gre(struct iw_packet_walk *walk);

/* UDP. Its ports identify the tunnels VXLAN, VXLAN-GPE, Geneve, GTP-U, MPLS and GRE, SCTP (RFC 6951), and
 * contents that are named but not read. */
struct iw_packet_next iw_tunnel_udp(struct iw_packet_walk *walk);

/* True if UDP with these ports is read as a tunnel or as SCTP. */
bool iw_tunnel_is_port(uint16_t source, uint16_t destination);

#endif
