#pragma once

#include "iw_frame_store.h"

/* Links related items of one connection: segments of a message, request and response, uses of an STag,
 * Terminate and segment at fault. Call this function on the first pass, for each event in order. */

enum { IW_SEGMENT_HISTORY_MAX = 1024 }; /* latest segments that are kept; a power of two */

/* The latest segments of one direction. A Terminate includes the DDP header of one of them (RFC 5040 4.8). */
struct iw_segment_history {
    struct iw_segment_history_segment *segments; /* NULL: none yet */
    uint64_t count;                              /* number of all segments so far */
};

/* The links of a connection. All zero: empty. */
struct iw_links {
    /* The unfinished message, by side and queue; for tagged messages the queue is IW_QN_TAGGED. */
    struct iw_stored_message *open[2][IW_QN_COUNT + 1];
    struct iw_segment_history history[2];
    struct iw_stored_end *end[2]; /* by requester; NULL: no request yet */
    struct iw_item *crc_bad[2];   /* by side: the latest FPDU with a wrong CRC */
};

/* Frees the part of `links` that is not in the memory of the file. */
void iw_links_dispose(struct iw_links *links);

/* Links `item`, which was made of `event`, to earlier items. */
void iw_links_event(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item);

/* Stores the outstanding requests of a close event. */
void iw_links_close(struct iw_links *links, const struct iw_monitor_event *event);
