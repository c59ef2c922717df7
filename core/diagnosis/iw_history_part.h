#pragma once

#include "iw_history.h"

/* Shared by the files of iw_history. */

static inline struct iw_history_mark iw_history_mark_of(const struct iw_llp_event *llp) {
    return (struct iw_history_mark){llp->frame, llp->time_ns};
}

/* Returns what went wrong with the octets of the side, to be changed. NULL if memory runs out. */
struct iw_history_trouble *iw_history_make_trouble(struct iw_history *history, enum iw_side side);

/* ---- iw_history_message.c ---- */

/* Keeps the segment of the event. */
void iw_history_take_message(struct iw_history *history, const struct iw_monitor_event *event);

/* Takes the first Terminate of a side, before its segment is kept. */
void iw_history_take_terminate(struct iw_history *history, const struct iw_monitor_event *event);
