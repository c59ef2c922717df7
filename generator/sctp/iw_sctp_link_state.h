#pragma once

#include <sys/queue.h>

#include "iw_hash_table.h"
#include "iw_sctp_link.h"

enum { IW_SCTP_WINDOW = 1 << 20 }; /* octets that an association receives before it is read */

/* A wire sends and receives SCTP packets: by a raw socket, by a UDP socket (RFC 6951), or in memory. */

struct iw_sctp_wire;

struct iw_sctp_wire_handlers {
    /* A datagram has arrived from that address (port: UDP, or 0 without UDP). May free the wire. */
    void (*taken)(void *user, const struct iw_tcp_address *from, const uint8_t *octets, size_t length);
    /* The network has refused a datagram, for example with "connection refused". May free the wire. */
    void (*refused)(void *user, const char *reason);
};

/* Connects to one peer, or with `listen` receives from anyone. Returns NULL with a `reason` on failure. */
struct iw_sctp_wire *iw_sctp_wire_new(struct iw_loop *loop, const struct iw_sctp_where *where, bool listen,
    const struct iw_sctp_wire_handlers *handlers, void *user, const char **reason);
/* Changes the user of the handlers, before the first datagram. */
void iw_sctp_wire_set_user(struct iw_sctp_wire *wire, void *user);
void iw_sctp_wire_free(struct iw_sctp_wire *wire);

/* Sends one packet. If the socket's buffer is full, the packet is lost, as in a network. */
void iw_sctp_wire_send(
    struct iw_sctp_wire *wire, const struct iw_tcp_address *to, const uint8_t *octets, size_t length);

/* The address of this end, with the UDP port, or 0 without UDP. */
const struct iw_tcp_address *iw_sctp_wire_address(const struct iw_sctp_wire *wire);
/* The peer's address, unless the wire listens. */
const struct iw_tcp_address *iw_sctp_wire_peer(const struct iw_sctp_wire *wire);

/* A route is the path between the two ends of one association. usrsctp knows it by its number. */

enum { IW_SCTP_ROUTE_OCTETS = 1400 }; /* of a packet: fits an Ethernet frame with IP and UDP headers */

/* What the packets of both directions have shown so far. */
struct iw_sctp_seen {
    uint32_t tag;       /* Verification Tag of packets to the peer */
    bool own_tsns;      /* own TSNs are known */
    uint32_t first_tsn; /* of this end's first DATA chunk */
    uint32_t next_tsn;  /* of this end's next DATA chunk */
    uint32_t acked_tsn; /* cumulative acknowledgement of the peer */
    struct iw_sctp_link_peer peer;
    bool aborted; /* the peer has aborted the association */
};

/* A received packet that is held back, and the packets after it. */
struct iw_sctp_hold {
    bool active;    /* holds back the packet with TSN `tsn`; without `packet`, the next DATA packet */
    uint32_t tsn;   /* valid with `packet` */
    uint32_t ahead; /* how far the highest received TSN is after `tsn` */
    uint8_t *packet;
    size_t length;
    STAILQ_HEAD(iw_sctp_backlog, iw_sctp_kept) backlog;
    unsigned backlog_count;
    struct iw_timer release;
};

struct iw_sctp_route {
    struct iw_hash_entry by_ends; /* used only by iw_sctp_route.c */
    struct iw_sctp_number {
        struct iw_hash_entry entry;
        struct iw_sctp_route *route;
    } by_number; /* used only by iw_sctp_route.c */
    struct iw_sctp_stack *stack;
    uintptr_t number; /* its address for usrsctp */
    struct iw_sctp_wire *wire;
    struct iw_tcp_address to; /* destination of its datagrams */
    bool opener;
    struct iw_tcp_address addresses[2]; /* by enum iw_side, with SCTP ports */
    iw_sctp_tap *tap;
    void *tap_user;
    void (*broken)(void *user); /* see struct iw_sctp_link_handlers; or NULL */
    void *broken_user;
    bool in_use; /* a link uses it; otherwise it may be freed when another route is made */

    struct iw_sctp_seen seen;
    struct iw_sctp_hold hold;

    TAILQ_ENTRY(iw_sctp_route) alike; /* list of the routes with the same `in_use` */
};

