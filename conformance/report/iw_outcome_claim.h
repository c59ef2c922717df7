#pragma once

#include <stdbool.h>

#include "iw_case.h"
#include "iw_outcome.h"

/* What the device of a run claims, by the profile and the options in the header of its results. */

/* Returns whether the device makes the claim. Without a profile, it makes all but those of --without. */
bool iw_outcome_claims(const struct iw_outcome_run *run, const char *claim);

/* Returns the first claim that the case needs and the device does not make; its role counts as a claim. NULL:
 * the case applies. */
const char *iw_outcome_missing_claim(const struct iw_outcome_run *run, const struct iw_case *one);

/* Returns whether the JSON array of texts has this text. NULL is an empty array. */
bool iw_outcome_lists(const json_t *array, const char *text);
