#include "iw_extent.h"

void iw_extent_clear(struct iw_extent *extent) {
    extent->count = 0;
    extent->full = false;
}

enum iw_extent_place iw_extent_add(struct iw_extent *extent, uint64_t from, uint64_t to) {
    struct iw_range *runs = extent->runs;
    bool over, ahead, first = extent->count == 0;

    if (extent->full)
        return IW_EXTENT_FULL;
    if (iw_range_extend(runs, extent->count, from, to))
        return IW_EXTENT_NEXT;
    over = iw_range_meets(runs, extent->count, from, to);
    ahead = !first && from > runs[extent->count - 1].to;
    extent->full = iw_range_add(runs, &extent->count, IW_EXTENT_RUNS_MAX, from, to) == IW_RANGE_FULL;
    if (extent->full)
        return IW_EXTENT_FULL;
    if (over)
        return IW_EXTENT_OVER;
    if (first)
        return IW_EXTENT_NEXT;
    return ahead ? IW_EXTENT_AHEAD : IW_EXTENT_BACK;
}

bool iw_extent_whole(const struct iw_extent *extent) {
    return extent->count == 1 && !extent->full;
}
