#ifndef IW_SCTP_LINK_H
#define IW_SCTP_LINK_H

#include "iw_sctp.h"
#include "iw_sctp_stack.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* One end of an SCTP association: user data in and out, and what tests need: any Adaptation Layer
 * Indication, injected chunks, and a network that holds back a packet. */

enum {
    IW_SCTP_LINK_TEXT_OCTETS = 160,  /* enough for any text of this module */
    IW_SCTP_LINK_PAYLOAD_MAX = 1372, /* the largest message that SCTP does not fragment (RFC 5043 9) */
};

/* The address of the peer, or to listen on. */
struct iw_sctp_where {
    const char *host;
    uint16_t port;   /* SCTP port; to listen, 0 lets the link choose */
    bool tunnelled;  /* in UDP (RFC 6951) instead of IP */
    uint16_t tunnel; /* UDP port if tunnelled; to listen, 0 lets the system choose */
};

/* Sees each SCTP packet sent or received; `payload` starts with the common header. */
typedef void iw_sctp_tap(void *user, const struct iw_tcp_segment *packet);

/* Changes what a link does, as struct iw_policy. All zero conforms. */
struct iw_sctp_link_policy {
    uint16_t outbound; /* number of outbound streams; 0: as many as inbound (RFC 5043 8) */
    bool flooding;     /* allows more than 32767 chunks in flight (RFC 5043 10) */
    uint16_t cut;      /* SCTP fragments messages into chunks of this size, in octets (RFC 5043 9) */
};

/* Values of 0 mean the default in brackets. */
struct iw_sctp_link_config {
    uint16_t streams;    /* outbound and inbound streams [16] */
    bool unindicated;    /* sends no Adaptation Layer Indication in INIT or INIT ACK */
    uint32_t indication; /* the Adaptation Layer Indication [IW_SCTP_INDICATION] */
    uint32_t window;     /* receive window in octets [1 MiB] */
    iw_sctp_tap *tap;    /* may be NULL */
    void *tap_user;
    struct iw_sctp_link_policy policy;
};

/* The peer's INIT or INIT ACK. */
struct iw_sctp_link_peer {
    bool indicated;
    uint32_t indication;
    uint16_t outbound; /* negotiated streams */
    uint16_t inbound;
};

enum iw_sctp_link_end {
    IW_SCTP_LINK_SHUTDOWN, /* shut down by either side */
    IW_SCTP_LINK_ABORTED,  /* aborted by the peer */
    IW_SCTP_LINK_FAILED,   /* could not connect, or association lost */
};

/* Called from the loop only, never from within a function of the link; they may free the link. None may be
 * NULL. Exceptions to these rules are noted. */
struct iw_sctp_link_handlers {
    void (*connected)(void *user); /* also for an accepted link */
    /* A complete message; the side, frames and capture members of `message` are not set. */
    void (*received)(void *user, const struct iw_sctp_message *message);
    void (*writable)(void *user);     /* the queue has become empty */
    void (*acknowledged)(void *user); /* everything sent is acknowledged; may be NULL */
    /* A DATA chunk without user data has arrived: SCTP is about to abort the association (RFC 9260 6.2).
     * May be NULL. Must not free the link. */
    void (*broken)(void *user);
    /* The last event. `text`: one line that starts with the peer's address. */
    void (*ended)(void *user, enum iw_sctp_link_end end, const char *text);
};

struct iw_sctp_link;

/* Opens an association. `config` and `handlers` are copied. Returns NULL with a line in `text` if the name is
 * unknown, or a socket or memory is lacking; other failures are reported by `ended`. */
struct iw_sctp_link *iw_sctp_link_connect(struct iw_sctp_stack *stack, const struct iw_sctp_where *peer,
    const struct iw_sctp_link_config *config, const struct iw_sctp_link_handlers *handlers, void *user,
    char *text);

/* Sets the handlers of an accepted link, which then starts to work. */
void iw_sctp_link_handle(struct iw_sctp_link *link, const struct iw_sctp_link_handlers *handlers, void *user);

/* Aborts the association, unless it has ended. NULL is allowed. */
void iw_sctp_link_free(struct iw_sctp_link *link);

/* Sends user data as one message, unordered unless `ordered`; copies what SCTP does not take at once. No
 * effect before `connected`, after iw_sctp_link_close and after the end. A message longer than
 * IW_SCTP_LINK_PAYLOAD_MAX takes several chunks. Returns IW_OK; IW_ERR_NOMEM, also if 16 MiB are queued; or
 * IW_ERR_ARGUMENT: no such stream, no octets, or more than 131,072. */
enum iw_status iw_sctp_link_send(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length);

/* Octets queued for SCTP, with the overhead of the queue. */
size_t iw_sctp_link_queued(const struct iw_sctp_link *link);

/* Close shuts the association down after everything sent; abort aborts it now, without a further event. */
void iw_sctp_link_close(struct iw_sctp_link *link);
void iw_sctp_link_abort(struct iw_sctp_link *link);

/* Sends chunks (complete ones, `length` a multiple of 4) in a packet of their own, bypassing the stack:
 * the ports, Verification Tag and checksum are correct, the chunks may be anything. Returns IW_OK, or
 * IW_ERR_ARGUMENT: not connected, or too long. */
enum iw_status iw_sctp_link_inject(struct iw_sctp_link *link, const uint8_t *chunks, size_t length);

/* The TSN of the next DATA chunk, for chunks to inject. */
uint32_t iw_sctp_link_next_tsn(const struct iw_sctp_link *link);

/* With `hold`, holds back the received packet with the peer's next DATA chunk, and its retransmissions, while
 * other packets overtake it; without, delivers that packet. */
void iw_sctp_link_hold(struct iw_sctp_link *link, bool hold);

/* How many TSNs the highest received DATA chunk is after the one held back, dropped chunks included. */
uint32_t iw_sctp_link_ahead(const struct iw_sctp_link *link);

/* The peer's INIT or INIT ACK; valid once connected. */
const struct iw_sctp_link_peer *iw_sctp_link_peer(const struct iw_sctp_link *link);

struct iw_sctp_listener;

/* An association was accepted; the callee owns the link, and sets its handlers or frees it. */
typedef void iw_sctp_listener_accept(void *user, struct iw_sctp_link *link);

/* Listens. Returns NULL with a line in `text` on failure. The tap sees the packets of all links. */
struct iw_sctp_listener *iw_sctp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_sctp_link_config *config, iw_sctp_listener_accept *accept, void *user, char *text);

/* The address that the listener listens on, without the host. */
struct iw_sctp_where iw_sctp_listener_where(const struct iw_sctp_listener *listener);

/* Accepted links must have been freed. NULL is allowed. */
void iw_sctp_listener_free(struct iw_sctp_listener *listener);

#endif
