#ifndef IW_BUILTIN_H
#define IW_BUILTIN_H

#include <stddef.h>

/* A text that is built into the program by embed.cmake. */
struct iw_builtin {
    const char *name; /* of the file: "send.lua" */
    const char *text;
    size_t octets;
};

#endif
