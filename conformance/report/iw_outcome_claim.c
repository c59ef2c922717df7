#include "iw_outcome_claim.h"

#include <string.h>

bool iw_outcome_lists(const json_t *array, const char *text) {
    for (size_t i = 0; i < json_array_size(array); i++)
        if (json_is_string(json_array_get(array, i)) &&
            strcmp(json_string_value(json_array_get(array, i)), text) == 0)
            return true;
    return false;
}

bool iw_outcome_claims(const struct iw_outcome_run *run, const char *claim) {
    const json_t *profile = json_object_get(run->header, "profile");

    if (iw_outcome_lists(json_object_get(run->header, "without"), claim))
        return false;
    return profile == NULL || iw_outcome_lists(json_object_get(profile, "claims"), claim);
}

const char *iw_outcome_missing_claim(const struct iw_outcome_run *run, const struct iw_case *one) {
    const char *role = one->initiator ? "initiator" : "responder";

    if (!iw_outcome_claims(run, role))
        return role;
    for (size_t i = 0; i < one->claim_count; i++)
        if (!iw_outcome_claims(run, one->claims[i]))
            return one->claims[i];
    return NULL;
}
