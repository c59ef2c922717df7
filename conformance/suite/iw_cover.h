#pragma once

#include <stddef.h>
#include <stdint.h>

#include "iw_status.h"

/* Covering arrays. Each row chooses one level (value) for each factor. For any `strength` factors, every
 * combination of their levels occurs in at least one row. A greedy search keeps the number of rows small. */

enum { IW_COVER_FACTORS_MAX = 16, IW_COVER_LEVELS_MAX = 10, IW_COVER_STRENGTH_MAX = 6 };

struct iw_cover_row {
    uint8_t levels[IW_COVER_FACTORS_MAX]; /* the chosen level of each factor, from 0 */
};

/* Sets *rows to an array of *count rows, which the caller frees. levels[i] is the number of levels of factor
 * i, 1 to IW_COVER_LEVELS_MAX. If strength >= factors, the rows are all combinations. The first row has level
 * 0 everywhere. Equal arguments give equal rows. Returns IW_OK or IW_ERR_NOMEM. */
enum iw_status iw_cover(const uint8_t *levels, size_t factors, unsigned strength, uint64_t seed,
    struct iw_cover_row **rows, size_t *count);
