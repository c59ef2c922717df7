#ifndef IW_MINIMISE_H
#define IW_MINIMISE_H

#include "iw_run.h"

/* What the failures of combinations come down to: a combination that fails with as many factors as possible
 * at their first value. */

enum { IW_MINIMISE_MAX = 16 };

struct iw_minimal {
    struct iw_case one;    /* with the least choice; its id is the plain one */
    unsigned combinations; /* failed ones that have its values */
    bool certain;          /* it failed again when it was tried */
};

struct iw_minimise {
    struct iw_minimal found[IW_MINIMISE_MAX];
    size_t count;
    unsigned unexplained; /* failed combinations for which there was no room */
};

/* Takes a failed combination: if it has the values of one found before, that is counted; else it is run again
 * and again, against the device of `config`, with one factor after the other at its first value, or with as
 * few of its steps as still fail. Results and files of those runs are dropped. */
void iw_minimise(
    struct iw_minimise *minimise, const struct iw_run_config *config, const struct iw_case *failed);

#endif
