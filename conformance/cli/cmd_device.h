#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "iw_run.h"

/* What a command learns about a foreign device before it talks to it: whether an iWARP responder is there,
 * and what it claims. */

struct cmd_device {
    struct iw_run_config *run;  /* selected cases and target; gets the profile */
    struct iw_profile *profile; /* memory for the profile */
    const char *obstacle;       /* why the device cannot be probed; NULL: it can */
    bool exact;                 /* the profile is what `probe` finds; otherwise, see iw_inference.h */
    FILE *out;                  /* for what was found, as lines that begin with `label` */
    char label[300];            /* "" or "HOST:PORT: " */
};

/* Returns 0, or IW_EXIT_ENVIRONMENT after one line on stderr if no iWARP responder is at the address.
 * Connects only if a selected case would (iw_preflight.h). */
int cmd_device_check(const struct cmd_device *device);

/* Infers the profile of the device and sets run->claims. If the device cannot be probed, assumes one. Returns
 * 0, or an exit code after one line on stderr. */
int cmd_device_infer(const struct cmd_device *device);
