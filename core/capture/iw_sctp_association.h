#pragma once

#include <sys/queue.h>

#include "iw_hash_table.h"
#include "iw_sctp.h"
#include "iw_sctp_packet.h"
#include "iw_tcp_segment.h"

/* One SCTP association. Takes chunks, and hands over the user data of each side once, in the order of TSNs.
 * Chunks that were acknowledged but never captured count as lost. */

enum {
    IW_SCTP_HELD_MAX = 256,               /* most chunks of a side that wait for a missing chunk */
    IW_SCTP_MESSAGE_OCTETS_MAX = 1 << 17, /* most octets kept of one fragmented user message */
};

struct iw_sctp_counters {
    uint64_t chunks;        /* DATA chunks without retransmissions */
    uint64_t retransmitted; /* DATA chunks captured again */
    uint64_t out_of_order;  /* DATA chunks captured after a later TSN */
};

struct iw_sctp_association;

/* Receives the user data of all associations. `message` may be NULL. */
struct iw_sctp_output {
    void (*message)(
        void *user, struct iw_sctp_association *association, const struct iw_sctp_message *message);
    void *user;
};

/* User data of which not all fragments have been captured (RFC 9260 6.9). */
struct iw_sctp_data_fragments {
    uint8_t *octets; /* NULL: no fragment so far */
    struct iw_sctp_message message;
};

struct iw_sctp_held;

struct iw_sctp_direction {
    bool known;   /* the next TSN is known */
    bool guessed; /* `next` is known from an acknowledgement only, not from a chunk */
    bool tag_known;
    uint32_t tag;     /* Verification Tag of packets to this side */
    uint32_t first;   /* the TSN from which chunks are handed over */
    uint32_t next;    /* the next TSN to hand over */
    uint32_t awaited; /* missing chunks up to this acknowledged TSN count as lost after `awaited_packets` */
    unsigned awaited_packets;  /* packets until these chunks count as lost; 0: not waiting */
    struct iw_sctp_held *held; /* chunks that wait for a missing chunk, in the order of TSNs */
    unsigned held_count;
    struct iw_sctp_data_fragments data_fragments;
    uint32_t largest;   /* size of the largest acknowledged packet of this side, in octets of chunks */
    uint32_t candidate; /* size of a larger packet, acknowledged with `candidate_tsn`; 0: none */
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
    void *user;                          /* for the caller; NULL at first */
    struct iw_tcp_address address[2];    /* by enum iw_side: addresses of the first packet */
    uint32_t scope;                      /* scope of the first packet: see iw_tcp_segment.h */
    struct iw_sctp_addresses *more[2];   /* further addresses of each side, or NULL */
    struct iw_sctp_path *path[2];        /* by the side that receives the packets; or NULL */
    struct iw_sctp_state state;          /* its `pool` is shared by all associations */
    const struct iw_sctp_output *output; /* borrowed */
    struct iw_sctp_direction direction[2];
    uint64_t frame; /* of the latest packet */
    uint64_t time_ns;
    TAILQ_ENTRY(iw_sctp_association) by_age; /* owned by the table: place in the list of `stage` */
    enum iw_sctp_stage stage;                /* owned by the table */
    uint64_t stage_frame; /* frame of the packet that began `stage`: the order in which stages end */
    bool closing;         /* the association has ended, but chunks sent before its end may follow */
    enum iw_side closing_side;
    enum iw_sctp_end closing_how;
    uint64_t closing_frame;
    uint64_t closing_time_ns;
};

/* The packet that carries a chunk. */
struct iw_sctp_place {
    enum iw_side side;
    uint32_t octets; /* octets of all chunks in the packet */
    bool acks;       /* the packet has a SACK without gaps: its sender had received the chunks up to `ack` */
    uint32_t ack;
    uint64_t frame;
    uint64_t time_ns;
};

/* Counts a packet. Missing chunks that were acknowledged many packets ago now count as lost. */
void iw_sctp_association_packet(struct iw_sctp_association *association);

/* Take one chunk: INIT or INIT ACK; DATA or I-DATA; the TSN that a SACK or SHUTDOWN acknowledges. */
void iw_sctp_association_init_chunk(struct iw_sctp_association *association,
    const struct iw_sctp_place *place, const struct iw_sctp_init *init);
void iw_sctp_association_data(struct iw_sctp_association *association, const struct iw_sctp_place *place,
    const struct iw_sctp_data *data);
void iw_sctp_association_ack(
    struct iw_sctp_association *association, const struct iw_sctp_place *place, uint32_t tsn);

/* For the end of the association or capture: hands over held chunks, and counts missing chunks as lost. */
void iw_sctp_association_finish(struct iw_sctp_association *association);

/* Frees held chunks and unfinished user data without handing them over. */
void iw_sctp_association_clear(struct iw_sctp_association *association);
