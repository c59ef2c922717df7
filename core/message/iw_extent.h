#pragma once

#include <stddef.h>

#include "iw_range.h"

/* The octets of a message that have come, in any order, as runs of consecutive octets. Allocates memory only
 * at the first hole: every connection has ten extents, and few have a hole. Initialise with zeros. */

enum { IW_EXTENT_RUNS_MAX = 8 };

struct iw_extent {
    struct iw_range first;  /* the run with the lowest octets, if count > 0 */
    struct iw_range *holed; /* all runs (memory for IW_EXTENT_RUNS_MAX); NULL: no hole so far */
    uint32_t count;
    bool full; /* too many runs, or no memory: the runs are unknown */
};

/* The position of a segment's payload in its message (RFC 5041 5.2, 5.3). */
enum iw_segment_order {
    IW_SEGMENT_IN_ORDER,   /* the first, or directly after the highest octet; also if the runs are unknown */
    IW_SEGMENT_AHEAD,      /* after a hole, which later segments may fill */
    IW_SEGMENT_FILLS_HOLE, /* in a hole, or before the lowest octet so far */
    IW_SEGMENT_OVERLAPS,   /* overlaps octets that have already come */
    IW_SEGMENT_HOLE,       /* the segment has L, but octets are missing; set only by iw_sequence_segment */
};

/* Empties the extent and frees its memory. Also call it to dispose of the extent. */
void iw_extent_clear(struct iw_extent *extent);

/* Returns the `count` runs in increasing order. */
static inline const struct iw_range *iw_extent_runs(const struct iw_extent *extent) {
    return extent->holed == NULL ? &extent->first : extent->holed;
}

/* Adds the octets from `from` to before `to`, or none. Returns their place relative to the earlier octets. */
enum iw_segment_order iw_extent_add(struct iw_extent *extent, uint64_t from, uint64_t to);

/* Whether the octets so far are exactly one run, without a hole. */
bool iw_extent_whole(const struct iw_extent *extent);
