#pragma once

#include "iw_tcp_flow.h"

/* The segments of one connection with a wrong TCP checksum. Either they were damaged in transit, and their
 * receiver discarded them (RFC 9293 3.1); or a program has edited the capture without correcting the
 * checksums. They are withheld until the capture shows that their receiver took them:
 * - The other side has acknowledged several of them, or none of its packets was captured; and the capture has
 * no copy of them with a right checksum. If a segment was damaged, the other side acknowledges only its
 * retransmission, which the capture then contains.
 * - Or a side, or at the end both sides, have no right checksum at all. */

enum {
    IW_TCP_WITHHELD_SEGMENTS = 256, /* most segments withheld for one connection */
    IW_TCP_WITHHELD_RECEIVED = 3,   /* so many received segments prove that the capture was edited */
    IW_TCP_WITHHELD_AGE = 64,       /* a retransmission, if any, comes within so many segments */
};

struct iw_tcp_withheld_segment {
    struct iw_tcp_withheld_segment *next;
    struct iw_tcp_segment segment; /* its payload is in `octets`; `tcp` is NULL */
    uint32_t turn;                 /* number of segments of the connection before it */
    uint32_t sent_up_to; /* valid with `shows_sent`: the sender has sent octets up to this sequence number */
    uint8_t side;        /* enum iw_side: its sender */
    bool shows_sent;
    bool acked;  /* a withheld segment of the other side acknowledges it */
    bool counts; /* counts as evidence: its checksum is wrong, and it repeats no earlier withheld segment */
    uint8_t octets[];
};

struct iw_tcp_withheld {
    struct iw_tcp_withheld_segment *first; /* in the order of the capture */
    uint32_t count;
    uint32_t repeated;  /* evidence dropped because the capture has a copy with a right checksum */
    bool some_received; /* segments were released as received: one more is then enough evidence */
};

enum iw_tcp_withholding {
    IW_TCP_TAKEN,           /* not withheld */
    IW_TCP_WITHHELD,        /* withheld: must not be taken, unless it is released later */
    IW_TCP_WITHHOLD_FAILED, /* not withheld because of a limit or missing memory: must never be taken */
};

/* Verifies the checksum of the segment, unless it is an acknowledgement with the expected numbers. Withholds
 * it if damage may explain the checksum, or to keep the order. Uses only `octets` and `used` of `pool`. */
enum iw_tcp_withholding iw_tcp_withhold(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_pool *pool,
    const struct iw_tcp_segment *segment);

/* Removes the withheld segments that their receiver took, as the capture shows, and subtracts them from
 * `discarded`. Returns them in capture order, or NULL. `at_end`: at the end of the capture or connection. */
struct iw_tcp_withheld_segment *iw_tcp_withheld_release(
    struct iw_tcp_flow *flow, struct iw_tcp_pool *pool, bool at_end);

void iw_tcp_withheld_free(struct iw_tcp_withheld_segment *first, struct iw_tcp_pool *pool);

/* Whether `segment` of `side` is near the end of a withheld one, or acknowledges one of the other side. */
bool iw_tcp_withheld_fits(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* Returns how many octets of `side` only withheld segments have; sets frame and time of the last of these. */
uint32_t iw_tcp_withheld_unread(
    const struct iw_tcp_flow *flow, enum iw_side side, uint64_t *frame, uint64_t *time_ns);

/* Releases the memory without handing anything over. */
void iw_tcp_withheld_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool);
