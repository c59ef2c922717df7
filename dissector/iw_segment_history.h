#ifndef IW_SEGMENT_HISTORY_H
#define IW_SEGMENT_HISTORY_H

#include "iw_frame_store.h"
#include "iw_segment.h"

/* The latest segments of one direction by DDP header. A Terminate from the other side includes the header of
 * one of them (RFC 5040 4.8). */

enum { IW_SEGMENT_HISTORY_MAX = 1024 }; /* segments remembered: a power of two */

struct iw_segment_history_segment;

/* Initially all zero. */
struct iw_segment_history {
    struct iw_segment_history_segment *segments; /* NULL until the first */
    uint64_t count;                              /* seen so far */
};

void iw_segment_history_dispose(struct iw_segment_history *history);

/* Adds the next segment and its item. */
void iw_segment_history_add(
    struct iw_segment_history *history, const struct iw_segment *segment, struct iw_item *item);

/* The item of the last segment with this DDP header, or NULL. */
struct iw_item *iw_segment_history_find(
    const struct iw_segment_history *history, const struct iw_segment *segment);

#endif
