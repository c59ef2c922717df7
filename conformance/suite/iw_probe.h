#ifndef IW_PROBE_H
#define IW_PROBE_H

#include <stddef.h>

#include "iw_dut.h"
#include "iw_exit.h"

/* `warpcheck probe`: finds out what a device supports, and writes its profile (docs/profile.md). */

struct iw_probe_config {
    struct iw_dut_target target;
    const struct iw_profile *profile; /* of the embedded peer; NULL: all claims */
};

/* Returns the profile as a string, which the caller frees. On failure returns NULL with one line in `error`;
 * `exit` is then UNJUDGED if the device gave no usable answer, otherwise ENVIRONMENT or INTERNAL. */
char *iw_probe(const struct iw_probe_config *config, enum iw_exit *exit, char *error, size_t error_octets);

#endif
