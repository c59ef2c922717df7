#pragma once

#include "iw_tcp_life.h"

/* Shared by the files of iw_tcp_life. */

/* Returns what happened to the side, for a change. If memory runs out, the change is lost. */
struct iw_tcp_trouble *iw_tcp_life_change(struct iw_tcp_life *life, enum iw_side side);

/* Takes the segment as one that may close, open or probe a window, before its octets are counted. */
void iw_tcp_life_window(struct iw_tcp_life *life, enum iw_side side, const struct iw_tcp_segment *segment);
