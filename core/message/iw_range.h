#ifndef IW_RANGE_H
#define IW_RANGE_H

#include <stdbool.h>
#include <stdint.h>

/* Which octets have come: ranges in increasing order with holes between them, in an array of the caller's.
 * For those who ask nothing else of them. Whoever has to know with which segment or frame each octet came, or
 * keeps octets until their turn comes, has a list of those anyway, and it tells what is there:
 * iw_tcp_pending, iw_message_store. */

struct iw_range {
    uint64_t from, to; /* `to` is the first octet behind it */
};

#define IW_RANGE_FULL UINT64_MAX

/* The usual case of iw_range_add: if octets `from` to before `to` come right behind all others, adds them.
 * Otherwise returns false. */
static inline bool iw_range_extend(struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to) {
    if (count == 0 || ranges[count - 1].to != from)
        return false;
    ranges[count - 1].to = to;
    return true;
}

/* Adds octets `from` to before `to` to `*count` ranges, in an array with room for `room`; none if they are
 * the same, but the place counts as there. Returns how many of them were not there before, or IW_RANGE_FULL,
 * with everything as it was, if there is no room for another range. Takes constant time in order, otherwise
 * that of moving the ranges behind. */
uint64_t iw_range_add(struct iw_range *ranges, uint32_t *count, uint32_t room, uint64_t from, uint64_t to);

/* Some of the octets `from` to before `to` are there; if they are the same, octets on both sides of it. */
bool iw_range_meets(const struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to);

#endif
