#include "iw_port_segment.h"
#include "iw_port_state.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct iw_port *iw_port_make(struct iw_loop *loop, const struct iw_port_kind *kind, bool opener) {
    struct iw_port *port = calloc(1, sizeof *port);

    if (port != NULL) {
        port->kind = kind;
        port->loop = loop;
        port->opener = opener;
    }
    return port;
}

bool iw_port_parse(const char *host, uint16_t port, struct iw_tcp_address *address) {
    if (strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    memset(address, 0, sizeof *address);
    address->port = port;
    if (inet_pton(AF_INET, host, address->octets) == 1)
        address->version = 4;
    else if (inet_pton(AF_INET6, host, address->octets) == 1)
        address->version = 6;
    return address->version != 0;
}

struct iw_tcp_address iw_port_address_of(const struct sockaddr_storage *storage) {
    struct iw_tcp_address address = {0};

    if (storage->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)storage;

        address.version = 6;
        address.port = ntohs(in6->sin6_port);
        memcpy(address.octets, &in6->sin6_addr, 16);
    } else {
        const struct sockaddr_in *in = (const struct sockaddr_in *)storage;

        address.version = 4;
        address.port = ntohs(in->sin_port);
        memcpy(address.octets, &in->sin_addr, 4);
    }
    return address;
}

void iw_port_name(const struct iw_tcp_address *address, char text[64]) {
    char host[INET6_ADDRSTRLEN];
    bool wide = address->version == 6;

    if (inet_ntop(wide ? AF_INET6 : AF_INET, address->octets, host, sizeof host) == NULL)
        host[0] = '\0';
    snprintf(text, 64, wide ? "[%s]:%u" : "%s:%u", host, address->port);
}

const struct iw_tcp_address *iw_port_addresses(const struct iw_port *port) {
    return port->addresses;
}

struct iw_loop *iw_port_loop(const struct iw_port *port) {
    return port->loop;
}

bool iw_port_connected(const struct iw_port *port) {
    return port->open;
}

enum iw_side iw_port_side(const struct iw_port *port) {
    return port->opener ? IW_SIDE_A : IW_SIDE_B;
}

void iw_port_set_tap(struct iw_port *port, iw_port_tap *tap, void *user) {
    port->tap.call = tap;
    port->tap.user = user;
}

void iw_port_see(
    struct iw_port *port, enum iw_chunk_kind kind, enum iw_side side, const uint8_t *octets, size_t length) {
    enum iw_side other = iw_side_other(side);
    uint64_t offset = port->tap.offset[side];

    port->tap.offset[side] += length;
    port->tap.ended[side] |= kind == IW_CHUNK_FIN;
    if (port->tap.call == NULL)
        return;

    struct iw_chunk chunk = {.kind = kind,
        .side = side,
        .acked_known = kind == IW_CHUNK_DATA,
        .acked_exact = kind == IW_CHUNK_DATA,
        .acked = port->tap.offset[other] + port->tap.ended[other],
        .length = (uint32_t)length,
        .offset = offset,
        .octets = octets,
        .time_ns = iw_loop_time_ns(port->loop)};

    port->tap.call(port->tap.user, &chunk);
}

void iw_port_start(struct iw_port *port) {
    if (port->tap.started)
        return;
    port->tap.started = true;
    iw_port_see(port, IW_CHUNK_START, IW_SIDE_A, NULL, 0);
    iw_port_see(port, IW_CHUNK_START, IW_SIDE_B, NULL, 0);
}

void iw_port_end_with(struct iw_port *port, enum iw_port_end end, const char *reason) {
    char text[IW_PORT_TEXT_OCTETS];

    if (port->over)
        return;
    port->over = end != IW_PORT_FIN;
    snprintf(text, sizeof text, "%s: %s", port->label, reason);
    port->handlers.ended(port->user, end, text);
}

void iw_port_handle(struct iw_port *port, const struct iw_port_handlers *handlers, void *user) {
    bool first = !port->handled;

    port->handlers = *handlers;
    port->user = user;
    port->handled = true;
    if (!first || !port->open)
        return;
    iw_port_start(port);
    port->kind->handle(port);
}

static struct iw_port *port_begin(struct iw_loop *loop, const struct iw_port_kind *kind, const char *label,
    const struct iw_port_handlers *handlers, void *user) {
    struct iw_port *port = iw_port_make(loop, kind, true);

    if (port == NULL)
        return NULL;
    snprintf(port->label, sizeof port->label, "%s", label);
    iw_port_handle(port, handlers, user);
    return port;
}

/* Returns the port, or NULL with a line in `text`, which is there unless memory ran out. */
static struct iw_port *port_end_begin(
    struct iw_port *port, enum iw_status status, const char *label, char *text) {
    if (status == IW_ERR_NOMEM)
        snprintf(text, IW_PORT_TEXT_OCTETS, "%s: out of memory", label);
    if (status == IW_OK)
        return port;
    iw_port_free(port);
    return NULL;
}

