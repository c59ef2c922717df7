#ifndef IW_LINK_TYPE_H
#define IW_LINK_TYPE_H

#include "iw_packet.h"

/* Link types of capture files: the LINKTYPE_ numbers of libpcap. */

/* Finds the link layer for a LINKTYPE_ number. Returns false if packets of this type are not read. */
bool iw_link_type_find(uint32_t type, enum iw_link *link);

/* Whether packets of this link type may carry IP; true for an unknown type. */
bool iw_link_type_may_carry_ip(uint16_t type);

/* The link type number to write for a link. */
uint16_t iw_link_type_of(enum iw_link link);

#endif
