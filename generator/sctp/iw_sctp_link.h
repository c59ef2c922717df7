#pragma once

#include "iw_sctp.h"
#include "iw_sctp_stack.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* One end of an SCTP association. For tests, it can also send any Adaptation Layer Indication, inject chunks,
 * and hold back a received packet. */

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
    uint16_t cut;      /* SCTP fragments messages longer than this, in octets (RFC 5043 9) */
};

/* A value of 0 means the default in brackets. */
struct iw_sctp_link_config {
    uint16_t streams;    /* outbound and inbound streams [16] */
    bool unindicated;    /* sends no Adaptation Layer Indication in INIT or INIT ACK */
    uint32_t indication; /* the Adaptation Layer Indication [IW_SCTP_INDICATION] */
    uint32_t window;     /* receive window in octets [1 MiB] */
    iw_sctp_tap *tap;    /* may be NULL */
    void *tap_user;
    struct iw_sctp_link_policy policy;
};

/* What the peer's INIT or INIT ACK says. */
struct iw_sctp_link_peer {
    bool indicated;
    uint32_t indication;
    uint16_t outbound; /* negotiated outbound streams */
    uint16_t inbound;  /* negotiated inbound streams */
};

enum iw_sctp_link_end {
    IW_SCTP_LINK_SHUTDOWN, /* shut down by either side */
    IW_SCTP_LINK_ABORTED,  /* aborted or restarted by the peer */
    IW_SCTP_LINK_FAILED,   /* could not connect, or association lost */
};

/* The loop calls the handlers. Unless noted otherwise, they may free the link, and must not be NULL. */
struct iw_sctp_link_handlers {
    void (*connected)(void *user); /* also for an accepted link */
    /* A complete message; the side, frames and capture members of `message` are not set. */
    void (*received)(void *user, const struct iw_sctp_message *message);
    void (*writable)(void *user);     /* SCTP has taken all queued messages */
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

/* Sets the handlers of an accepted link, which is idle until then. */
void iw_sctp_link_handle(struct iw_sctp_link *link, const struct iw_sctp_link_handlers *handlers, void *user);

/* Aborts the association, unless it has ended, and frees the link. NULL is allowed. */
void iw_sctp_link_free(struct iw_sctp_link *link);

/* Sends user data as one message, unordered unless `ordered`; copies what SCTP does not take at once. No
 * effect before `connected`, after iw_sctp_link_close and after the end. A message longer than
 * IW_SCTP_LINK_PAYLOAD_MAX takes several chunks. Returns IW_OK; IW_ERR_NOMEM, also if 16 MiB are queued; or
 * IW_ERR_ARGUMENT: no such stream, no octets, or more than 131,072. */
enum iw_status iw_sctp_link_send(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length);

/* Octets that wait until SCTP takes them, with the overhead of the queue. */
size_t iw_sctp_link_queued(const struct iw_sctp_link *link);

/* Shuts an open association down once SCTP has taken all queued messages. */
void iw_sctp_link_close(struct iw_sctp_link *link);

/* Aborts the association now, without a further event. */
void iw_sctp_link_abort(struct iw_sctp_link *link);

/* Sends complete chunks (`length`: a multiple of 4) in their own packet, bypassing the stack. The packet has
 * correct ports, Verification Tag and checksum; the chunks may be anything. Returns IW_ERR_ARGUMENT if the
 * link is not connected, or the chunks are too long. */
enum iw_status iw_sctp_link_inject(struct iw_sctp_link *link, const uint8_t *chunks, size_t length);

/* The TSN of the next DATA chunk, for chunks to inject. */
uint32_t iw_sctp_link_next_tsn(const struct iw_sctp_link *link);

/* `hold`: holds back the next received packet with a DATA chunk, and its retransmissions, while later packets
 * overtake it. Otherwise delivers the held packet. */
void iw_sctp_link_hold(struct iw_sctp_link *link, bool hold);

/* The highest received TSN minus the TSN held back, or 0. Counts DATA chunks that were dropped. */
uint32_t iw_sctp_link_ahead(const struct iw_sctp_link *link);

/* Valid once connected. */
const struct iw_sctp_link_peer *iw_sctp_link_peer(const struct iw_sctp_link *link);

struct iw_sctp_listener;

/* An association was accepted. The callee owns the link, and must set its handlers or free it. */
typedef void iw_sctp_listener_accept(void *user, struct iw_sctp_link *link);

/* Accepts associations. Returns NULL with a line in `text` on failure. All links share the tap. */
struct iw_sctp_listener *iw_sctp_listener_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_sctp_link_config *config, iw_sctp_listener_accept *accept, void *user, char *text);

/* The address that the listener listens on, without the host. */
struct iw_sctp_where iw_sctp_listener_where(const struct iw_sctp_listener *listener);

/* Frees the listener; accepted links must have been freed. NULL is allowed. */
void iw_sctp_listener_free(struct iw_sctp_listener *listener);
