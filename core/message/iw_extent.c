#include "iw_extent.h"

#include <string.h>

void iw_extent_clear(struct iw_extent *extent) {
    extent->count = 0;
    extent->full = false;
}

/* The octets that come belong between run `at` - 1 and run `at`, and touch neither or one or both. */
static enum iw_extent_place insert(struct iw_extent *extent, unsigned at, uint64_t from, uint64_t to) {
    struct iw_run *runs = extent->runs;
    bool joins_before = at > 0 && runs[at - 1].to == from;
    bool joins_behind = at < extent->count && runs[at].from == to;
    enum iw_extent_place place = IW_EXTENT_BACK;

    if (at == extent->count)
        place = at == 0 || joins_before ? IW_EXTENT_NEXT : IW_EXTENT_AHEAD;
    if (joins_before && joins_behind) {
        runs[at - 1].to = runs[at].to;
        memmove(&runs[at], &runs[at + 1], (extent->count - at - 1) * sizeof *runs);
        extent->count--;
    } else if (joins_before) {
        runs[at - 1].to = to;
    } else if (joins_behind) {
        runs[at].from = from;
    } else if (extent->count == IW_EXTENT_RUNS_MAX) {
        extent->full = true;
        return IW_EXTENT_FULL;
    } else {
        memmove(&runs[at + 1], &runs[at], (extent->count - at) * sizeof *runs);
        runs[at] = (struct iw_run){from, to};
        extent->count++;
    }
    return place;
}

/* The octets that come, and all runs that they touch, become one. */
static void merge(struct iw_extent *extent, uint64_t from, uint64_t to) {
    unsigned kept = 0;
    struct iw_run merged = {from, to};
    struct iw_run runs[IW_EXTENT_RUNS_MAX];
    bool placed = false;

    for (unsigned i = 0; i < extent->count; i++) {
        const struct iw_run *run = &extent->runs[i];

        if (run->to >= merged.from && run->from <= merged.to) {
            merged.from = run->from < merged.from ? run->from : merged.from;
            merged.to = run->to > merged.to ? run->to : merged.to;
            continue;
        }
        if (run->from > merged.to && !placed) {
            runs[kept++] = merged;
            placed = true;
        }
        runs[kept++] = *run;
    }
    if (!placed)
        runs[kept++] = merged;
    memcpy(extent->runs, runs, kept * sizeof *runs);
    extent->count = kept;
}

enum iw_extent_place iw_extent_add(struct iw_extent *extent, uint64_t from, uint64_t to) {
    unsigned at = 0;

    if (extent->full)
        return IW_EXTENT_FULL;
    while (at < extent->count && extent->runs[at].to <= from)
        at++;
    if (at < extent->count && extent->runs[at].from < to) {
        merge(extent, from, to);
        return IW_EXTENT_OVER;
    }
    if (from == to && (at < extent->count || (at > 0 && extent->runs[at - 1].to == from)))
        return at < extent->count ? IW_EXTENT_BACK : IW_EXTENT_NEXT;
    return insert(extent, at, from, to);
}

bool iw_extent_whole(const struct iw_extent *extent) {
    return extent->count == 1 && !extent->full;
}