static struct iw_port *port_connect_virtual(struct iw_loop *loop, const char *host, uint16_t number,
    const struct iw_port_handlers *handlers, void *user, char *text) {
    char label[IW_PORT_LABEL_OCTETS];
    struct iw_port *port;

    iw_port_host_label(host, number, label);
    port = port_begin(loop, &iw_port_virtual, label, handlers, user);
    return port_end_begin(
        port, port != NULL ? iw_port_virtual_connect(port, host, number, text) : IW_ERR_NOMEM, label, text);
}

struct iw_port *iw_port_connect(struct iw_loop *loop, const char *host, uint16_t number,
    const struct iw_port_handlers *handlers, void *user, char *text) {
    struct iw_port_host *resolved;
    struct iw_port *port;

    if (loop->kind != IW_LOOP_REAL)
        return port_connect_virtual(loop, host, number, handlers, user, text);
    resolved = iw_port_host_new(host, number, text);
    port = resolved != NULL ? iw_port_segment_connect(loop, resolved, 0, handlers, user, text) : NULL;
    if (port != NULL)
        port->tcp.host = resolved;
    else
        iw_port_host_free(resolved);
    return port;
}

struct iw_port *iw_port_segment_connect(struct iw_loop *loop, const struct iw_port_host *host,
    uint32_t octets, const struct iw_port_handlers *handlers, void *user, char *text) {
    struct iw_port *port = port_begin(loop, &iw_port_tcp, host->label, handlers, user);

    if (port != NULL)
        port->tcp.segment_octets = octets;
    return port_end_begin(
        port, port != NULL ? iw_port_tcp_connect(port, host) : IW_ERR_NOMEM, host->label, text);
}

static bool port_accepts_writes(const struct iw_port *port) {
    return port->open && !port->closing && !port->over;
}

enum iw_status iw_port_write(struct iw_port *port, const uint8_t *octets, size_t length) {
    enum iw_status status = IW_OK;

    if (!port_accepts_writes(port) || length == 0)
        return IW_OK;
    status = port->kind->write(port, octets, length);
    port->full |= iw_port_full(port);
    return status;
}

bool iw_port_quick(const struct iw_port *port) {
    return port->kind == &iw_port_tcp && port->tap.call == NULL && port_accepts_writes(port) &&
           iw_port_tcp_queued(port) == 0;
}

uint32_t iw_port_emss(const struct iw_port *port) {
    return port->kind->emss != NULL ? port->kind->emss(port) : 0;
}

bool iw_port_full(const struct iw_port *port) {
    return iw_port_queued(port) >= port->kind->full;
}

size_t iw_port_queued(const struct iw_port *port) {
    return port->kind->queued(port);
}

void iw_port_read_units(struct iw_port *port, uint32_t first, uint32_t unit) {
    port->tcp.read_first = first;
    port->tcp.read_unit = unit;
}

void iw_port_pause(struct iw_port *port, bool pause) {
    if (port->kind->pause != NULL && port->open && port->handled && !port->over)
        port->kind->pause(port, pause);
}

void iw_port_close(struct iw_port *port) {
    if (!port->open || port->closing || port->over)
        return;
    port->closing = true;
    port->kind->close(port);
}

void iw_port_reset(struct iw_port *port) {
    if (port->over)
        return;
    port->over = true;
    if (port->open)
        iw_port_see(port, IW_CHUNK_RST, iw_port_side(port), NULL, 0);
    port->kind->reset(port);
}

void iw_port_free(struct iw_port *port) {
    if (port == NULL)
        return;
    iw_timer_stop(&port->later);
    port->kind->release(port);
    free(port);
}

struct iw_listener *iw_listener_new(struct iw_loop *loop, const char *host, uint16_t number,
    iw_listener_accept *accept, void *user, char *text) {
    struct iw_listener *listener = calloc(1, sizeof *listener);
    const char *reason = "out of memory";
    int failed = -1;

    if (listener != NULL) {
        *listener = (struct iw_listener){.loop = loop, .accept = accept, .user = user};
        failed = loop->kind == IW_LOOP_REAL ? iw_port_tcp_listen(listener, host, number, &reason)
                                            : iw_port_virtual_listen(listener, host, number, &reason);
    }
    if (failed == 0)
        return listener;
    snprintf(text, IW_PORT_TEXT_OCTETS, strchr(host, ':') != NULL ? "[%.100s]:%u: %s" : "%.100s:%u: %s", host,
        number, reason);
    return NULL;
}

uint16_t iw_listener_port(const struct iw_listener *listener) {
    return listener->address.port;
}

void iw_port_segment_listen(struct iw_listener *listener, uint32_t octets) {
    if (listener->loop->kind == IW_LOOP_REAL)
        iw_port_tcp_limit_segments(&listener->tcp, octets);
}

void iw_listener_free(struct iw_listener *listener) {
    if (listener == NULL)
        return;
    if (listener->loop->kind == IW_LOOP_REAL)
        iw_port_tcp_unlisten(listener);
    else
        iw_port_virtual_unlisten(listener);
}
