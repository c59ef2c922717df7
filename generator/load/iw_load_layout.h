#ifndef IW_LOAD_LAYOUT_H
#define IW_LOAD_LAYOUT_H

#include <stdint.h>

#include "iw_load.h"

/* Where a load has its octets, in the peer's region and in local memory; it follows from the configuration.
 */

enum { IW_LOAD_SHIFTS = 4096 }; /* octets of the pattern beyond the largest payload: where it may begin */

struct iw_load_layout {
    uint32_t largest; /* payload of an operation */
    uint64_t area;    /* octets that all Reads and Verifies fetch from, at the beginning of the peer's region
                         and of local memory; 0 without any */
    uint64_t region;  /* octets that the peer's region must have */
    uint64_t counters_to; /* where the numbers of the Atomic Operations begin in it, */
    uint64_t markers_to;  /* and those of the Atomic Writes */
    uint32_t place;       /* octets of local memory that each open operation has, behind the area */
    uint64_t sink;        /* octets of local memory */
};

struct iw_load_layout iw_load_layout_of(const struct iw_load_config *config);

#endif
