#ifndef IW_LINK_TYPE_H
#define IW_LINK_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_packet.h"

/* Link types as capture files number them: LINKTYPE_... */

/* False: packets of that type are not read. */
bool iw_link_type_find(uint32_t type, enum iw_link *link);

/* False: no packet of that type has IP in it. True for a type that is not known. */
bool iw_link_type_may_carry_ip(uint16_t type);

/* The number to write for a link. */
uint16_t iw_link_type_of(enum iw_link link);

#endif
