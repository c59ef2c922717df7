#include "iw_inferred.h"

#include <stdio.h>
#include <string.h>

const char iw_inferred_name[] = "inferred";

/* Without --profile, the device must have all that RFC 5040 to 5044 demand, whatever the probe finds: a
 * faulty Marker must fail its cases, not hide them. What the suite cannot see stays claimed, unless a draft
 * has it. */
void iw_inferred_merge(
    struct iw_profile *profile, const struct iw_profile *found, bool immediate_unclear, bool has_agent) {
    const struct iw_profile all = iw_profile_default();

    *profile = *found;
    snprintf(profile->name, sizeof profile->name, "%s", iw_inferred_name);
    profile->immediate |= immediate_unclear;
    profile->crc_if_asked = true; /* some cases ask the device for that */
    profile->roles = all.roles;
    profile->markers = profile->crc_reports = true;
    profile->revisions |= IW_PROFILE_REVISION_1;
    profile->ird = all.ird;
    profile->ord = all.ord;
    if (!has_agent)
        profile->sctp = all.sctp;
    if (!(found->revisions & IW_PROFILE_REVISION_2))
        profile->rtr = 0;
}

/* No device must implement an expired draft: without evidence, it does not claim one. */
void iw_inferred_default(struct iw_profile *profile) {
    *profile = iw_profile_default();
    snprintf(profile->name, sizeof profile->name, "%s", iw_inferred_name);
    snprintf(profile->words, sizeof profile->words, "everything but the drafts: not probed");
    profile->crc_if_asked = true;
    profile->flush = profile->hashes = 0;
    profile->atomic_write = profile->swap = false;
}

/* Nothing can be added to an inferred profile. */
bool iw_inferred_is_possible(const struct iw_profile *profile, bool has_agent) {
    struct iw_profile again;
    json_t *row, *same;
    bool possible;

    iw_inferred_merge(&again, profile, false, has_agent);
    row = iw_profile_json(profile);
    same = iw_profile_json(&again);
    possible = json_equal(row, same);
    json_decref(row);
    json_decref(same);
    return possible;
}
