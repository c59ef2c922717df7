#ifndef IW_BUILTIN_CASE_H
#define IW_BUILTIN_CASE_H

#include "iw_builtin.h"

/* The case files that are built into the program: those of conformance/cases. The rows are made by
 * embed.cmake. */
extern const struct iw_builtin iw_builtin_cases[];
extern const size_t iw_builtin_case_count;

#endif
