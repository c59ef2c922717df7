#pragma once

#include "iw_monitor_event.h"

/* Names of a side whose role may be unknown. */

/* Returns "the initiator", "the responder", "side A" or "side B". */
const char *iw_side_name(enum iw_role role, enum iw_side side);

/* The same for programs: "initiator", "responder", "side_a" or "side_b". */
const char *iw_side_key(enum iw_role role, enum iw_side side);
