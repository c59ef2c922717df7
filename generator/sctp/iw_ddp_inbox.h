#ifndef IW_DDP_INBOX_H
#define IW_DDP_INBOX_H

#include "iw_port_state.h"

/* What a DDP Stream Session has received, as events for its port, until the port has handlers. */

struct iw_ddp_item;
STAILQ_HEAD(iw_ddp_items, iw_ddp_item);

struct iw_ddp_inbox {
    struct iw_port *port; /* NULL: freed */
    struct iw_ddp_items items;
    struct iw_timer turn;
};

void iw_ddp_inbox_init(struct iw_ddp_inbox *inbox, struct iw_port *port);
void iw_ddp_inbox_dispose(struct iw_ddp_inbox *inbox);

/* Makes the loop pass the events to the port. */
void iw_ddp_inbox_wake(struct iw_ddp_inbox *inbox);

/* Adds octets of MPA, or the end of the port. Called from the loop only: passes the event at once if the port
 * has handlers; they may free the port. */
void iw_ddp_inbox_push(struct iw_ddp_inbox *inbox, const uint8_t *octets, size_t length);
void iw_ddp_inbox_push_end(struct iw_ddp_inbox *inbox, enum iw_port_end end, const char *reason);

/* Opens the port and reports `connected` from the loop; if the port has no handlers or memory runs out, opens
 * it at once without a report. */
void iw_ddp_inbox_open(struct iw_ddp_inbox *inbox);

/* Drops the events, since the port is freed. */
void iw_ddp_inbox_forget(struct iw_ddp_inbox *inbox);

#endif
