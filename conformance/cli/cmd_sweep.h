#pragma once

#include <stdint.h>

#include "iw_cover.h"
#include "iw_minimise.h"
#include "iw_option.h"
#include "iw_sweep.h"

/* Options of `run` and `differential` that generate cases from the cases with factors (iw_sweep.h) and run
 * only these: combinations, random seeds, or one given combination. */

struct cmd_sweep {
    unsigned long strength;  /* value of --strength; 0: no combinations */
    unsigned long seeds;     /* value of --random: number of seeds; 0: none */
    unsigned long seed;      /* seed of the combinations, and the first random seed */
    const char *combination; /* id of the only combination to run; NULL: not given */
    struct iw_sweep sweep;
    const struct iw_case **failed; /* generated cases that failed */
    size_t failed_count;
    struct iw_minimise minimise;
};

/* The last members of an option row. The option sets a member of `sweep` in the settings `type`. */
#define CMD_SWEEP_STRENGTH(type) IW_OPTION_NUMBER(type, sweep.strength, 1, IW_COVER_STRENGTH_MAX)
#define CMD_SWEEP_RANDOM(type) IW_OPTION_NUMBER(type, sweep.seeds, 1, 1000000)
#define CMD_SWEEP_SEED(type) IW_OPTION_NUMBER(type, sweep.seed, 0, INT64_MAX)

/* With such an option, replaces run->catalogue by the generated cases. Returns 0 or an exit code. */
int cmd_sweep_choose(const struct iw_usage *usage, struct cmd_sweep *sweep, struct iw_run_config *run);

/* Records the case of `result` for cmd_sweep_minimise, if it has factors and failed. */
void cmd_sweep_take(struct cmd_sweep *sweep, const struct iw_trial_result *result);

/* Reduces each failed case that was recorded (iw_minimise.h). */
void cmd_sweep_minimise(struct cmd_sweep *sweep, const struct iw_run_config *run);

void cmd_sweep_dispose(struct cmd_sweep *sweep);
