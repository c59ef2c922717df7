#include "iw_port_state.h"

#include <stdlib.h>
#include <string.h>

/* Ports connected in memory, on a loop with virtual time: octets arrive after a fixed latency, in order. */

enum {
    LATENCY_US = 50,
    EPHEMERAL_FIRST = 49152,
    EPHEMERAL_COUNT = 16384,
};

struct item {
    STAILQ_ENTRY(item) others;
    enum iw_chunk_kind kind; /* DATA, FIN or RST */
    uint64_t due_ns;
    size_t length;
    uint8_t octets[];
};

/* One direction of a connection. */
struct way {
    struct iw_port_link *link;
    enum iw_side from;
    STAILQ_HEAD(items, item) items;
    struct item *end; /* allocated in advance, since sending FIN or RST must not fail; NULL: used */
    size_t queued;
    struct iw_timer timer;
};

struct iw_port_link {
    struct iw_loop *loop;
    struct iw_port *end[2]; /* the port of each side; NULL: not connected yet, or freed */
    struct way way[2];      /* by the side that sends */
    unsigned busy;          /* deliveries in progress */
    bool done;              /* both ends are freed */
};

static void virtual_deliver(void *user);

static void virtual_schedule(struct way *way) {
    struct iw_loop *loop = way->link->loop;
    struct iw_port *to = way->link->end[iw_side_other(way->from)];
    uint64_t now = iw_loop_time_ns(loop);
    const struct item *first = STAILQ_FIRST(&way->items);

    if (first == NULL || (to != NULL && !to->handled) || iw_timer_runs(&way->timer))
        return;
    iw_timer_start(
        &way->timer, loop, first->due_ns > now ? (first->due_ns - now) / 1000 : 0, virtual_deliver, way);
}

static enum iw_status virtual_put(
    struct way *way, enum iw_chunk_kind kind, const uint8_t *octets, size_t length) {
    bool ends = kind != IW_CHUNK_DATA && way->end != NULL;
    struct item *item = ends ? way->end : malloc(sizeof *item + length);

    if (item == NULL)
        return IW_ERR_NOMEM;
    if (ends)
        way->end = NULL;
    *item = (struct item){
        .kind = kind, .due_ns = iw_loop_time_ns(way->link->loop) + LATENCY_US * 1000, .length = length};
    if (length > 0)
        memcpy(item->octets, octets, length);
    STAILQ_INSERT_TAIL(&way->items, item, others);
    way->queued += length;
    virtual_schedule(way);
    return IW_OK;
}

static struct item *virtual_take(struct way *way) {
    struct item *item = STAILQ_FIRST(&way->items);

    STAILQ_REMOVE_HEAD(&way->items, others);
    way->queued -= item->length;
    return item;
}

static void virtual_drop_items(struct way *way) {
    while (!STAILQ_EMPTY(&way->items))
        free(virtual_take(way));
    iw_timer_stop(&way->timer);
    free(way->end);
}

static void virtual_link_free(struct iw_port_link *link) {
    link->done = true;
    if (link->busy > 0)
        return;
    virtual_drop_items(&link->way[IW_SIDE_A]);
    virtual_drop_items(&link->way[IW_SIDE_B]);
    free(link);
}

static void virtual_hand_over(struct iw_port *to, enum iw_side from, const struct item *item) {
    iw_port_see(to, item->kind, from, item->length > 0 ? item->octets : NULL, item->length);
    if (item->kind == IW_CHUNK_DATA)
        to->handlers.received(to->user, item->octets, item->length);
    else if (item->kind == IW_CHUNK_FIN)
        iw_port_end_with(to, IW_PORT_FIN, "closed");
    else
        iw_port_end_with(to, IW_PORT_RST, "connection reset by peer");
}

static void virtual_report_writable(struct way *way) {
    struct iw_port *sender = way->link->end[way->from];

    if (sender == NULL || !sender->full || way->queued > IW_PORT_QUEUE_LOW)
        return;
    sender->full = false;
    if (!sender->over && sender->handlers.writable != NULL)
        sender->handlers.writable(sender->user);
}

