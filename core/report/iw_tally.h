#ifndef IW_TALLY_H
#define IW_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "iw_exit.h"
#include "iw_monitor.h"

/* What was found and what could not be judged, over one connection or many. */

struct iw_tally {
    uint64_t streams;
    uint64_t fpdus;
    uint64_t findings[IW_SEVERITY_ERROR + 1];
    uint64_t unjudged[IW_UNJUDGED_COUNT];
};

/* Adds one connection. */
void iw_tally_add(struct iw_tally *tally, const struct iw_monitor_counts *counts);

bool iw_tally_unjudged(const struct iw_tally *tally);

/* VIOLATIONS with an error, UNJUDGED when something could not be judged, else CONFORMS: what only SHOULD be
 * is a warning, and a warning is no violation. */
enum iw_exit iw_tally_exit(const struct iw_tally *tally);

/* "conforms", "violates", "not fully judged" */
const char *iw_tally_verdict(const struct iw_tally *tally);

#endif
