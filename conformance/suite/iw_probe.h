#pragma once

#include <stddef.h>

#include "iw_dut.h"
#include "iw_exit.h"

/* `warpcheck probe`: finds out what a device supports, and creates its profile (docs/profile.md). */

struct iw_probe_config {
    struct iw_dut_target target;
    const struct iw_profile *profile; /* what the embedded peer claims; NULL: everything */
};

/* Returns the text of the profile, which the caller frees. On failure returns NULL with one line in `error`;
 * *exit is then UNJUDGED (no usable answer, or interrupted), ENVIRONMENT or INTERNAL. */
char *iw_probe(const struct iw_probe_config *config, enum iw_exit *exit, char *error, size_t error_octets);