static void virtual_deliver(void *user) {
    struct way *way = user;
    struct iw_port_link *link = way->link;
    struct iw_port *to = link->end[iw_side_other(way->from)];
    struct item *item = virtual_take(way);

    link->busy++;
    if (to != NULL && !to->over)
        virtual_hand_over(to, way->from, item);
    else if (item->kind == IW_CHUNK_DATA && link->end[way->from] != NULL)
        virtual_put(&link->way[iw_side_other(way->from)], IW_CHUNK_RST, NULL, 0); /* the receiver is gone */
    free(item);
    virtual_report_writable(way);
    link->busy--;
    if (link->done)
        virtual_link_free(link);
    else
        virtual_schedule(way);
}

static struct iw_port_link *virtual_link_new(struct iw_loop *loop) {
    struct iw_port_link *link = calloc(1, sizeof *link);

    if (link == NULL)
        return NULL;
    link->loop = loop;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        link->way[side].link = link;
        link->way[side].from = side;
        STAILQ_INIT(&link->way[side].items);
        link->way[side].end = malloc(sizeof *link->way[side].end);
    }
    if (link->way[IW_SIDE_A].end == NULL || link->way[IW_SIDE_B].end == NULL) {
        virtual_link_free(link);
        return NULL;
    }
    return link;
}

static struct iw_listener *virtual_find_listener(
    const struct iw_loop *loop, const struct iw_tcp_address *wanted) {
    static const uint8_t any[16];
    struct iw_listener *listener;

    SLIST_FOREACH(listener, &loop->listeners, others) {
        const struct iw_tcp_address *address = &listener->address;

        if (address->port != wanted->port || address->version != wanted->version)
            continue;
        if (memcmp(address->octets, any, sizeof any) == 0 ||
            memcmp(address->octets, wanted->octets, sizeof wanted->octets) == 0)
            return listener;
    }
    return NULL;
}

static void virtual_refuse(void *user) {
    struct iw_port *port = user;

    iw_port_end_with(port, IW_PORT_FAILED, "connection refused");
}

static void virtual_complete(void *user) {
    struct iw_port *port = user;

    port->open = true;
    iw_port_start(port);
    virtual_schedule(&port->link->way[IW_SIDE_B]);
    port->handlers.connected(port->user);
}

/* The SYN has arrived: passes the connection to the listener, or refuses it. */
static void virtual_reach_listener(void *user) {
    struct iw_port *port = user;
    struct iw_listener *listener = virtual_find_listener(port->loop, &port->addresses[IW_SIDE_B]);
    struct iw_port *server = listener == NULL ? NULL : iw_port_make(port->loop, &iw_port_virtual, false);

    port->link = server == NULL ? NULL : virtual_link_new(port->loop);
    if (port->link == NULL) {
        free(server);
        iw_timer_start(&port->later, port->loop, LATENCY_US, virtual_refuse, port);
        return;
    }
    iw_timer_start(&port->later, port->loop, LATENCY_US, virtual_complete, port);
    port->link->end[IW_SIDE_A] = port;
    port->link->end[IW_SIDE_B] = server;
    server->link = port->link;
    server->open = true;
    memcpy(server->addresses, port->addresses, sizeof server->addresses);
    iw_port_name(&server->addresses[IW_SIDE_A], server->label);
    listener->accept(listener->user, server);
}

/* Sets the opener's address: the server's address if this is loopback, else the first address for
 * documentation (RFC 5737, RFC 3849). */
static void virtual_choose_address(struct iw_port *port) {
    static const uint8_t local4[4] = {127, 0, 0, 1};
    static const uint8_t local6[16] = {[15] = 1};
    static const uint8_t first4[4] = {192, 0, 2, 1};
    static const uint8_t first6[16] = {0x20, 0x01, 0x0D, 0xB8, [15] = 1};
    const struct iw_tcp_address *server = &port->addresses[IW_SIDE_B];
    struct iw_tcp_address *own = &port->addresses[IW_SIDE_A];
    bool wide = server->version == 6;
    size_t size = wide ? 16 : 4;
    bool local = memcmp(server->octets, wide ? local6 : local4, size) == 0;

    own->version = server->version;
    memcpy(own->octets, local ? server->octets : wide ? first6 : first4, size);
    own->port = (uint16_t)(EPHEMERAL_FIRST + port->loop->last_port++ % EPHEMERAL_COUNT);
}

