#ifndef IW_ULP_CALL_H
#define IW_ULP_CALL_H

#include "iw_pdu.h"
#include "iw_ulp.h"

/* Calls Wireshark's own dissectors of what is above RDMAP. Only the one whose protocol the connection has is
 * called, so none takes for its own what is not. What it throws is shown as Wireshark shows it, and ends
 * there. */

/* An FPDU on its way up. */
struct iw_ulp_pdu {
    struct iw_pdu *pdu;
    proto_tree *root; /* where protocols go */
    struct iw_ulp *upward;
    uint32_t number;     /* see struct iw_ulp_note */
    tvbuff_t *message;   /* the message that the segment is or completes, or NULL */
    tvbuff_t *segment;   /* the payload of the segment, or NULL if it has none */
    uint64_t to;         /* tagged: the TO at which the message begins */
    GSList **proto_data; /* see struct iw_ulp_note; NULL if the frame has no other FPDU */
};

/* Finds the dissectors; once, after all have been registered. */
void iw_ulp_call_handoff(void);

/* The octets of a Send; false if none were captured. */
bool iw_ulp_octets(tvbuff_t *send, struct iw_ulp_message *message);

/* Hands over a whole Send. */
void iw_ulp_call_send(const struct iw_ulp_pdu *above);

/* Hands over a segment of a Write or a Read Response, or a Read Request. */
void iw_ulp_call_tagged(const struct iw_ulp_pdu *above);

/* Calls the protocol's dissector with `info`, which is what the list expects that it is registered in.
 * Returns false if it does not want the octets, or is turned off. */
bool iw_ulp_call(const struct iw_ulp_pdu *above, tvbuff_t *tvb, port_type ptype, void *info);

#endif
