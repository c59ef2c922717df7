#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "iw_fault.h"
#include "iw_outcome.h"

/* The roots of the failures of a run: cases that did not pass for one reason are one root. */

enum iw_root_kind {
    IW_ROOT_CRASH,     /* the device crashed, or is unresponsive */
    IW_ROOT_VIOLATION, /* the monitor found a violation of a requirement */
    IW_ROOT_BEHAVIOUR, /* only the checks of the case failed */
};

struct iw_root {
    enum iw_root_kind kind;
    const struct iw_requirement *requirement; /* of a VIOLATION */
    char text[IW_FAULT_OCTETS];               /* of the others: what happened, with # for each number */
    size_t cases;                             /* cases with this root, repeats included */
    const struct iw_outcome_case *first;
};

struct iw_roots {
    struct iw_root *list; /* most cases first */
    size_t count;
    size_t cases; /* that did not pass; cases not applicable or not tested do not count */
};

/* Finds the roots. Returns false if memory runs out. */
bool iw_roots_init(struct iw_roots *roots, const struct iw_outcome_run *run);
void iw_roots_clear(struct iw_roots *roots);

/* Returns the finding that is the root of the case: that from which the failure of its checks follows,
 * otherwise the first of the severest; NULL: it has none. */
const json_t *iw_root_finding(const struct iw_outcome_case *one);

/* Returns whether the case fails only by violations that the monitor found, and by what follows from them:
 * the device did not crash, and the case's own checks succeeded, or failed at the end of a stream that a
 * violation had ended (member `follows` in docs/json.md). */
bool iw_root_is_only_violations(const struct iw_outcome_case *one);

/* Prints each root with the number of its cases, its first case and the capture of that. */
void iw_roots_put(FILE *out, const struct iw_outcome_run *run, const struct iw_roots *roots);
