#ifndef IW_EVENT_COPY_H
#define IW_EVENT_COPY_H

#include <stddef.h>

#include "iw_monitor.h"

/* Events kept for later: each a copy of all that it points to, but for what outlives it anyway. */

/* Memory that is taken piece by piece and given back all at once. All zero: none yet. */
struct iw_event_room {
    struct iw_event_block *blocks; /* the latest first */
};

/* Forgets all copies; a part of the memory is kept for the next. */
void iw_event_room_clear(struct iw_event_room *room);
void iw_event_room_dispose(struct iw_event_room *room);

/* A copy, valid until the room is cleared. What hangs on operations and STag lives, `user`, is still that of
 * the event. NULL: no memory. */
const struct iw_monitor_event *iw_event_copy(
    struct iw_event_room *room, const struct iw_monitor_event *event);

#endif
