#include "iw_segment_history.h"

#include "iw_array.h"

struct iw_segment_history_segment {
    uint64_t key;
    struct iw_item *item;
};

void iw_segment_history_dispose(struct iw_segment_history *history) {
    free(history->segments);
}

/* Identifies a segment by the fields of its DDP header. */
static uint64_t segment_history_key(const struct iw_segment *segment) {
    uint64_t place = segment->tagged ? segment->to : (uint64_t)segment->msn << 32 | segment->mo;
    uint64_t buffer = segment->tagged ? segment->stag : segment->qn;
    uint64_t flags = segment->control | (uint64_t)segment->tagged << 8 | (uint64_t)segment->last << 9;

    return ((buffer << 32 | flags) * UINT64_C(0x9E3779B97F4A7C15)) ^ place;
}

void iw_segment_history_add(
    struct iw_segment_history *history, const struct iw_segment *segment, struct iw_item *item) {
    if (history->count < IW_SEGMENT_HISTORY_MAX &&
        !iw_array_grow(&history->segments, history->count, sizeof *history->segments))
        return;
    history->segments[history->count++ % IW_SEGMENT_HISTORY_MAX] =
        (struct iw_segment_history_segment){segment_history_key(segment), item};
}

struct iw_item *iw_segment_history_find(
    const struct iw_segment_history *history, const struct iw_segment *segment) {
    uint64_t remembered = MIN(history->count, IW_SEGMENT_HISTORY_MAX);
    uint64_t key = segment_history_key(segment);

    for (uint64_t back = 1; back <= remembered; back++) {
        const struct iw_segment_history_segment *one =
            &history->segments[(history->count - back) % IW_SEGMENT_HISTORY_MAX];

        if (one->key == key)
            return one->item;
    }
    return NULL;
}
