#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "iw_tcp_segment.h"

/* Port mappings that the iWARP Port Mapper has negotiated: the TCP ports that a connection uses instead of
 * the ports that the application knows. */

struct iw_check_mapping {
    uint64_t handle;
    struct iw_tcp_address connecting, accepting; /* as the application knows them */
    struct iw_tcp_address mapped[2]; /* as on the wire: of the connecting peer, then of the accepting peer */
    bool accepted;                   /* an Accept was seen; otherwise `mapped[1]` is unknown */
    bool rejected;
    bool used; /* a connection between the mapped addresses has begun */
};

enum { IW_CHECK_MAPPINGS = 1024 }; /* mappings kept: a further one replaces the oldest */

struct iw_check_mappings {
    struct iw_check_mapping *list; /* NULL before the first */
    size_t count;                  /* number of mappings so far, including forgotten ones */
    uint64_t forgotten;            /* mappings, not rejected, forgotten before a connection used them */
};

/* The addresses of a connection as the application knows them: a copy, as the mapping may be forgotten. */
struct iw_check_mapped {
    bool known; /* a mapping was found; otherwise the addresses are 0 */
    struct iw_tcp_address connecting, accepting;
};

/* Stores the mapping of a Port Mapper packet. Ignores an invalid packet. Returns false if memory runs out. */
bool iw_check_mappings_take(struct iw_check_mappings *mappings, const struct iw_tcp_segment *packet);

/* Finds the latest mapping for a connection between these two addresses that begins now, and marks it as
 * used. Later connections may use the same ports with a different mapping. */
struct iw_check_mapped iw_check_mappings_find(
    struct iw_check_mappings *mappings, const struct iw_tcp_address ends[2]);

void iw_check_mappings_clear(struct iw_check_mappings *mappings);
