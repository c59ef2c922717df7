#ifndef IW_ULP_INFINIBAND_H
#define IW_ULP_INFINIBAND_H

#include "iw_ulp_call.h"

/* iSER and NVMe over RDMA: Wireshark has their dissectors for InfiniBand only. They are called as there, with
 * the TCP connection in the place of the queue pairs. */

/* Finds what they need; once, after all dissectors have been registered. */
void iw_ulp_infiniband_handoff(void);

/* Hands over a whole Send. */
void iw_ulp_infiniband_send(const struct iw_ulp_pdu *above);

/* Hands over to NVMe a Read Request, or the whole Write or Read Response that the segment completes. */
void iw_ulp_infiniband_tagged(const struct iw_ulp_pdu *above);

#endif
