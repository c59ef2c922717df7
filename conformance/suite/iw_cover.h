#ifndef IW_COVER_H
#define IW_COVER_H

#include <stddef.h>
#include <stdint.h>

#include "iw_status.h"

/* Covering arrays: rows that choose a level for each factor so that any `strength` factors meet in all
 * combinations of their levels, in as few rows as a greedy search finds. */

enum { IW_COVER_FACTORS_MAX = 16, IW_COVER_LEVELS_MAX = 10, IW_COVER_STRENGTH_MAX = 6 };

struct iw_cover_row {
    uint8_t levels[IW_COVER_FACTORS_MAX]; /* from 0, of each factor */
};

/* Makes `*rows`, of which there are `*count`, to be freed by the caller. `levels` says how many of each
 * factor there are, 1 to IW_COVER_LEVELS_MAX; `strength` above `factors` is as `factors`, which makes every
 * combination. The same `seed` makes the same rows. The first row has level 0 everywhere. IW_ERR_NOMEM. */
enum iw_status iw_cover(const uint8_t *levels, size_t factors, unsigned strength, uint64_t seed,
    struct iw_cover_row **rows, size_t *count);

#endif
