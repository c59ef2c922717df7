#ifndef IW_DDP_ASSOCIATION_H
#define IW_DDP_ASSOCIATION_H

#include "iw_endpoint.h"
#include "iw_sctp_link.h"

/* The DDP Streams of an SCTP association, at one end (RFC 5043 6, RFC 6581 7). A DDP Stream Session is a
 * port, so that an endpoint works as over TCP. The port maps the session to MPA without Markers and CRCs, in
 * both directions: Initiate, Accept and Reject are startup frames with their private data (Revision 2 if
 * enhanced), DDP Segments are FPDUs, a session Terminate is FIN, and the end of the association FIN or RST.
 * Call iw_ddp_association_configure on the endpoint's configuration first. */

struct iw_ddp_association;

/* The rules that an end enforces on its peer or obeys itself; sections are those of RFC 5043. */
enum iw_ddp_check {
    IW_DDP_CHECK_INDICATION,   /* the peer indicates DDP (RFC 5043 11.1) */
    IW_DDP_CHECK_UNINDICATED,  /* aborts an association without the indication (7.1) */
    IW_DDP_CHECK_PENDING,      /* rejects an Initiate beyond the limit of pending ones (6.4) */
    IW_DDP_CHECK_SEQUENCE,     /* the sequence of chunks is legal (6.1) */
    IW_DDP_CHECK_SSN,          /* handles chunks in the order of their DDP-SSNs (5.2.1) */
    IW_DDP_CHECK_TERMINATED,   /* no segment follows the peer's session Terminate (RFC 5041 6.2.1) */
    IW_DDP_CHECK_STREAM_ALONE, /* an error of one stream does not end the association (11.3) */

    /* Checks that are off by default. */
    IW_DDP_CHECK_PRIVATE_DATA, /* an Initiate has private data */
    IW_DDP_CHECK_SSN_RANGE,    /* an impossible DDP-SSN ends the session (10) */
    IW_DDP_CHECK_UNUSUAL = IW_DDP_CHECK_PRIVATE_DATA,
};

#define IW_DDP_CHECK_SET(name) (1u << IW_DDP_CHECK_##name)

/* User data to be sent, as chunks of a session. */
struct iw_ddp_emit {
    uint16_t stream;
    uint32_t ppid;
    bool ordered;
    unsigned times;  /* how often to send it [1]; each repetition has the stream's next DDP-SSN */
    uint8_t *octets; /* includes the DDP-SSN; has `capacity` octets */
    size_t length;
    size_t capacity;
};

/* Changes what an end does, as struct iw_policy. All zero conforms. */
struct iw_ddp_policy {
    unsigned omitted_checks; /* set of IW_DDP_CHECK_SET: checks switched off */
    unsigned unusual_checks; /* set of IW_DDP_CHECK_SET: checks switched on that are off by default */
    void *user;
    void (*send)(void *user, struct iw_ddp_emit *emit); /* may change what is sent; may be NULL */
    /* Called for each session before SCTP aborts because of a DATA chunk without user data. May be NULL. */
    void (*broken)(struct iw_ddp_association *association, uint16_t stream);
};

struct iw_ddp_association_config {
    struct iw_sctp_link_config link;
    unsigned pending; /* Initiates of all associations of a listener that may await the ULP's answer [64] */
    struct iw_ddp_policy policy;
};

struct iw_ddp_association_handlers {
    /* The association is open, with the right indication; may be NULL. */
    void (*opened)(void *user, struct iw_ddp_association *association);
    /* Takes each user message first; if it returns true, the association ignores the message. May be NULL. */
    bool (*message)(
        void *user, struct iw_ddp_association *association, const struct iw_sctp_message *message);
    /* An Initiate has arrived: the port is its session. The callee owns the port, as in iw_listener_accept.
     * NULL: each Initiate is rejected by a Terminate. */
    void (*session)(
        void *user, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port);
    /* The association is over, and its ports have ended. Free it, here or later. May be NULL. */
    void (*ended)(
        void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text);
};

/* See iw_sctp_link_connect. */
struct iw_ddp_association *iw_ddp_association_connect(struct iw_sctp_stack *stack,
    const struct iw_sctp_where *peer, const struct iw_ddp_association_config *config,
    const struct iw_ddp_association_handlers *handlers, void *user, char *text);

/* Aborts the association unless it is over, and frees it; free its ports before. NULL is allowed. */
void iw_ddp_association_free(struct iw_ddp_association *association);

struct iw_sctp_link *iw_ddp_association_link(struct iw_ddp_association *association);

/* Adapts the configuration of an endpoint to a session: without Markers and CRCs, with the MULPDU of SCTP
 * (RFC 5043 9) or a smaller one. A responder rejects a Request without a common RTR type, and sends without
 * waiting for the initiator (RFC 6581 7). */
void iw_ddp_association_configure(struct iw_endpoint_config *config);

/* Starts a session on that stream: a port for iw_endpoint_accept as initiator. It connects once the
 * association is open. NULL: the association is over, the stream unknown or in use, or memory runs out. */
struct iw_port *iw_ddp_association_session(struct iw_ddp_association *association, uint16_t stream);

/* Sends the stream's next DDP-SSN, which it increments, and user data. Errors as iw_sctp_link_send. */
enum iw_status iw_ddp_association_put(struct iw_ddp_association *association, uint16_t stream, uint32_t ppid,
    const uint8_t *octets, size_t length);

/* Gets and sets the stream's next DDP-SSN. */
uint16_t iw_ddp_association_ssn(const struct iw_ddp_association *association, uint16_t stream);
void iw_ddp_association_set_ssn(struct iw_ddp_association *association, uint16_t stream, uint16_t ssn);

/* Shuts the association down; `ended` follows. */
void iw_ddp_association_close(struct iw_ddp_association *association);

/* Aborts the association; `ended` follows from the loop. */
void iw_ddp_association_abort(struct iw_ddp_association *association);

struct iw_ddp_listener;

/* Listens for associations as `config` says, and passes each to `handlers` (copied). While 1024 associations
 * exist, new ones are aborted. Returns NULL with a line in `text` on failure. An association of a listener
 * frees itself once it is over and its ports are freed; only the listener frees it earlier. */
struct iw_ddp_listener *iw_ddp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user, char *text);
struct iw_sctp_where iw_ddp_listener_where(const struct iw_ddp_listener *listener);
/* Ports of its associations must have been freed. NULL is allowed. */
void iw_ddp_listener_free(struct iw_ddp_listener *listener);

#endif
