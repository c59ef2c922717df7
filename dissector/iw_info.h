#ifndef IW_INFO_H
#define IW_INFO_H

#include "iw_pdu.h"

/* One line about the item, for the Info column and the tree: "RDMA Write  0x00001234+0x1000 len 4096". It
 * lives as long as the packet is shown. */
const char *iw_info_text(const struct iw_pdu *pdu);

#endif
