#ifndef IW_INFO_H
#define IW_INFO_H

#include "iw_pdu.h"

/* One line about the item, for the Info column and the tree: "RDMA Write  0x00001234+0x1000 len 4096". It
 * lives as long as the packet is shown. */
const char *iw_info_text(const struct iw_pdu *pdu);

/* Writes enhanced data for the Info column: " A=1 B=1 C=0 D=0 IRD 16 ORD 16". */
const char *iw_info_enhanced(wmem_allocator_t *pool, const struct iw_mpa_enhanced *enhanced);

/* Writes the text of the Info column, with the findings of the item before it: "[RFC5041-4.3-08: MSN is 3,
 * expected 2] Send MSN 3 len 5". `text` is the result of iw_info_text. */
const char *iw_info_with_findings(const struct iw_pdu *pdu, const char *text);

#endif
