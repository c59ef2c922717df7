#ifndef IW_EVENT_COPY_H
#define IW_EVENT_COPY_H

#include <stddef.h>

#include "iw_monitor.h"

/* Events kept for later: deep copies, except for data that outlive the event. */

/* Memory that is allocated piece by piece and freed all at once. All zero: empty. */
struct iw_event_arena {
    struct iw_event_block *blocks; /* newest first */
};

/* Frees all copies; may keep one block of memory for the next ones. */
void iw_event_arena_clear(struct iw_event_arena *arena);
void iw_event_arena_dispose(struct iw_event_arena *arena);

/* Copies an event; the copy is valid until the arena is cleared. The `user` pointers of operations and of
 * STags (struct iw_stag_life) are copied as they are; `wire` of an FPDU becomes NULL. Returns NULL if memory
 * runs out. */
const struct iw_monitor_event *iw_event_copy(
    struct iw_event_arena *arena, const struct iw_monitor_event *event);

#endif
