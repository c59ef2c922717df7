#pragma once

#include "iw_tcp_segment.h"

/* The latest segments of one side of a connection, by what a copy repeats: a mirror port or several
 * interfaces capture a segment twice. */

/* An identical segment within this time was not sent again: a retransmission needs a timeout, or duplicate
 * acknowledgements after a round trip. */
#define IW_TCP_SEEN_NS UINT64_C(100000)

enum { IW_TCP_SEEN = 4 };

/* A zeroed struct is empty. */
struct iw_tcp_seen {
    struct {
        uint64_t time_ns; /* 0: none, or unknown */
        uint32_t seq, ack, length;
        uint16_t window;
        uint8_t flags;
    } segments[IW_TCP_SEEN];
    uint8_t next; /* the element for the next segment, modulo their number */
};

/* Whether an identical segment came within IW_TCP_SEEN_NS before. */
bool iw_tcp_seen_has(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);

/* Remembers the segment instead of the oldest one. */
void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);
