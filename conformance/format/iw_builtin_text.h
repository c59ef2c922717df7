#pragma once

#include <stddef.h>

/* A text embedded in the program by embed.cmake. */
struct iw_builtin {
    const char *name; /* name of the file: "send.lua" */
    const char *text;
    size_t octets;
};
