#ifndef PACKET_IWARP_H
#define PACKET_IWARP_H

/* Called by Wireshark while it starts, in this order. */
void proto_register_iwarp(void);
void proto_reg_handoff_iwarp(void);

#endif
