#ifndef IW_TCP_CHECKSUM_H
#define IW_TCP_CHECKSUM_H

#include <stddef.h>

#include "iw_tcp_segment.h"

/* The TCP checksum of captured segments (RFC 9293 3.1). A wrong checksum may show damage in transit only if
 * - the segment is whole: see `tcp` in iw_tcp_segment.h;
 * - the field is not what checksum offload leaves in a capture on the sending host: 0, or the sum of the
 *   pseudo-header alone;
 * - the segment is not longer than IW_TCP_CHECKSUM_SINGLE, or than a segment with a right checksum before it.
 *
 * A network card that joins segments (LRO) leaves the checksum of one of them in the joined segment, which is
 * longer than any segment on the wire. A shorter joined segment looks damaged. iw_tcp_withheld.h says what
 * happens to such a segment. */

enum { IW_TCP_CHECKSUM_SINGLE = 1460 }; /* largest payload, in octets, with an MTU of 1500 octets */

enum iw_tcp_checksum {
    IW_TCP_CHECKSUM_UNKNOWN, /* not verifiable, or left to the network card */
    IW_TCP_CHECKSUM_RIGHT,
    IW_TCP_CHECKSUM_WRONG,
};

/* The Internet checksum of `octets` before its complement (RFC 1071), in the byte order of this machine. */
uint16_t iw_tcp_checksum_sum(const uint8_t *octets, size_t count);

/* Verifies the checksum; sets `*payload` to the payload's iw_tcp_checksum_sum unless `tcp` is NULL. */
enum iw_tcp_checksum iw_tcp_checksum_verify(const struct iw_tcp_segment *segment, uint16_t *payload);

/* What the right checksums of one direction have shown so far. */
struct iw_tcp_checksums {
    uint32_t right;   /* segments with a right checksum */
    uint32_t longest; /* octets of payload of the longest segment with a right checksum */
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

#endif
