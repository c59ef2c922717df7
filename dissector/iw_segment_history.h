#ifndef IW_SEGMENT_HISTORY_H
#define IW_SEGMENT_HISTORY_H

#include "iw_frame_store.h"
#include "iw_segment.h"

/* The last segments of one direction by their DDP headers: to find the one that a Terminate of the other
 * direction includes (RFC 5040 4.8). */

enum { IW_SEGMENT_HISTORY_MAX = 1024 }; /* segments that are remembered at a time: a power of two */

struct iw_segment_history_segment;

/* All zero at first. Takes no memory before the first segment, and then of the open file's. */
struct iw_segment_history {
    struct iw_segment_history_segment *segments; /* NULL before the first */
    uint32_t capacity;
    uint64_t count; /* seen so far */
};

/* Gives back what it has taken, before the file is closed. It is without segments then. */
void iw_segment_history_dispose(struct iw_segment_history *recent);

/* Takes the next segment and its item. */
void iw_segment_history_add(
    struct iw_segment_history *recent, const struct iw_segment *segment, struct iw_item *item);

/* The item of the last segment that has this DDP header, or NULL if none is remembered. */
struct iw_item *iw_segment_history_find(
    const struct iw_segment_history *recent, const struct iw_segment *segment);

#endif
