#pragma once

#include "iw_tcp_segment.h"

/* The latest segments of one side of a connection, by what a copy repeats: a mirror port or several
 * interfaces capture a segment twice. */

/* An identical segment within this time was not sent again: a retransmission needs a timeout, or duplicate
 * acknowledgements after a round trip. */
enum { IW_TCP_SEEN_US = 100 };

/* Copies that take a longer path to the capture, perhaps through a router. No mirror delays more. Within this
 * time, two cases prove a copy:
 * - the IPv4 Identification is the same, and the sender does not give all its datagrams the same one. A host
 *   that sends octets again sends a new datagram, with a number of its own unless that is always 0 (RFC 6864
 *   4.1). With another one it is no copy, however soon it comes;
 * - the segment is a SYN, whose timeout is 1 s at first (RFC 6298 2.1). */
enum { IW_TCP_SEEN_PROVEN_US = 100000 };

/* After such a copy, all identical segments with the same TCP checksum are copies that come within twice its
 * delay, and at least within this time. */
enum { IW_TCP_SEEN_MIRROR_US = 1000 };

enum { IW_TCP_SEEN = 4, IW_TCP_SEEN_MIRROR = 64 };

struct iw_tcp_seen_segment {
    uint32_t time_us; /* of a clock that wraps after 71 minutes */
    uint32_t seq, ack, length;
    uint16_t window, checksum, id;
    uint8_t flags;
    bool known;
};

/* A zeroed struct is empty. */
struct iw_tcp_seen {
    struct iw_tcp_seen_segment segments[IW_TCP_SEEN];
    struct iw_tcp_seen_segment *mirror; /* IW_TCP_SEEN_MIRROR elements instead; NULL: no slow copies */
    uint32_t mirror_us;                 /* copies come within this time; valid with `mirror` */
    uint8_t next;                       /* the element for the next segment, modulo their number */
    bool incomplete;                    /* memory ran out: slow copies are missing */
};

enum iw_tcp_seen_copy {
    IW_TCP_SEEN_NEW,
    IW_TCP_SEEN_SOON,   /* an identical segment came so short a time before that this is a copy */
    IW_TCP_SEEN_PROVEN, /* the same, by its IPv4 Identification */
};

void iw_tcp_seen_dispose(struct iw_tcp_seen *seen);

/* Whether the segment is a copy of a remembered one. */
enum iw_tcp_seen_copy iw_tcp_seen_find(const struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);

/* Takes a copy: learns from it how long copies take. */
void iw_tcp_seen_take_copy(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);

/* Remembers the segment instead of the oldest one. */
void iw_tcp_seen_add(struct iw_tcp_seen *seen, const struct iw_tcp_segment *segment);
