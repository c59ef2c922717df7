#ifndef IW_SCTP_H
#define IW_SCTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_chunk.h"
#include "iw_layout.h"

/* User data of the SCTP DATA chunks that carry DDP (RFC 5043 5.2, RFC 6581 7). */

enum {
    IW_SCTP_PPID_SEGMENT = 16, /* DDP Segment Chunk: DDP-SSN, then a DDP Segment (iw_segment_decode) */
    IW_SCTP_PPID_CONTROL = 17, /* DDP Stream Session Control */
};

/* The Adaptation Layer Indication of DDP (RFC 5043 5.1). */
enum { IW_SCTP_INDICATION = 1 };

/* What a side said in its INIT or INIT ACK (RFC 9260 3.3.2). */
struct iw_sctp_setup {
    uint64_t frame; /* its capture frame; 0 if it was not seen */
    bool ack;       /* INIT ACK */
    bool cut;       /* its parameters were not all captured */
    bool indicated; /* it has an Adaptation Layer Indication (RFC 5061 4.2.6) */
    uint32_t indication;
    uint16_t outbound; /* streams it wants to send on */
    uint16_t inbound;  /* and at most wants to receive on */
};

/* Memory for chunks that wait, of all associations together. */
struct iw_sctp_pool {
    size_t octets; /* that may be held back */
    size_t held;   /* and are */
};

enum { IW_SCTP_GAPS_MAX = 8 };

/* A gap that a SACK reports: its sender has some chunks but certainly lacks earlier ones. */
struct iw_sctp_gap {
    uint32_t missing;  /* first missing TSN */
    uint32_t from, to; /* TSNs that it has; it has none between `missing` and `from` */
    uint64_t frame;    /* capture frame of the SACK */
};

/* An association as far as it was seen. */
struct iw_sctp_state {
    struct iw_sctp_gap gap[2][IW_SCTP_GAPS_MAX]; /* the latest gaps reported in the chunks of each side */
    unsigned gaps[2];                            /* number of gaps reported in total */
    struct iw_sctp_setup setup[2]; /* by enum iw_side: the INIT or INIT ACK that the side sent */
    uint64_t lost[2]; /* DATA chunks of the side that are missing; or too far ahead or too late to be placed;
                         or whose user data are incomplete: truncated, or without all fragments */
    bool waits[2];    /* the association waits for a chunk of the side: a later one has come, or it was
                         acknowledged */
    uint64_t limited; /* how often there was no room to keep waiting for a chunk, or to store all addresses of
                         a side */
    struct iw_sctp_pool *pool; /* NULL: there is no other association */
    bool unacked[2];           /* the other side has not told yet that it has all that have come */
    bool acked_known[2];       /* the other side has acknowledged chunks of the side */
    uint32_t acked[2];         /* all TSNs up to this one are acknowledged */
    bool seen_known[2];        /* user data of the side have come */
    uint32_t seen[2];          /* all TSNs up to this one have come, or are lost */
    bool drained[2]; /* a SHUTDOWN of the side acknowledges exactly the captured chunks of the other side */
    uint64_t ended_frame; /* capture frame in which the association ended; 0: it has not */
    bool shut[2];         /* the side has nothing more to send: it sent SHUTDOWN or SHUTDOWN ACK */
};

/* The user data of a DATA chunk, or of the several that it was fragmented into: the input of what reads DDP
 * over SCTP, as struct iw_chunk is over TCP. A side's are handed over in the order of TSNs. */
struct iw_sctp_message {
    enum iw_side side;
    bool ordered;    /* a chunk without the U flag */
    bool fragmented; /* several chunks */
    bool needless;   /* and they would have gone in one: all of them came in one packet, or this side has had
                        one so large acknowledged */
    uint16_t stream; /* SCTP stream identifier */
    uint32_t ppid;   /* Payload Protocol Identifier */
    uint32_t tsn;    /* of its first chunk */
    bool acks;       /* a SACK in the same packet shows what its sender had received */
    uint32_t ack;    /* with `acks`: all TSNs up to this one, and none after it */
    uint32_t length; /* octets */
    uint32_t captured;     /* how many of them, from the first on, are there */
    const uint8_t *octets; /* borrowed, valid during the call only */
    uint64_t frame;        /* capture frame in which the last of it came */
    uint64_t first_frame;  /* and the first */
    uint64_t time_ns;
};

/* Whether the user data are of DDP: a DDP Segment Chunk or a DDP Stream Session Control chunk (RFC 5043 10).
 */
static inline bool iw_sctp_message_is_ddp(const struct iw_sctp_message *message) {
    return message->ppid == IW_SCTP_PPID_SEGMENT || message->ppid == IW_SCTP_PPID_CONTROL;
}

struct iw_sctp_session {
    struct iw_sctp_control header;
    bool enhanced; /* function codes 5 to 7 with the four octets of enhanced data there (RFC 6581 7) */
    struct iw_mpa_enhanced enhanced_data;
    const uint8_t *private_data; /* behind the enhanced data */
    size_t private_octets;
};

/* Decodes the user data of a DDP Stream Session Control chunk. Returns false if it is shorter than its
 * header. */
bool iw_sctp_session_decode(const uint8_t *octets, size_t length, struct iw_sctp_session *session);

#endif
