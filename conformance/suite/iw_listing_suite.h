#pragma once

#include "iw_listing.h"
#include "iw_run.h"

/* The listings of `warpcheck list` for cases, defects, variants, profiles, networks and requirements. That of
 * requirements also shows which rule and cases check each one and, if a violation is never visible, why. */
extern const struct iw_listing iw_listing_cases;
extern const struct iw_listing iw_listing_defects;
extern const struct iw_listing iw_listing_variants;
extern const struct iw_listing iw_listing_profiles;
extern const struct iw_listing iw_listing_networks;
extern const struct iw_listing iw_listing_requirements;

/* Lists the selected cases of the shard, and whether each one applies to the device. Returns the number of
 * selected cases of all shards, or -1 if memory runs out. */
int iw_listing_run(const struct iw_run_config *config, enum iw_listing_format format, FILE *out);
