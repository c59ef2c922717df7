#ifndef IW_ULP_INFINIBAND_H
#define IW_ULP_INFINIBAND_H

#include "iw_ulp_call.h"

/* iSER and NVMe over RDMA: Wireshark's dissectors of these expect InfiniBand. Calls them with the TCP
 * connection in place of the queue pairs. */

/* Finds the protocol InfiniBand. Call once, after all dissectors have been registered. */
void iw_ulp_infiniband_handoff(void);

/* Dissects a whole Send. */
void iw_ulp_infiniband_send(const struct iw_ulp_pdu *above);

/* NVMe: dissects a Read Request, or the whole Write or Read Response that the segment completes. */
void iw_ulp_infiniband_tagged(const struct iw_ulp_pdu *above);

#endif
