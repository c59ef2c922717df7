#ifndef IW_ULP_H
#define IW_ULP_H

#include "iw_message_store.h"
#include "iw_pdu.h"
#include "iw_ulp_identify.h"

/* What is above RDMAP. On the first pass, with each event: messages in several segments are put together
 * (iw_message_store.h), and the protocol of the connection is found out (iw_ulp_identify.h). Whenever a
 * frame is shown: the message, and what Wireshark's own dissector of the protocol makes of it. */

/* One connection. */
struct iw_ulp {
    enum iw_ulp_protocol protocol;
    uint32_t known_since; /* frame in which that showed */
    bool initiator_known;
    enum iw_side initiator;
    unsigned sends;   /* looked at in vain */
    unsigned numbers; /* given away; see iw_ulp_note */
    uint8_t private_data[512];
    unsigned private_octets; /* of the Request, behind the enhanced data */
    bool conversations;      /* Wireshark has been told of the connection above */
    struct iw_message_store *messages;
};

/* Data that only few FPDUs have. */
struct iw_ulp_note {
    GSList
        *proto_data; /* what dissectors above have kept with the frame for this FPDU, where it has several */
    uint32_t number; /* NVMe: of the Write message; of the Read Request, and of the message that answers it */
};

/* A file is opened; it is closed. */
void iw_ulp_open(void);
void iw_ulp_close(void);

/* Takes an event of `flow`, and the item made of it, on the first pass. */
void iw_ulp_event(struct iw_stored_flow *flow, const struct iw_monitor_event *event, struct iw_item *item);

/* The protocol above the connection of the item is known, and has to see its FPDUs in every pass. */
bool iw_ulp_known(const struct iw_item *item);

/* Shows what is above an FPDU with a whole DDP header; protocols go to `root`. */
void iw_ulp_fpdu(struct iw_pdu *pdu, proto_tree *root);

/* The port that the responder of the connection listens at; 0 if that is not known. */
uint16_t iw_ulp_port(const struct iw_stored_flow *flow);

#endif
