#ifndef IW_LOAD_LAYOUT_H
#define IW_LOAD_LAYOUT_H

#include <stdint.h>

#include "iw_load.h"

/* Where a load keeps its octets in the peer's region and in local memory; derived from the configuration. */

enum {
    IW_LOAD_SHIFTS = 4096
}; /* octets of the pattern after the largest payload: possible starting points */

struct iw_load_layout {
    uint32_t largest;     /* payload of an operation */
    uint64_t area;        /* octets for all Reads and Verifies, at the start of the peer's region and of local
                             memory; 0: unused */
    uint64_t region;      /* octets that the peer's region needs */
    uint64_t counters_to; /* where in it the numbers of Atomic Operations begin */
    uint64_t markers_to;  /* and those of Atomic Writes */
    uint32_t place;       /* octets of local memory per slot, after the area */
    uint64_t sink;        /* octets of local memory */
};

struct iw_load_layout iw_load_layout_of(const struct iw_load_config *config);

#endif
