#ifndef IW_BUILTIN_PROBE_H
#define IW_BUILTIN_PROBE_H

#include "iw_builtin.h"

/* The one script of `warpcheck probe`: conformance/suite/probe.lua. The row is made by embed.cmake. */
extern const struct iw_builtin iw_builtin_probes[];
extern const size_t iw_builtin_probe_count;

#endif
