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
    uint64_t unstarted; /* streams whose startup was not finished: no Reply was captured */
    uint64_t findings[IW_SEVERITY_ERROR + 1]; /* that are not waived */
    uint64_t waived;
    uint8_t stricter; /* 0: only errors are violations; 1: warnings are too; 2: and notes */
    uint64_t unjudged[IW_UNJUDGED_COUNT];
    bool unread; /* packets that may carry iWARP were not read, or a file was not read to its end */
};

/* Adds one connection. */
void iw_tally_add(struct iw_tally *tally, const struct iw_monitor_counts *counts);

/* Subtracts `count` findings of that severity: they were added before, and are waived. */
void iw_tally_waive(struct iw_tally *tally, enum iw_severity severity, uint64_t count);

/* Adds all of `other`, whose strictness does not matter. */
void iw_tally_join(struct iw_tally *tally, const struct iw_tally *other);

/* Whether findings of that severity are violations. */
bool iw_tally_violates(const struct iw_tally *tally, enum iw_severity severity);

bool iw_tally_unjudged(const struct iw_tally *tally);

/* VIOLATIONS if iw_tally_violates for the severity of a finding, UNJUDGED if something could not be judged or
 * read, else CONFORMS. Breaking a SHOULD is a warning, which violates only if `stricter` is at least 1. */
enum iw_exit iw_tally_exit(const struct iw_tally *tally);

/* "conforms", "violates", "not fully judged"; "nothing judged" of no connection at all. */
const char *iw_tally_verdict(const struct iw_tally *tally);

#endif
