#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Arithmetic on TCP sequence numbers, which are counted modulo 2^32 (RFC 9293 3.4). */

enum {
    /* The largest window in octets (RFC 7323 2.3). A number further away is of no octet of the stream. */
    IW_TCP_WINDOW_MAX = 1 << 30,

    /* Most octets that one direction is assumed to have in flight. RFC 7323 2.3 permits IW_TCP_WINDOW_MAX,
     * but hosts use far less. A number at most this far from the next expected number may belong to a late,
     * lost or retransmitted segment. A number further away needs a second segment to confirm it, because a
     * receiver drops segments outside its window (RFC 9293 3.10.7.4). */
    IW_TCP_IN_FLIGHT_MAX = 1 << 24,
};

/* Octets from sequence number `from` to `to`; negative if `to` is before `from` (RFC 9293 3.4). */
static inline int32_t iw_tcp_seq_distance(uint32_t from, uint32_t to) {
    return (int32_t)(to - from);
}

static inline bool iw_tcp_seq_is_near(uint32_t one, uint32_t other) {
    int32_t between = iw_tcp_seq_distance(one, other);
    return between >= -IW_TCP_WINDOW_MAX && between <= IW_TCP_WINDOW_MAX;
}

static inline bool iw_tcp_seq_is_in_flight(uint32_t one, uint32_t other) {
    int32_t between = iw_tcp_seq_distance(one, other);
    return between >= -IW_TCP_IN_FLIGHT_MAX && between <= IW_TCP_IN_FLIGHT_MAX;
}
