#include "iw_segment_history.h"

#include <string.h>

#include "iw_file_memory.h"

struct iw_segment_history_segment {
    uint64_t key;
    struct iw_item *item;
};

enum { CAPACITY_INITIAL = 16 };

void iw_segment_history_dispose(struct iw_segment_history *history) {
    wmem_free(iw_file_memory(), history->segments);
    memset(history, 0, sizeof *history);
}

/* Identifies a segment by the fields of its DDP header. */
static uint64_t segment_key(const struct iw_segment *segment) {
    uint64_t place = segment->tagged ? segment->to : (uint64_t)segment->msn << 32 | segment->mo;
    uint64_t buffer = segment->tagged ? segment->stag : segment->qn;
    uint64_t flags = segment->control | (uint64_t)segment->tagged << 8 | (uint64_t)segment->last << 9;

    return ((buffer << 32 | flags) * UINT64_C(0x9E3779B97F4A7C15)) ^ place;
}

static void segment_history_grow(struct iw_segment_history *history) {
    history->capacity = history->capacity == 0 ? CAPACITY_INITIAL : 2 * history->capacity;
    history->segments =
        wmem_realloc(iw_file_memory(), history->segments, history->capacity * sizeof *history->segments);
}

void iw_segment_history_add(
    struct iw_segment_history *history, const struct iw_segment *segment, struct iw_item *item) {
    if (history->count == history->capacity && history->capacity < IW_SEGMENT_HISTORY_MAX)
        segment_history_grow(history);
    history->segments[history->count++ & (history->capacity - 1)] =
        (struct iw_segment_history_segment){segment_key(segment), item};
}

struct iw_item *iw_segment_history_find(
    const struct iw_segment_history *history, const struct iw_segment *segment) {
    uint64_t remembered = history->count < history->capacity ? history->count : history->capacity;
    uint64_t key = segment_key(segment);

    for (uint64_t back = 1; back <= remembered; back++) {
        const struct iw_segment_history_segment *one =
            &history->segments[(history->count - back) & (history->capacity - 1)];

        if (one->key == key)
            return one->item;
    }
    return NULL;
}
