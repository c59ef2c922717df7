#ifndef PACKET_IWARP_SCTP_H
#define PACKET_IWARP_SCTP_H

/* DDP over SCTP (RFC 5043, RFC 6581 7). Wireshark calls these at startup in this order, after those of
 * packet-iwarp.h. */
void proto_register_iwarp_sctp(void);
void proto_reg_handoff_iwarp_sctp(void);

#endif
