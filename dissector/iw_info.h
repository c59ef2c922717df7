#ifndef IW_INFO_H
#define IW_INFO_H

#include "iw_pdu.h"

/* One line about the item, for the Info column and the tree: "RDMA Write  0x00001234+0x1000 len 4096".
 * Allocated in the packet scope. */
const char *iw_info_text(const struct iw_pdu *pdu);

/* Enhanced data for the Info column: " A=1 B=1 C=0 D=0 IRD 16 ORD 16". */
const char *iw_info_enhanced(wmem_allocator_t *pool, const struct iw_mpa_enhanced *enhanced);

/* Text of the Info column: the item's findings, then `text`, the result of iw_info_text: "[RFC5041-4.3-08:
 * MSN is 3, expected 2] Send MSN 3 len 5". */
const char *iw_info_with_findings(const struct iw_pdu *pdu, const char *text);

#endif
