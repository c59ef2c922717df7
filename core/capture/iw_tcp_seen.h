#pragma once

#include "iw_tcp_segment.h"

/* The latest segments of one side of a connection, by what a copy repeats: a mirror port or several
 * interfaces capture a segment twice. */

/* An identical segment within this time was not sent again: a retransmission needs a timeout, or duplicate
 * acknowledgements after a round trip. */
enum { IW_TCP_SEEN_US = 100 };

/* The same for a SYN, whose timeout is 1 s at first (RFC 6298 2.1), and for all segments of a connection with
 * such a copy of a SYN: the copies take a longer path to the capture. */
enum { IW_TCP_SEEN_MIRROR_US = 1000 };

enum { IW_TCP_SEEN = 4, IW_TCP_SEEN_MIRROR = 32 };

struct iw_tcp_seen_segment {
    uint32_t time_us; /* of a clock that wraps after 71 minutes */
    uint32_t seq, ack, length;
    uint16_t window;
    uint8_t flags;
    bool known;
};

/* A zeroed struct is empty. */
struct iw_tcp_seen {
    struct iw_tcp_seen_segment segments[IW_TCP_SEEN];
    struct iw_tcp_seen_segment *mirror; /* IW_TCP_SEEN_MIRROR elements instead; NULL: no slow copies */
    uint8_t next;                       /* the element for the next segment, modulo their number */
};

void iw_tcp_seen_dispose(struct iw_tcp_seen *seen);

/* Takes identical segments within IW_TCP_SEEN_MIRROR_US for copies from now on. Returns false if memory runs
 * out. */
bool iw_tcp_seen_expect_mirror(struct iw_tcp_seen *seen);

/* Whether an identical segment came so short a time before that this is a copy. */
bool iw_tcp_seen_has(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);

/* Remembers the segment instead of the oldest one. */
void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);
