#ifndef PACKET_IWARP_H
#define PACKET_IWARP_H

#include "iw_epan.h"

#include "iw_packet.h"

/* Wireshark calls these at startup, in this order. */
void proto_register_iwarp(void);
void proto_reg_handoff_iwarp(void);

/* Decodes what follows the IP header, as `warpcheck check` does: sets `segment` for IW_PACKET_TCP and
 * IW_PACKET_SCTP. A packet quoted in an ICMP error is IW_PACKET_OTHER. `protocol` is the IP protocol
 * (iw_ip.h). */
enum iw_packet_kind iwarp_take_packet(
    tvbuff_t *tvb, packet_info *pinfo, uint8_t protocol, struct iw_tcp_segment *segment);

#endif