struct iw_sctp_stack {
    struct iw_loop *loop;
    struct iw_timer clock;
    unsigned users;       /* links and listeners; the clock runs while there are any */
    uint64_t reported_ns; /* time reported to usrsctp */
    TAILQ_ENTRY(iw_sctp_stack) all;
};

/* Count the users of a stack; its clock runs while it has users. */
void iw_sctp_stack_use(struct iw_sctp_stack *stack);
void iw_sctp_stack_leave(struct iw_sctp_stack *stack);

/* An SCTP port not used recently, other than `other`. */
uint16_t iw_sctp_stack_port(const struct iw_sctp_stack *stack, uint16_t other);

struct iw_sctp_ends {
    uint16_t own; /* SCTP ports */
    uint16_t peer;
};

/* Creates a route, and may free a route that no link uses. Returns NULL if memory runs out. */
struct iw_sctp_route *iw_sctp_route_new(struct iw_sctp_stack *stack, struct iw_sctp_wire *wire,
    const struct iw_tcp_address *to, bool opener, struct iw_sctp_ends ends,
    const struct iw_sctp_link_config *config);
void iw_sctp_route_free(struct iw_sctp_route *route);
void iw_sctp_route_use(struct iw_sctp_route *route);
void iw_sctp_route_end_all(const struct iw_sctp_wire *wire);

/* The route with that number, or NULL if it was freed. */
struct iw_sctp_route *iw_sctp_route_of_number(uintptr_t number);
struct iw_sctp_route *iw_sctp_route_find(
    const struct iw_sctp_wire *wire, const struct iw_tcp_address *to, struct iw_sctp_ends ends);

/* Gets the ports of a received packet. Returns false if the packet is too short. */
bool iw_sctp_route_ends(const uint8_t *octets, size_t length, struct iw_sctp_ends *ends);

/* Receives a packet. May free the route. */
void iw_sctp_route_take(struct iw_sctp_route *route, const uint8_t *octets, size_t length);
void iw_sctp_route_hold(struct iw_sctp_route *route, bool hold);

/* Sends chunks in their own packet; they must fit. */
void iw_sctp_route_put_chunks(struct iw_sctp_route *route, const uint8_t *chunks, size_t length);

/* Sends a packet made by usrsctp or by iw_sctp_route_put_chunks. */
void iw_sctp_route_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length);

struct socket;

enum iw_sctp_link_phase {
    IW_SCTP_LINK_UNHANDLED, /* accepted, and awaits its handlers */
    IW_SCTP_LINK_OPENING,
    IW_SCTP_LINK_OPEN,
    IW_SCTP_LINK_CLOSING, /* shuts down after the queue is sent */
    IW_SCTP_LINK_SHUT,    /* usrsctp is shutting down */
    IW_SCTP_LINK_OVER,    /* `ended` was called, or will not be called */
};

struct iw_sctp_link {
    struct iw_sctp_stack *stack;
    struct iw_sctp_wire *wire; /* its own; NULL: it uses the wire of a listener */
    struct iw_sctp_route *route;
    struct socket *socket;
    struct iw_sctp_link_handlers handlers;
    void *user;
    enum iw_sctp_link_phase phase;
    unsigned depth; /* nested calls that may call handlers; a freed link exists until the outermost returns */
    bool freed;
    bool flooding;
    uint32_t submitted;  /* messages that usrsctp has taken, each normally one chunk */
    const char *refused; /* error that the network reports for the peer */
    struct iw_sctp_link_peer peer;
    char label[128];
    struct iw_timer turn;
    STAILQ_HEAD(iw_sctp_waiting, iw_sctp_outgoing) waiting;
    size_t queued;
    uint8_t *octets; /* of the message being received */
    size_t count;
    bool overlong; /* the message exceeds the limit, and its start was passed on */
};

/* Creates a link that owns `socket`. Returns NULL, and does not own it, if memory runs out. */
struct iw_sctp_link *iw_sctp_link_make(struct iw_sctp_stack *stack, struct iw_sctp_route *route,
    struct socket *socket, const struct iw_sctp_link_config *config);
void iw_sctp_link_wake(struct iw_sctp_link *link);

/* Creates a non-blocking socket of usrsctp with the options of `config`. Returns NULL if memory runs out. */
struct socket *iw_sctp_link_socket(const struct iw_sctp_link_config *config);
