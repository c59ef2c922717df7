#ifndef IW_SCTP_LINK_STATE_H
#define IW_SCTP_LINK_STATE_H

#include "iw_sctp_route.h"

struct socket;

/* The inside of a link. */
struct iw_sctp_link {
    struct iw_sctp_stack *stack;
    struct iw_sctp_wire *wire; /* its own; NULL: that of a gate */
    struct iw_sctp_route *route;
    struct socket *socket;
    struct iw_sctp_link_handlers handlers;
    void *user;
    bool handled;
    bool open;
    bool over;      /* `ended` was called, or will not be */
    bool closing;   /* shut down behind what waits */
    bool shut;      /* usrsctp knows */
    unsigned depth; /* handlers that are running */
    bool freed;
    bool flooding;
    uint32_t given;      /* chunks, to usrsctp */
    const char *refused; /* what the network says of the peer */
    struct iw_sctp_link_peer peer;
    char label[128];
    struct iw_timer turn;
    STAILQ_HEAD(iw_sctp_waiting, iw_sctp_outgoing) waiting;
    size_t queued;
    uint8_t *octets; /* of the message that is coming */
    size_t count;
    bool beyond; /* what comes is longer than may be, and its begin was taken */
};

struct iw_sctp_link *iw_sctp_link_make(
    struct iw_sctp_stack *stack, struct iw_sctp_route *route, struct socket *socket);

/* It has something to do: that is done from the loop. */
void iw_sctp_link_wake(struct iw_sctp_link *link);

/* A socket as `config` says, which does not block. NULL if there is no memory. */
struct socket *iw_sctp_link_socket(const struct iw_sctp_link_config *config);

#endif
