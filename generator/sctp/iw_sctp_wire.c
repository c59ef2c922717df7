#include "iw_sctp_link_state.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include <uv.h>

#include "iw_port_state.h"

enum {
    DATAGRAM_OCTETS_MAX = 65536,
    READ_TOGETHER = 64, /* datagrams per iteration of the loop */
    LATENCY_US = 50,    /* of the network in memory */
    EPHEMERAL_FIRST = 49152,
    EPHEMERAL_COUNT = 16384,
};

/* A datagram in flight to a virtual wire. */
struct datagram {
    STAILQ_ENTRY(datagram) next;
    struct iw_tcp_address from;
    uint64_t due_ns;
    size_t length;
    uint8_t octets[];
};

/* A watcher exists until libuv has closed it, which may be after its wire was freed. */
struct watcher {
    uv_poll_t poll;
    int descriptor;
    struct iw_sctp_wire *wire; /* NULL: freed */
};

struct iw_sctp_wire {
    struct iw_loop *loop;
    struct iw_sctp_wire_handlers handlers;
    void *user;
    bool listens;
    bool tunnelled;
    struct iw_tcp_address own;
    struct iw_tcp_address peer;
    struct watcher *watcher;                 /* on a real loop */
    STAILQ_HEAD(datagrams, datagram) coming; /* on a virtual loop */
    struct iw_timer arrival;
    TAILQ_ENTRY(iw_sctp_wire) all;
};

static TAILQ_HEAD(wire_list, iw_sctp_wire) virtual_wires = TAILQ_HEAD_INITIALIZER(virtual_wires);

const struct iw_tcp_address *iw_sctp_wire_address(const struct iw_sctp_wire *wire) {
    return &wire->own;
}

const struct iw_tcp_address *iw_sctp_wire_peer(const struct iw_sctp_wire *wire) {
    return &wire->peer;
}

static socklen_t wire_to_sockaddr(const struct iw_tcp_address *address, struct sockaddr_storage *storage) {
    struct sockaddr_in *in = (struct sockaddr_in *)storage;
    struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)storage;

    memset(storage, 0, sizeof *storage);
    if (address->version == 6) {
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons(address->port);
        memcpy(&in6->sin6_addr, address->octets, 16);
        return sizeof *in6;
    }
    in->sin_family = AF_INET;
    in->sin_port = htons(address->port);
    memcpy(&in->sin_addr, address->octets, 4);
    return sizeof *in;
}

static struct iw_tcp_address wire_from_sockaddr(const struct sockaddr_storage *storage, bool tunnelled) {
    struct iw_tcp_address address = iw_port_address_of(storage);

    if (!tunnelled) /* for a raw socket, the port is the protocol number */
        address.port = 0;
    return address;
}

/* An IPv4 raw socket delivers the IP header, too. */
static size_t wire_header_octets(const struct iw_sctp_wire *wire, const uint8_t *octets) {
    return wire->tunnelled || wire->own.version == 6 ? 0 : (size_t)(octets[0] & 0x0F) * 4;
}

static const char *wire_reason(int error) {
    return error == EADDRINUSE ? "port in use" : uv_strerror(-error);
}

static bool wire_read_one(struct watcher *watcher) {
    struct iw_sctp_wire *wire = watcher->wire;
    uint8_t *buffer = (uint8_t *)wire->loop->buffer;
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    ssize_t count = recvfrom(
        watcher->descriptor, buffer, DATAGRAM_OCTETS_MAX, MSG_DONTWAIT, (struct sockaddr *)&storage, &length);

    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (count < 0) {
        wire->handlers.refused(wire->user, wire_reason(errno));
        return false;
    }
    const struct iw_tcp_address from = wire_from_sockaddr(&storage, wire->tunnelled);
    size_t skip = count > 0 ? wire_header_octets(wire, buffer) : 0;

    if ((size_t)count > skip)
        wire->handlers.taken(wire->user, &from, buffer + skip, (size_t)count - skip);
    return true;
}

