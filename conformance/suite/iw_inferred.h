#pragma once

#include <stdbool.h>

#include "iw_profile.h"

/* The profile of a --peer that the user names none for: what a probe finds, and everything that no probe may
 * deny. */

extern const char iw_inferred_name[]; /* name of such a profile */

/* Sets the profile of a device that the probe found to claim `found`. `immediate_unclear`: the probe could
 * not tell whether the device has Immediate Data. */
void iw_inferred_merge(
    struct iw_profile *profile, const struct iw_profile *found, bool immediate_unclear, bool has_agent);

/* Sets the profile of a device that cannot be probed. */
void iw_inferred_default(struct iw_profile *profile);

/* Returns whether a run can have inferred this profile. */
bool iw_inferred_is_possible(const struct iw_profile *profile, bool has_agent);
