#include "iw_check_event_ring.h"

#include <stdlib.h>

void iw_check_event_ring_take(struct iw_check_event_ring *recent, const struct iw_monitor_event *event) {
    struct iw_event_room *room = &recent->rooms[recent->next];

    iw_event_room_clear(room);
    recent->events[recent->next] = iw_event_copy(room, event);
    if (recent->events[recent->next] == NULL) {
        recent->count = 0;
        return;
    }
    recent->next = (recent->next + 1) % IW_CHECK_EVENT_RING;
    recent->count += recent->count < IW_CHECK_EVENT_RING;
}

const struct iw_monitor_event *iw_check_event_ring_pop(struct iw_check_event_ring *recent) {
    unsigned oldest = (recent->next + IW_CHECK_EVENT_RING - recent->count) % IW_CHECK_EVENT_RING;

    if (recent->count == 0)
        return NULL;
    recent->count--;
    return recent->events[oldest];
}

void iw_check_event_ring_free(struct iw_check_event_ring *recent) {
    for (unsigned i = 0; recent != NULL && i < IW_CHECK_EVENT_RING; i++)
        iw_event_room_dispose(&recent->rooms[i]);
    free(recent);
}
