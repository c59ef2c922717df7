#pragma once

#include <stddef.h>

#include "iw_dut.h"
#include "iw_exit.h"

/* `warpcheck probe`: finds out what a device supports, and creates its profile (docs/profile.md). */

enum { IW_PROBE_STARTUP_LIMIT_S = 15, IW_PROBE_STARTUP_LIMIT_MAX_S = 300 };

/* The target is probed as responder unless it has neither port nor agent; as initiator if it has an agent or
 * a starter. */
struct iw_probe_config {
    struct iw_dut_target target;
    const struct iw_profile *profile; /* what the embedded peer claims; NULL: everything */
    unsigned startup_limit_s; /* how long to wait for the startup timeout of the device; 0: do not measure it
                               */
};

/* Returns the text of the profile, which the caller frees. On failure returns NULL with one line in `error`;
 * *exit is then UNJUDGED (no usable answer, or interrupted), ENVIRONMENT or INTERNAL. */
char *iw_probe(const struct iw_probe_config *config, enum iw_exit *exit, char *error, size_t error_octets);
