#ifndef IW_COVER_H
#define IW_COVER_H

#include <stddef.h>
#include <stdint.h>

#include "iw_status.h"

/* Covering arrays: rows that choose a level for each factor, so that every combination of levels of any
 * `strength` factors occurs. A greedy search keeps the number of rows small. */

enum { IW_COVER_FACTORS_MAX = 16, IW_COVER_LEVELS_MAX = 10, IW_COVER_STRENGTH_MAX = 6 };

struct iw_cover_row {
    uint8_t levels[IW_COVER_FACTORS_MAX]; /* of each factor, from 0 */
};

/* Computes `*rows`, `*count` of them, which the caller frees. `levels` is the number of levels of each
 * factor, 1 to IW_COVER_LEVELS_MAX. A `strength` of at least `factors` gives every combination. The
 * result depends only on the arguments. The first row has level 0 everywhere. Returns IW_OK or
 * IW_ERR_NOMEM. */
enum iw_status iw_cover(const uint8_t *levels, size_t factors, unsigned strength, uint64_t seed,
    struct iw_cover_row **rows, size_t *count);

#endif
