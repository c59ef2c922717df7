#pragma once

#include "iw_tcp_life.h"

/* Shared by the files of iw_tcp_life. */

static inline struct iw_tcp_mark iw_tcp_life_mark(const struct iw_tcp_segment *segment) {
    return (struct iw_tcp_mark){segment->frame, segment->time_ns};
}

/* The time from the mark to `time_ns`; 0 if the mark is not set, or later. */
static inline uint64_t iw_tcp_life_since(const struct iw_tcp_mark *mark, uint64_t time_ns) {
    return mark->frame > 0 && time_ns > mark->time_ns ? time_ns - mark->time_ns : 0;
}

/* Returns what happened to the side, for a change. If memory runs out, the change is lost. */
struct iw_tcp_trouble *iw_tcp_life_change(struct iw_tcp_life *life, enum iw_side side);

/* Takes the segment as one that may close, open or probe a window, before its octets are counted. */
void iw_tcp_life_window(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment);

/* Takes the hops of a segment that is not a RST. */
void iw_tcp_life_hops(struct iw_tcp_life_side *own, const struct iw_tcp_segment *segment);

/* Takes a RST, before its time counts as that of the side's latest segment. */
void iw_tcp_life_reset(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment);
