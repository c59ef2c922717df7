#pragma once

#include "iw_packet.h"

/* Link types of capture files: the LINKTYPE_ numbers of libpcap. */

/* Finds the link of a LINKTYPE_ number. Returns false if the program cannot read packets of this type. */
bool iw_link_type_find(uint32_t type, enum iw_link *link);

/* Whether packets of this link type may carry IP; true for an unknown type. */
bool iw_link_type_may_carry_ip(uint16_t type);

/* Returns the LINKTYPE_ number to write to a file for a link. */
uint16_t iw_link_type_of(enum iw_link link);
