#ifndef IW_SCTP_WIRE_H
#define IW_SCTP_WIRE_H

#include "iw_sctp_link.h"

/* Sends SCTP packets as datagrams by a raw or UDP socket (RFC 6951) or in memory. SCTP handles losses. */

struct iw_sctp_wire;

struct iw_sctp_wire_handlers {
    /* A datagram from that address; its port is the UDP port, 0 without UDP. May free the wire. */
    void (*taken)(void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length);
    /* The network refuses what was sent: `reason` may be "connection refused". May free the wire. */
    void (*refused)(void *user, const char *reason);
};

/* Connects to one peer, or with `listen` receives from anyone. Returns NULL with an error text in
 * `reason`. */
struct iw_sctp_wire *iw_sctp_wire_new(struct iw_loop *loop, const struct iw_sctp_where *where, bool listen,
    const struct iw_sctp_wire_handlers *handlers, void *user, const char **reason);
/* Changes the user of the handlers, before the first datagram. */
void iw_sctp_wire_set_user(struct iw_sctp_wire *wire, void *user);
void iw_sctp_wire_free(struct iw_sctp_wire *wire);

/* Sends one packet of `length` octets. If the socket's buffer is full, the packet is lost, as in a network.
 */
void iw_sctp_wire_send(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length);

/* The own address; its port is the UDP port, 0 without UDP. */
const struct iw_tcp_address *iw_sctp_wire_address(const struct iw_sctp_wire *wire);
/* The peer's address, unless the wire listens. */
const struct iw_tcp_address *iw_sctp_wire_peer(const struct iw_sctp_wire *wire);

#endif
