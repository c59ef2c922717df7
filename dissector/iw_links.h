#ifndef IW_LINKS_H
#define IW_LINKS_H

#include "iw_frame_store.h"

/* What items of one connection have to do with each other: segments of a message, requests and answers. On
 * the first pass, in the order of the events. */

struct iw_links {
    struct iw_stored_message *open[2][IW_QN_COUNT + 1]; /* by side and queue, the last one tagged: the message
                                                           whose last segment has not come */
};

/* Without messages and requests. */
void iw_links_init(struct iw_links *links);

/* Ties the item that was made of `event` to those before it. */
void iw_links_event(struct iw_links *links, const struct iw_monitor_event *event, struct iw_item *item);

#endif
