#include "iw_segment_history.h"

#include <string.h>

#include "iw_file_memory.h"

struct iw_segment_history_segment {
    uint64_t key;
    struct iw_item *item;
};

enum { CAPACITY_AT_FIRST = 16 };

void iw_segment_history_dispose(struct iw_segment_history *recent) {
    wmem_free(iw_file_memory(), recent->segments);
    memset(recent, 0, sizeof *recent);
}

/* All of a DDP header but what says little. */
static uint64_t key_of(const struct iw_segment *segment) {
    uint64_t place = segment->tagged ? segment->to : (uint64_t)segment->msn << 32 | segment->mo;
    uint64_t buffer = segment->tagged ? segment->stag : segment->qn;
    uint64_t flags = segment->control | (uint64_t)segment->tagged << 8 | (uint64_t)segment->last << 9;

    return ((buffer << 32 | flags) * UINT64_C(0x9E3779B97F4A7C15)) ^ place;
}

static void widen(struct iw_segment_history *recent) {
    recent->capacity = recent->capacity == 0 ? CAPACITY_AT_FIRST : 2 * recent->capacity;
    recent->segments =
        wmem_realloc(iw_file_memory(), recent->segments, recent->capacity * sizeof *recent->segments);
}

void iw_segment_history_add(
    struct iw_segment_history *recent, const struct iw_segment *segment, struct iw_item *item) {
    if (recent->count == recent->capacity && recent->capacity < IW_SEGMENT_HISTORY_MAX)
        widen(recent);
    recent->segments[recent->count++ & (recent->capacity - 1)] =
        (struct iw_segment_history_segment){key_of(segment), item};
}

struct iw_item *iw_segment_history_find(
    const struct iw_segment_history *recent, const struct iw_segment *segment) {
    uint64_t there = recent->count < recent->capacity ? recent->count : recent->capacity;
    uint64_t key = key_of(segment);

    for (uint64_t back = 1; back <= there; back++) {
        const struct iw_segment_history_segment *one =
            &recent->segments[(recent->count - back) & (recent->capacity - 1)];

        if (one->key == key)
            return one->item;
    }
    return NULL;
}
