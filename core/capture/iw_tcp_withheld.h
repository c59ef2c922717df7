#ifndef IW_TCP_WITHHELD_H
#define IW_TCP_WITHHELD_H

#include "iw_tcp_flow.h"

/* The segments of a connection whose TCP checksum is wrong. Either they were damaged in transit, and their
 * receiver has discarded them (RFC 9293 3.1); or a program has edited the capture and left the checksums as
 * they were. They are withheld until the capture shows that their receiver took them:
 * - The other side has acknowledged several of them, and no copy with a right checksum was captured. The
 *   acknowledgement of a damaged segment is that of its retransmission, which the capture then has, too.
 * - Or checksums are wrong as a rule: a direction has no right one, or many more wrong than right
 *   ones. */

enum {
    IW_TCP_WITHHELD_SEGMENTS =
        256,                      /* most segments withheld for one connection; then the oldest is dropped */
    IW_TCP_WITHHELD_RECEIVED = 3, /* so many received ones prove that the capture was edited */
    IW_TCP_WITHHELD_AGE = 64, /* segments of the connection: a copy comes within so many, if there is one */
    IW_TCP_WITHHELD_MORE = 8, /* segments: how many more may be wrong than right because of damage */
};

/* One of them. */
struct iw_tcp_withheld_segment {
    struct iw_tcp_withheld_segment *next;
    struct iw_tcp_segment segment; /* its payload is below; `tcp` is NULL */
    uint32_t turn;                 /* number of the connection's segments up to it */
    uint8_t side;                  /* enum iw_side: its sender */
    bool acked;                    /* a withheld segment of the other side acknowledges it */
    bool counts; /* as evidence: its checksum is wrong, and it is no copy of one withheld before */
    uint8_t octets[];
};

/* Verifies the checksum of the segment, unless it has no octets and its numbers are those expected. Returns
 * true if it is wrong and may be so because of damage: then the segment is withheld, and must not be taken.
 * Without memory, or at a bound of the pool, it is only counted (`discarded`). */
bool iw_tcp_withhold(struct iw_tcp_flow *flow, enum iw_side side, struct iw_tcp_pool *pool,
    const struct iw_tcp_segment *segment);

/* Whether the capture shows that the receivers took the withheld segments. `at_end`: no more segments will
 * come. False if none is withheld. */
bool iw_tcp_withheld_were_received(const struct iw_tcp_flow *flow, bool at_end);

/* Takes the withheld segments out of the flow, in the order of the capture, and counts them as not discarded.
 * From now on the flow withholds none. */
struct iw_tcp_withheld_segment *iw_tcp_withheld_release(struct iw_tcp_flow *flow);

/* Frees the segments, as iw_tcp_withheld_release returned them or as they are withheld. */
void iw_tcp_withheld_free(struct iw_tcp_withheld_segment *first, struct iw_tcp_pool *pool);

#endif
