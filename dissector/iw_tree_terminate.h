#ifndef IW_TREE_TERMINATE_H
#define IW_TREE_TERMINATE_H

#include "iw_pdu.h"

/* The name of a Terminate's error: "DDP, Tagged Buffer Error, Invalid STag". The Terminate Header must be
 * complete. Allocated in the packet scope. */
const char *iw_tree_terminate_text(const struct iw_pdu *pdu);

/* Appends the names of EType and Error Code, which depend on the fields before them, and adds hidden fields
 * for filters. */
void iw_tree_terminate_names(struct iw_pdu *pdu, proto_tree *tree);

/* Adds what follows the Terminate Header at octet `at` of the image: DDP Segment Length and the headers
 * of the segment at fault (RFC 5040 4.8). Returns false and adds nothing without a complete Terminate
 * Header. */
bool iw_tree_terminate_included(struct iw_pdu *pdu, proto_tree *tree, unsigned at);

#endif
