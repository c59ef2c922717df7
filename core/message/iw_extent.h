#ifndef IW_EXTENT_H
#define IW_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iw_range.h"

/* Which octets of a message have come, in whatever order, and what each segment is among the others. Memory
 * is taken with the first hole only: every connection has ten of these, and hardly any a hole. All zero is
 * one of which nothing has come. */

enum { IW_EXTENT_RUNS_MAX = 8 };

struct iw_extent {
    struct iw_range first;  /* the lowest run, if there is one */
    struct iw_range *holed; /* all of them, while there is a hole or was one; IW_EXTENT_RUNS_MAX, or NULL */
    uint32_t count;
    bool full; /* there were more, or there is no memory: nothing is known any more */
};

enum iw_extent_place {
    IW_EXTENT_NEXT,  /* behind all the others, without a hole; or the first */
    IW_EXTENT_AHEAD, /* behind all the others, with a hole */
    IW_EXTENT_BACK,  /* before some of the others */
    IW_EXTENT_OVER,  /* some of these octets had come already */
    IW_EXTENT_FULL,  /* too many holes to tell */
};

/* No octets have come. Gives back what memory it has taken, so that it is also how to dispose of one. */
void iw_extent_clear(struct iw_extent *extent);

/* The `count` runs in increasing order. */
static inline const struct iw_range *iw_extent_runs(const struct iw_extent *extent) {
    return extent->holed == NULL ? &extent->first : extent->holed;
}

/* Octets `from` to before `to` come; none if they are the same. Returns where they stand among the others. */
enum iw_extent_place iw_extent_add(struct iw_extent *extent, uint64_t from, uint64_t to);

/* The octets that have come are one run; false if none have. */
bool iw_extent_whole(const struct iw_extent *extent);

#endif
