#pragma once

#include <jansson.h>

/* Where and when the results of a run arose, and what was tested, as the user names it. */

enum { IW_ORIGIN_TIME_OCTETS = sizeof "2026-01-31T12:00:00Z" };

/* What the user, or the agent, says of the device and of the test. NULL: nothing. */
struct iw_origin {
    const char *device, *firmware, *serial, *lab;
};

/* Writes the current time in UTC, such as "2026-01-31T12:00:00Z". */
void iw_origin_time(char text[IW_ORIGIN_TIME_OCTETS]);

/* Adds "device", "firmware", "serial" and "lab", if known; then "started" (now), "host" and "kernel" of this
 * host. */
void iw_origin_add(json_t *object, const struct iw_origin *origin);
