#ifndef IW_DDP_ASSOCIATION_H
#define IW_DDP_ASSOCIATION_H

#include "iw_port.h"
#include "iw_sctp_link.h"

/* The DDP Streams of an SCTP association, at one end (RFC 5043 6, RFC 6581 7). A DDP Stream Session is a
 * port, as a TCP connection is one: an endpoint on it is the same as over TCP. The port shows it MPA without
 * Markers and CRCs: Initiate, Accept and Reject as startup frames with their private data, enhanced ones with
 * Revision 2, DDP Segments as FPDUs, a session Terminate as FIN, the end of the association as FIN or RST;
 * and sends in the same way. An endpoint on it needs `no_crc`, no `markers`, and iw_ddp_association_mulpdu.
 */

struct iw_ddp_association;

/* What an end that is meant to be wrong does otherwise than it should, and what the documents leave to it. */
enum iw_ddp_omitted_check {
    IW_DDP_OMITTED_CHECK_INDICATION =
        1 << 0, /* does not look at the peer's Adaptation Layer Indication (RFC 5043 11.1) */
    IW_DDP_OMITTED_CHECK_PENDING = 1 << 1,  /* says nothing to one Initiate too many (6.4) */
    IW_DDP_OMITTED_CHECK_EMPTY = 1 << 2,    /* ends a session for an Initiate without private data (5.2.3) */
    IW_DDP_OMITTED_CHECK_SEQUENCE = 1 << 3, /* goes on when chunks follow no legal sequence (6.1) */
    IW_DDP_OMITTED_CHECK_SSN = 1 << 4,      /* takes chunks as they come, whatever their DDP-SSN (5.2.1) */
    IW_DDP_OMITTED_CHECK_TERMINATES = 1 << 5, /* an RDMAP Terminate on each stream before it aborts (11.3) */
    IW_DDP_OMITTED_CHECK_WHOLE = 1 << 6,      /* an error of one stream ends the association (11.3) */
    IW_DDP_OMITTED_CHECK_UNENHANCED =
        1 << 7,                         /* answers enhanced Initiates by a Reject that is not (RFC 6581 7) */
    IW_DDP_OMITTED_CHECK_LATE = 1 << 8, /* takes segments behind the peer's Terminate (RFC 5041 6.2.1) */
    IW_DDP_BEHAVIOUR_TOLERANT =
        1 << 9, /* an association with a peer of another indication is left open, without DDP */
    IW_DDP_BEHAVIOUR_SSN_ENDS = 1 << 10, /* a DDP-SSN that cannot be ends the session (10) */
};

/* User data that an association is about to send, as chunks of a session. */
struct iw_ddp_emit {
    uint16_t stream;
    uint32_t ppid;
    bool ordered;
    unsigned times;  /* 1; each after the first has the stream's next DDP-SSN */
    uint8_t *octets; /* with the DDP-SSN; there is room for `capacity` */
    size_t length;
    size_t capacity;
};

struct iw_ddp_association_config {
    struct iw_sctp_link_config link;
    unsigned
        pending; /* Initiates that may wait for the ULP's answer, of all associations of a listener [64] */
    unsigned lapses;                                      /* set of enum iw_ddp_omitted_check */
    void (*filter)(void *user, struct iw_ddp_emit *emit); /* may change what is sent; NULL: nothing does */
    void *filter_user;
};

struct iw_ddp_association_handlers {
    /* The peer has the right indication; may be NULL. */
    void (*opened)(void *user, struct iw_ddp_association *association);
    /* Called with each user message before the association handles it. If it returns true, the association
     * ignores the message. May be NULL. */
    bool (*message)(
        void *user, struct iw_ddp_association *association, const struct iw_sctp_message *message);
    /* An Initiate has come: its session is the port, which belongs to the callee, as that of an iw_listener.
     * NULL: every one is refused by a Terminate. */
    void (*session)(
        void *user, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port);
    /* The association is over; its ports have been told. It is to be freed, from here or later. May be NULL.
     */
    void (*ended)(
        void *user, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text);
};

/* As iw_sctp_link_connect. */
struct iw_ddp_association *iw_ddp_association_connect(struct iw_sctp_stack *stack,
    const struct iw_sctp_where *peer, const struct iw_ddp_association_config *config,
    const struct iw_ddp_association_handlers *handlers, void *user, char *text);

/* Aborts the association unless it is over, and frees it; its ports must have been freed. NULL is allowed. */
void iw_ddp_association_free(struct iw_ddp_association *association);

struct iw_sctp_link *iw_ddp_association_link(struct iw_ddp_association *association);

/* The largest ULPDU for the endpoints (RFC 5043 9), in octets. */
uint16_t iw_ddp_association_mulpdu(const struct iw_ddp_association *association);

/* A session on that stream, which this end is to initiate: a port for iw_endpoint_accept with a configuration
 * of an initiator. If the association is not open yet the port connects with it. NULL if the association is
 * over, the stream not there or in use, or there is no memory. */
struct iw_port *iw_ddp_association_session(struct iw_ddp_association *association, uint16_t stream);

/* Sends user data by hand behind the stream's next DDP-SSN, which is then used up; errors as of
 * iw_sctp_link_send. */
enum iw_status iw_ddp_association_put(struct iw_ddp_association *association, uint16_t stream, uint32_t ppid,
    const uint8_t *octets, size_t length);

/* The DDP-SSN that is next on the stream, and sets it. */
uint16_t iw_ddp_association_ssn(const struct iw_ddp_association *association, uint16_t stream);
void iw_ddp_association_set_ssn(struct iw_ddp_association *association, uint16_t stream, uint16_t ssn);

/* Shuts the association down; `ended` follows. */
void iw_ddp_association_close(struct iw_ddp_association *association);

/* Aborts the association; `ended` follows from the loop. */
void iw_ddp_association_abort(struct iw_ddp_association *association);

struct iw_ddp_listener;

/* Listens for associations that behave as `config` says; each is handed to `handlers`, which are copied. Of
 * more than 1024 at a time the newest is aborted. NULL with a line in `text` if that cannot be. An
 * association of a listener frees itself once it is over and its ports are freed: nobody else does. */
struct iw_ddp_listener *iw_ddp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user, char *text);
struct iw_sctp_where iw_ddp_listener_where(const struct iw_ddp_listener *listener);
/* Ports of its associations must have been freed. NULL is allowed. */
void iw_ddp_listener_free(struct iw_ddp_listener *listener);

#endif
