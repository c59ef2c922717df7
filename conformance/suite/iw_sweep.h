#ifndef IW_SWEEP_H
#define IW_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "iw_run.h"

/* Cases made of others: the cases with factors, each as often as there are combinations to be tried, or
 * seeds. Their ids are those of the cases with a dot and the combination's digits behind. */

struct iw_sweep {
    struct iw_catalogue catalogue; /* of the combinations; its texts are those of the one it was made of */
    char (*ids)[64];
    size_t capacity;
};

struct iw_sweep_config {
    const struct iw_run_config *run; /* its catalogue has the cases. Values that ask for what its device does
                                        not claim are left out */
    unsigned strength;               /* so many factors meet in all combinations of their values, up to
                                        IW_COVER_STRENGTH_MAX; 0: cases with a list of factors are left out */
    uint64_t seed;                   /* of the search, and the first of the seeds */
    size_t seeds;                    /* so many of each case that takes one */
};

/* IW_ERR_NOMEM; there is then nothing to dispose. */
enum iw_status iw_sweep_init(struct iw_sweep *sweep, const struct iw_sweep_config *config);

/* The one of that id, of a case with factors or of any other. IW_ERR_FORMAT with one line in `error` if there
 * is none. */
enum iw_status iw_sweep_init_one(struct iw_sweep *sweep, const struct iw_catalogue *catalogue, const char *id,
    char *error, size_t error_octets);

void iw_sweep_dispose(struct iw_sweep *sweep);

#endif
