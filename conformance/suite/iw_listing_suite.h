#ifndef IW_LISTING_SUITE_H
#define IW_LISTING_SUITE_H

#include "iw_listing.h"
#include "iw_run.h"

/* Listings of the built-in cases, the named defects, and all requirements: each with the rules and cases
 * that cover it, or the reason why none can. */
extern const struct iw_listing iw_listing_cases;
extern const struct iw_listing iw_listing_defects;
extern const struct iw_listing iw_listing_variants;
extern const struct iw_listing iw_listing_profiles;
extern const struct iw_listing iw_listing_requirements;

/* Lists the cases of a run, and which of them apply. Returns their number, or -1 if out of memory. */
int iw_listing_run(const struct iw_run_config *config, enum iw_listing_format format, FILE *out);

#endif
