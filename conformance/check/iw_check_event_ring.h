#ifndef IW_CHECK_EVENT_RING_H
#define IW_CHECK_EVENT_RING_H

#include "iw_event_copy.h"

/* The latest events of a connection, for a log that has no room for all of them and wants those before a
 * finding. */

enum { IW_CHECK_EVENT_RING = 3 };

/* All zero: none. */
struct iw_check_event_ring {
    struct iw_event_room rooms[IW_CHECK_EVENT_RING];
    const struct iw_monitor_event *events[IW_CHECK_EVENT_RING]; /* the oldest at `next` if all are there */
    unsigned next, count;
};

/* Takes a copy of the event in place of the oldest. Without memory for it, none is there any more. */
void iw_check_event_ring_take(struct iw_check_event_ring *recent, const struct iw_monitor_event *event);

/* The oldest, which is then no longer there, but valid until the next is taken; NULL: there is none. */
const struct iw_monitor_event *iw_check_event_ring_pop(struct iw_check_event_ring *recent);

/* NULL is allowed. */
void iw_check_event_ring_free(struct iw_check_event_ring *recent);

#endif
