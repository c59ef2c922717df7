#ifndef IW_TCP_WITHHELD_H
#define IW_TCP_WITHHELD_H

#include "iw_tcp_flow.h"

/* The segments of one connection that have a wrong TCP checksum. Either they were damaged in transit, and
 * their receiver has discarded them (RFC 9293 3.1); or a program has edited the capture and left the
 * checksums as they were. They are withheld until the capture shows that their receiver took them:
 * - The other side has acknowledged several of them, or none of its packets was captured; and there is no
 *   copy of them with a right checksum. If a segment was damaged, the other side acknowledges only its
 *   retransmission, which the capture then has, too.
 * - Or a side, or both, have no right checksum at all. */

enum {
    IW_TCP_WITHHELD_SEGMENTS = 256, /* most segments withheld for one connection */
    IW_TCP_WITHHELD_RECEIVED = 3,   /* this many received segments prove that the capture was edited */
    IW_TCP_WITHHELD_AGE = 64,       /* a retransmission, if any, comes within this many segments */
};

struct iw_tcp_withheld_segment {
    struct iw_tcp_withheld_segment *next;
    struct iw_tcp_segment segment; /* its payload is in `octets`; `tcp` is NULL */
    uint32_t turn;                 /* number of the connection's segments up to it */
    uint32_t sent_up_to; /* with `shows_sent`: the sender has sent octets up to this sequence number */
    uint8_t side;        /* enum iw_side: its sender */
    bool shows_sent;
    bool acked;  /* a withheld segment of the other side acknowledges it */
    bool counts; /* is evidence: its checksum is wrong, and it is not a copy of an earlier withheld segment */
    uint8_t octets[];
};

struct iw_tcp_withheld {
    struct iw_tcp_withheld_segment *first; /* in the order of the capture */
    uint32_t count;
    uint32_t repeated;  /* dropped evidence: the capture has a copy with a right checksum */
    bool some_received; /* segments were released as received: now one more is enough evidence */
};

enum iw_tcp_withholding {
    IW_TCP_TAKEN,           /* not withheld */
    IW_TCP_WITHHELD,        /* withheld: must not be taken, unless it is released later */
    IW_TCP_WITHHOLD_FAILED, /* not withheld because of a limit or missing memory: never take it */
};

/* Verifies the checksum of the segment, unless it is an acknowledgement with the expected numbers. Withholds
 * the segment if damage may explain a wrong checksum. Uses only `octets` and `used` of `pool`. */
enum iw_tcp_withholding iw_tcp_withhold(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_pool *pool,
    const struct iw_tcp_segment *segment);

/* Removes the withheld segments that were received, as the capture shows, and subtracts them from
 * `discarded`. Returns them in capture order, or NULL. `at_end`: of the capture or connection. */
struct iw_tcp_withheld_segment *iw_tcp_withheld_release(
    struct iw_tcp_flow *flow, struct iw_tcp_pool *pool, bool at_end);

/* Frees the released segments. */
void iw_tcp_withheld_free(struct iw_tcp_withheld_segment *first, struct iw_tcp_pool *pool);

/* Whether `segment`, of `side`, is near the end of a withheld one, or acknowledges one of the other side. */
bool iw_tcp_withheld_fits(
    const struct iw_tcp_flow *flow, enum iw_side side, const struct iw_tcp_segment *segment);

/* At the end: the octets of `side` that only withheld segments have; frame and time of the last of them. */
uint32_t iw_tcp_withheld_unread(
    const struct iw_tcp_flow *flow, enum iw_side side, uint64_t *frame, uint64_t *time_ns);

/* Releases the memory without handing anything over. */
void iw_tcp_withheld_clear(struct iw_tcp_flow *flow, struct iw_tcp_pool *pool);

#endif
