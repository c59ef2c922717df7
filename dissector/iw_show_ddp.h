#ifndef IW_SHOW_DDP_H
#define IW_SHOW_DDP_H

#include "iw_pdu.h"

/* Adds the DDP header of an FPDU that has a whole one (RFC 5041 4). */
void iw_show_ddp(struct iw_pdu *pdu);

#endif
