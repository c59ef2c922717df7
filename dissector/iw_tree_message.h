#ifndef IW_TREE_MESSAGE_H
#define IW_TREE_MESSAGE_H

#include "iw_pdu.h"

/* Adds the frames in which the segment's message begins and ends, and at its last segment the length. */
void iw_tree_message(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds links between request and response, times, the number of outstanding requests, and the result of an
 * Atomic Operation. */
void iw_tree_operation(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds the known history of the STags that the segment names. */
void iw_tree_stags(const struct iw_pdu *pdu);

#endif
