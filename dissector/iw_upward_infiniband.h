#ifndef IW_UPWARD_INFINIBAND_H
#define IW_UPWARD_INFINIBAND_H

#include "iw_upward_call.h"

/* iSER and NVMe over RDMA: Wireshark has their dissectors for InfiniBand only. They are called as there, with
 * the TCP connection in the place of the queue pairs. */

/* Finds what they need; once, after all dissectors have been registered. */
void iw_upward_infiniband_handoff(void);

/* Hands over a whole Send. */
void iw_upward_infiniband_send(const struct iw_upward_pdu *above);

/* Hands over to NVMe a Read Request, or the whole Write or Read Response that the segment completes. */
void iw_upward_infiniband_tagged(const struct iw_upward_pdu *above);

#endif
