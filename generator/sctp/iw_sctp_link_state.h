#ifndef IW_SCTP_LINK_STATE_H
#define IW_SCTP_LINK_STATE_H

#include "iw_sctp_route.h"

struct socket;

enum iw_sctp_link_phase {
    IW_SCTP_LINK_UNHANDLED, /* accepted, and awaits its handlers */
    IW_SCTP_LINK_OPENING,
    IW_SCTP_LINK_OPEN,
    IW_SCTP_LINK_CLOSING, /* shuts down after the queue is sent */
    IW_SCTP_LINK_SHUT,    /* usrsctp is shutting down */
    IW_SCTP_LINK_OVER,    /* `ended` was called, or will not be called */
};

/* The internals of a link. */
struct iw_sctp_link {
    struct iw_sctp_stack *stack;
    struct iw_sctp_wire *wire; /* its own; NULL: it uses the wire of a listener */
    struct iw_sctp_route *route;
    struct socket *socket;
    struct iw_sctp_link_handlers handlers;
    void *user;
    enum iw_sctp_link_phase phase;
    unsigned depth; /* nested calls that may call handlers; `freed` takes effect after the outermost */
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

/* A link for a socket of usrsctp. Returns NULL if memory runs out; the caller then still owns the socket. */
struct iw_sctp_link *iw_sctp_link_make(struct iw_sctp_stack *stack, struct iw_sctp_route *route,
    struct socket *socket, const struct iw_sctp_link_config *config);

/* Makes the loop call the link, which then receives and sends. */
void iw_sctp_link_wake(struct iw_sctp_link *link);

/* A non-blocking socket as `config` says. Returns NULL if memory runs out. */
struct socket *iw_sctp_link_socket(const struct iw_sctp_link_config *config);

#endif
