#ifndef IW_LINKS_H
#define IW_LINKS_H

#include "iw_frame_store.h"

/* Links related items of one connection: segments of a message, request and response, uses of an STag,
 * Terminate and segment at fault. Runs on the first pass, in the order of the events. */

enum { IW_SEGMENT_HISTORY_MAX = 1024 }; /* segments remembered: a power of two */

/* The latest segments of one direction by DDP header. A Terminate from the other side includes the header of
 * one of them (RFC 5040 4.8). */
struct iw_segment_history {
    struct iw_segment_history_segment *segments; /* NULL until the first */
    uint64_t count;                              /* seen so far */
};

/* Initially all zero. */
struct iw_links {
    /* The unfinished message, by side and by queue; at IW_QN_TAGGED the tagged message. */
    struct iw_stored_message *open[2][IW_QN_COUNT + 1];
    struct iw_segment_history history[2];
    struct iw_stored_end *end[2]; /* by requester; NULL until its first request */
    struct iw_item *crc_bad[2];   /* the side's latest FPDU with a wrong CRC */
};

/* Frees part of the memory of `links` early. The rest is freed when the file is closed. */
void iw_links_dispose(struct iw_links *links);

/* Links the item made of `event` to earlier items. */
void iw_links_event(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item);

/* Stores what an event of a close says about outstanding requests. */
void iw_links_close(struct iw_links *links, const struct iw_monitor_event *event);

#endif
