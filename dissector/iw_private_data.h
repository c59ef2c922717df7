#ifndef IW_PRIVATE_DATA_H
#define IW_PRIVATE_DATA_H

#include "iw_pdu.h"

/* The private data of a startup frame behind the enhanced data, for what they are: of RPC-over-RDMA
 * (RFC 8797), NVMe over RDMA, iSER or SMB Direct. There is no header in front of them: over iWARP the
 * connection manager adds none. */

/* Adds the `octets` octets from octet `at` of the image on, and below them their fields if it is known whose
 * they are. */
void iw_private_data_show(struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets);

#endif
