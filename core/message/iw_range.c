#include "iw_range.h"

#include <string.h>

/* Number of ranges that end at or before `position`. */
static uint32_t ranges_ended(const struct iw_range *ranges, uint32_t count, uint64_t position) {
    uint32_t low = 0, high = count;

    if (count > 0 && ranges[count - 1].to <= position)
        return count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ranges[middle].to <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t range_overlap(const struct iw_range *range, uint64_t from, uint64_t to) {
    uint64_t begin = range->from > from ? range->from : from;
    uint64_t end = range->to < to ? range->to : to;

    return end > begin ? end - begin : 0;
}

uint64_t iw_range_add(
    struct iw_range *ranges, uint32_t *count, uint32_t capacity, uint64_t from, uint64_t to) {
    struct iw_range merged = {from, to};
    uint64_t added = to - from;
    uint32_t first, after;

    if (iw_range_extend(ranges, *count, from, to))
        return added;
    first = ranges_ended(ranges, *count, from);
    if (first > 0 && ranges[first - 1].to == from)
        first--;
    for (after = first; after < *count && ranges[after].from <= to; after++) {
        const struct iw_range *touched = &ranges[after];

        added -= range_overlap(touched, from, to);
        merged.from = touched->from < merged.from ? touched->from : merged.from;
        merged.to = touched->to > merged.to ? touched->to : merged.to;
    }
    if (after == first && *count == capacity)
        return IW_RANGE_FULL;
    if (after != first + 1)
        memmove(&ranges[first + 1], &ranges[after], (*count - after) * sizeof *ranges);
    ranges[first] = merged;
    *count = *count + 1 - (after - first);
    return added;
}

bool iw_range_meets(const struct iw_range *ranges, uint32_t count, uint64_t from, uint64_t to) {
    uint32_t at = ranges_ended(ranges, count, from);

    return at < count && ranges[at].from < to;
}