static void wire_on_readable(uv_poll_t *poll, int status, int events) {
    struct watcher *watcher = poll->data;

    (void)events;
    for (int i = 0; i < READ_TOGETHER; i++)
        if (watcher->wire == NULL || !wire_read_one(watcher))
            break;
    if (status != 0 && watcher->wire != NULL) /* libuv has stopped polling, but the error concerns one peer */
        uv_poll_start(poll, UV_READABLE, wire_on_readable);
}

static void wire_on_closed(uv_handle_t *handle) {
    struct watcher *watcher = handle->data;

    close(watcher->descriptor);
    free(watcher);
}

static bool wire_watch(struct iw_sctp_wire *wire, int descriptor) {
    struct watcher *watcher = calloc(1, sizeof *watcher);

    if (watcher == NULL || uv_poll_init(&wire->loop->uv, &watcher->poll, descriptor) != 0) {
        free(watcher);
        return false;
    }
    watcher->poll.data = watcher;
    watcher->descriptor = descriptor;
    watcher->wire = wire;
    wire->watcher = watcher;
    if (uv_poll_start(&watcher->poll, UV_READABLE, wire_on_readable) == 0)
        return true;
    watcher->wire = NULL;
    uv_close((uv_handle_t *)&watcher->poll, wire_on_closed);
    return false;
}

