#pragma once

#include "iw_ddp_association.h"
#include "iw_mpa.h"
#include "iw_port_state.h"

/* Chunks of one DDP Stream Session that arrived out of order (RFC 5043 10), by DDP-SSN. */

enum {
    IW_DDP_SSNS_AHEAD = 32768,         /* a DDP-SSN this far after the expected DDP-SSN is impossible */
    IW_DDP_EARLY_OCTETS_MAX = 8 << 20, /* limit for the early chunks of all sessions of an association */
};

struct iw_ddp_early_chunk {
    uint32_t ppid;
    uint32_t length; /* octets */
    uint8_t octets[];
};

struct iw_ddp_early {
    struct iw_ddp_early_chunk **chunks; /* by DDP-SSN modulo IW_DDP_SSNS_AHEAD; NULL: empty */
};

/* Events for the port of a DDP Stream Session; they wait until the port has handlers. */

struct iw_ddp_item;
STAILQ_HEAD(iw_ddp_items, iw_ddp_item);

struct iw_ddp_inbox {
    struct iw_port *port; /* NULL: freed */
    struct iw_ddp_items items;
    struct iw_timer turn;
};

void iw_ddp_inbox_init(struct iw_ddp_inbox *inbox, struct iw_port *port);
void iw_ddp_inbox_dispose(struct iw_ddp_inbox *inbox);
void iw_ddp_inbox_wake(struct iw_ddp_inbox *inbox);

/* Add an event: received octets of MPA, or the end of the port. Call them from the loop only: if the port has
 * handlers, they get the event at once and may free the port. */
void iw_ddp_inbox_push(struct iw_ddp_inbox *inbox, const uint8_t *octets, size_t length);
void iw_ddp_inbox_push_end(struct iw_ddp_inbox *inbox, enum iw_port_end end, const char *reason);

/* Opens the port and reports `connected`, from the loop. If the port has no handlers, or if memory runs out,
 * opens it at once without a report. */
void iw_ddp_inbox_open(struct iw_ddp_inbox *inbox);
void iw_ddp_inbox_forget(struct iw_ddp_inbox *inbox);

/* One DDP Stream Session at one end. */

struct iw_ddp_session {
    struct iw_ddp_association *association;
    uint16_t stream;
    bool active;    /* this end is the initiator */
    bool initiated; /* the Initiate was sent or received */
    bool answered;  /* Accept or Reject was sent or received, or the session has ended */
    bool accepted;
    bool unconfirmed; /* this end's Initiate or answer may not have arrived yet */
    bool ending;      /* a Terminate waits until the Initiate or answer has arrived (RFC 5043 6.6) */
    bool own_over;    /* this end sent a Terminate or Reject, or got a Reject, or the session was ended */
    bool peer_over;   /* the peer sent a Terminate or Reject, or got a Reject, or the session was ended */
    bool failed;      /* an RDMAP Terminate was sent on it */
    bool replaced;    /* a new session has begun on the stream */
    struct iw_mpa mpa;
    uint64_t offset[2]; /* octets of MPA so far, by side */
    uint16_t ssn;       /* DDP-SSN expected in the peer's next chunk */
    struct iw_ddp_early early;
    struct iw_ddp_inbox inbox;
    TAILQ_ENTRY(iw_ddp_session) all;
};

struct iw_ddp_association {
    struct iw_sctp_stack *stack;
    struct iw_ddp_association_config config;
    struct iw_ddp_association_handlers handlers;
    void *user;
    struct iw_sctp_link *link;
    char label[128]; /* the peer, as named in error texts before the association is open */
    bool open;       /* connected, and the peer indicates DDP */
    bool over;
    uint16_t streams;
    struct iw_ddp_session **current; /* by stream; NULL: no session */
    uint16_t *ssn;                   /* DDP-SSN of the next chunk to send, by stream */
    TAILQ_HEAD(iw_ddp_sessions, iw_ddp_session) sessions;
    unsigned *pending; /* pending Initiates: its own counter, or its listener's */
    unsigned own_pending;
    size_t early_octets;              /* octets of the early chunks of all sessions */
    struct iw_ddp_listener *listener; /* NULL: opened by its user */
    struct iw_timer turn;
    TAILQ_ENTRY(iw_ddp_association) all;
};

/* Creates a session with its port, which is open if the association is open. `active`: this end is the
 * initiator. Returns NULL if memory runs out. */
struct iw_ddp_session *iw_ddp_session_new(
    struct iw_ddp_association *association, uint16_t stream, bool active);
void iw_ddp_session_free(struct iw_ddp_session *session);
void iw_ddp_session_open(struct iw_ddp_session *session);

/* Receives a chunk with that DDP-SSN. The port's handlers may free the port, but not the session. */
void iw_ddp_session_take(struct iw_ddp_session *session, const struct iw_sctp_message *message, uint16_t ssn);

/* The peer has received everything sent: sends a Terminate that waited for this. */
void iw_ddp_session_confirmed(struct iw_ddp_session *session);
void iw_ddp_session_end(struct iw_ddp_session *session, enum iw_port_end end, const char *reason);

/* Whether the session has ended, so that a new session may begin on the stream (RFC 5043 6.2, 6.3). */
bool iw_ddp_session_over(const struct iw_ddp_session *session);

bool iw_ddp_enforces(const struct iw_ddp_association *association, enum iw_ddp_check check);

/* The Function Code of a control chunk; 0 for other chunks. */
unsigned iw_ddp_function(const struct iw_sctp_message *message);

/* Sends `octets`, which begin with the stream's next DDP-SSN, as a chunk, and increments the DDP-SSN. A
 * policy may change them, up to `capacity` octets. Errors as iw_sctp_link_send. */
enum iw_status iw_ddp_send(struct iw_ddp_association *association, uint16_t stream, uint32_t ppid,
    uint8_t *octets, size_t length, size_t capacity);
void iw_ddp_put_control(struct iw_ddp_association *association, uint16_t stream, unsigned function,
    const uint8_t *private_data, size_t length);

/* Creates an association without a link. Returns NULL if memory runs out. */
struct iw_ddp_association *iw_ddp_association_make(struct iw_sctp_stack *stack,
    const struct iw_ddp_association_config *config, const struct iw_ddp_association_handlers *handlers,
    void *user);
void iw_ddp_association_serve(struct iw_ddp_association *association, struct iw_sctp_link *link);
void iw_ddp_listener_forget(struct iw_ddp_association *association);

/* Frees an association of a listener, later from the loop, if it has ended and its ports are freed. */
void iw_ddp_association_settle(struct iw_ddp_association *association);
