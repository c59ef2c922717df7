#include "iw_recent.h"

#include <string.h>

struct iw_recent_segment {
    uint64_t key;
    struct iw_item *item;
};

enum { CAPACITY_AT_FIRST = 16 };

void iw_recent_init(struct iw_recent *recent) {
    memset(recent, 0, sizeof *recent);
}

void iw_recent_dispose(struct iw_recent *recent) {
    g_free(recent->segments);
    memset(recent, 0, sizeof *recent);
}

/* Its first eight octets and its last eight are all of a DDP header but the RsvdULP and QN of an untagged
 * one, which say little. */
static uint64_t key_of(const uint8_t *header, unsigned octets) {
    uint64_t first, last;

    memcpy(&first, header, sizeof first);
    memcpy(&last, header + octets - sizeof last, sizeof last);
    return (first * UINT64_C(0x9E3779B97F4A7C15)) ^ last;
}

static void widen(struct iw_recent *recent) {
    recent->capacity = recent->capacity == 0 ? CAPACITY_AT_FIRST : 2 * recent->capacity;
    recent->segments = g_renew(struct iw_recent_segment, recent->segments, recent->capacity);
}

void iw_recent_add(struct iw_recent *recent, const uint8_t *header, unsigned octets, struct iw_item *item) {
    if (recent->count == recent->capacity && recent->capacity < IW_RECENT_MAX)
        widen(recent);
    recent->segments[recent->count++ & (recent->capacity - 1)] =
        (struct iw_recent_segment){key_of(header, octets), item};
}

struct iw_item *iw_recent_find(const struct iw_recent *recent, const uint8_t *header, unsigned octets) {
    uint64_t there = recent->count < recent->capacity ? recent->count : recent->capacity;
    uint64_t key = key_of(header, octets);

    for (uint64_t back = 1; back <= there; back++) {
        const struct iw_recent_segment *segment =
            &recent->segments[(recent->count - back) & (recent->capacity - 1)];

        if (segment->key == key)
            return segment->item;
    }
    return NULL;
}