/* Takes the first address of the name: DDP does not use SCTP multihoming (RFC 5043 7.2). */
static bool wire_resolve(const struct iw_sctp_where *where, struct iw_tcp_address *address) {
    const struct addrinfo hints = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    struct sockaddr_storage storage = {0};

    if (getaddrinfo(where->host, NULL, &hints, &found) != 0)
        return false;
    memcpy(&storage, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    *address = iw_port_address_of(&storage);
    address->port = where->tunnelled ? where->tunnel : 0;
    return true;
}

static int wire_open_socket(struct iw_sctp_wire *wire, const struct iw_tcp_address *address) {
    int family = address->version == 6 ? AF_INET6 : AF_INET;
    int type = (wire->tunnelled ? SOCK_DGRAM : SOCK_RAW) | SOCK_NONBLOCK | SOCK_CLOEXEC;
    int descriptor = socket(family, type, wire->tunnelled ? 0 : IPPROTO_SCTP);
    struct sockaddr_storage storage;
    socklen_t length = wire_to_sockaddr(address, &storage);
    int buffer = 4 << 20; /* octets; the system may limit it */

    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if ((wire->listens ? bind(descriptor, (struct sockaddr *)&storage, length)
                       : connect(descriptor, (struct sockaddr *)&storage, length)) == 0) {
        length = sizeof storage;
        getsockname(descriptor, (struct sockaddr *)&storage, &length);
        wire->own = wire_from_sockaddr(&storage, wire->tunnelled);
        return descriptor;
    }
    int error = errno;

    close(descriptor);
    errno = error;
    return -1;
}

static const char *wire_begin_real(struct iw_sctp_wire *wire, const struct iw_sctp_where *where) {
    struct iw_tcp_address address;

    if (!wire_resolve(where, &address))
        return "unknown host";
    wire->peer = address;
    int descriptor = wire_open_socket(wire, &address);
    if (descriptor < 0)
        return errno == EPERM || errno == EACCES
                   ? "SCTP in IP needs the right to open raw sockets (CAP_NET_RAW); SCTP in UDP needs none"
                   : wire_reason(errno);
    if (wire_watch(wire, descriptor))
        return NULL;
    if (wire->watcher == NULL)
        close(descriptor);
    return "out of memory";
}

static struct iw_sctp_wire *virtual_wire_find(
    const struct iw_loop *loop, const struct iw_tcp_address *address) {
    for (struct iw_sctp_wire *wire = TAILQ_FIRST(&virtual_wires); wire != NULL; wire = TAILQ_NEXT(wire, all))
        if (wire->loop == loop && iw_tcp_address_equal(&wire->own, address))
            return wire;
    return NULL;
}

static const char *wire_begin_virtual(struct iw_sctp_wire *wire, const struct iw_sctp_where *where) {
    struct iw_tcp_address *own = &wire->own;

    if (!iw_port_parse(where->host, where->tunnel, own))
        return "no address";
    wire->peer = *own;
    if (!wire->listens)
        own->port = 0;
    for (int i = 0; own->port == 0 && i < EPHEMERAL_COUNT; i++) {
        own->port = (uint16_t)(EPHEMERAL_FIRST + wire->loop->last_port++ % EPHEMERAL_COUNT);
        if (virtual_wire_find(wire->loop, own) != NULL)
            own->port = 0;
    }
    if (virtual_wire_find(wire->loop, own) != NULL)
        return "port in use";
    TAILQ_INSERT_TAIL(&virtual_wires, wire, all);
    return NULL;
}

static void virtual_wire_arrive(void *user);

static void virtual_wire_schedule(struct iw_sctp_wire *wire) {
    const struct datagram *first = STAILQ_FIRST(&wire->coming);
    uint64_t now = iw_loop_time_ns(wire->loop);

    if (first != NULL && !iw_timer_runs(&wire->arrival))
        iw_timer_start(&wire->arrival, wire->loop, first->due_ns > now ? (first->due_ns - now) / 1000 : 0,
            virtual_wire_arrive, wire);
}

static void virtual_wire_arrive(void *user) {
    struct iw_sctp_wire *wire = user;
    struct datagram *datagram = STAILQ_FIRST(&wire->coming);

    STAILQ_REMOVE_HEAD(&wire->coming, next);
    virtual_wire_schedule(wire);
    wire->handlers.taken(wire->user, &datagram->from, datagram->octets, datagram->length);
    free(datagram);
}

static void virtual_wire_send(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length) {
    struct iw_sctp_wire *other = virtual_wire_find(wire->loop, to);
    struct datagram *datagram = other == NULL ? NULL : malloc(sizeof *datagram + length);

    if (datagram == NULL)
        return;
    datagram->from = wire->own;
    datagram->due_ns = iw_loop_time_ns(wire->loop) + LATENCY_US * 1000;
    datagram->length = length;
    memcpy(datagram->octets, octets, length);
    STAILQ_INSERT_TAIL(&other->coming, datagram, next);
    virtual_wire_schedule(other);
}

static void virtual_wire_end(struct iw_sctp_wire *wire) {
    struct datagram *datagram;

    iw_timer_stop(&wire->arrival);
    while ((datagram = STAILQ_FIRST(&wire->coming)) != NULL) {
        STAILQ_REMOVE_HEAD(&wire->coming, next);
        free(datagram);
    }
    TAILQ_REMOVE(&virtual_wires, wire, all);
}

struct iw_sctp_wire *iw_sctp_wire_new(struct iw_loop *loop, const struct iw_sctp_where *where, bool listen,
    const struct iw_sctp_wire_handlers *handlers, void *user, const char **reason) {
    struct iw_sctp_wire *wire = calloc(1, sizeof *wire);

    *reason = "out of memory";
    if (wire == NULL)
        return NULL;
    wire->loop = loop;
    wire->handlers = *handlers;
    wire->user = user;
    wire->listens = listen;
    wire->tunnelled = where->tunnelled;
    STAILQ_INIT(&wire->coming);
    *reason = loop->kind == IW_LOOP_REAL ? wire_begin_real(wire, where) : wire_begin_virtual(wire, where);
    if (*reason == NULL)
        return wire;
    free(wire);
    return NULL;
}

void iw_sctp_wire_set_user(struct iw_sctp_wire *wire, void *user) {
    wire->user = user;
}

void iw_sctp_wire_free(struct iw_sctp_wire *wire) {
    if (wire == NULL)
        return;
    if (wire->loop->kind == IW_LOOP_REAL) {
        wire->watcher->wire = NULL;
        uv_close((uv_handle_t *)&wire->watcher->poll, wire_on_closed);
    } else {
        virtual_wire_end(wire);
    }
    free(wire);
}

void iw_sctp_wire_send(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length) {
    struct sockaddr_storage storage;
    socklen_t size = wire_to_sockaddr(to, &storage);

    if (wire->loop->kind == IW_LOOP_VIRTUAL)
        virtual_wire_send(wire, to, octets, length);
    else if (wire->listens)
        sendto(wire->watcher->descriptor, octets, length, MSG_DONTWAIT, (struct sockaddr *)&storage, size);
    else
        send(wire->watcher->descriptor, octets, length, MSG_DONTWAIT);
}
