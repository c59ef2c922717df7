#ifndef IW_TREE_TERMINATE_H
#define IW_TREE_TERMINATE_H

#include "iw_pdu.h"

/* What the error of a Terminate Header is called: "DDP, Tagged Buffer Error, Invalid STag". Its header is
 * whole. In the pool of the frame. */
const char *iw_tree_terminate_text(const struct iw_pdu *pdu);

/* Appends their names to EType and Error Code, and adds hidden fields for filters. A name depends on the
 * fields before it. */
void iw_tree_terminate_names(struct iw_pdu *pdu, proto_tree *tree);

/* Adds what follows the Terminate Header, which stands at octet `at` of the image: DDP Segment Length and the
 * headers of the segment that was at fault (RFC 5040 4.8). Returns false, with nothing added, if the FPDU is
 * no Terminate or has no whole Terminate Header. */
bool iw_tree_terminate_included(struct iw_pdu *pdu, proto_tree *tree, unsigned at);

#endif
