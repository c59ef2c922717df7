#ifndef IW_ULP_CALL_H
#define IW_ULP_CALL_H

#include "iw_pdu.h"
#include "iw_ulp.h"

/* Calls Wireshark's own dissector of the connection's ULP, and only that one, so that no other
 * misinterprets the data. Exceptions that it throws are caught and shown as Wireshark shows them. */

/* An FPDU for the ULP. */
struct iw_ulp_pdu {
    struct iw_pdu *pdu;
    proto_tree *root; /* tree of the frame */
    struct iw_ulp *ulp;
    uint32_t number;     /* see struct iw_ulp_note */
    tvbuff_t *message;   /* the message that the segment completes, or NULL */
    uint64_t to;         /* tagged: the TO at which the message begins */
    GSList **proto_data; /* see struct iw_ulp_note; NULL if the frame has one item */
};

/* Finds the dissectors. Call once, after all have been registered. */
void iw_ulp_call_handoff(void);

/* Dissects a whole Send. RPC: also a Read Request, or a segment of a Write or Read Response. NVMe: as
 * iw_ulp_infiniband_tagged. */
void iw_ulp_call_fpdu(const struct iw_ulp_pdu *above);

/* Calls the ULP's dissector, if Wireshark has it. `info` has the type that its heuristic list expects; it is
 * passed as `data`. */
void iw_ulp_call(const struct iw_ulp_pdu *above, tvbuff_t *tvb, port_type ptype, void *info);

/* ---- iw_ulp_infiniband.c ---- */

/* iSER and NVMe over RDMA: Wireshark's dissectors of these expect InfiniBand. Calls them with the TCP
 * connection in place of the queue pairs. */

/* Finds the protocol InfiniBand. Call once, after all dissectors have been registered. */
void iw_ulp_infiniband_handoff(void);

/* Dissects a whole Send. */
void iw_ulp_infiniband_send(const struct iw_ulp_pdu *above);

/* NVMe: dissects a Read Request, or the whole Write or Read Response that the segment completes. */
void iw_ulp_infiniband_tagged(const struct iw_ulp_pdu *above);

#endif
