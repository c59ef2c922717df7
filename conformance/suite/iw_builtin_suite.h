#ifndef IW_BUILTIN_SUITE_H
#define IW_BUILTIN_SUITE_H

#include "iw_builtin.h"

/* Files embedded in the program; cmake/embed.cmake generates the arrays. These are the files of
 * conformance/cases. */
extern const struct iw_builtin iw_builtin_cases[];
extern const size_t iw_builtin_case_count;

/* The script of `warpcheck probe`: conformance/suite/probe.lua. */
extern const struct iw_builtin iw_builtin_probes[];
extern const size_t iw_builtin_probe_count;

#endif
