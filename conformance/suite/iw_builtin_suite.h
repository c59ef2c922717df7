#pragma once

#include "iw_builtin.h"

/* The files of conformance/cases, embedded in the program. cmake/embed.cmake generates the arrays. */
extern const struct iw_builtin iw_builtin_cases[];
extern const size_t iw_builtin_case_count;

/* The files of conformance/cases/relay. */
extern const struct iw_builtin iw_builtin_relay_cases[];
extern const size_t iw_builtin_relay_case_count;

/* The script of `warpcheck probe`: the files of conformance/suite/probe. */
extern const struct iw_builtin iw_builtin_probes[];
extern const size_t iw_builtin_probe_count;
