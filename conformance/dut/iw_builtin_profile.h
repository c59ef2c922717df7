#ifndef IW_BUILTIN_PROFILE_H
#define IW_BUILTIN_PROFILE_H

#include "iw_builtin.h"

/* The profiles that are built into the program: conformance/dut/profiles. The rows are made by embed.cmake.
 */
extern const struct iw_builtin iw_builtin_profiles[];
extern const size_t iw_builtin_profile_count;

#endif
