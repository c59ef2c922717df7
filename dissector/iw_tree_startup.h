#ifndef IW_TREE_STARTUP_H
#define IW_TREE_STARTUP_H

#include "iw_pdu.h"

/* Adds a link to the other startup frame and the negotiated parameters (RFC 5044 7.1.1, RFC 6581 9). The
 * earlier frame has them only after the first pass. */
void iw_tree_startup(const struct iw_pdu *pdu, proto_tree *tree);

#endif
