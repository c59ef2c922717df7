#ifndef IW_LINKS_H
#define IW_LINKS_H

#include "iw_frame_store.h"
#include "iw_segment_history.h"

/* What items of one connection have to do with each other: segments of a message, requests and answers, the
 * lives of STags, a Terminate and the segment at fault. On the first pass, in the order of the events. */

struct iw_links {
    struct iw_stored_message *open[2][IW_QN_COUNT + 1]; /* by side and queue, the last one tagged: the message
                                                           whose last segment has not come */
    struct iw_segment_history recent[2];
    struct iw_stored_end *end[2]; /* by requester; NULL before its first request */
    struct iw_item *crc_bad[2];   /* the latest FPDU of the side that has a wrong CRC */
};

/* Without anything. What it takes is of the open file's memory; iw_links_dispose gives some of it back before
 * that. */
void iw_links_init(struct iw_links *links);
void iw_links_dispose(struct iw_links *links);

/* Ties the item that was made of `event` to those before it. */
void iw_links_event(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item);

/* Takes the outstanding requests from a CLOSE. */
void iw_links_close(struct iw_links *links, const struct iw_monitor_event *event);

#endif
