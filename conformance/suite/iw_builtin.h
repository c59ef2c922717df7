#ifndef IW_BUILTIN_H
#define IW_BUILTIN_H

#include <stddef.h>

/* The case files that are built into the program: those of conformance/cases. The rows are made by
 * embed.cmake. */

struct iw_builtin {
    const char *name; /* "send.lua" */
    const char *text;
    size_t octets;
};

extern const struct iw_builtin iw_builtins[];
extern const size_t iw_builtin_count;

#endif
