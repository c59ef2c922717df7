#include "cmd_run_settings.h"

#include <string.h>

#include "cmd.h"
#include "iw_exit.h"
#include "iw_plural.h"
#include "iw_results.h"

int cmd_resume_read(const struct iw_usage *usage, struct cmd_resume *resume, int *argc,
    char *argv[CMD_RESUME_WORDS_MAX + 2]) {
    const json_t *words;
    char path[1100], error[1400];

    snprintf(path, sizeof path, "%.1024s/" IW_RESULTS_FILE, resume->folder);
    if (iw_prior_run_read(&resume->prior, path, error, sizeof error) != IW_OK)
        return cmd_fail(IW_EXIT_ENVIRONMENT, "%s", error);
    words = json_object_get(resume->prior.run, "options");
    /* Results of `report --merge` are complete, and have no shard. */
    if (!json_is_array(words) || json_object_get(resume->prior.run, "shard") == NULL)
        return iw_option_error(usage, "%s:1: has no options to resume with", path);
    *argc = 0;
    argv[(*argc)++] = "run";
    for (size_t i = 0; i < json_array_size(words) && i < CMD_RESUME_WORDS_MAX; i++) {
        if (!json_is_string(json_array_get(words, i)))
            return iw_option_error(usage, "%s:1: the options are not a list of texts", path);
        argv[(*argc)++] = (char *)json_string_value(json_array_get(words, i));
    }
    argv[*argc] = NULL;
    return 0;
}

static bool resume_same_profile(const struct iw_prior_run *prior, const struct iw_profile *profile) {
    json_t *then = json_object_get(prior->run, "profile");
    json_t *now = profile ? iw_profile_json(profile) : NULL;
    bool same = now ? json_equal(then, now) : then == NULL;

    json_decref(now);
    return same;
}

int cmd_resume_apply(const struct iw_usage *usage, struct cmd_resume *resume, struct iw_run_config *run,
    struct cmd_sweep *sweep) {
    struct iw_prior_run *prior = &resume->prior;
    const char *version = json_string_value(json_object_get(prior->run, "version"));
    char error[512];

    if (!version || strcmp(version, WARPCHECK_VERSION) != 0)
        return iw_option_error(
            usage, "%s was written by warpcheck %s", resume->folder, version ? version : "?");
    if (!resume_same_profile(prior, run->claims.profile))
        return iw_option_error(usage, "%s: the profile has changed since the run", resume->folder);
    if (iw_prior_run_bind(prior, run->catalogue, error, sizeof error) != IW_OK)
        return iw_option_error(usage, "%s: %s", resume->folder, error);
    run->earlier.cases = prior->cases;
    run->earlier.case_count = prior->count;
    run->earlier.claims = resume->claims;
    run->earlier.crashes = prior->crashes;
    for (size_t i = 0; i < json_array_size(prior->claims) && i < CMD_RESUME_CLAIMS_MAX; i++)
        resume->claims[run->earlier.claim_count++] = json_string_value(json_array_get(prior->claims, i));
    for (size_t i = 0; i < prior->count; i++)
        cmd_sweep_take(
            sweep, &(struct iw_trial_result){.one = prior->cases[i].one, .verdict = prior->cases[i].verdict});
    printf("resumed: %zu case%s had been finished%s\n", prior->count, iw_plural(prior->count),
        prior->torn ? "; the last line was incomplete" : "");
    return 0;
}
