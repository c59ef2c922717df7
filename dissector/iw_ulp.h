#pragma once

#include "iw_message_store.h"
#include "iw_pdu.h"
#include "iw_ulp_identify.h"

/* The upper layer protocol (ULP) of a connection. The first pass identifies the protocol (iw_ulp_identify.h)
 * and reassembles messages of several segments (iw_message_store.h). Every pass shows these messages and
 * calls Wireshark's dissector of the protocol. */

/* The ULP of one connection. */
struct iw_ulp {
    enum iw_ulp_protocol protocol;
    uint32_t known_since; /* frame in which it was identified */
    bool initiator_known;
    enum iw_side initiator;
    unsigned sends;   /* number of Sends examined to identify the protocol */
    unsigned numbers; /* number of Writes with a number (struct iw_ulp_note) */
    uint8_t private_data[512];
    unsigned private_octets; /* octets of private data in the Request, after the enhanced data */
    bool conversations;      /* Wireshark's conversation for the ULP exists */
    struct iw_message_store *messages;
};

/* Data for the ULP that only few FPDUs have. */
struct iw_ulp_note {
    GSList *proto_data; /* RPC: per-frame data of its dissector, if the frame has several items */
    uint32_t number;    /* NVMe: number of a Write, or of a Read Request and its Read Response; or 0 */
};

/* Call these functions when a file is opened and closed. */
void iw_ulp_open(void);
void iw_ulp_close(void);

/* Processes an event of `flow` and the item made of it. Call this function only on the first pass. */
void iw_ulp_event(struct iw_stored_flow *flow, const struct iw_monitor_event *event, struct iw_item *item);

/* Returns true if the ULP of the connection is known: its dissector needs all FPDUs in every pass. */
bool iw_ulp_known(const struct iw_item *item);

/* Shows the message of an FPDU, whose DDP header must be complete; and its ULP, below `root`. */
void iw_ulp_fpdu(struct iw_pdu *pdu, proto_tree *root);

/* Returns the port of the connection's responder; 0 if the initiator is unknown. */
uint16_t iw_ulp_port(const struct iw_stored_flow *flow);
