#pragma once

#include <stddef.h>

/* A text embedded in the program by embed.cmake. */
struct iw_builtin {
    const char *name; /* name of the file: "send.lua" */
    const char *text;
    size_t octets;
};

/* The profiles: the files of conformance/dut/profiles. embed.cmake generates the rows. */
extern const struct iw_builtin iw_builtin_profiles[];
extern const size_t iw_builtin_profile_count;
