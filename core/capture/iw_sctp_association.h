#ifndef IW_SCTP_ASSOCIATION_H
#define IW_SCTP_ASSOCIATION_H

#include <sys/queue.h>

#include "iw_hash_table.h"
#include "iw_sctp.h"
#include "iw_sctp_packet.h"
#include "iw_tcp_segment.h"

/* One SCTP association: takes DATA chunks, hands over the user data of each side once, in the order of
 * TSNs. Chunks that were acknowledged but never captured count as lost. */

enum {
    IW_SCTP_HELD_MAX = 256,               /* most chunks of a side that wait for a missing one */
    IW_SCTP_MESSAGE_OCTETS_MAX = 1 << 17, /* octets kept of fragmented user data */
};

struct iw_sctp_counters {
    uint64_t chunks;        /* DATA chunks, each once */
    uint64_t retransmitted; /* DATA chunks captured again */
    uint64_t out_of_order;  /* DATA chunks captured after a later TSN */
};

struct iw_sctp_association;

/* Where the user data of all associations go. */
struct iw_sctp_output {
    /* May be NULL. */
    void (*message)(
        void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message);
    void *user;
};

/* User data of which some chunks are still missing. */
struct iw_sctp_fragments {
    uint8_t *octets; /* NULL: no fragment so far */
    struct iw_sctp_message message;
};

struct iw_sctp_held;

struct iw_sctp_direction {
    bool known;   /* the next TSN is known */
    bool guessed; /* known from an acknowledgement only; no chunk has come */
    bool tag_known;
    uint32_t tag;              /* Verification Tag of packets to this side */
    uint32_t first;            /* the TSN from which chunks are handed over */
    uint32_t next;             /* the next TSN to hand over */
    uint32_t awaited;          /* acknowledged TSNs up to this one count as lost after `awaited_packets` */
    unsigned awaited_packets;  /* packets left until `awaited` counts as lost; 0: not waiting */
    struct iw_sctp_held *held; /* in the order of TSNs */
    unsigned held_count;
    struct iw_sctp_fragments fragments;
    uint32_t largest;   /* size of the largest acknowledged packet of this side, in octets of chunks */
    uint32_t candidate; /* size of a larger packet, acknowledged with `candidate_tsn` */
    uint32_t candidate_tsn;
    struct iw_sctp_counters counters;
};

enum iw_sctp_stage {
    IW_SCTP_WAITING, /* packets of one side only, without user data */
    IW_SCTP_OPEN,
    IW_SCTP_CLOSED,
    IW_SCTP_STAGES,
};

enum iw_sctp_end {
    IW_SCTP_END_SHUTDOWN,
    IW_SCTP_END_ABORT,
};

struct iw_sctp_association {
    struct iw_hash_entry entry;          /* owned by the table */
    uint64_t id;                         /* 0, 1, 2, ... in the order of first packets */
    void *user;                          /* for the user's own use; NULL at first */
    struct iw_tcp_address address[2];    /* by enum iw_side: first address of each */
    uint32_t scope;                      /* scope of the first packet: see iw_tcp_segment.h */
    struct iw_sctp_addresses *more[2];   /* further addresses of each side, or NULL */
    struct iw_sctp_path *path[2];        /* by the side that receives the packets; or NULL */
    struct iw_sctp_state state;          /* its `pool` is shared by all associations */
    const struct iw_sctp_output *output; /* borrowed */
    struct iw_sctp_direction direction[2];
    uint64_t frame; /* of the latest packet */
    uint64_t time_ns;
    TAILQ_ENTRY(iw_sctp_association) by_age; /* owned by the table: the list of `stage` */
    enum iw_sctp_stage stage;                /* owned by the table */
    bool closing; /* the association has ended, but chunks sent before its end may follow */
    enum iw_side closing_side;
    enum iw_sctp_end closing_how;
    uint64_t closing_frame;
    uint64_t closing_time_ns;
};

/* The packet that carries a chunk. */
struct iw_sctp_place {
    enum iw_side side;
    uint32_t octets; /* octets of all chunks in the packet */
    bool acks;       /* a SACK in the packet shows what its sender had received */
    uint32_t ack;
    uint64_t frame;
    uint64_t time_ns;
};

/* Counts a packet of the association. Chunks acknowledged many packets ago and still missing are lost. */
void iw_sctp_association_packet(struct iw_sctp_association *association);

/* Each takes one kind: INIT or INIT ACK; DATA or I-DATA; the TSN acknowledged by a SACK or SHUTDOWN. */
void iw_sctp_association_init_chunk(struct iw_sctp_association *association,
    const struct iw_sctp_place *place, const struct iw_sctp_init *init);
void iw_sctp_association_data(struct iw_sctp_association *association, const struct iw_sctp_place *place,
    const struct iw_sctp_data *data);
void iw_sctp_association_ack(
    struct iw_sctp_association *association, const struct iw_sctp_place *place, uint32_t tsn);

/* At the end of the association or capture: hands over the held chunks. */
void iw_sctp_association_finish(struct iw_sctp_association *association);

/* Frees the held chunks without handing them over. */
void iw_sctp_association_clear(struct iw_sctp_association *association);

#endif
