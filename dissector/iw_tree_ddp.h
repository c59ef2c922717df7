#ifndef IW_TREE_DDP_H
#define IW_TREE_DDP_H

#include "iw_pdu.h"

/* Adds the DDP header, which must be complete (RFC 5041 4). */
void iw_tree_ddp(struct iw_pdu *pdu);

#endif
