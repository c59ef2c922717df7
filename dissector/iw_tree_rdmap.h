#ifndef IW_TREE_RDMAP_H
#define IW_TREE_RDMAP_H

#include "iw_pdu.h"

/* Adds the RDMAP part of a segment with a complete DDP header: the control octet, the Invalidate STag, the
 * header of its opcode, links between request and response, and the payload (RFC 5040 4, RFC 7306, draft-
 * talpey-rdma-commit-01). */
void iw_tree_rdmap(struct iw_pdu *pdu);

#endif
