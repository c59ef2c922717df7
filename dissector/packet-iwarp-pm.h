#ifndef PACKET_IWARP_PM_H
#define PACKET_IWARP_PM_H

/* The iWARP Port Mapper. Wireshark calls these functions at startup, in this order. */
void proto_register_iwarp_pm(void);
void proto_reg_handoff_iwarp_pm(void);

#endif
