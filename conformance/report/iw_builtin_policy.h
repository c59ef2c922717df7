#pragma once

#include "iw_builtin.h"

/* The files of conformance/report/policies, embedded in the program. cmake/embed.cmake generates the rows. */
extern const struct iw_builtin iw_builtin_policy_files[];
extern const size_t iw_builtin_policy_file_count;
