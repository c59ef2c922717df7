#pragma once

#include <stdbool.h>
#include <string.h>

/* Returns whether the name of a file ends with `end`, such as ".tar.gz". */
static inline bool iw_file_name_ends(const char *name, const char *end) {
    size_t octets = strlen(name);

    return octets >= strlen(end) && strcmp(name + octets - strlen(end), end) == 0;
}
