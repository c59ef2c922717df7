#pragma once

#include "iw_builtin_text.h"

/* The profiles: the files of conformance/dut/profiles. embed.cmake generates the rows. */
extern const struct iw_builtin iw_builtin_profiles[];
extern const size_t iw_builtin_profile_count;
