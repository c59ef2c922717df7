#include "iw_run.h"

#include <stdio.h>

bool iw_run_is_empty_shard(const struct iw_run_counts *counts, char text[IW_RUN_EMPTY_SHARD_OCTETS]) {
    bool empty =
        counts->shards > 1 && counts->selected > 0 && counts->cases + counts->left + counts->not_started == 0;

    text[0] = '\0';
    if (empty)
        snprintf(text, IW_RUN_EMPTY_SHARD_OCTETS, "part %u of %u has none of the selected cases: %u in all",
            counts->shard, counts->shards, counts->selected);
    return empty;
}

/* Cases that apply, but have no result that tells about the device. */
static unsigned run_exit_untested(const struct iw_run_counts *counts) {
    return counts->verdicts[IW_VERDICT_NOT_TESTED] + counts->not_started;
}

bool iw_run_tested_nothing(const struct iw_run_counts *counts) {
    for (enum iw_verdict verdict = IW_VERDICT_PASS; verdict < IW_VERDICT_COUNT; verdict++)
        if (iw_verdict_is_tested(verdict) && counts->verdicts[verdict] > 0)
            return false;
    return counts->shards <= 1 || run_exit_untested(counts) > 0;
}

static bool run_exit_leaves_unjudged(const struct iw_run_counts *counts, bool accept_untested) {
    return counts->verdicts[IW_VERDICT_INCONCLUSIVE] + counts->left + counts->flakes > 0 ||
           iw_run_tested_nothing(counts) || (run_exit_untested(counts) > 0 && !accept_untested);
}

enum iw_exit iw_run_exit(const struct iw_run_counts *counts, bool accept_untested) {
    if (counts->selected == 0)
        return IW_EXIT_ENVIRONMENT;
    if (counts->verdicts[IW_VERDICT_ERROR] > 0)
        return IW_EXIT_INTERNAL;
    if (counts->verdicts[IW_VERDICT_FAIL] + counts->contradictions + counts->crashes > 0)
        return IW_EXIT_VIOLATIONS;
    return run_exit_leaves_unjudged(counts, accept_untested) ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
}
