#include "iw_differential.h"

#include <stdlib.h>
#include <string.h>

struct comparison {
    const struct iw_differential_config *config;
    struct iw_differential_counts *counts;
    const struct iw_case *cases;      /* cases of the catalogue */
    struct iw_trial_result **results; /* results of the first device, by case; NULL: none */
};

static void differential_store_result(void *user, const struct iw_trial_result *result) {
    struct comparison *comparison = user;
    struct iw_trial_result **kept = &comparison->results[result->one - comparison->cases];

    if (!*kept)
        *kept = malloc(sizeof **kept);
    if (*kept)
        **kept = *result;
}

static void differential_compare_result(void *user, const struct iw_trial_result *result) {
    struct comparison *comparison = user;
    struct iw_difference difference = {
        .a = comparison->results[result->one - comparison->cases], .b = result};
    const struct iw_trial_result *a = difference.a;

    if (!a || a->verdict == IW_VERDICT_INCONCLUSIVE || result->verdict == IW_VERDICT_INCONCLUSIVE) {
        comparison->counts->unjudged++;
        return;
    }
    if (iw_verdict_is_left_out(a->verdict) || iw_verdict_is_left_out(result->verdict))
        return;
    comparison->counts->cases++;
    if (!iw_sent_summary_differ(&a->sent, &result->sent, difference.sent, sizeof difference.sent) &&
        a->verdict == result->verdict && strcmp(a->close.how, result->close.how) == 0 &&
        strcmp(a->close.terminate, result->close.terminate) == 0)
        return;
    comparison->counts->differing++;
    comparison->config->result(comparison->config->user, &difference);
}

static enum iw_status differential_run_devices(struct comparison *comparison,
    const struct iw_run_config *config, void (*result)(void *user, const struct iw_trial_result *result),
    char *error, size_t error_octets) {
    struct iw_run_config own = *config;
    struct iw_run_counts counts;
    enum iw_status status;

    own.handlers = (struct iw_run_handlers){.result = result, .user = comparison};
    status = iw_run(&own, &counts, error, error_octets);
    if (status == IW_OK && result == differential_compare_result)
        comparison->counts->unjudged += counts.left;
    return status;
}

enum iw_status iw_differential(const struct iw_differential_config *config,
    struct iw_differential_counts *counts, char *error, size_t error_octets) {
    const struct iw_catalogue *catalogue = config->a->catalogue;
    struct comparison comparison = {.config = config,
        .counts = counts,
        .cases = catalogue->cases,
        .results = calloc(catalogue->count + 1, sizeof *comparison.results)};
    enum iw_status status = IW_ERR_NOMEM;

    memset(counts, 0, sizeof *counts);
    if (comparison.results)
        status =
            differential_run_devices(&comparison, config->a, differential_store_result, error, error_octets);
    if (status == IW_OK)
        status = differential_run_devices(
            &comparison, config->b, differential_compare_result, error, error_octets);
    for (size_t i = 0; comparison.results && i < catalogue->count; i++)
        free(comparison.results[i]);
    free(comparison.results);
    return status;
}
