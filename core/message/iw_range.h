#ifndef IW_RANGE_H
#define IW_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* The octets that have come, as increasing ranges with holes between them, in the caller's array. Modules
 * that keep more of each octet have lists of their own: iw_tcp_pending, iw_message_store. */

struct iw_range {
    uint64_t from, to; /* `to`: the first octet after the range */
};

#define IW_RANGE_FULL UINT64_MAX

/* The usual case of iw_range_add: adds octets that directly follow all others. Otherwise returns false. */
static inline bool iw_range_extend(struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to) {
    if (count == 0 || ranges[count - 1].to != from)
        return false;
    ranges[count - 1].to = to;
    return true;
}

/* Adds the octets from `from` to before `to`; `ranges` has `*count` ranges, and space for `capacity`. If both
 * offsets are equal, an empty range is added unless another range touches it. Returns how many octets are
 * new; IW_RANGE_FULL, with nothing changed, if another range does not fit. Takes constant time if the octets
 * follow all others; otherwise it may move later ranges. */
uint64_t iw_range_add(
    struct iw_range *ranges, uint32_t *count, uint32_t capacity, uint64_t from, uint64_t to);

/* Whether some of the octets from `from` to before `to` are present. If both offsets are equal: whether one
 * range contains the octets before and after it. */
bool iw_range_meets(const struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to);

#endif
