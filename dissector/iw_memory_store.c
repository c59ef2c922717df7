#include "iw_memory_store.h"

#include "iw_file_memory.h"
#include "iw_preference.h"

static wmem_map_t *writes; /* struct iw_item -> struct iw_memory_write */
static uint64_t stored_octets;

void iw_memory_store_open(void) {
    writes = wmem_map_new(iw_file_memory(), g_direct_hash, g_direct_equal);
    stored_octets = 0;
}

const struct iw_memory_write *iw_memory_store_find(const struct iw_item *item) {
    return wmem_map_lookup(writes, item);
}

void iw_memory_store_event(const struct iw_monitor_event *event, const struct iw_item *item) {
    const struct iw_segment *segment = event->segment;
    struct iw_stored_stag *stag = item->message->stags[0];
    struct iw_memory_write *write;

    if (!iw_preferences->keep_memory || segment == NULL || !segment->tagged || stag == NULL ||
        item->crc == IW_CRC_BAD || segment->payload_captured == 0)
        return;
    write = wmem_new0(iw_file_memory(), struct iw_memory_write);
    write->previous = stag->latest;
    write->item = item;
    write->to = segment->to;
    write->octets = segment->payload_captured;
    if (stored_octets + write->octets <= IW_MEMORY_TOTAL_MAX) {
        stored_octets += write->octets;
        write->data = wmem_memdup(iw_file_memory(), segment->payload, write->octets);
    }
    stag->latest = write;
    wmem_map_insert(writes, item, write);
}
