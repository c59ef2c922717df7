#ifndef IW_LISTING_SUITE_H
#define IW_LISTING_SUITE_H

#include "iw_listing.h"
#include "iw_run.h"

/* The cases built into the program, the named defects, and every requirement with the rules and cases that
 * show whether it is kept, or with the reason why nothing can. */
extern const struct iw_listing iw_listing_cases;
extern const struct iw_listing iw_listing_defects;
extern const struct iw_listing iw_listing_variants;
extern const struct iw_listing iw_listing_profiles;
extern const struct iw_listing iw_listing_requirements;

/* The cases that such a run would have, and which of them apply. Returns how many, or -1 if there is no
 * memory. */
int iw_listing_run(const struct iw_run_config *config, enum iw_listing_format format, FILE *out);

#endif
