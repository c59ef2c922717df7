#pragma once

#include "iw_pdu.h"
#include "iw_ulp.h"

/* Calls Wireshark's dissector of the connection's ULP. Calls no other dissector, which might misinterpret the
 * data. Catches its exceptions and shows them as Wireshark does. */

/* An FPDU for the dissector of the ULP. */
struct iw_ulp_pdu {
    struct iw_pdu *pdu;
    proto_tree *root; /* tree of the frame */
    struct iw_ulp *ulp;
    uint32_t number;     /* as in struct iw_ulp_note */
    tvbuff_t *message;   /* the message that the segment completes, or NULL */
    uint64_t to;         /* if tagged: TO at which the message begins */
    GSList **proto_data; /* as in struct iw_ulp_note; NULL: use the data of the frame */
};

/* Finds the dissectors. Call this function once, after all dissectors were registered. */
void iw_ulp_call_handoff(void);

/* Dissects a complete Send; for RPC, also a Read Request and each segment of a Write or Read Response; for
 * NVMe, also see iw_ulp_infiniband_tagged. */
void iw_ulp_call_fpdu(const struct iw_ulp_pdu *above);

/* Calls the ULP's dissector, if Wireshark has it. The type of `info` depends on the dissector. */
void iw_ulp_call(const struct iw_ulp_pdu *above, tvbuff_t *tvb, port_type ptype, void *info);

/* ---- iw_ulp_infiniband.c ---- */

/* Wireshark's dissectors of iSER and NVMe over RDMA expect InfiniBand. These functions call them with the
 * addresses and ports of TCP in place of queue pairs. */

/* Finds Wireshark's protocol InfiniBand. Call this function once, after all dissectors were registered. */
void iw_ulp_infiniband_handoff(void);

/* Dissects a complete Send. */
void iw_ulp_infiniband_send(const struct iw_ulp_pdu *above);

/* Dissects a Read Request of NVMe, or the whole Write or Read Response that the segment completes. */
void iw_ulp_infiniband_tagged(const struct iw_ulp_pdu *above);
