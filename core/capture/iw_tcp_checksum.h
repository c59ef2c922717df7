#pragma once

#include <stddef.h>

#include "iw_tcp_segment.h"

/* The TCP checksum of captured segments (RFC 9293 3.1). A wrong checksum may show damage in transit only if
 * - the segment is whole: see `tcp` in iw_tcp_segment.h;
 * - the field is not what checksum offload leaves in a capture on the sending host: 0, or the sum of the
 * pseudo-header alone;
 * - the segment is not longer than IW_TCP_CHECKSUM_SINGLE, or not longer than an earlier segment with a right
 * checksum. Longer segments were joined by the network card (LRO), which leaves the checksum of one segment
 * in the joined segment. Shorter joined segments look damaged: see iw_tcp_withheld.h. */

enum { IW_TCP_CHECKSUM_SINGLE = 1460 }; /* largest payload, in octets, with an MTU of 1500 octets */

enum iw_tcp_checksum {
    IW_TCP_CHECKSUM_UNKNOWN, /* not verifiable, or left to the network card */
    IW_TCP_CHECKSUM_RIGHT,
    IW_TCP_CHECKSUM_WRONG,
};

/* Returns the Internet checksum without the final complement (RFC 1071), in network byte order. */
uint16_t iw_tcp_checksum_sum(const uint8_t *octets, size_t count);

/* Verifies the checksum. Sets `*payload` to iw_tcp_checksum_sum of the payload, unless `tcp` is NULL. */
enum iw_tcp_checksum iw_tcp_checksum_verify(const struct iw_tcp_segment *segment, uint16_t *payload);

/* The segments of one direction so far that had a right checksum. */
struct iw_tcp_checksums {
    uint32_t right;   /* number of these segments */
    uint32_t longest; /* payload octets of the longest one */
};

/* Counts a right checksum of a segment with `length` octets of payload. */
static inline void iw_tcp_checksums_right(struct iw_tcp_checksums *checksums, uint32_t length) {
    checksums->right++;
    if (length > checksums->longest)
        checksums->longest = length;
}

/* Whether a wrong checksum of a segment with `length` octets of payload may show damage. */
static inline bool iw_tcp_checksums_may_be_damage(const struct iw_tcp_checksums *checksums, uint32_t length) {
    return length <= checksums->longest || length <= IW_TCP_CHECKSUM_SINGLE;
}
