#ifndef IW_RANGE_H
#define IW_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* The octets that have come, as increasing ranges with holes between them, in the caller's array. Modules
 * that also need the segment, frame or data of each octet keep a list of their own: iw_tcp_pending,
 * iw_message_store. */

struct iw_range {
    uint64_t from, to; /* `to`: the first octet after the range */
};

#define IW_RANGE_FULL UINT64_MAX

/* The usual case of iw_range_add: adds octets `from` to before `to` if they directly follow all others.
 * Otherwise returns false. */
static inline bool iw_range_extend(struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to) {
    if (count == 0 || ranges[count - 1].to != from)
        return false;
    ranges[count - 1].to = to;
    return true;
}

/* Adds octets `from` to before `to` to `*count` ranges; the array can hold `capacity`. If both are equal, the
 * empty range still counts as a range. Returns how many octets are new, or IW_RANGE_FULL, with nothing
 * changed, if another range does not fit. Takes constant time if they follow all others; otherwise moves
 * later ranges. */
uint64_t iw_range_add(
    struct iw_range *ranges, uint32_t *count, uint32_t capacity, uint64_t from, uint64_t to);

/* Whether some of the octets `from` to before `to` are present; if both are equal, whether one range
 * contains the octets on both sides. */
bool iw_range_meets(const struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to);

#endif
