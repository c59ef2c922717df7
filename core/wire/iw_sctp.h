#pragma once

#include "iw_chunk.h"
#include "iw_layout.h"

/* User data of the SCTP DATA chunks that carry DDP (RFC 5043 5.2, RFC 6581 7). */

enum {
    IW_SCTP_PPID_SEGMENT = 16, /* DDP Segment Chunk: DDP-SSN, then a DDP Segment (iw_segment_decode) */
    IW_SCTP_PPID_CONTROL = 17, /* DDP Stream Session Control */
};

/* The Adaptation Layer Indication of DDP (RFC 5043 5.1). */
enum { IW_SCTP_INDICATION = 1 };

/* Values of the INIT or INIT ACK that a side sent (RFC 9260 3.3.2). */
struct iw_sctp_setup {
    uint64_t frame; /* capture frame; 0: not captured */
    bool ack;       /* INIT ACK */
    bool cut;       /* some parameters of the chunk were not captured */
    bool indicated; /* the chunk has an Adaptation Layer Indication (RFC 5061 4.2.6) */
    uint32_t indication;
    uint16_t outbound; /* number of outbound streams that the side asks for */
    uint16_t inbound;  /* maximum number of inbound streams that the side accepts */
};

/* Limits the memory for chunks held back in all associations together. */
struct iw_sctp_pool {
    size_t octets; /* limit of `held` */
    size_t held;   /* octets held back now */
};

enum { IW_SCTP_GAPS_MAX = 8 };

/* A gap that a SACK reports: its sender has some chunks, but lacks earlier chunks. */
struct iw_sctp_gap {
    uint32_t missing;  /* first missing TSN */
    uint32_t from, to; /* first and last TSN of the next block that the sender of the SACK has */
    uint64_t frame;    /* capture frame of the SACK */
};

struct iw_sctp_state {
    struct iw_sctp_gap gap[2][IW_SCTP_GAPS_MAX]; /* the latest gaps in the chunks of each side */
    unsigned gaps[2];                            /* number of gaps reported in total */
    struct iw_sctp_setup setup[2]; /* by enum iw_side: the INIT or INIT ACK that the side sent */
    uint64_t lost[2]; /* DATA chunks of the side that are missing, too far ahead, or too late to be placed; or
                         whose user data are incomplete (truncated, or without all fragments) */
    bool waits[2];    /* a chunk of the side is missing: a later chunk was captured, or it was acknowledged */
    uint64_t limited; /* times that a limit ended a wait, prevented reassembly, or left out addresses */
    struct iw_sctp_pool *pool; /* NULL: this is the only association */
    bool unacked[2];           /* the other side has not acknowledged all captured chunks of the side */
    bool acked_known[2];       /* the other side has acknowledged chunks of the side */
    uint32_t acked[2];         /* all TSNs up to this one are acknowledged */
    bool seen_known[2];        /* user data of the side was captured */
    uint32_t seen[2];          /* all TSNs up to this one were captured or are lost */
    bool drained[2]; /* a SHUTDOWN of the side acknowledges exactly the captured chunks of the other side */
    uint64_t ended_frame; /* capture frame in which the association ended; 0: still open */
    bool shut[2];         /* the side sends no more user data: it sent SHUTDOWN or SHUTDOWN ACK */
};

/* The user data of one DATA chunk, or of all chunks of a fragmented message. It is the input for DDP over
 * SCTP, as struct iw_chunk is over TCP. Messages of one side come in the order of TSNs. */
struct iw_sctp_message {
    enum iw_side side;
    bool ordered;    /* the chunk has no U flag */
    bool fragmented; /* the user data came in several chunks */
    bool needless;   /* fragmented without need: all its chunks came in one packet, or the other side has
                        acknowledged an equally large packet */
    uint16_t stream; /* SCTP stream identifier */
    uint32_t ppid;   /* Payload Protocol Identifier */
    uint32_t tsn;    /* TSN of the first chunk */
    bool acks;       /* the packet of its last chunk has a SACK without gaps */
    uint32_t ack; /* valid with `acks`: its sender had received all TSNs up to this one, and none after it */
    uint32_t length;       /* octets */
    uint32_t captured;     /* octets captured, from the first on */
    const uint8_t *octets; /* borrowed, valid only during the call that hands the message over */
    uint64_t frame;        /* capture frame of the last chunk */
    uint64_t first_frame;  /* capture frame of the first chunk */
    uint64_t time_ns;
};

/* Whether the user data is a DDP Segment Chunk or a DDP Stream Session Control chunk (RFC 5043 10). */
static inline bool iw_sctp_message_is_ddp(const struct iw_sctp_message *message) {
    return message->ppid == IW_SCTP_PPID_SEGMENT || message->ppid == IW_SCTP_PPID_CONTROL;
}

struct iw_sctp_session {
    struct iw_sctp_control header;
    bool enhanced; /* function code 5 to 7, and the four octets of enhanced data are present (RFC 6581 7) */
    struct iw_mpa_enhanced enhanced_data;
    const uint8_t *private_data; /* after the header, and after the enhanced data if present */
    size_t private_octets;
};

/* Decodes a DDP Stream Session Control chunk. Returns false if it is shorter than its header. */
bool iw_sctp_session_decode(const uint8_t *octets, size_t length, struct iw_sctp_session *session);
