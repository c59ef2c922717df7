#ifndef IW_CHECK_MAPPING_H
#define IW_CHECK_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

#include "iw_tcp_segment.h"

/* What the iWARP Port Mapper has agreed on: which ports a connection has instead of those that the
 * application knows. */

struct iw_check_mapping {
    uint64_t handle;
    struct iw_tcp_address connecting, accepting; /* as the application knows them */
    struct iw_tcp_address mapped[2]; /* as TCP has them: of the connecting peer, and of the other */
    bool accepted;                   /* else `mapped[1]` is not known */
    bool rejected;
};

/* The latest of them; older ones are forgotten. */
enum { IW_CHECK_MAPPINGS = 1024 };

struct iw_check_mappings {
    struct iw_check_mapping *list; /* NULL before the first */
    size_t count;                  /* that have come in all */
};

/* Takes a packet of the port mapper. False: no memory. */
bool iw_check_mappings_take(struct iw_check_mappings *mappings, const struct iw_tcp_segment *packet);

/* The latest mapping of a connection between these two, or NULL. */
const struct iw_check_mapping *iw_check_mappings_find(
    const struct iw_check_mappings *mappings, const struct iw_tcp_address ends[2]);

void iw_check_mappings_clear(struct iw_check_mappings *mappings);

#endif
