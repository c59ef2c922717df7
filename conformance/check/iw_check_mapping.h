#ifndef IW_CHECK_MAPPING_H
#define IW_CHECK_MAPPING_H

#include <stdbool.h>
#include <stddef.h>

#include "iw_tcp_segment.h"

/* Port mappings that the iWARP Port Mapper has negotiated: which TCP ports a connection uses instead of the
 * ports that the application knows. */

struct iw_check_mapping {
    uint64_t handle;
    struct iw_tcp_address connecting, accepting; /* addresses and ports that the application knows */
    struct iw_tcp_address mapped[2]; /* addresses on the wire, of the connecting and of the accepting peer */
    bool accepted;                   /* an Accept was seen; otherwise `mapped[1]` is unknown */
    bool rejected;
    bool used; /* a connection between the mapped addresses has begun */
};

/* The latest mappings; the oldest are forgotten at the limit. */
enum { IW_CHECK_MAPPINGS = 1024 };

struct iw_check_mappings {
    struct iw_check_mapping *list; /* NULL before the first */
    size_t count;                  /* number of mappings so far, forgotten ones included */
    uint64_t forgotten; /* mappings, except rejected ones, forgotten before a connection used them */
};

/* The addresses of a connection that the application knows, by value: the mapping itself may be forgotten. */
struct iw_check_mapped {
    bool known; /* the port mapper has mapped the ports; otherwise the addresses are 0 */
    struct iw_tcp_address connecting, accepting;
};

/* Takes a packet of the port mapper. Returns false if memory runs out. */
bool iw_check_mappings_take(struct iw_check_mappings *mappings, const struct iw_tcp_segment *packet);

/* Finds the latest mapping for a connection that begins now between these two addresses, and marks it as
 * used. Later connections may use the same ports with a different mapping. */
struct iw_check_mapped iw_check_mappings_find(
    struct iw_check_mappings *mappings, const struct iw_tcp_address ends[2]);

void iw_check_mappings_clear(struct iw_check_mappings *mappings);

#endif
