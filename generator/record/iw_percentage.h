#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Converts "1%" or "0.25%" to millionths; digits after the fourth decimal are ignored. Returns false for any
 * other text. */
bool iw_percentage_read(const char *text, uint32_t *millionths);
