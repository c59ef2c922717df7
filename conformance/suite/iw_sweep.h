#pragma once

#include <stddef.h>
#include <stdint.h>

#include "iw_run.h"

/* Generates cases from the cases with factors: one for each combination to try, or for each seed. The id is
 * the id of the original case, a dot, and the text of the choice (iw_factor.h). */

struct iw_sweep {
    struct iw_catalogue catalogue; /* generated cases; they borrow all strings but their ids */
};

struct iw_sweep_config {
    const struct iw_run_config *run; /* the original cases, and the claims that limit the factor values */
    unsigned strength;               /* strength of the covering array (iw_cover.h); 0: no combinations */
    uint64_t seed; /* seed of the search for combinations, and first seed of cases that take a seed */
    size_t seeds;  /* number of generated cases for each case that takes a seed */
};

/* Generates the cases. Returns IW_OK, or IW_ERR_NOMEM with nothing to dispose of. */
enum iw_status iw_sweep_init(struct iw_sweep *sweep, const struct iw_sweep_config *config);

/* Generates only the case with this id. Returns IW_ERR_FORMAT if it is unknown, or IW_ERR_NOMEM. */
enum iw_status iw_sweep_init_one(struct iw_sweep *sweep, const struct iw_catalogue *catalogue, const char *id,
    char *error, size_t error_octets);

void iw_sweep_dispose(struct iw_sweep *sweep);
