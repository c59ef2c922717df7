#ifndef IW_ULP_H
#define IW_ULP_H

#include "iw_message_store.h"
#include "iw_pdu.h"
#include "iw_ulp_identify.h"

/* The upper layer protocol (ULP) of a connection. The first pass reassembles messages of several segments
 * (iw_message_store.h) and identifies the protocol (iw_ulp_identify.h). Every pass shows the messages and
 * calls Wireshark's own dissector of the protocol. */

/* One connection. */
struct iw_ulp {
    enum iw_ulp_protocol protocol;
    uint32_t known_since; /* frame in which it was identified */
    bool initiator_known;
    enum iw_side initiator;
    unsigned sends;   /* number of Sends examined while the protocol is unknown */
    unsigned numbers; /* number of Writes numbered so far; see struct iw_ulp_note */
    uint8_t private_data[512];
    unsigned private_octets; /* of the Request, after the enhanced data */
    bool conversations;      /* Wireshark's conversation for the ULP exists */
    struct iw_message_store *messages;
};

/* Data that only few FPDUs have. */
struct iw_ulp_note {
    GSList *proto_data; /* RPC: its dissector's per-frame data of this FPDU, if the frame has several items */
    uint32_t number;    /* NVMe: number of a Write, or of a Read Request and its response */
};

/* Call when a file is opened or closed. */
void iw_ulp_open(void);
void iw_ulp_close(void);

/* Processes an event of `flow` and the item made of it. First pass only. */
void iw_ulp_event(struct iw_stored_flow *flow, const struct iw_monitor_event *event, struct iw_item *item);

/* True if the connection's ULP is known: its dissector needs all FPDUs in every pass. */
bool iw_ulp_known(const struct iw_item *item);

/* Shows the message of an FPDU with a complete DDP header, and its ULP below `root`. */
void iw_ulp_fpdu(struct iw_pdu *pdu, proto_tree *root);

/* The port of the connection's responder; 0 if unknown. */
uint16_t iw_ulp_port(const struct iw_stored_flow *flow);

#endif
