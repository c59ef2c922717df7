#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include <usrsctp.h>

#include "iw_sctp_link_state.h"

enum { BACKLOG = 128 };

struct iw_sctp_gate {
    struct iw_sctp_stack *stack;
    struct iw_sctp_link_config config;
    iw_sctp_gate_accept *accept;
    void *user;
    struct iw_sctp_wire *wire;
    struct socket *socket;
    uint16_t port;
    struct iw_timer turn;
};

static void gate_on_packet(
    void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length) {
    struct iw_sctp_gate *gate = user;
    struct iw_sctp_ends ends;
    struct iw_sctp_route *route;

    if (!iw_sctp_route_ends(octets, length, &ends) || ends.own != gate->port)
        return;
    route = iw_sctp_route_find(gate->wire, from, ends);
    if (route == NULL)
        route = iw_sctp_route_new(gate->stack, gate->wire, from, false, ends, &gate->config);
    if (route != NULL)
        iw_sctp_route_take(route, octets, length);
}

static void gate_on_refusal(void *user, const char *reason) {
    (void)user;
    (void)reason; /* an error for one peer; SCTP detects it without this report */
}

static void gate_accept_one(
    struct iw_sctp_gate *gate, struct socket *socket, const struct sockaddr_conn *from) {
    struct iw_sctp_route *route = iw_sctp_route_of_number((uintptr_t)from->sconn_addr);
    struct iw_sctp_link *link =
        route == NULL ? NULL : iw_sctp_link_make(gate->stack, route, socket, &gate->config);

    if (link == NULL) {
        usrsctp_close(socket);
        return;
    }
    usrsctp_set_non_blocking(socket, 1);
    gate->accept(gate->user, link);
}

static void gate_on_turn(void *user) {
    struct iw_sctp_gate *gate = user;
    struct sockaddr_conn from = {0};
    socklen_t size = sizeof from;
    struct socket *socket = usrsctp_accept(gate->socket, (struct sockaddr *)&from, &size);

    if (socket == NULL)
        return;
    iw_timer_start(&gate->turn, gate->stack->loop, 0, gate_on_turn, gate); /* more associations may wait */
    gate_accept_one(gate, socket, &from);
}

static void gate_on_upcall(struct socket *socket, void *user, int flags) {
    struct iw_sctp_gate *gate = user;

    (void)socket;
    (void)flags;
    if (!iw_timer_runs(&gate->turn))
        iw_timer_start(&gate->turn, gate->stack->loop, 0, gate_on_turn, gate);
}

static const char *gate_listen(struct iw_sctp_gate *gate) {
    struct sockaddr_conn own = {.sconn_family = AF_CONN, .sconn_port = htons(gate->port)};

    if (usrsctp_bind(gate->socket, (struct sockaddr *)&own, sizeof own) != 0)
        return errno == EADDRINUSE ? "port in use" : strerror(errno);
    usrsctp_set_upcall(gate->socket, gate_on_upcall, gate);
    return usrsctp_listen(gate->socket, BACKLOG) == 0 ? NULL : strerror(errno);
}

struct iw_sctp_gate *iw_sctp_gate_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_sctp_link_config *config, iw_sctp_gate_accept *accept, void *user, char *text) {
    static const struct iw_sctp_wire_handlers wire_handlers = {gate_on_packet, gate_on_refusal};
    struct iw_sctp_gate *gate = calloc(1, sizeof *gate);
    const char *reason = "out of memory";

    if (gate != NULL) {
        *gate = (struct iw_sctp_gate){.stack = stack, .config = *config, .accept = accept, .user = user};
        iw_sctp_stack_use(stack);
        gate->port = where->port > 0 ? where->port : iw_sctp_stack_port(stack, 0);
        gate->wire = iw_sctp_wire_new(stack->loop, where, true, &wire_handlers, gate, &reason);
        gate->socket = gate->wire == NULL ? NULL : iw_sctp_link_socket(config);
        if (gate->socket != NULL)
            reason = gate_listen(gate);
    }
    if (reason == NULL)
        return gate;
    snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "%.100s:%u: %s", where->host, where->port, reason);
    iw_sctp_gate_free(gate);
    return NULL;
}

struct iw_sctp_where iw_sctp_gate_where(const struct iw_sctp_gate *gate) {
    const struct iw_tcp_address *address = iw_sctp_wire_address(gate->wire);

    return (struct iw_sctp_where){
        .host = NULL, .port = gate->port, .tunnelled = address->port > 0, .tunnel = address->port};
}

void iw_sctp_gate_free(struct iw_sctp_gate *gate) {
    if (gate == NULL)
        return;
    iw_timer_stop(&gate->turn);
    if (gate->socket != NULL) {
        usrsctp_set_upcall(gate->socket, NULL, NULL);
        usrsctp_close(gate->socket);
    }
    iw_sctp_route_end_all(gate->wire);
    iw_sctp_wire_free(gate->wire);
    iw_sctp_stack_leave(gate->stack);
    free(gate);
}
