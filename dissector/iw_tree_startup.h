#ifndef IW_TREE_STARTUP_H
#define IW_TREE_STARTUP_H

#include "iw_pdu.h"

/* Adds the other startup frame and what both of them have settled (RFC 5044 7.1.1, RFC 6581 9), as far as it
 * is known: in the frame that comes first only when the file is gone through again. */
void iw_tree_startup(const struct iw_pdu *pdu, proto_tree *tree);

#endif
