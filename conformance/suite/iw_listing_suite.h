#ifndef IW_LISTING_SUITE_H
#define IW_LISTING_SUITE_H

#include "iw_listing.h"
#include "iw_run.h"

/* Listings of the built-in cases, defects, variants and profiles, and of all requirements: each requirement
 * with the rule and the cases that cover it, and what provokes a violation or why a violation is never
 * visible. */
extern const struct iw_listing iw_listing_cases;
extern const struct iw_listing iw_listing_defects;
extern const struct iw_listing iw_listing_variants;
extern const struct iw_listing iw_listing_profiles;
extern const struct iw_listing iw_listing_requirements;

/* Lists the cases of a run, and which of them apply. Returns the number of cases in all shards, or -1 if out
 * of memory. */
int iw_listing_run(const struct iw_run_config *config, enum iw_listing_format format, FILE *out);

#endif
