#pragma once

#include "iw_event_copy.h"

/* The latest events that the full wire log omitted. If a finding follows, they are added to the log. */

enum { IW_CHECK_EVENT_RING = 3 };

/* All zero: empty. */
struct iw_check_event_ring {
    struct iw_event_arena arenas[IW_CHECK_EVENT_RING];
    const struct iw_monitor_event *events[IW_CHECK_EVENT_RING]; /* when full, the oldest is at `next` */
    unsigned next, count;
};

/* Adds a copy of `event`. A full ring loses its oldest event. If memory runs out, the ring becomes empty. */
void iw_check_event_ring_take(struct iw_check_event_ring *ring, const struct iw_monitor_event *event);

/* Removes and returns the oldest event; NULL if the ring is empty. The event is valid until the next take. */
const struct iw_monitor_event *iw_check_event_ring_pop(struct iw_check_event_ring *ring);

void iw_check_event_ring_free(struct iw_check_event_ring *ring);
