#ifndef IW_EXTENT_H
#define IW_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_range.h"

/* Which octets of a message have come, in whatever order, and what each segment is among the others. Within
 * the state of a connection: no memory is taken, so holes are few or nothing is known. */

enum { IW_EXTENT_RUNS_MAX = 8 };

struct iw_extent {
    struct iw_range runs[IW_EXTENT_RUNS_MAX];
    uint32_t count;
    bool full; /* there were more: nothing is known any more */
};

enum iw_extent_place {
    IW_EXTENT_NEXT,  /* behind all the others, without a hole; or the first */
    IW_EXTENT_AHEAD, /* behind all the others, with a hole */
    IW_EXTENT_BACK,  /* before some of the others */
    IW_EXTENT_OVER,  /* some of these octets had come already */
    IW_EXTENT_FULL,  /* too many holes to tell */
};

/* No octets have come. */
void iw_extent_clear(struct iw_extent *extent);

/* Octets `from` to before `to` come; none if they are the same. Returns where they stand among the others. */
enum iw_extent_place iw_extent_add(struct iw_extent *extent, uint64_t from, uint64_t to);

/* The octets that have come are one run; false if none have. */
bool iw_extent_whole(const struct iw_extent *extent);

#endif
