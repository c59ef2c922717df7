#ifndef PACKET_IWARP_H
#define PACKET_IWARP_H

#include "iw_epan.h"

#include "iw_packet.h"

/* Called by Wireshark while it starts, in this order. */
void proto_register_iwarp(void);
void proto_reg_handoff_iwarp(void);

/* What stands behind the IP header as iw_packet_decode finds it in a capture: `segment` is filled in for
 * IW_PACKET_TCP and IW_PACKET_SCTP. What an error message of ICMP cites is IW_PACKET_OTHER. `protocol` is
 * that of IP (iw_ip.h). */
enum iw_packet_kind iwarp_take_packet(
    tvbuff_t *tvb, packet_info *pinfo, uint8_t protocol, struct iw_tcp_segment *segment);

#endif
