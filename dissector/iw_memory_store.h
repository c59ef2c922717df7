#pragma once

#include "iw_frame_store.h"

/* What Writes and Read Responses have placed in the memory of each STag, stored on the first pass with the
 * preference `keep_memory`. */

/* The octets of one segment. */
struct iw_memory_write {
    const struct iw_memory_write *previous; /* to the same STag, or NULL */
    const struct iw_item *item;
    uint64_t to;
    uint32_t octets;     /* at `data` */
    const uint8_t *data; /* NULL: not stored, because of the limit */
};

enum { IW_MEMORY_TOTAL_MAX = 128 << 20 }; /* octets stored of a file */

/* Call this function when a file is opened. */
void iw_memory_store_open(void);

/* Stores the payload of a segment, which is linked to its STag already. */
void iw_memory_store_event(const struct iw_monitor_event *event, const struct iw_item *item);

/* Returns what the segment has placed; NULL for other items. */
const struct iw_memory_write *iw_memory_store_find(const struct iw_item *item);
