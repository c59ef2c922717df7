#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <usrsctp.h>

#include "iw_sctp_link_state.h"

/* Opens associations; each of these links has its own wire. */

static void connect_on_packet(
    void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length) {
    struct iw_sctp_link *link = user;
    enum iw_side own = link->route->opener ? IW_SIDE_A : IW_SIDE_B;
    struct iw_sctp_ends ends;

    (void)from;
    if (iw_sctp_route_ends(octets, length, &ends) && ends.own == link->route->addresses[own].port &&
        ends.peer == link->route->addresses[iw_side_other(own)].port)
        iw_sctp_route_take(link->route, octets, length);
}

static void connect_on_refusal(void *user, const char *reason) {
    struct iw_sctp_link *link = user;

    if (link->phase >= IW_SCTP_LINK_OPEN)
        return;
    link->refused = reason;
    iw_sctp_link_wake(link);
}

static struct sockaddr_conn connect_address(const struct iw_sctp_route *route, uint16_t port) {
    return (struct sockaddr_conn){
        .sconn_family = AF_CONN, .sconn_port = htons(port), .sconn_addr = (void *)route->number};
}

static struct iw_sctp_link *connect_open_link(struct iw_sctp_stack *stack, struct iw_sctp_wire *wire,
    const struct iw_sctp_where *peer, const struct iw_sctp_link_config *config) {
    const struct iw_sctp_ends ends = {iw_sctp_stack_port(stack, peer->port), peer->port};
    struct iw_sctp_route *route = iw_sctp_route_new(stack, wire, iw_sctp_wire_peer(wire), true, ends, config);
    struct socket *socket = route == NULL ? NULL : iw_sctp_link_socket(config);
    struct iw_sctp_link *link = socket == NULL ? NULL : iw_sctp_link_make(stack, route, socket, config);

    if (link != NULL)
        return link;
    if (socket != NULL)
        usrsctp_close(socket);
    iw_sctp_route_free(route);
    return NULL;
}

static bool connect_socket(struct iw_sctp_link *link) {
    struct sockaddr_conn own = connect_address(link->route, link->route->addresses[IW_SIDE_A].port);
    struct sockaddr_conn peer = connect_address(link->route, link->route->addresses[IW_SIDE_B].port);

    return usrsctp_bind(link->socket, (struct sockaddr *)&own, sizeof own) == 0 &&
           (usrsctp_connect(link->socket, (struct sockaddr *)&peer, sizeof peer) == 0 ||
               errno == EINPROGRESS);
}

struct iw_sctp_link *iw_sctp_link_connect(struct iw_sctp_stack *stack, const struct iw_sctp_where *peer,
    const struct iw_sctp_link_config *config, const struct iw_sctp_link_handlers *handlers, void *user,
    char *text) {
    static const struct iw_sctp_wire_handlers wire_handlers = {connect_on_packet, connect_on_refusal};
    const char *reason = NULL;
    struct iw_sctp_wire *wire = iw_sctp_wire_new(stack->loop, peer, false, &wire_handlers, NULL, &reason);
    struct iw_sctp_link *link = wire == NULL ? NULL : connect_open_link(stack, wire, peer, config);

    if (link != NULL) {
        link->wire = wire;
        iw_sctp_wire_set_user(wire, link);
        iw_sctp_link_handle(link, handlers, user);
        if (connect_socket(link))
            return link;
        reason = strerror(errno);
        iw_sctp_link_free(link);
    } else {
        reason = wire == NULL ? reason : "out of memory";
        iw_sctp_wire_free(wire);
    }
    snprintf(text, IW_SCTP_LINK_TEXT_OCTETS, "%.100s:%u: %s", peer->host, peer->port, reason);
    return NULL;
}
