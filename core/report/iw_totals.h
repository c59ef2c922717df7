#pragma once

#include "iw_exit.h"
#include "iw_monitor.h"

/* Counts of streams, FPDUs, findings, and what could not be judged, of one or more connections. */

struct iw_totals {
    uint64_t streams;
    uint64_t fpdus;
    uint64_t unstarted;                       /* streams with an unfinished startup: no Reply was captured */
    uint64_t findings[IW_SEVERITY_ERROR + 1]; /* not waived */
    uint64_t waived;
    uint8_t stricter; /* 0: only errors are violations; 1: warnings are too; 2: warnings and notes are */
    uint64_t unjudged[IW_UNJUDGED_COUNT];
    bool unread; /* packets that may carry iWARP were not read, or a file was not read to its end */
};

/* Adds the counts of one connection. */
void iw_totals_add(struct iw_totals *totals, const struct iw_monitor_counts *counts);

/* Moves `count` findings of `severity` from `findings` to `waived`. */
void iw_totals_waive(struct iw_totals *totals, enum iw_severity severity, uint64_t count);

/* Adds all counts of `other`; `stricter` stays. */
void iw_totals_join(struct iw_totals *totals, const struct iw_totals *other);

/* Whether findings of `severity` are violations. */
bool iw_totals_violates(const struct iw_totals *totals, enum iw_severity severity);

bool iw_totals_unjudged(const struct iw_totals *totals);

/* Returns VIOLATIONS if a finding has a severity that violates, UNJUDGED if something could not be judged or
 * read, otherwise CONFORMS. Breaking a SHOULD is a warning, which violates if `stricter` is at least 1. */
enum iw_exit iw_totals_exit(const struct iw_totals *totals);

/* Returns "conforms", "violates" or "not fully judged"; "nothing judged" without connections. */
const char *iw_totals_verdict(const struct iw_totals *totals);
