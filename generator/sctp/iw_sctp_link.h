#ifndef IW_SCTP_LINK_H
#define IW_SCTP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_sctp.h"
#include "iw_sctp_stack.h"
#include "iw_status.h"
#include "iw_tcp_segment.h"

/* One end of an SCTP association: user data in and out, and what a test needs beside: an Adaptation Layer
 * Indication at will, chunks that no stack would send, and a network that holds back what it is told to. */

enum { IW_SCTP_LINK_TEXT_OCTETS = 160 }; /* enough for any text of this module */

/* Where the peer is, or where to listen. */
struct iw_sctp_where {
    const char *host;
    uint16_t port;   /* of SCTP; to listen, 0 lets the link choose */
    bool tunnelled;  /* in UDP (RFC 6951), not directly in IP */
    uint16_t tunnel; /* then its UDP port; to listen, 0 lets the system choose */
};

/* Every SCTP packet that is sent or comes, as it would stand in IP: `payload` begins with the common header.
 */
typedef void iw_sctp_tap(void *user, const struct iw_tcp_segment *packet);

/* Values of 0 mean the default in brackets. */
struct iw_sctp_link_config {
    uint16_t streams;  /* outbound and inbound alike (RFC 5043 8) [16] */
    uint16_t outbound; /* for one that is meant to be wrong: another number of those [streams] */
    bool flooding;     /* for such a one: more than 32767 chunks are under way (10) */
    uint16_t cut;     /* for such a one: octets that a chunk has at most, which SCTP cuts for it (9) [none] */
    bool unindicated; /* no Adaptation Layer Indication in INIT or INIT ACK */
    uint32_t indication; /* the one that is there otherwise [IW_SCTP_INDICATION] */
    uint32_t window;     /* octets that may wait to be read [1 MiB] */
    iw_sctp_tap *tap;    /* NULL: none */
    void *tap_user;
};

/* What the peer has said in its INIT or INIT ACK. */
struct iw_sctp_link_peer {
    bool indicated;
    uint32_t indication;
    uint16_t outbound; /* streams that may be used, after both have said what they want */
    uint16_t inbound;
};

enum iw_sctp_link_end {
    IW_SCTP_LINK_SHUTDOWN, /* both sides have nothing more to say: by either's request */
    IW_SCTP_LINK_ABORTED,  /* the peer has aborted it */
    IW_SCTP_LINK_FAILED,   /* it could not be opened, or was lost */
};

/* Called from the loop only, never from within a function of the link, which may be freed from there. None
 * may be NULL. */
struct iw_sctp_link_handlers {
    void (*connected)(void *user); /* an accepted one tells it, too */
    /* Whole user data; of `message` side, frames and what only a capture shows are not set. */
    void (*received)(void *user, const struct iw_sctp_message *message);
    void (*writable)(void *user);     /* something waited, and nothing does any more */
    void (*acknowledged)(void *user); /* all that was sent is; may be NULL */
    /* A DATA chunk without user data has come, for which SCTP is about to abort the association (RFC
     * 9260 6.2); may be NULL. The link must not be freed from here. */
    void (*broken)(void *user);
    /* The last. `text`: one line that starts with the peer's address. */
    void (*ended)(void *user, enum iw_sctp_link_end end, const char *text);
};

struct iw_sctp_link;

/* Opens an association. `config` and `handlers` are copied. NULL with a line in `text` if the name is not
 * known, no socket can be had or there is no memory; all else comes by `ended`. */
struct iw_sctp_link *iw_sctp_link_connect(struct iw_sctp_stack *stack, const struct iw_sctp_where *peer,
    const struct iw_sctp_link_config *config, const struct iw_sctp_link_handlers *handlers, void *user,
    char *text);

/* Gives an accepted link its handlers: from then on it is served. */
void iw_sctp_link_handle(struct iw_sctp_link *link, const struct iw_sctp_link_handlers *handlers, void *user);

/* Aborts the association, unless it has ended. NULL is allowed. */
void iw_sctp_link_free(struct iw_sctp_link *link);

/* Sends user data as one message, unordered unless `ordered`, copying what SCTP does not take at once.
 * Without effect before `connected` and after the end. What is longer than
 * iw_sctp_link_room goes in several chunks. IW_ERR_NOMEM, also if 16 MiB wait for a peer that takes nothing;
 * IW_ERR_ARGUMENT: no such stream, no octets, or more than 131,072. */
enum iw_status iw_sctp_link_send(struct iw_sctp_link *link, uint16_t stream, uint32_t ppid, bool ordered,
    const uint8_t *octets, size_t length);

/* The largest user data that no packet has to be cut for (RFC 5043 9), in octets. */
size_t iw_sctp_link_room(const struct iw_sctp_link *link);

/* Octets that wait for SCTP to take them, with what they are kept in. */
size_t iw_sctp_link_queued(const struct iw_sctp_link *link);

/* Shuts the association down behind what is to be sent; or aborts it now, without another event. */
void iw_sctp_link_close(struct iw_sctp_link *link);
void iw_sctp_link_abort(struct iw_sctp_link *link);

/* Sends chunks (whole ones, `length` a multiple of 4) in a packet of their own, past the stack, which knows
 * nothing of them: right ports, Verification Tag and checksum, whatever the chunks say. IW_ERR_ARGUMENT: not
 * connected yet, or too long. */
enum iw_status iw_sctp_link_inject(struct iw_sctp_link *link, const uint8_t *chunks, size_t length);

/* The TSN of the next DATA chunk, for chunks to inject. */
uint32_t iw_sctp_link_next_tsn(const struct iw_sctp_link *link);

/* The network holds back the packet of the first DATA chunk that comes from now on, each time it comes; or
 * lets it come at last. Others overtake it. */
void iw_sctp_link_hold(struct iw_sctp_link *link, bool hold);

/* How many DATA chunks have come behind the one that is held back, by their TSNs; also of those that this
 * side had no room for. */
uint32_t iw_sctp_link_ahead(const struct iw_sctp_link *link);

/* Known once connected. */
const struct iw_sctp_link_peer *iw_sctp_link_peer(const struct iw_sctp_link *link);

/* By enum iw_side, A being who opened it. */
const struct iw_tcp_address *iw_sctp_link_addresses(const struct iw_sctp_link *link);
bool iw_sctp_link_opener(const struct iw_sctp_link *link);

struct iw_sctp_gate;

/* An association has come to be; the link belongs to the callee, who gives it handlers or frees it. */
typedef void iw_sctp_gate_accept(void *user, struct iw_sctp_link *link);

/* Listens. NULL with a line in `text` if that cannot be. The tap of `config` sees the packets of all. */
struct iw_sctp_gate *iw_sctp_gate_new(struct iw_sctp_stack *stack, const struct iw_sctp_where *where,
    const struct iw_sctp_link_config *config, iw_sctp_gate_accept *accept, void *user, char *text);

/* Where it listens, without the host. */
struct iw_sctp_where iw_sctp_gate_where(const struct iw_sctp_gate *gate);

/* Links that were accepted must be freed before. NULL is allowed. */
void iw_sctp_gate_free(struct iw_sctp_gate *gate);

#endif
