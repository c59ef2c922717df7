#ifndef IW_BUILTIN_PROFILE_H
#define IW_BUILTIN_PROFILE_H

#include "iw_builtin.h"

/* The profiles embedded in the program: conformance/dut/profiles. embed.cmake generates the rows. */
extern const struct iw_builtin iw_builtin_profiles[];
extern const size_t iw_builtin_profile_count;

#endif
