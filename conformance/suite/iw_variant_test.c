#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_catalogue_test.h"
#include "iw_run.h"

/* Every case passes with every conforming variant of the reference endpoint. With TEST_TOTAL_SHARDS=N in the
 * environment, each variant runs one of N parts of the cases, and the next variant the next part. */

static const struct iw_defect *variant;
static unsigned wrong;

static void variant_result(void *user, const struct iw_trial_result *result) {
    /* The variant claims fewer RTR types, or the script has found that it lacks what the case is about. */
    bool inapplicable =
        iw_verdict_is_left_out(result->verdict) && (variant->settings.rtr != 0 || result->reason.line > 0);

    (void)user;
    if ((result->verdict == IW_VERDICT_PASS || inapplicable) && result->close.verdict != IW_CLOSE_WRONG)
        return;
    print_error("%s with %s: %s: %s; expected %s; actual %s\n", result->one->id, variant->name,
        iw_verdict_name(result->verdict), result->reason.message, result->reason.expected,
        result->reason.actual);
    wrong++;
}

/* A variant that supports only some RTR types claims only those. */
static void restrict_claims(const struct iw_defect *defect, struct iw_run_config *config) {
    static const char *const claims[] = {"rtr-send", "rtr-write", "rtr-read"};
    static const char *without[3];

    config->claims.without = without;
    for (size_t i = 0; i < 3; i++)
        if (defect->settings.rtr != 0 && !(defect->settings.rtr & 1u << i))
            without[config->claims.without_count++] = claims[i];
}

static void every_variant_conforms(void **state) {
    const char *parts = getenv("TEST_TOTAL_SHARDS");
    unsigned shards = parts == NULL ? 1 : (unsigned)atoi(parts);
    struct iw_run_counts counts;
    char error[256];

    (void)state;
    assert_in_range(iw_variant_count, 20, 1000);
    assert_in_range(shards, 1, iw_variant_count);
    for (size_t i = 0; i < iw_variant_count; i++) {
        struct iw_run_config config = {.catalogue = &catalogue,
            .simulated = true,
            .jobs = 16,
            .handlers.result = variant_result,
            .selection = {.shards = shards, .shard = (unsigned)i % shards + 1}};

        restrict_claims(&iw_variants[i], &config);
        variant = config.target.defect = &iw_variants[i];
        assert_int_equal(iw_run(&config, &counts, error, sizeof error), IW_OK);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_variant_conforms),
    };
    return cmocka_run_group_tests(tests, iw_catalogue_load, iw_catalogue_unload);
}
