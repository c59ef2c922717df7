#ifndef IW_CHECK_RECENT_H
#define IW_CHECK_RECENT_H

#include "iw_event_copy.h"

/* The latest events of a connection, for a log that has no room for all of them and wants those before a
 * finding. */

enum { IW_CHECK_RECENT = 3 };

/* All zero: none. */
struct iw_check_recent {
    struct iw_event_room rooms[IW_CHECK_RECENT];
    const struct iw_monitor_event *events[IW_CHECK_RECENT]; /* the oldest at `next` if all are there */
    unsigned next, count;
};

/* Takes a copy of the event in place of the oldest. Without memory for it, none is there any more. */
void iw_check_recent_take(struct iw_check_recent *recent, const struct iw_monitor_event *event);

/* The oldest, which is then no longer there, but valid until the next is taken; NULL: there is none. */
const struct iw_monitor_event *iw_check_recent_pop(struct iw_check_recent *recent);

/* NULL is allowed. */
void iw_check_recent_free(struct iw_check_recent *recent);

#endif
