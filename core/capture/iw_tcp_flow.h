#pragma once

#include <sys/queue.h>

#include "iw_hash_table.h"
#include "iw_tcp_stream.h"

/* A SYN captured while its connection is open. A receiver answers it with a challenge ACK (RFC 9293 3.10.7.4,
 * RFC 5961 4), so the SYN opens a new connection only if a SYN+ACK or octets of that connection follow. */
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
    uint64_t frame;                   /* frame of the latest segment */
    uint64_t time_ns;
    uint64_t longest_pause_ns; /* longest time between two segments; UINT64_MAX if time has gone backwards */
    uint32_t scope[2];         /* by enum iw_side: scope of the first segment (iw_tcp_encapsulation.h) */
    uint8_t scope_seen;        /* bits 1 << enum iw_side: the scope of the side is known */
    bool ignored; /* set by a callback: no more chunks are handed over, but later flows are recognised */
    bool edited;  /* wrong checksums do not show damage: a program has edited the capture */
    struct iw_tcp_rival *rival;       /* the latest SYN inside this connection, or NULL; owned by the table */
    struct iw_tcp_withheld *withheld; /* see iw_tcp_withheld.h; or NULL; owned by the table */
    TAILQ_ENTRY(iw_tcp_flow) by_age;  /* owned by the table */
};

/* Initialises a flow, but does not take its first segment `segment`. Side A is the sender of a SYN, the
 * receiver of a SYN+ACK, or the sender of any other `segment`. */
void iw_tcp_flow_init(struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment);

enum iw_side iw_tcp_flow_side(const struct iw_tcp_flow *flow, const struct iw_tcp_segment *segment);

/* Whether `segment`, sent by `side`, belongs to a new connection between the addresses of the flow. A SYN
 * does if it is neither a retransmission nor part of the handshake of the flow. Any other segment does if its
 * numbers are far from those of the flow, or after its FINs, or if it comes a long time after its end. */
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
 * flow has not ended, and the sender of the SYN has sent octets or got an acknowledgement before. */
bool iw_tcp_flow_may_survive(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Whether `segment` shows that the SYN in `flow->rival` has opened a connection: it is the SYN+ACK; or its
 * number is closer to the SYN than to this flow (the sequence number if the sender of the SYN sent it,
 * otherwise the acknowledgement number). False for a RST, or without a rival. */
bool iw_tcp_flow_is_replaced(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Whether `segment`, for which iw_tcp_flow_is_replaced is false, shows that the rival did not open a
 * connection: the sender of the SYN sends more octets of this flow. */
bool iw_tcp_flow_is_confirmed(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Takes a segment that `side` has sent: first its acknowledgement, then its octets. Octets wait for the
 * octets of the other side that they acknowledge, which may be captured up to IW_TCP_WAIT segments later.
 * Otherwise octets are handed over in capture order. Sets `other` and `turn` of `output`. */
void iw_tcp_flow_segment(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_output *output,
    const struct iw_tcp_segment *segment);

/* Like iw_tcp_flow_segment, for an ignored flow: hands over nothing. */
void iw_tcp_flow_skip(struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* No more segments will come: hands over what is held back in both directions. */
void iw_tcp_flow_finish(struct iw_tcp_flow *flow, const struct iw_tcp_output *output);

/* Releases what is held back without handing it over. */
void iw_tcp_flow_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool);
