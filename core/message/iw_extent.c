#include "iw_extent.h"

#include <assert.h>
#include <stdlib.h>

#include "iw_placement.h"

static void extent_free_holes(struct iw_extent *extent) {
    if (extent->holed == NULL)
        return; /* nearly always: then the call of free() costs a cache line of code */
    free(extent->holed);
    extent->holed = NULL;
}

void iw_extent_clear(struct iw_extent *extent) {
    extent_free_holes(extent);
    extent->count = 0;
    extent->full = false;
}

IW_COLD static bool extent_insert(struct iw_extent *extent, uint64_t from, uint64_t to) {
    if (extent->holed == NULL) {
        if (iw_range_add(&extent->first, &extent->count, 1, from, to) != IW_RANGE_FULL)
            return true;
        extent->holed = malloc(IW_EXTENT_RUNS_MAX * sizeof *extent->holed);
        if (extent->holed == NULL)
            return false;
        extent->holed[0] = extent->first;
    }
    if (iw_range_add(extent->holed, &extent->count, IW_EXTENT_RUNS_MAX, from, to) == IW_RANGE_FULL)
        return false;
    extent->first = extent->holed[0];
    return true;
}

IW_HOT enum iw_segment_order iw_extent_add(struct iw_extent *extent, uint64_t from, uint64_t to) {
    const struct iw_range *runs = iw_extent_runs(extent);
    bool overlaps, next, after;

    assert(from <= to);
    if (extent->full)
        return IW_SEGMENT_IN_ORDER;
    if (extent->holed == NULL && extent->count == 0) {
        extent->first = (struct iw_range){from, to};
        extent->count = 1;
        return IW_SEGMENT_IN_ORDER;
    }
    if (extent->holed == NULL && iw_range_extend(&extent->first, extent->count, from, to))
        return IW_SEGMENT_IN_ORDER;
    next = from == runs[extent->count - 1].to;
    overlaps = iw_range_meets(runs, extent->count, from, to);
    after = from > runs[extent->count - 1].to;
    if (!extent_insert(extent, from, to)) {
        extent_free_holes(extent);
        extent->full = true;
        return IW_SEGMENT_IN_ORDER;
    }
    if (overlaps)
        return IW_SEGMENT_OVERLAPS;
    if (next)
        return IW_SEGMENT_IN_ORDER;
    return after ? IW_SEGMENT_AHEAD : IW_SEGMENT_FILLS_HOLE;
}

bool iw_extent_whole(const struct iw_extent *extent) {
    return extent->count == 1 && !extent->full;
}
