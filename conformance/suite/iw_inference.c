#include "iw_inference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_probe.h"

const char iw_inference_name[] = "inferred";

/* No device must implement an expired draft: without evidence, it does not claim one. */
static void inference_drop_drafts(struct iw_profile *profile) {
    profile->flush = profile->hashes = 0;
    profile->atomic_write = profile->swap = false;
}

struct iw_profile iw_inference_assume(void) {
    struct iw_profile profile = iw_profile_default();

    profile.crc_if_asked = true;
    inference_drop_drafts(&profile);
    snprintf(profile.name, sizeof profile.name, "%s", iw_inference_name);
    snprintf(profile.words, sizeof profile.words, "everything but the drafts: not probed");
    return profile;
}

/* What the suite cannot see stays claimed, unless a draft has it. */
void iw_inference_add_demands(struct iw_profile *profile, bool immediate_unclear, bool has_agent) {
    const struct iw_profile all = iw_profile_default();

    snprintf(profile->name, sizeof profile->name, "%s", iw_inference_name);
    profile->immediate |= immediate_unclear;
    profile->crc_if_asked = true; /* some cases ask the device for that */
    profile->roles = all.roles;
    profile->markers = profile->crc_reports = true;
    if (!(profile->revisions & IW_PROFILE_REVISION_2))
        profile->rtr = 0;
    profile->revisions |= IW_PROFILE_REVISION_1;
    profile->ird = all.ird;
    profile->ord = all.ord;
    if (!has_agent)
        profile->sctp = all.sctp;
}

/* Nothing can be added to an inferred profile. */
bool iw_inference_is_possible(const struct iw_profile *profile, bool has_agent) {
    struct iw_profile again = *profile;
    json_t *row, *same;
    bool possible;

    iw_inference_add_demands(&again, false, has_agent);
    row = iw_profile_json(profile);
    same = iw_profile_json(&again);
    possible = json_equal(row, same);
    json_decref(row);
    json_decref(same);
    return possible;
}

enum iw_exit iw_inference_probe(const struct iw_dut_target *target, bool exact, struct iw_profile *profile,
    bool *adds_revision_1, char *error, size_t error_octets) {
    struct iw_probe_config config = {.target = *target};
    enum iw_exit failed = IW_EXIT_CONFORMS;
    char *text;

    if (!exact) /* both roles are claimed in any case, so the command of --initiator would show nothing */
        config.target.starter = NULL;
    text = iw_probe(&config, &failed, error, error_octets);
    if (!text)
        return failed;
    *adds_revision_1 = false;
    if (iw_profile_load_text(profile, iw_inference_name, text, strlen(text), error, error_octets) != IW_OK)
        failed = IW_EXIT_INTERNAL;
    else if (!exact) {
        *adds_revision_1 = !(profile->revisions & IW_PROFILE_REVISION_1);
        iw_inference_add_demands(
            profile, strstr(text, "immediate is unclear") != NULL, target->agent != NULL);
    }
    snprintf(profile->words, sizeof profile->words, "inferred by probing the device");
    free(text);
    return failed;
}
