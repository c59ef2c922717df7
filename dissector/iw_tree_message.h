#ifndef IW_TREE_MESSAGE_H
#define IW_TREE_MESSAGE_H

#include "iw_pdu.h"

/* Adds what is known of the message that the segment belongs to: where it begins and ends, and with its last
 * segment how long it is. */
void iw_tree_message(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds the request or the answer that belongs to it, with times and the number of requests that wait, and
 * what an Atomic Operation has done. */
void iw_tree_operation(const struct iw_pdu *pdu, proto_tree *tree);

/* Adds to the STags that the segment names what is known of them. */
void iw_tree_stags(const struct iw_pdu *pdu);

#endif
