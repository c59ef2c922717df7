#include "iw_check_event_ring.h"

#include <stdlib.h>

void iw_check_event_ring_take(struct iw_check_event_ring *ring, const struct iw_monitor_event *event) {
    struct iw_event_arena *arena = &ring->arenas[ring->next];

    iw_event_arena_clear(arena);
    ring->events[ring->next] = iw_event_copy(arena, event);
    if (ring->events[ring->next] == NULL) {
        ring->count = 0;
        return;
    }
    ring->next = (ring->next + 1) % IW_CHECK_EVENT_RING;
    ring->count += ring->count < IW_CHECK_EVENT_RING;
}

const struct iw_monitor_event *iw_check_event_ring_pop(struct iw_check_event_ring *ring) {
    unsigned oldest = (ring->next + IW_CHECK_EVENT_RING - ring->count) % IW_CHECK_EVENT_RING;

    if (ring->count == 0)
        return NULL;
    ring->count--;
    return ring->events[oldest];
}

void iw_check_event_ring_free(struct iw_check_event_ring *ring) {
    for (unsigned i = 0; ring != NULL && i < IW_CHECK_EVENT_RING; i++)
        iw_event_arena_dispose(&ring->arenas[i]);
    free(ring);
}
