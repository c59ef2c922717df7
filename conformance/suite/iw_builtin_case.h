#ifndef IW_BUILTIN_CASE_H
#define IW_BUILTIN_CASE_H

#include "iw_builtin.h"

/* The case files embedded in the program: those of conformance/cases. embed.cmake generates the rows. */
extern const struct iw_builtin iw_builtin_cases[];
extern const size_t iw_builtin_case_count;

#endif
