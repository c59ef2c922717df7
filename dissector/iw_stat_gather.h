#ifndef IW_STAT_GATHER_H
#define IW_STAT_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "iw_range.h"

/* Collects payload in objects: of a Send by MSN and MO, of RDMA Writes by STag and TO, in any order. A
 * new object begins at a position far from every object, or at a limit: this bounds memory to the captured
 * octets plus a limited sum of gaps, and the time for each segment. */

struct iw_stat_gather_key {
    uint32_t stream; /* connection */
    uint8_t side;    /* enum iw_side */
    bool tagged;
    uint32_t id; /* STag, or MSN */
};

/* Limits of gaps, which are octets not captured, and of the work to fill them. */
struct iw_stat_gather_limits {
    uint64_t gap;    /* octets of a gap */
    uint64_t gaps;   /* octets of all gaps of all objects */
    uint64_t moves;  /* octets moved to extend objects at the front, beyond eight for each octet placed */
    uint32_t ranges; /* ranges of octets, separated by gaps, in an object; at least 1 */
};

struct iw_stat_gather_object {
    struct iw_stat_gather_key key;
    uint64_t position; /* of the first octet: TO, or MO */
    uint64_t length;   /* octets, including gaps */
    uint64_t missing;  /* octets in gaps, which are filled with 0 */
    uint32_t gaps;
    uint8_t *octets; /* from g_malloc; the caller frees them: iw_stat_gather_free does not */
    uint64_t capacity;
    struct iw_range *ranges; /* the octets present, by position */
    uint32_t range_count;
    uint32_t range_capacity;
    void *user; /* data of the caller; initially NULL */
    bool ended; /* set by the caller: the last segment of the message has come */
    bool cut;   /* set by the caller: the capture truncated octets of the object */
};

struct iw_stat_gather;

/* Copies the limits. */
struct iw_stat_gather *iw_stat_gather_new(const struct iw_stat_gather_limits *limits);

/* Frees everything except the octets of the objects. NULL is allowed. */
void iw_stat_gather_free(struct iw_stat_gather *gather);

/* Places `count` octets, at least 1, at `position` and returns the object that holds them, valid until
 * iw_stat_gather_free. A Write replaces octets that are present, as RFC 5040 5.1 allows. If the first octet
 * is already present in a Send, the octets belong to a new message with the same MSN, and so to a new object.
 * Returns NULL if `position` + `count` overflows. */
struct iw_stat_gather_object *iw_stat_gather_place(struct iw_stat_gather *gather,
    const struct iw_stat_gather_key *key, uint64_t position, const uint8_t *octets, uint32_t count);

#endif
