#ifndef IW_PRIVATE_DATA_H
#define IW_PRIVATE_DATA_H

#include "iw_pdu.h"

/* The private data after the enhanced data of a startup frame: of RPC-over-RDMA (RFC 8797), NVMe over RDMA,
 * iSER or SMB Direct. Over iWARP, they begin without a header of the connection manager. */

/* Adds `octets` octets from octet `at` of the image on, and their fields if their format is recognised. */
void iw_private_data_show(struct iw_pdu *pdu, proto_tree *tree, unsigned at, unsigned octets);

#endif
