#include "iw_check_recent.h"

#include <stdlib.h>

void iw_check_recent_take(struct iw_check_recent *recent, const struct iw_monitor_event *event) {
    struct iw_event_room *room = &recent->rooms[recent->next];

    iw_event_room_clear(room);
    recent->events[recent->next] = iw_event_copy(room, event);
    if (recent->events[recent->next] == NULL) {
        recent->count = 0;
        return;
    }
    recent->next = (recent->next + 1) % IW_CHECK_RECENT;
    recent->count += recent->count < IW_CHECK_RECENT;
}

const struct iw_monitor_event *iw_check_recent_pop(struct iw_check_recent *recent) {
    unsigned oldest = (recent->next + IW_CHECK_RECENT - recent->count) % IW_CHECK_RECENT;

    if (recent->count == 0)
        return NULL;
    recent->count--;
    return recent->events[oldest];
}

void iw_check_recent_free(struct iw_check_recent *recent) {
    for (unsigned i = 0; recent != NULL && i < IW_CHECK_RECENT; i++)
        iw_event_room_dispose(&recent->rooms[i]);
    free(recent);
}
