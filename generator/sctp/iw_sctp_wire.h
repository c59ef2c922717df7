#ifndef IW_SCTP_WIRE_H
#define IW_SCTP_WIRE_H

#include "iw_sctp_link.h"

/* How SCTP packets travel, as datagrams: a raw socket, a UDP socket (RFC 6951), or on a virtual loop memory.
 * What does not arrive is lost, which is SCTP's to mend. */

struct iw_sctp_wire;

struct iw_sctp_wire_handlers {
    /* A datagram from there: the port is that of UDP, 0 without. The wire may be freed. */
    void (*taken)(void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length);
    /* The network says that nobody takes what was sent: one word or two, such as "connection refused". The
     * wire may be freed. */
    void (*refused)(void *user, const char *reason);
};

/* To talk to one peer only, or, with `listen`, to whoever comes to that address. NULL with what is wrong in
 * `reason`. */
struct iw_sctp_wire *iw_sctp_wire_new(struct iw_loop *loop, const struct iw_sctp_where *where, bool listen,
    const struct iw_sctp_wire_handlers *handlers, void *user, const char **reason);
/* Another one for the handlers, before anything has come. */
void iw_sctp_wire_set_user(struct iw_sctp_wire *wire, void *user);
void iw_sctp_wire_free(struct iw_sctp_wire *wire);

void iw_sctp_wire_send(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length);

/* The own address; the port is that of UDP, 0 without. */
const struct iw_tcp_address *iw_sctp_wire_address(const struct iw_sctp_wire *wire);
/* The peer's, unless it listens. */
const struct iw_tcp_address *iw_sctp_wire_peer(const struct iw_sctp_wire *wire);

#endif
