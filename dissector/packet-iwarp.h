#ifndef PACKET_IWARP_H
#define PACKET_IWARP_H

#include "iw_epan.h"

#include "iw_tcp_segment.h"

/* Called by Wireshark while it starts, in this order. */
void proto_register_iwarp(void);
void proto_reg_handoff_iwarp(void);

/* The octets of an IPv4 or IPv6 address into `taken`, which is all zero. Returns false for others. */
bool iwarp_take_address(struct iw_tcp_address *taken, const address *from);

#endif
