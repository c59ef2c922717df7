#ifndef PACKET_IWARP_PM_H
#define PACKET_IWARP_PM_H

/* The iWARP Port Mapper: called by Wireshark while it starts, in this order. */
void proto_register_iwarp_pm(void);
void proto_reg_handoff_iwarp_pm(void);

#endif
