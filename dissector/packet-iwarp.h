#pragma once

#include "iw_epan.h"

#include "iw_packet.h"

/* Wireshark calls these functions when it starts, in this order. */
void proto_register_iwarp(void);
void proto_reg_handoff_iwarp(void);

/* Decodes what follows the IP header, as `warpcheck check` does. Returns its kind, and sets *segment for
 * IW_PACKET_TCP and IW_PACKET_SCTP. A packet in an ICMP error is IW_PACKET_OTHER. `protocol`: see iw_ip.h. */
enum iw_packet_kind iwarp_take_packet(
    tvbuff_t *tvb, packet_info *pinfo, uint8_t protocol, struct iw_tcp_segment *segment);

/* ---- packet-iwarp-sctp.c ---- */

/* DDP over SCTP (RFC 5043, RFC 6581 7). Wireshark calls these functions in this order, after
 * proto_reg_handoff_iwarp. */
void proto_register_iwarp_sctp(void);
void proto_reg_handoff_iwarp_sctp(void);

/* ---- packet-iwarp-pm.c ---- */

/* The iWARP Port Mapper. Wireshark calls these functions when it starts, in this order. */
void proto_register_iwarp_pm(void);
void proto_reg_handoff_iwarp_pm(void);

/* ---- iw_plugin.c ---- */

/* Registers the protocols of the plugin. Wireshark calls this function when it loads the plugin. */
WS_DLL_PUBLIC void plugin_register(void);

/* Tells Wireshark that the plugin is a dissector. */
WS_DLL_PUBLIC uint32_t plugin_describe(void);
