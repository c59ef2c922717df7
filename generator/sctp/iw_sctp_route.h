#ifndef IW_SCTP_ROUTE_H
#define IW_SCTP_ROUTE_H

#include <sys/queue.h>

#include "iw_sctp_wire.h"

/* The way between the two ends of one association: usrsctp knows it by a number, and every packet passes
 * here. */

enum {
    IW_SCTP_ROUTE_OCTETS = 1400
}; /* of a packet: with the IP and UDP headers of a tunnel, less than an
      Ethernet frame carries */

struct iw_sctp_route {
    struct iw_sctp_stack *stack;
    uintptr_t number; /* what usrsctp takes for its address */
    struct iw_sctp_wire *wire;
    struct iw_tcp_address to; /* where its datagrams go */
    bool opener;
    struct iw_tcp_address addresses[2]; /* by enum iw_side, with the ports of SCTP */
    iw_sctp_tap *tap;
    void *tap_user;
    void (*broken)(void *user); /* see struct iw_sctp_link_handlers; or NULL */
    void *broken_user;
    bool in_use; /* a link stands on it: otherwise it may make room for another */

    /* What its packets have said. */
    uint32_t tag;       /* that packets to the peer carry */
    bool begun;         /* of its own TSNs is known: */
    uint32_t first_tsn; /* of the first DATA chunk, */
    uint32_t next_tsn;  /* of the next one, */
    uint32_t acked_tsn; /* and of the last up to which the peer has all */
    struct iw_sctp_link_peer peer;
    bool aborted; /* by the peer */

    bool holding; /* the packet with the DATA chunk `held_tsn`, or the next one's if none is held yet */
    uint32_t held_tsn;
    uint32_t ahead; /* how far the TSNs that come are ahead of that */
    uint8_t *held;
    size_t held_octets;
    STAILQ_HEAD(iw_sctp_backlog, iw_sctp_kept) backlog;
    unsigned backlog_count;
    struct iw_timer release;

    TAILQ_ENTRY(iw_sctp_route) all;
};

struct iw_sctp_stack {
    struct iw_loop *loop;
    struct iw_timer clock;
    unsigned users;   /* links and gates: while there are any, the clock runs */
    uint64_t told_ns; /* up to when usrsctp knows the time */
    TAILQ_ENTRY(iw_sctp_stack) all;
};

/* The clock of the stack runs as long as anybody uses it. */
void iw_sctp_stack_use(struct iw_sctp_stack *stack);
void iw_sctp_stack_leave(struct iw_sctp_stack *stack);

/* A port of SCTP that was not used for long, and is not `other`. */
uint16_t iw_sctp_stack_port(const struct iw_sctp_stack *stack, uint16_t other);

struct iw_sctp_ends {
    uint16_t own; /* ports of SCTP */
    uint16_t peer;
};

/* NULL if there is no memory. One that no link has begun to use may be gone when another is made. */
struct iw_sctp_route *iw_sctp_route_new(struct iw_sctp_stack *stack, struct iw_sctp_wire *wire,
    const struct iw_tcp_address *to, bool opener, struct iw_sctp_ends ends,
    const struct iw_sctp_link_config *config);
void iw_sctp_route_free(struct iw_sctp_route *route);

/* All routes on that wire are gone. */
void iw_sctp_route_end_all(const struct iw_sctp_wire *wire);

struct iw_sctp_route *iw_sctp_route_of_number(uintptr_t number);
struct iw_sctp_route *iw_sctp_route_find(
    const struct iw_sctp_wire *wire, const struct iw_tcp_address *to, struct iw_sctp_ends ends);

/* The ports of a packet, as its receiver names them. */
bool iw_sctp_route_ends(const uint8_t *octets, size_t length, struct iw_sctp_ends *ends);

/* A packet has come. The route may be gone afterwards. */
void iw_sctp_route_take(struct iw_sctp_route *route, const uint8_t *octets, size_t length);

/* Holds back what the next DATA chunk comes in, or lets it come. */
void iw_sctp_route_hold(struct iw_sctp_route *route, bool hold);

/* Sends chunks in a packet of their own; they fit into one. */
void iw_sctp_route_put_chunks(struct iw_sctp_route *route, const uint8_t *chunks, size_t length);

/* A packet goes out: of usrsctp, or by hand. */
void iw_sctp_route_put(struct iw_sctp_route *route, const uint8_t *octets, size_t length);

#endif
