#include "cmd_sweep.h"

#include <stdlib.h>
#include <string.h>

int cmd_sweep_choose(const struct iw_usage *usage, struct cmd_sweep *sweep,
    const struct iw_run_options *options, struct iw_run_config *run) {
    const struct iw_sweep_config config = {
        .run = run, .strength = options->strength, .seed = options->seed, .seeds = options->seeds};
    bool many = options->strength > 0 || options->seeds > 0;
    char error[256];

    if (options->combination && many)
        return iw_option_error(usage, "--combination excludes --strength and --random");
    if (!options->combination && !many)
        return 0;
    if (many && iw_sweep_init(&sweep->sweep, &config) != IW_OK)
        return iw_option_error(usage, "not enough memory for so many combinations");
    if (!many &&
        iw_sweep_init_one(&sweep->sweep, run->catalogue, options->combination, error, sizeof error) != IW_OK)
        return iw_option_error(usage, "--combination: %s", error);
    memcpy(sweep->sweep.catalogue.digest, run->catalogue->digest, sizeof run->catalogue->digest);
    run->catalogue = &sweep->sweep.catalogue;
    sweep->failed = calloc(run->catalogue->count + 1, sizeof(const struct iw_case *));
    return sweep->failed ? 0 : iw_option_error(usage, "not enough memory for so many combinations");
}

void cmd_sweep_take(struct cmd_sweep *sweep, const struct iw_trial_result *result) {
    if (sweep->failed && result->one->factors && result->verdict == IW_VERDICT_FAIL &&
        sweep->failed_count < sweep->sweep.catalogue.count)
        sweep->failed[sweep->failed_count++] = result->one;
}

void cmd_sweep_minimise(struct cmd_sweep *sweep, const struct iw_run_config *run) {
    for (size_t i = 0; i < sweep->failed_count; i++)
        iw_minimise(&sweep->minimise, run, sweep->failed[i]);
}

void cmd_sweep_dispose(struct cmd_sweep *sweep) {
    iw_sweep_dispose(&sweep->sweep);
    free(sweep->failed);
}
