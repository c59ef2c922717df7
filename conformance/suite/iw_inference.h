#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_dut.h"
#include "iw_exit.h"
#include "iw_profile.h"

/* The profile of a device for which the user gives none. The device must have all that RFC 5040 to 5044
 * demand, whatever a probe finds: a fault must fail its cases, not hide them. It must not have an expired
 * draft. */

extern const char iw_inference_name[]; /* name of such a profile */

/* Adds to *profile, which a probe found, what the cases may assume, and gives it the name.
 * `immediate_unclear`: the probe could not tell whether the device has Immediate Data. */
void iw_inference_add_demands(struct iw_profile *profile, bool immediate_unclear, bool has_agent);

/* Returns whether a run can have inferred this profile. */
bool iw_inference_is_possible(const struct iw_profile *profile, bool has_agent);

/* What a device claims that cannot be probed: everything but the drafts. */
struct iw_profile iw_inference_assume(void);

/* Probes the device (iw_probe.h) and sets *profile to what the cases may assume; with `exact`, to what the
 * probe finds. Sets *adds_revision_1 if the device accepted no Request of revision 1, and the profile claims
 * it all the same. Returns CONFORMS, or as iw_probe does with one line in `error`. */
enum iw_exit iw_inference_probe(const struct iw_dut_target *target, bool exact, struct iw_profile *profile,
    bool *adds_revision_1, char *error, size_t error_octets);
