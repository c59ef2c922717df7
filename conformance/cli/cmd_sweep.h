#ifndef CMD_SWEEP_H
#define CMD_SWEEP_H

#include <stdint.h>

#include "iw_cover.h"
#include "iw_minimise.h"
#include "iw_option.h"
#include "iw_sweep.h"

/* Options of `run` and `differential` that replace the single run of each case: by combinations of the case's
 * factors, by random seeds, or by one combination with a given id. */

struct cmd_sweep {
    unsigned long strength;  /* 0: no combinations */
    unsigned long seeds;     /* number of random seeds; 0: none */
    unsigned long seed;      /* of the combinations; the first random seed */
    const char *combination; /* id of the only combination to run; NULL: none given */
    struct iw_sweep sweep;
    const struct iw_case **failed;
    size_t failed_count;
    struct iw_minimise minimise;
};

/* Initialisers of the sweep's options: each sets a field of the member `sweep` of the settings `type`. */
#define CMD_SWEEP_STRENGTH(type) IW_OPTION_NUMBER(type, sweep.strength, 1, IW_COVER_STRENGTH_MAX)
#define CMD_SWEEP_RANDOM(type) IW_OPTION_NUMBER(type, sweep.seeds, 1, 1000000)
#define CMD_SWEEP_SEED(type) IW_OPTION_NUMBER(type, sweep.seed, 0, INT64_MAX)

/* If the options ask for combinations or random seeds, replaces the catalogue of `run` by these. Returns 0,
 * or an exit code with a line on stderr. */
int cmd_sweep_choose(const struct iw_usage *usage, struct cmd_sweep *sweep, struct iw_run_config *run);

/* Records the case of `result` for cmd_sweep_minimise, if it has factors and failed. */
void cmd_sweep_take(struct cmd_sweep *sweep, const struct iw_trial_result *result);

/* Reduces each recorded case to as few settings as possible, by further runs. */
void cmd_sweep_minimise(struct cmd_sweep *sweep, const struct iw_run_config *run);

void cmd_sweep_dispose(struct cmd_sweep *sweep);

#endif
