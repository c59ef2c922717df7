#ifndef IW_LISTING_SUITE_H
#define IW_LISTING_SUITE_H

#include "iw_listing.h"

/* The cases built into the program, and the named defects. */
extern const struct iw_listing iw_listing_cases;
extern const struct iw_listing iw_listing_defects;

#endif
