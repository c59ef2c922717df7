#pragma once

#include <stddef.h>

#include "iw_monitor.h"

/* Copies events so that they can be kept. Copies are deep, except for data that outlive the event. */

/* Memory that is allocated in blocks and freed all at once. All zero: empty. */
struct iw_event_arena {
    struct iw_event_block *blocks; /* newest first */
};

/* Frees all copies; may keep one block of memory for later copies. */
void iw_event_arena_clear(struct iw_event_arena *arena);
void iw_event_arena_dispose(struct iw_event_arena *arena);

/* Copies an event. The copy is valid until the arena is cleared. Copies pointers `user` of operations and
 * STags unchanged; sets `wire` of an FPDU to NULL. Returns NULL if memory runs out. */
const struct iw_monitor_event *iw_event_copy(
    struct iw_event_arena *arena, const struct iw_monitor_event *event);
