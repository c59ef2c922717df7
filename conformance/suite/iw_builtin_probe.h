#ifndef IW_BUILTIN_PROBE_H
#define IW_BUILTIN_PROBE_H

#include "iw_builtin.h"

/* The script of `warpcheck probe`: conformance/suite/probe.lua. embed.cmake generates the row. */
extern const struct iw_builtin iw_builtin_probes[];
extern const size_t iw_builtin_probe_count;

#endif
