#pragma once

#include "iw_monitor.h"

/* Visits each header field of a monitor event in reading order, for reports that show all fields. */

enum iw_walk_place {
    IW_WALK_OWN,    /* the field is in the startup frame, FPDU or SCTP chunk itself */
    IW_WALK_MARKER, /* in a Marker of the FPDU */
    IW_WALK_QUOTED, /* in a header that a Terminate Message includes */
};

/* Called for each field. `header` holds the complete layout of `field`. */
typedef void iw_walk_visit(
    void *user, const struct iw_field *field, const uint8_t *header, enum iw_walk_place place);

/* Visits the fields of completely captured headers, if any. */
void iw_walk_event(const struct iw_monitor_event *event, iw_walk_visit *visit, void *user);
