#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A set of octets, as increasing ranges with holes between them, in the caller's array. Modules that keep
 * more of each octet have lists of their own: iw_tcp_pending, iw_message_store. */

struct iw_range {
    uint64_t from, to; /* `to`: the first octet after the range */
};

#define IW_RANGE_FULL UINT64_MAX

/* Adds octets that directly follow the last range, and returns true; returns false for others. */
static inline bool iw_range_extend(struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to) {
    if (count == 0 || ranges[count - 1].to != from)
        return false;
    ranges[count - 1].to = to;
    return true;
}

/* Adds the octets from `from` to before `to`, and merges ranges that touch. If both offsets are equal, stores
 * an empty range unless a stored range touches it. Returns how many octets are new. Returns IW_RANGE_FULL and
 * changes nothing if the octets touch no range and `*count` is `capacity`. Takes constant time if the octets
 * directly follow the last range. */
uint64_t iw_range_add(
    struct iw_range *ranges, uint32_t *count, uint32_t capacity, uint64_t from, uint64_t to);

/* Whether some of the octets from `from` to before `to` are present. If both offsets are equal: whether one
 * range contains the octets before and after that offset. */
bool iw_range_meets(const struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to);
