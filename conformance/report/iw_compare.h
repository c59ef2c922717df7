#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "iw_exit.h"
#include "iw_outcome.h"

/* Two runs case by case, for example of two versions of a firmware. */

enum iw_change {
    IW_CHANGE_REGRESSED, /* passed before, and does not now */
    IW_CHANGE_NEW,       /* does not pass, and was not tested before */
    IW_CHANGE_UNTESTED,  /* was tested before, and is not now */
    IW_CHANGE_FLAKY,     /* the repeats of one run differ */
    IW_CHANGE_OTHER,     /* failed before and fails now, with another verdict or another fault */
    IW_CHANGE_FAILING,   /* failed before, and fails now in the same way */
    IW_CHANGE_FIXED,     /* did not pass before, and passes now */
    IW_CHANGE_ADDED,     /* passes, and was not tested before */
    IW_CHANGE_NONE,      /* passes in both, or is tested in neither */
    IW_CHANGE_COUNT,
};

const char *iw_change_name(enum iw_change change); /* Example: "still failing" */

struct iw_compared {
    enum iw_change change;
    const struct iw_outcome_case *before, *after; /* its first repeat, or the worst; NULL: no result */
};

struct iw_compare {
    const struct iw_outcome_run *before, *after;
    struct iw_compared *list; /* by case: those of `before`, then those that only `after` has */
    size_t count;
    unsigned counts[IW_CHANGE_COUNT];
};

/* Compares the runs, which must outlive `compare`. Returns false if memory runs out. Clear it in any case. */
bool iw_compare_init(
    struct iw_compare *compare, const struct iw_outcome_run *before, const struct iw_outcome_run *after);
void iw_compare_clear(struct iw_compare *compare);

/* Returns the verdict of a result of iw_compared by name, or "no result". */
const char *iw_compare_verdict(const struct iw_outcome_case *one);

/* VIOLATIONS: a case regressed, or fails that was not tested before, or fails in another way; UNJUDGED: a
 * case is no longer tested or is flaky; otherwise CONFORMS, although cases may still fail as before. */
enum iw_exit iw_compare_exit(const struct iw_compare *compare);

/* Prints the cases that changed, by change, then the counts of each change. Counts are those of the
 * comparison: results of the two runs are never added. Returns false if memory runs out. */
bool iw_compare_put(FILE *out, const struct iw_compare *compare);

/* Writes {"type":"change"} for each case that changed, then {"type":"comparison"}. Returns false if memory
 * runs out or writing fails. */
bool iw_compare_put_jsonl(FILE *out, const struct iw_compare *compare);
