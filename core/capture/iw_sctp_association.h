#ifndef IW_SCTP_ASSOCIATION_H
#define IW_SCTP_ASSOCIATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_sctp.h"
#include "iw_sctp_packet.h"
#include "iw_tcp_segment.h"

/* One SCTP association: DATA chunks in, user data out, those of a side in the order of TSNs and each once.
 * What was acknowledged and never seen is lost. */

enum {
    IW_SCTP_HELD_MAX = 256,               /* chunks of a side that wait behind one that is missing */
    IW_SCTP_MESSAGE_OCTETS_MAX = 1 << 17, /* kept of user data that were fragmented */
};

struct iw_sctp_counters {
    uint64_t chunks;        /* DATA chunks, each once */
    uint64_t retransmitted; /* seen again */
    uint64_t out_of_order;  /* seen behind one with a later TSN */
};

struct iw_sctp_output {
    void (*message)(void *user, const struct iw_sctp_message *message);
    void *user;
};

/* User data of which not all chunks have come. */
struct iw_sctp_fragments {
    uint8_t *octets; /* NULL if there are none */
    struct iw_sctp_message message;
};

struct iw_sctp_held;

struct iw_sctp_direction {
    bool known;   /* the next TSN is known */
    bool guessed; /* known from an acknowledgement only; no chunk has come */
    bool tag_known;
    uint32_t tag;     /* Verification Tag of packets to this side */
    uint32_t first;   /* the TSN from which chunks are handed over */
    uint32_t next;    /* the next TSN to hand over */
    uint32_t awaited; /* all TSNs up to this one are acknowledged; missing ones count as lost after this many
                         packets: */
    unsigned awaited_packets;  /* 0: no wait is running */
    struct iw_sctp_held *held; /* by TSN */
    unsigned held_count;
    struct iw_sctp_fragments fragments;
    uint32_t largest;   /* packet that this side has had acknowledged, in octets of chunks */
    uint32_t candidate; /* a larger one, acknowledged with this TSN */
    uint32_t candidate_tsn;
    struct iw_sctp_counters counters;
};

/* How far an association has come. */
enum iw_sctp_stage {
    IW_SCTP_WAITING, /* one side has spoken, and has sent no user data */
    IW_SCTP_OPEN,
    IW_SCTP_CLOSED,
    IW_SCTP_STAGES,
};

/* How a side has ended its association. */
enum iw_sctp_end {
    IW_SCTP_END_SHUTDOWN,
    IW_SCTP_END_ABORT,
};

struct iw_sctp_association {
    uint64_t id;                       /* 0, 1, 2, ... in the order of first packets */
    void *user;                        /* for the user's own use; NULL at first */
    struct iw_tcp_address address[2];  /* by enum iw_side: the first that were seen */
    uint32_t scope;                    /* scope of the first packet: see iw_tcp_segment.h */
    struct iw_sctp_addresses *more[2]; /* that they have beside these; NULL: none */
    struct iw_sctp_path *path[2];      /* by the side that packets go to; NULL: none */
    struct iw_sctp_state state;
    struct iw_sctp_direction direction[2];
    uint64_t frame; /* of the latest packet */
    uint64_t time_ns;
    struct iw_sctp_association *chain, *older, *newer; /* the table's */
    enum iw_sctp_stage stage;                          /* and this */
    bool closing; /* it has ended, and waits for chunks that were sent before the end; the end: */
    enum iw_side closing_side;
    enum iw_sctp_end closing_how;
    uint64_t closing_frame;
    uint64_t closing_time_ns;
};

/* A packet, of which a chunk is being taken. */
struct iw_sctp_place {
    enum iw_side side;
    uint32_t octets; /* of its chunks */
    bool acks;       /* as in struct iw_sctp_message */
    uint32_t ack;
    uint64_t frame;
    uint64_t time_ns;
};

/* Notes a packet of the association. Chunks that were acknowledged long before it now count as lost. */
void iw_sctp_association_packet(
    struct iw_sctp_association *association, struct iw_sctp_pool *pool, const struct iw_sctp_output *output);

/* Take a chunk. `pool` is that of all associations. */
void iw_sctp_association_init_chunk(struct iw_sctp_association *association,
    const struct iw_sctp_place *place, const struct iw_sctp_init *init);
void iw_sctp_association_data(struct iw_sctp_association *association, struct iw_sctp_pool *pool,
    const struct iw_sctp_output *output, const struct iw_sctp_place *place, const struct iw_sctp_data *data);
void iw_sctp_association_ack(struct iw_sctp_association *association, struct iw_sctp_pool *pool,
    const struct iw_sctp_output *output, const struct iw_sctp_place *place, uint32_t tsn);

/* No more chunks will come: hands over what waits. */
void iw_sctp_association_finish(
    struct iw_sctp_association *association, struct iw_sctp_pool *pool, const struct iw_sctp_output *output);

/* Releases what waits without handing it over. */
void iw_sctp_association_clear(struct iw_sctp_association *association, struct iw_sctp_pool *pool);

#endif
