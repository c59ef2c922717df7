#ifndef IW_TREE_RDMAP_H
#define IW_TREE_RDMAP_H

#include "iw_pdu.h"

/* Adds what a segment with a whole DDP header has of RDMAP: the control octet, the Invalidate STag, the
 * header of its opcode, links between requests and answers, and the payload (RFC 5040 4, RFC 7306,
 * draft-talpey-rdma-commit-01). */
void iw_tree_rdmap(struct iw_pdu *pdu);

#endif
