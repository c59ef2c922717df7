#pragma once

#include "iw_minimise.h"
#include "iw_option.h"
#include "iw_run_option.h"
#include "iw_sweep.h"

/* Options of `run` and `differential` that generate cases from the cases with factors (iw_sweep.h) and run
 * only these: combinations, random seeds, or one given combination. */

struct cmd_sweep {
    struct iw_sweep sweep;
    const struct iw_case **failed; /* generated cases that failed */
    size_t failed_count;
    struct iw_minimise minimise;
};

/* With --strength, --random or --combination, replaces run->catalogue by the generated cases. Returns 0 or an
 * exit code. */
int cmd_sweep_choose(const struct iw_usage *usage, struct cmd_sweep *sweep,
    const struct iw_run_options *options, struct iw_run_config *run);

/* Records the case of `result` for cmd_sweep_minimise, if it has factors and failed. */
void cmd_sweep_take(struct cmd_sweep *sweep, const struct iw_trial_result *result);

/* Reduces each failed case that was recorded (iw_minimise.h). */
void cmd_sweep_minimise(struct cmd_sweep *sweep, const struct iw_run_config *run);

void cmd_sweep_dispose(struct cmd_sweep *sweep);
