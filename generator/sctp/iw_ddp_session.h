#ifndef IW_DDP_SESSION_H
#define IW_DDP_SESSION_H

#include <sys/queue.h>

#include "iw_ddp_association.h"
#include "iw_ddp_early.h"
#include "iw_mpa.h"
#include "iw_port_state.h"

/* One DDP Stream Session at one end, as the port that an endpoint sees of it; and the association that it is
 * of. */

struct iw_ddp_item;
STAILQ_HEAD(iw_ddp_items, iw_ddp_item);

struct iw_ddp_session {
    struct iw_ddp_association *association;
    uint16_t stream;
    bool active;    /* this end has initiated it */
    bool initiated; /* the Initiate is sent, or has come */
    bool answered;  /* and what answers it */
    bool accepted;
    bool unheard;         /* the Initiate or its answer, if of this end, may not have come to the peer yet, */
    bool ending;          /* and a Terminate waits for that (RFC 5043 6.6) */
    bool own_over;        /* a Terminate of this end was sent; */
    bool peer_over;       /* or of the peer has come; both for a Reject */
    bool failed;          /* an RDMAP Terminate was sent on it */
    bool replaced;        /* another one has begun on the stream */
    struct iw_port *port; /* NULL: released */
    struct iw_mpa mpa;
    uint64_t offset[2]; /* in MPA, by side */
    uint16_t ssn;       /* that the peer's next chunk has */
    struct iw_ddp_early early;
    struct iw_ddp_items inbox; /* for the port, until it has handlers */
    struct iw_timer turn;
    TAILQ_ENTRY(iw_ddp_session) all;
};

struct iw_ddp_pool; /* what the associations of a listener share */

struct iw_ddp_association {
    struct iw_sctp_stack *stack;
    struct iw_ddp_association_config config;
    struct iw_ddp_association_handlers handlers;
    void *user;
    struct iw_sctp_link *link;
    char label[128]; /* the peer, in texts before it is open */
    bool open;       /* with the right indication */
    bool over;
    uint16_t streams;
    struct iw_ddp_session **current; /* by stream; NULL: none yet */
    uint16_t *ssn;                   /* of the next chunk to send, by stream */
    TAILQ_HEAD(iw_ddp_sessions, iw_ddp_session) sessions;
    unsigned *pending; /* Initiates that wait: its own count, or its listener's */
    unsigned own_pending;
    size_t early_octets;              /* that wait, of all sessions */
    struct iw_ddp_listener *listener; /* NULL: its user has opened it */
    struct iw_timer turn;
    TAILQ_ENTRY(iw_ddp_association) all;
};

/* A session that the peer asks for, or that this end is going to; its port is open if the association is.
 * NULL if there is no memory. */
struct iw_ddp_session *iw_ddp_session_new(
    struct iw_ddp_association *association, uint16_t stream, bool active);
void iw_ddp_session_free(struct iw_ddp_session *session);

/* The association is open, and the stream the session's. */
void iw_ddp_session_open(struct iw_ddp_session *session);

/* A chunk of the session has come. The port may be gone afterwards, the session is not. */
void iw_ddp_session_take(struct iw_ddp_session *session, const struct iw_sctp_message *message, uint16_t ssn);

/* All that was sent has come to the peer. */
void iw_ddp_session_heard(struct iw_ddp_session *session);

/* The association has ended. */
void iw_ddp_session_end(struct iw_ddp_session *session, enum iw_port_end end, const char *reason);

/* Whether another session may follow on the stream (RFC 5043 6.2, 6.3). */
bool iw_ddp_session_over(const struct iw_ddp_session *session);

/* ---- of the association ---- */

bool iw_ddp_lapses(const struct iw_ddp_association *association, unsigned lapse);

/* The function code of a control chunk, or 0. */
unsigned iw_ddp_function(const struct iw_sctp_message *message);

/* Sends user data, which begin with the stream's next DDP-SSN, and uses that up. There is room for `capacity`
 * octets. Errors as of iw_sctp_link_send. */
enum iw_status iw_ddp_send(struct iw_ddp_association *association, uint16_t stream, uint32_t ppid,
    uint8_t *octets, size_t length, size_t capacity);

/* Sends a control chunk with the stream's next DDP-SSN. */
void iw_ddp_put_control(struct iw_ddp_association *association, uint16_t stream, unsigned function,
    const uint8_t *private_data, size_t length);

/* A session was released: the association may be over, too. */
void iw_ddp_association_settle(struct iw_ddp_association *association);

#endif
