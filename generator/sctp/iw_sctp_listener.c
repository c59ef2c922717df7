#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <usrsctp.h>

#include "iw_sctp_link_state.h"

enum { BACKLOG = 128 };

struct iw_sctp_listener {
    struct iw_sctp_stack *stack;
    struct iw_sctp_link_config config;
    iw_sctp_listener_accept *accept;
    void *user;
    struct iw_sctp_wire *wire;
    struct socket *socket;
    uint16_t port;
    struct iw_timer turn;
};

static void listener_on_packet(
    void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length) {
    struct iw_sctp_listener *listener = user;
    struct iw_sctp_ends ends;

    if (!iw_sctp_route_ends(octets, length, &ends) || ends.own != listener->port)
        return;
    struct iw_sctp_route *route = iw_sctp_route_find(listener->wire, from, ends);
    if (route == NULL)
        route = iw_sctp_route_new(listener->stack, listener->wire, from, false, ends, &listener->config);
    if (route != NULL)
        iw_sctp_route_take(route, octets, length);
}

static void listener_on_refusal(void *user, const char *reason) {
    (void)user;
    (void)reason; /* concerns one peer; SCTP detects the error itself */
}

static void listener_accept_one(
    struct iw_sctp_listener *listener, struct socket *socket, const struct sockaddr_conn *from) {
    struct iw_sctp_route *route = iw_sctp_route_of_number((uintptr_t)from->sconn_addr);
    struct iw_sctp_link *link =
        route == NULL ? NULL : iw_sctp_link_make(listener->stack, route, socket, &listener->config);

    if (link == NULL) {
        usrsctp_close(socket);
        return;
    }
    usrsctp_set_non_blocking(socket, 1);
    listener->accept(listener->user, link);
}

static void listener_on_turn(void *user) {
    struct iw_sctp_listener *listener = user;
    struct sockaddr_conn from = {0};
    socklen_t size = sizeof from;
    struct socket *socket = usrsctp_accept(listener->socket, (struct sockaddr *)&from, &size);

    if (socket == NULL)
        return;
    /* more associations may wait */
    iw_timer_start(&listener->turn, listener->stack->loop, 0, listener_on_turn, listener);
    listener_accept_one(listener, socket, &from);
}

static void listener_on_upcall(struct socket *socket, void *user, int flags) {
    struct iw_sctp_listener *listener = user;

    (void)socket;
    (void)flags;
    if (!iw_timer_runs(&listener->turn))
        iw_timer_start(&listener->turn, listener->stack->loop, 0, listener_on_turn, listener);
}

static const char *listener_listen(struct iw_sctp_listener *listener) {
    struct sockaddr_conn own = {.sconn_family = AF_CONN, .sconn_port = htons(listener->port)};

    if (usrsctp_bind(listener->socket, (struct sockaddr *)&own, sizeof own) != 0)
        return errno == EADDRINUSE ? "port in use" : strerror(errno);
    usrsctp_set_upcall(listener->socket, listener_on_upcall, listener);
    return usrsctp_listen(listener->socket, BACKLOG) == 0 ? NULL : strerror(errno);
}

struct iw_sctp_listener *iw_sctp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_sctp_link_config *config, iw_sctp_listener_accept *accept, void *user, char *text) {
    static const struct iw_sctp_wire_handlers wire_handlers = {listener_on_packet, listener_on_refusal};
    struct iw_sctp_listener *listener = calloc(1, sizeof *listener);
    const char *reason = "out of memory";

    if (listener != NULL) {
        *listener =
            (struct iw_sctp_listener){.stack = stack, .config = *config, .accept = accept, .user = user};
        iw_sctp_stack_use(stack);
        listener->port = where->port > 0 ? where->port : iw_sctp_stack_port(stack, 0);
        listener->wire = iw_sctp_wire_new(stack->loop, where, true, &wire_handlers, listener, &reason);
        listener->socket = listener->wire == NULL ? NULL : iw_sctp_link_socket(config);
        if (listener->socket != NULL)
            reason = listener_listen(listener);
    }
    if (reason == NULL)
        return listener;
    snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "%.100s:%u: %s", where->host, where->port, reason);
    iw_sctp_listener_free(listener);
    return NULL;
}

struct iw_sctp_where iw_sctp_listener_where(const struct iw_sctp_listener *listener) {
    const struct iw_tcp_address *address = iw_sctp_wire_address(listener->wire);

    return (struct iw_sctp_where){
        .host = NULL, .port = listener->port, .tunnelled = address->port > 0, .tunnel = address->port};
}

void iw_sctp_listener_free(struct iw_sctp_listener *listener) {
    if (listener == NULL)
        return;
    iw_timer_stop(&listener->turn);
    if (listener->socket != NULL) {
        usrsctp_set_upcall(listener->socket, NULL, NULL);
        usrsctp_close(listener->socket);
    }
    iw_sctp_route_end_all(listener->wire);
    iw_sctp_wire_free(listener->wire);
    iw_sctp_stack_leave(listener->stack);
    free(listener);
}
