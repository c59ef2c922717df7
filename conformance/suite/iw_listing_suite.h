#ifndef IW_LISTING_SUITE_H
#define IW_LISTING_SUITE_H

#include "iw_listing.h"

/* The cases built into the program, the named defects, and every requirement with the rules and cases that
 * show whether it is kept, or with the reason why nothing can. */
extern const struct iw_listing iw_listing_cases;
extern const struct iw_listing iw_listing_defects;
extern const struct iw_listing iw_listing_profiles;
extern const struct iw_listing iw_listing_requirements;

#endif
