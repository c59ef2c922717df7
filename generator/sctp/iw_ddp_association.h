#pragma once

#include "iw_endpoint.h"
#include "iw_sctp_link.h"

/* The DDP Streams of an SCTP association, at one end (RFC 5043 6, RFC 6581 7). An endpoint uses a DDP Stream
 * Session as its port, and works as over TCP. The port converts between the session and MPA without Markers
 * and CRCs, in both directions: Initiate, Accept and Reject are startup frames with their private data
 * (Revision 2 if enhanced); DDP Segments are FPDUs; a session Terminate is a FIN; the end of the association
 * is a FIN or RST. The endpoint's configuration must be adapted by iw_ddp_association_configure. */

struct iw_ddp_association;

/* The rules that an end obeys or enforces on its peer; clauses of RFC 5043 unless noted. */
enum iw_ddp_check {
    IW_DDP_CHECK_INDICATION,   /* the peer must indicate DDP (11.1) */
    IW_DDP_CHECK_UNINDICATED,  /* aborts an association without the indication (7.1) */
    IW_DDP_CHECK_PENDING,      /* rejects an Initiate beyond the limit of pending Initiates (6.4) */
    IW_DDP_CHECK_SEQUENCE,     /* a chunk that is illegal in the state of the session ends it (6.1) */
    IW_DDP_CHECK_SSN,          /* handles chunks in the order of their DDP-SSNs (5.2.1) */
    IW_DDP_CHECK_TERMINATED,   /* the peer's session Terminate ends the session (RFC 5041 6.2.1) */
    IW_DDP_CHECK_STREAM_ALONE, /* an error of one stream does not end the association (11.3) */

    /* Checks that are off by default. */
    IW_DDP_CHECK_PRIVATE_DATA, /* rejects an Initiate without private data */
    IW_DDP_CHECK_SSN_RANGE,    /* an impossible DDP-SSN ends the session (10) */
    IW_DDP_CHECK_UNUSUAL = IW_DDP_CHECK_PRIVATE_DATA,
};

#define IW_DDP_CHECK_SET(name) (1u << IW_DDP_CHECK_##name)

/* User data to send as a chunk of a session. */
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
    /* A DATA chunk without user data has arrived: SCTP will abort. Called for each session; may be NULL. */
    void (*broken)(struct iw_ddp_association *association, uint16_t stream);
};

struct iw_ddp_association_config {
    struct iw_sctp_link_config link;
    unsigned pending; /* limit of Initiates of a listener that await the ULP's answer [64] */
    struct iw_ddp_policy policy;
};

struct iw_ddp_association_handlers {
    /* The association is open, and the peer has indicated DDP; may be NULL. */
    void (*opened)(void *user, struct iw_ddp_association *association);
    /* A user message has arrived. Returns true to make the association ignore the message. May be NULL. */
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

/* Opens an association; arguments and errors as for iw_sctp_link_connect. */
struct iw_ddp_association *iw_ddp_association_connect(struct iw_sctp_stack *stack,
    const struct iw_sctp_where *peer, const struct iw_ddp_association_config *config,
    const struct iw_ddp_association_handlers *handlers, void *user, char *text);

/* Aborts the association unless it is over, and frees it. Free its ports before. NULL is allowed. */
void iw_ddp_association_free(struct iw_ddp_association *association);

struct iw_sctp_link *iw_ddp_association_link(struct iw_ddp_association *association);

/* Adapts the configuration of an endpoint to a session: without Markers and CRCs, with the MULPDU of SCTP
 * (RFC 5043 9) or a smaller MULPDU. A responder rejects a Request without a common RTR type, and sends
 * without waiting for the initiator (RFC 6581 7). */
void iw_ddp_association_configure(struct iw_endpoint_config *config);

/* Starts a session on that stream as initiator. Returns its port, for iw_endpoint_accept, which connects once
 * the association is open. Returns NULL if the association is over, if the stream does not exist or is in
 * use, or if memory runs out. */
struct iw_port *iw_ddp_association_session(struct iw_ddp_association *association, uint16_t stream);

/* Sends a chunk that consists of the stream's next DDP-SSN and `octets`, and increments the DDP-SSN. Errors:
 * iw_sctp_link_send. */
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

/* Accepts associations, with a copy of `config` and `handlers`; aborts new associations while 1024 exist.
 * Returns NULL with a line in `text` on failure. An association of a listener frees itself once it is over
 * and its ports are freed, or iw_ddp_listener_free frees it. */
struct iw_ddp_listener *iw_ddp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user, char *text);
struct iw_sctp_where iw_ddp_listener_where(const struct iw_ddp_listener *listener);
/* Frees the listener and its associations, whose ports must have been freed. NULL is allowed. */
void iw_ddp_listener_free(struct iw_ddp_listener *listener);
