#ifndef IW_STAT_GATHER_H
#define IW_STAT_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <glib.h>

#include "iw_range.h"

/* Payload gathered into objects: that of a Send by MSN and MO, that of RDMA Writes by STag and TO, in
 * whatever order it comes. A position that is far from all that an object holds begins another object, and so
 * does one more gap than an object may have: memory stays within what was captured and a bounded sum of gaps,
 * and no segment takes long. */

struct iw_stat_gather_key {
    uint32_t stream; /* connection */
    uint8_t side;    /* enum iw_side */
    bool tagged;
    uint32_t id; /* STag, or MSN */
};

/* How much may be spent on what was not captured. */
struct iw_stat_gather_limits {
    uint64_t gap;    /* octets of a gap */
    uint64_t gaps;   /* octets of all gaps of all objects */
    uint64_t moves;  /* octets moved to make room in front, beyond eight for each octet placed */
    uint32_t ranges; /* of octets, with gaps between them, in an object; at least one */
};

struct iw_stat_gather_object {
    struct iw_stat_gather_key key;
    uint64_t position; /* of the first octet: TO, or MO */
    uint64_t length;   /* octets, gaps included */
    uint64_t missing;  /* octets of gaps; they are zero */
    uint32_t gaps;
    uint8_t *octets; /* of g_malloc; the user's to release, when the iw_stat_gather is gone */
    uint64_t capacity;
    struct iw_range *ranges; /* what is there, by position */
    uint32_t range_count;
    uint32_t range_room;
    void *user; /* NULL at first */
    bool ended; /* the user's, false at first: the last segment of the message has come */
    bool cut;   /* the user's: octets that belong here were cut by the capture */
};

struct iw_stat_gather;

/* Without objects. */
struct iw_stat_gather *iw_stat_gather_new(const struct iw_stat_gather_limits *limits);

/* Releases all but the octets of the objects. NULL is allowed. */
void iw_stat_gather_free(struct iw_stat_gather *gather);

/* Places `count` octets, at least one, at `position` and returns the object that holds them: valid as long as
 * `gather` is. What a Write places again replaces what was there (RFC 5040 5.1 sets no bounds to that); a
 * Send with an octet that is there already is another message with the same MSN. NULL if they reach beyond
 * the last position. */
struct iw_stat_gather_object *iw_stat_gather_place(struct iw_stat_gather *gather,
    const struct iw_stat_gather_key *key, uint64_t position, const uint8_t *octets, uint32_t count);

#endif
