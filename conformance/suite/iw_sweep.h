#ifndef IW_SWEEP_H
#define IW_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "iw_run.h"

/* Cases generated from those with factors: one for each combination to try, or each seed. The id is that
 * of the original case, a dot, and the digits of the combination. */

struct iw_sweep {
    struct iw_catalogue catalogue; /* the generated cases; strings other than ids are the original cases' */
};

struct iw_sweep_config {
    const struct iw_run_config *run; /* its catalogue has the original cases. Values that need claims which
                                        its device does not make are skipped */
    unsigned strength; /* every combination of the values of this number of factors occurs, up to
                          IW_COVER_STRENGTH_MAX; 0: skips cases with a list of factors */
    uint64_t seed;     /* seed of the combinations, and first seed of seeded cases */
    size_t seeds;      /* number of seeds for each case that takes one */
};

/* Returns IW_ERR_NOMEM if memory runs out; there is then nothing to dispose. */
enum iw_status iw_sweep_init(struct iw_sweep *sweep, const struct iw_sweep_config *config);

/* Generates the one case of that id, with or without factors. Returns IW_ERR_FORMAT with one line in
 * `error` if the id is unknown. */
enum iw_status iw_sweep_init_one(struct iw_sweep *sweep, const struct iw_catalogue *catalogue, const char *id,
    char *error, size_t error_octets);

void iw_sweep_dispose(struct iw_sweep *sweep);

#endif
