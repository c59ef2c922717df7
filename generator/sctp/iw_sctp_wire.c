#include "iw_sctp_wire.h"

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
    READ_TOGETHER = 64, /* datagrams, before others have their turn */
    LATENCY_US = 50,    /* of the network in memory */
    EPHEMERAL_FIRST = 49152,
    EPHEMERAL_COUNT = 16384,
};

/* In memory: on its way to a wire. */
struct datagram {
    STAILQ_ENTRY(datagram) next;
    struct iw_tcp_address from;
    uint64_t due_ns;
    size_t length;
    uint8_t octets[];
};

/* libuv closes the watcher only after the wire may be gone. */
struct watcher {
    uv_poll_t poll;
    int descriptor;
    struct iw_sctp_wire *wire; /* NULL: released */
};

struct iw_sctp_wire {
    struct iw_loop *loop;
    struct iw_sctp_wire_handlers handlers;
    void *user;
    bool listens;
    bool tunnelled;
    struct iw_tcp_address own;
    struct iw_tcp_address peer;
    struct watcher *watcher;                 /* real */
    STAILQ_HEAD(datagrams, datagram) coming; /* virtual */
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

/* ---- sockets ---- */

static socklen_t to_sockaddr(const struct iw_tcp_address *address, struct sockaddr_storage *storage) {
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

static struct iw_tcp_address from_sockaddr(const struct sockaddr_storage *storage, bool tunnelled) {
    struct iw_tcp_address address = iw_port_address_of(storage);

    if (!tunnelled) /* a raw socket's is its protocol */
        address.port = 0;
    return address;
}

/* A raw socket of IPv4 gives the IP header, too. */
static size_t header_octets(const struct iw_sctp_wire *wire, const uint8_t *octets) {
    return wire->tunnelled || wire->own.version == 6 ? 0 : (size_t)(octets[0] & 0x0F) * 4;
}

static const char *reason_of(int error) {
    return error == EADDRINUSE ? "port in use" : uv_strerror(-error);
}

/* Returns false when there is nothing more to read for now, or nobody to give it to. */
static bool read_one(struct watcher *watcher) {
    struct iw_sctp_wire *wire = watcher->wire;
    uint8_t *buffer = (uint8_t *)wire->loop->buffer;
    struct sockaddr_storage storage;
    socklen_t length = sizeof storage;
    ssize_t count = recvfrom(
        watcher->descriptor, buffer, DATAGRAM_OCTETS_MAX, MSG_DONTWAIT, (struct sockaddr *)&storage, &length);

    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (count < 0) {
        wire->handlers.refused(wire->user, reason_of(errno));
        return false;
    }
    const struct iw_tcp_address from = from_sockaddr(&storage, wire->tunnelled);
    size_t skip = count > 0 ? header_octets(wire, buffer) : 0;

    if ((size_t)count > skip)
        wire->handlers.taken(wire->user, &from, buffer + skip, (size_t)count - skip);
    return true;
}

static void on_readable(uv_poll_t *poll, int status, int events) {
    struct watcher *watcher = poll->data;

    (void)events;
    for (int i = 0; i < READ_TOGETHER; i++)
        if (watcher->wire == NULL || !read_one(watcher))
            break;
    if (status != 0 && watcher->wire != NULL) /* libuv has stopped at an error that only told of the peer */
        uv_poll_start(poll, UV_READABLE, on_readable);
}

static void on_closed(uv_handle_t *handle) {
    struct watcher *watcher = handle->data;

    close(watcher->descriptor);
    free(watcher);
}

static bool watch(struct iw_sctp_wire *wire, int descriptor) {
    struct watcher *watcher = calloc(1, sizeof *watcher);

    if (watcher == NULL || uv_poll_init(&wire->loop->uv, &watcher->poll, descriptor) != 0) {
        free(watcher);
        return false;
    }
    watcher->poll.data = watcher;
    watcher->descriptor = descriptor;
    watcher->wire = wire;
    wire->watcher = watcher;
    if (uv_poll_start(&watcher->poll, UV_READABLE, on_readable) == 0)
        return true;
    watcher->wire = NULL;
    uv_close((uv_handle_t *)&watcher->poll, on_closed);
    return false;
}

/* The first address of the name: what SCTP itself would do with the others (multihoming) is not for DDP (RFC
 * 5043 7.2). */
static bool resolve(const struct iw_sctp_where *where, struct iw_tcp_address *address) {
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

static int open_socket(struct iw_sctp_wire *wire, const struct iw_tcp_address *address) {
    int family = address->version == 6 ? AF_INET6 : AF_INET;
    int descriptor = wire->tunnelled ? socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)
                                     : socket(family, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_SCTP);
    struct sockaddr_storage storage;
    socklen_t length = to_sockaddr(address, &storage);
    int room = 4 << 20; /* octets; as much of it as the system allows */

    if (descriptor < 0)
        return -1;
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if ((wire->listens ? bind(descriptor, (struct sockaddr *)&storage, length)
                       : connect(descriptor, (struct sockaddr *)&storage, length)) == 0) {
        length = sizeof storage;
        getsockname(descriptor, (struct sockaddr *)&storage, &length);
        wire->own = from_sockaddr(&storage, wire->tunnelled);
        return descriptor;
    }
    int error = errno;

    close(descriptor);
    errno = error;
    return -1;
}

static const char *begin_real(struct iw_sctp_wire *wire, const struct iw_sctp_where *where) {
    struct iw_tcp_address address;
    int descriptor;

    if (!resolve(where, &address))
        return "unknown host";
    wire->peer = address;
    descriptor = open_socket(wire, &address);
    if (descriptor < 0)
        return errno == EPERM || errno == EACCES
                   ? "SCTP in IP needs the right to open raw sockets (CAP_NET_RAW); SCTP in UDP needs none"
                   : reason_of(errno);
    if (watch(wire, descriptor))
        return NULL;
    if (wire->watcher == NULL)
        close(descriptor);
    return "out of memory";
}

/* ---- memory ---- */

static struct iw_sctp_wire *find_wire(const struct iw_loop *loop, const struct iw_tcp_address *address) {
    struct iw_sctp_wire *wire;

    for (wire = TAILQ_FIRST(&virtual_wires); wire != NULL; wire = TAILQ_NEXT(wire, all))
        if (wire->loop == loop && iw_tcp_address_equal(&wire->own, address))
            return wire;
    return NULL;
}

static const char *begin_virtual(struct iw_sctp_wire *wire, const struct iw_sctp_where *where) {
    struct iw_tcp_address *own = &wire->own;
    const char *host = strcmp(where->host, "localhost") == 0 ? "127.0.0.1" : where->host;

    if (!iw_port_parse(host, where->tunnel, own))
        return "no address";
    wire->peer = *own;
    if (!wire->listens)
        own->port = 0;
    for (int i = 0; own->port == 0 && i < EPHEMERAL_COUNT; i++) {
        own->port = (uint16_t)(EPHEMERAL_FIRST + wire->loop->last_port++ % EPHEMERAL_COUNT);
        if (find_wire(wire->loop, own) != NULL)
            own->port = 0;
    }
    if (find_wire(wire->loop, own) != NULL)
        return "port in use";
    TAILQ_INSERT_TAIL(&virtual_wires, wire, all);
    return NULL;
}

static void arrive(void *user);

static void await(struct iw_sctp_wire *wire) {
    const struct datagram *first = STAILQ_FIRST(&wire->coming);
    uint64_t now = iw_loop_time_ns(wire->loop);

    if (first != NULL && !iw_timer_runs(&wire->arrival))
        iw_timer_start(
            &wire->arrival, wire->loop, first->due_ns > now ? (first->due_ns - now) / 1000 : 0, arrive, wire);
}

static void arrive(void *user) {
    struct iw_sctp_wire *wire = user;
    struct datagram *datagram = STAILQ_FIRST(&wire->coming);

    STAILQ_REMOVE_HEAD(&wire->coming, next);
    await(wire);
    wire->handlers.taken(wire->user, &datagram->from, datagram->octets, datagram->length);
    free(datagram);
}

static void send_virtual(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length) {
    struct iw_sctp_wire *other = find_wire(wire->loop, to);
    struct datagram *datagram = other == NULL ? NULL : malloc(sizeof *datagram + length);

    if (datagram == NULL)
        return;
    datagram->from = wire->own;
    datagram->due_ns = iw_loop_time_ns(wire->loop) + LATENCY_US * 1000;
    datagram->length = length;
    memcpy(datagram->octets, octets, length);
    STAILQ_INSERT_TAIL(&other->coming, datagram, next);
    await(other);
}

static void end_virtual(struct iw_sctp_wire *wire) {
    struct datagram *datagram;

    iw_timer_stop(&wire->arrival);
    while ((datagram = STAILQ_FIRST(&wire->coming)) != NULL) {
        STAILQ_REMOVE_HEAD(&wire->coming, next);
        free(datagram);
    }
    TAILQ_REMOVE(&virtual_wires, wire, all);
}

/* ---- both ---- */

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
    *reason = loop->kind == IW_LOOP_REAL ? begin_real(wire, where) : begin_virtual(wire, where);
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
        uv_close((uv_handle_t *)&wire->watcher->poll, on_closed);
    } else {
        end_virtual(wire);
    }
    free(wire);
}

void iw_sctp_wire_send(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length) {
    struct sockaddr_storage storage;
    socklen_t size = to_sockaddr(to, &storage);

    if (wire->loop->kind == IW_LOOP_VIRTUAL)
        send_virtual(wire, to, octets, length);
    else if (wire->listens)
        sendto(wire->watcher->descriptor, octets, length, MSG_DONTWAIT, (struct sockaddr *)&storage, size);
    else
        send(wire->watcher->descriptor, octets, length, MSG_DONTWAIT);
}
