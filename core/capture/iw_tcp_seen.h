#pragma once

#include "iw_tcp_segment.h"

/* The latest segments of one side of a connection, by what a copy repeats: a mirror port or several
 * interfaces capture a segment twice. */

/* An identical segment within this time was not sent again: a retransmission needs a timeout, or duplicate
 * acknowledgements after a round trip. */
enum { IW_TCP_SEEN_US = 100 };

enum { IW_TCP_SEEN = 4 };

/* A zeroed struct is empty. */
struct iw_tcp_seen {
    struct {
        uint32_t time_us; /* of a clock that wraps after 71 minutes */
        uint32_t seq, ack, length;
        uint16_t window;
        uint8_t flags;
        bool known;
    } segments[IW_TCP_SEEN];
    uint8_t next; /* the element for the next segment, modulo their number */
};

/* Whether an identical segment came within IW_TCP_SEEN_US before. */
bool iw_tcp_seen_has(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);

/* Remembers the segment instead of the oldest one. */
void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);