enum iw_status iw_port_virtual_connect(struct iw_port *port, const char *host, uint16_t number, char *text) {
    if (!iw_port_parse(host, number, &port->addresses[IW_SIDE_B])) {
        strcpy(text, port->label);
        strcat(text, ": no address");
        return IW_ERR_ARGUMENT;
    }
    virtual_choose_address(port);
    iw_timer_start(&port->later, port->loop, LATENCY_US, virtual_reach_listener, port);
    return IW_OK;
}

static void virtual_handle(struct iw_port *port) {
    virtual_schedule(&port->link->way[iw_side_other(iw_port_side(port))]);
}

static struct way *virtual_way_out(const struct iw_port *port) {
    return &port->link->way[iw_port_side(port)];
}

static enum iw_status virtual_write(struct iw_port *port, const uint8_t *octets, size_t length) {
    enum iw_status status = virtual_put(virtual_way_out(port), IW_CHUNK_DATA, octets, length);

    if (status == IW_OK)
        iw_port_see(port, IW_CHUNK_DATA, iw_port_side(port), octets, length);
    return status;
}

static size_t virtual_queued(const struct iw_port *port) {
    return port->link == NULL ? 0 : virtual_way_out(port)->queued;
}

static void virtual_close(struct iw_port *port) {
    if (virtual_put(virtual_way_out(port), IW_CHUNK_FIN, NULL, 0) == IW_OK)
        iw_port_see(port, IW_CHUNK_FIN, iw_port_side(port), NULL, 0);
}

/* Octets in flight still arrive, then the RST. */
static void virtual_reset(struct iw_port *port) {
    iw_timer_stop(&port->later);
    if (port->link != NULL)
        virtual_put(virtual_way_out(port), IW_CHUNK_RST, NULL, 0);
}

static void virtual_release(struct iw_port *port) {
    struct iw_port_link *link = port->link;
    enum iw_side side = iw_port_side(port);

    if (link == NULL)
        return;
    if (!port->over && !port->closing)
        virtual_put(&link->way[side], port->open ? IW_CHUNK_FIN : IW_CHUNK_RST, NULL, 0);
    link->end[side] = NULL;
    if (link->end[iw_side_other(side)] == NULL)
        virtual_link_free(link);
    else
        virtual_schedule(&link->way[iw_side_other(side)]);
}

int iw_port_virtual_listen(
    struct iw_listener *listener, const char *host, uint16_t number, const char **reason) {
    struct iw_loop *loop = listener->loop;

    *reason = "no address";
    if (!iw_port_parse(host, number, &listener->address)) {
        free(listener);
        return -1;
    }
    while (listener->address.port == 0) {
        listener->address.port = (uint16_t)(EPHEMERAL_FIRST + loop->last_port++ % EPHEMERAL_COUNT);
        if (virtual_find_listener(loop, &listener->address) != NULL)
            listener->address.port = 0;
    }
    if (virtual_find_listener(loop, &listener->address) != NULL) {
        *reason = "port in use";
        free(listener);
        return -1;
    }
    SLIST_INSERT_HEAD(&loop->listeners, listener, others);
    return 0;
}

void iw_port_virtual_unlisten(struct iw_listener *listener) {
    SLIST_REMOVE(&listener->loop->listeners, listener, iw_listener, others);
    free(listener);
}

const struct iw_port_kind iw_port_virtual = {
    .handle = virtual_handle,
    .write = virtual_write,
    .queued = virtual_queued,
    .full = IW_PORT_QUEUE_HIGH,
    .close = virtual_close,
    .reset = virtual_reset,
    .release = virtual_release,
};
