#pragma once

#include <stdint.h>

/* The plural suffix for a count: "" for 1, "s" otherwise. */
static inline const char *iw_plural(uint64_t count) {
    return count == 1 ? "" : "s";
}
