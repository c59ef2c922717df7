#include "iw_ddp_session.h"

#include <stdlib.h>
#include <string.h>

/* An event for the port: it opens, receives octets of MPA, or ends. */
struct iw_ddp_item {
    STAILQ_ENTRY(iw_ddp_item) next;
    bool opens;
    bool ends;
    enum iw_port_end end;
    size_t length;
    uint8_t octets[]; /* received octets; with `ends`, the reason as text */
};

static struct iw_ddp_item *inbox_item_new(const uint8_t *octets, size_t length) {
    struct iw_ddp_item *item = malloc(sizeof *item + length);

    if (item == NULL)
        return NULL;
    *item = (struct iw_ddp_item){.length = length};
    if (length > 0)
        memcpy(item->octets, octets, length);
    return item;
}

static void inbox_drop_items(struct iw_ddp_inbox *inbox) {
    struct iw_ddp_item *item;

    while ((item = STAILQ_FIRST(&inbox->items)) != NULL) {
        STAILQ_REMOVE_HEAD(&inbox->items, next);
        free(item);
    }
}

static void inbox_deliver(struct iw_port *port, const struct iw_ddp_item *item) {
    enum iw_side peer = iw_side_other(iw_port_side(port));

    if (item->opens) {
        port->open = true;
        iw_port_start(port);
        port->handlers.connected(port->user);
        return;
    }
    if (item->ends && item->end == IW_PORT_FIN)
        iw_port_see(port, IW_CHUNK_FIN, peer, NULL, 0);
    else if (item->ends && item->end == IW_PORT_RST)
        iw_port_see(port, IW_CHUNK_RST, peer, NULL, 0);
    if (item->ends) {
        iw_port_end_with(port, item->end, (const char *)item->octets);
        return;
    }
    iw_port_see(port, IW_CHUNK_DATA, peer, item->octets, item->length);
    port->handlers.received(port->user, item->octets, item->length);
}

static void inbox_deliver_all(void *user) {
    struct iw_ddp_inbox *inbox = user;
    struct iw_ddp_item *item;

    while (inbox->port != NULL && inbox->port->handled && (item = STAILQ_FIRST(&inbox->items)) != NULL) {
        STAILQ_REMOVE_HEAD(&inbox->items, next);
        if (!inbox->port->over)
            inbox_deliver(inbox->port, item);
        free(item);
    }
    if (inbox->port == NULL)
        inbox_drop_items(inbox);
}

void iw_ddp_inbox_wake(struct iw_ddp_inbox *inbox) {
    if (!iw_timer_runs(&inbox->turn))
        iw_timer_start(&inbox->turn, iw_port_loop(inbox->port), 0, inbox_deliver_all, inbox);
}

static void inbox_push_item(struct iw_ddp_inbox *inbox, struct iw_ddp_item *item) {
    if (item == NULL || inbox->port == NULL || inbox->port->over) {
        free(item);
        return;
    }
    STAILQ_INSERT_TAIL(&inbox->items, item, next);
    if (inbox->port->handled && !iw_timer_runs(&inbox->turn))
        inbox_deliver_all(inbox);
}

void iw_ddp_inbox_push(struct iw_ddp_inbox *inbox, const uint8_t *octets, size_t length) {
    inbox_push_item(inbox, inbox_item_new(octets, length));
}

void iw_ddp_inbox_push_end(struct iw_ddp_inbox *inbox, enum iw_port_end end, const char *reason) {
    struct iw_ddp_item *item = inbox_item_new((const uint8_t *)reason, strlen(reason) + 1);

    if (item != NULL) {
        item->ends = true;
        item->end = end;
    }
    inbox_push_item(inbox, item);
}

void iw_ddp_inbox_open(struct iw_ddp_inbox *inbox) {
    struct iw_ddp_item *item = inbox->port->handled ? inbox_item_new(NULL, 0) : NULL;

    if (item == NULL) {
        inbox->port->open = true;
        return;
    }
    item->opens = true;
    STAILQ_INSERT_TAIL(&inbox->items, item, next);
    iw_ddp_inbox_wake(inbox);
}

void iw_ddp_inbox_init(struct iw_ddp_inbox *inbox, struct iw_port *port) {
    inbox->port = port;
    STAILQ_INIT(&inbox->items);
}

void iw_ddp_inbox_forget(struct iw_ddp_inbox *inbox) {
    inbox->port = NULL;
    if (!iw_timer_runs(&inbox->turn))
        inbox_drop_items(inbox);
}

void iw_ddp_inbox_dispose(struct iw_ddp_inbox *inbox) {
    iw_timer_stop(&inbox->turn);
    inbox_drop_items(inbox);
}
