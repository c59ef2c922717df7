#ifndef IW_TCP_FLOW_H
#define IW_TCP_FLOW_H

#include <sys/queue.h>

#include "iw_hash_table.h"
#include "iw_tcp_stream.h"

/* A SYN inside a live connection. A receiver answers it with a challenge ACK (RFC 9293 3.10.7.4, RFC 5961 4),
 * so it opens a new connection only if a SYN+ACK or octets follow it. */
struct iw_tcp_rival {
    struct iw_tcp_segment syn; /* its payload is not kept */
    uint64_t id;               /* id of the flow that the SYN may open */
};

struct iw_tcp_flow {
    struct iw_hash_entry entry;       /* owned by the table */
    uint64_t id;                      /* 0, 1, 2, ... in the order of first packets */
    void *user;                       /* for the caller; NULL at first */
    struct iw_tcp_address address[2]; /* by enum iw_side */
    struct iw_tcp_stream stream[2];   /* by enum iw_side; only `stream[].counters` are public */
    uint64_t frame;                   /* of the latest segment */
    uint64_t time_ns;
    uint64_t longest_pause_ns;  /* longest time between two segments; UINT64_MAX if time has gone backwards */
    uint32_t scope[2];          /* by enum iw_side: scope of the first segment (iw_tcp_encapsulation.h) */
    uint8_t scope_seen;         /* set of sides whose scope is known */
    bool ignored;               /* set by any callback: no chunks follow, but later flows are recognised */
    bool edited;                /* wrong checksums do not show damage: a program has edited the capture */
    struct iw_tcp_rival *rival; /* the latest SYN inside this connection, or NULL; owned by the table */
    struct iw_tcp_withheld *withheld; /* see iw_tcp_withheld.h; or NULL; owned by the table */
    TAILQ_ENTRY(iw_tcp_flow) by_age;  /* owned by the table */
};

/* Initialises a flow whose first segment is `segment`, but does not take the segment. Side A is the sender of
 * the SYN, else the receiver of the SYN+ACK, else the sender of `segment`. All other members are zero. */
void iw_tcp_flow_init(struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment);

/* The sender of a segment of the flow. */
enum iw_side iw_tcp_flow_side(const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment);

/* True if `segment`, sent by `side`, opens a new connection between the addresses of the flow: a SYN that is
 * neither a retransmission nor of this handshake; or octets after the end of the flow that cannot be its own:
 * their numbers are far away or follow its FINs, or they come a long time later. */
bool iw_tcp_flow_is_new_connection(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Whether the flow is open in both directions, so that only a SYN opens a new connection between its
 * addresses: the common case, in which iw_tcp_flow_is_new_connection need not be called. */
static inline bool iw_tcp_flow_is_open(const struct iw_tcp_flow *flow) {
    const struct iw_tcp_stream *a = &flow->stream[IW_SIDE_A], *b = &flow->stream[IW_SIDE_B];

    return a->started && b->started && !a->closed && !b->closed && !a->fin_waits && !b->fin_waits &&
           a->reset.rank == IW_TCP_RESET_NONE && b->reset.rank == IW_TCP_RESET_NONE && !flow->rival;
}

/* Whether the flow may continue after `segment`, a SYN for which iw_tcp_flow_is_new_connection is true: the
 * flow has not ended, and nothing has answered the SYN yet. */
bool iw_tcp_flow_may_survive(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* True if `segment`, not a RST, shows that the SYN in `flow->rival` has opened a connection: a SYN+ACK of it;
 * or the number is closer to the SYN than to this flow: from the SYN's sender the sequence number, from the
 * other side the acknowledgement number. Returns false without a rival. */
bool iw_tcp_flow_is_replaced(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Whether `segment`, for which iw_tcp_flow_is_replaced is false, shows that the rival did not open a
 * connection: the sender of the SYN sends more octets of this flow. */
bool iw_tcp_flow_is_confirmed(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Takes a segment that `side` has sent: first its acknowledgement, then its octets. Octets wait for the
 * octets of the other side that they acknowledge, which may be captured up to IW_TCP_WAIT segments later.
 * Otherwise the order is that of the capture. Sets `other` and `turn` of `output`. */
void iw_tcp_flow_segment(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment);

/* Like iw_tcp_flow_segment for a flow that is ignored: hands over nothing. */
void iw_tcp_flow_skip(struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* No more segments will come: hands over what is held back in both directions. */
void iw_tcp_flow_finish(struct iw_tcp_flow *flow, const struct iw_tcp_output *output);

/* Releases what is held back without handing it over. */
void iw_tcp_flow_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool);

#endif
