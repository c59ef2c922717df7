#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "iw_range.h"

/* Collects payload in objects, in any order: of a Send by MSN and MO, of RDMA Writes by STag and TO. A new
 * object begins far from all other objects, or at a limit. So the memory is at most the captured octets and a
 * limited sum of gaps, and the time for a segment is limited. */

struct iw_stat_gather_key {
    uint32_t stream; /* number of the connection */
    uint8_t side;    /* enum iw_side */
    bool tagged;
    uint32_t id; /* STag, or MSN */
};

/* Limits of gaps (octets not captured) and of the work to fill them. */
struct iw_stat_gather_limits {
    uint64_t gap;  /* octets of one gap */
    uint64_t gaps; /* octets of all gaps of all objects */
    uint64_t
        moves; /* octets moved to extend objects at the front; eight for each placed octet do not count */
    uint32_t ranges; /* ranges of octets between the gaps of an object; at least 1 */
};

struct iw_stat_gather_object {
    struct iw_stat_gather_key key;
    uint64_t position; /* TO or MO of the first octet */
    uint64_t length;   /* octets, including gaps */
    uint64_t missing;  /* octets in gaps, which are filled with 0 */
    uint32_t gaps;
    uint8_t *octets; /* from g_malloc; the caller frees them, not iw_stat_gather_free */
    uint64_t capacity;
    struct iw_range *ranges; /* the present octets, by position */
    uint32_t range_count;
    uint32_t range_capacity;
    void *user; /* data of the caller; initially NULL */
    bool ended; /* set by the caller: the last segment was captured */
    bool cut;   /* set by the caller: the capture truncated some octets */
};

struct iw_stat_gather;

struct iw_stat_gather *iw_stat_gather_new(const struct iw_stat_gather_limits *limits);

/* Frees everything except the octets of the objects. `gather` may be NULL. */
void iw_stat_gather_free(struct iw_stat_gather *gather);

/* Places `count` octets, at least 1, at `position`. Returns the object that holds them, valid until
 * iw_stat_gather_free; NULL if `position` + `count` overflows. A Write replaces present octets, as RFC
 * 5040 5.1 allows. If the first octet is present in a Send, the octets belong to a new message with the same
 * MSN: they begin a new object. */
struct iw_stat_gather_object *iw_stat_gather_place(struct iw_stat_gather *gather,
    const struct iw_stat_gather_key *key, uint64_t position, const uint8_t *octets, uint32_t count);
