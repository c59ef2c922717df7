#ifndef IW_MINIMISE_H
#define IW_MINIMISE_H

#include "iw_run.h"

/* Reduces failed combinations: sets each factor to its first value if the combination then still fails. */

enum { IW_MINIMISE_MAX = 16 };

struct iw_minimal {
    struct iw_case one;    /* with the reduced choice; its id still has the digits of the failed one */
    unsigned combinations; /* failed combinations that contain its values */
    bool confirmed;        /* the reduced case has failed when run */
};

struct iw_minimise {
    struct iw_minimal found[IW_MINIMISE_MAX];
    size_t count;
    unsigned unexplained; /* failed combinations that were not examined, once `found` is full */
};

/* Takes a failed combination. If it has all values of an earlier minimal case, counts it for that case.
 * Otherwise reruns it against the device of `config`, to reduce the factors that are not at their first
 * value, or the steps. Results and files of these runs are dropped. */
void iw_minimise(
    struct iw_minimise *minimise, const struct iw_run_config *config, const struct iw_case *failed);

#endif
