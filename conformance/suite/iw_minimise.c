#include "iw_minimise.h"

#include "iw_selection.h"

static void minimise_note_failure(void *user, const struct iw_trial_result *result) {
    bool *failed = user;

    *failed = result->verdict == IW_VERDICT_FAIL;
}

static bool minimise_case_fails(const struct iw_run_config *config, const struct iw_case *one) {
    struct iw_case copy = *one;
    const struct iw_catalogue catalogue = {.cases = &copy, .count = 1};
    struct iw_run_config run = *config;
    struct iw_run_counts counts;
    char error[256];
    bool failed = false;

    run.catalogue = &catalogue;
    run.selection.only = run.selection.skip = NULL;
    run.selection.shards = 0;
    run.limits = (struct iw_run_limits){.repeats = 1};
    run.earlier = (struct iw_run_earlier){0};
    run.folder = NULL;
    run.handlers = (struct iw_run_handlers){.result = minimise_note_failure, .user = &failed};
    return iw_run(&run, &counts, error, sizeof error) == IW_OK && failed;
}

/* Returns whether both are combinations of the same case, and `one` has all values of `minimal_case` that are
 * not the first of their factor. False for a seed. */
static bool minimise_has_values(const struct iw_case *one, const struct iw_case *minimal_case) {
    if (one->run != minimal_case->run || one->script != minimal_case->script)
        return false;
    for (size_t i = 0; i < one->factors->count; i++)
        if (minimal_case->choice.levels[i] != 0 && minimal_case->choice.levels[i] != one->choice.levels[i])
            return false;
    return !one->factors->seeded;
}

static void minimise_reduce_steps(const struct iw_run_config *config, struct iw_minimal *minimal) {
    struct iw_case reduced = minimal->one;

    for (reduced.choice.limit = 1; reduced.choice.limit <= IW_CHOICE_LIMIT_MAX; reduced.choice.limit++) {
        minimal->confirmed = minimise_case_fails(config, &reduced);
        if (minimal->confirmed) {
            minimal->one = reduced;
            return;
        }
    }
}

static void minimise_reduce_values(const struct iw_run_config *config, struct iw_minimal *minimal) {
    char reason[IW_SELECTION_REASON_OCTETS];
    enum iw_verdict verdict;

    for (size_t i = 0; i < minimal->one.factors->count; i++) {
        struct iw_case reduced = minimal->one;

        reduced.choice.levels[i] = 0;
        if (minimal->one.choice.levels[i] == 0 || !iw_selection_can_run(config, &reduced, &verdict, reason) ||
            !minimise_case_fails(config, &reduced))
            continue;
        minimal->one = reduced;
        minimal->confirmed = true;
    }
    if (!minimal->confirmed)
        minimal->confirmed = minimise_case_fails(config, &minimal->one);
}

void iw_minimise(
    struct iw_minimise *minimise, const struct iw_run_config *config, const struct iw_case *failed) {
    struct iw_minimal *minimal;

    for (size_t i = 0; i < minimise->count; i++)
        if (minimise_has_values(failed, &minimise->found[i].one)) {
            minimise->found[i].combinations++;
            return;
        }
    if (minimise->count == IW_MINIMISE_MAX) {
        minimise->unexplained++;
        return;
    }
    minimal = &minimise->found[minimise->count++];
    *minimal = (struct iw_minimal){.one = *failed, .combinations = 1};
    if (failed->factors->seeded)
        minimise_reduce_steps(config, minimal);
    else
        minimise_reduce_values(config, minimal);
}
