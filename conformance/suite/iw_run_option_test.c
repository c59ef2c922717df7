#include "iw_run_option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static char error[128];

static bool takes(struct iw_run_options *options, const char *name, const char *argument) {
    const struct iw_run_option *option = iw_run_option_find(name);

    assert_non_null(option);
    return iw_run_option_read(option, argument, options, error, sizeof error);
}

static void test_defaults(void **state) {
    struct iw_run_options options = iw_run_options_default();
    struct iw_run_config run = {.jobs = 3};

    (void)state;
    iw_run_options_apply(&options, &run);
    assert_null(run.selection.only);
    assert_int_equal(run.selection.shards, 0);
    assert_null(run.network);
    assert_int_equal(run.evidence_octets, 64 << 20);
    assert_int_equal(run.jobs, 3);
    assert_false(run.limits.endless);
    assert_int_equal(options.seed, 1);
    iw_run_options_dispose(&options);
}

static void test_values(void **state) {
    struct iw_run_options options = iw_run_options_default();
    struct iw_run_config run = {0};

    (void)state;
    assert_true(takes(&options, "only", "a"));
    assert_true(takes(&options, "only", "b"));
    assert_true(takes(&options, "tier", "none"));
    assert_true(takes(&options, "tier", "agent"));
    assert_true(takes(&options, "without-danger", "connection"));
    assert_true(takes(&options, "allow-danger", "host"));
    assert_true(takes(&options, "shard", "2/3"));
    assert_true(takes(&options, "budget", "0.5"));
    assert_true(takes(&options, "evidence-limit", "0"));
    assert_true(takes(&options, "seed", "9223372036854775807"));
    assert_true(takes(&options, "strict", NULL));
    assert_true(takes(&options, "network", "loss-1"));
    assert_true(takes(&options, "until-failure", NULL));
    iw_run_options_apply(&options, &run);
    assert_true(iw_pattern_found(run.selection.only, "b"));
    assert_false(iw_pattern_found(run.selection.only, "a"));
    assert_int_equal(run.selection.tiers, 1 << 0 | 1 << 2);
    assert_int_equal(run.selection.without_dangers, 1 << 1);
    assert_int_equal(run.selection.allowed_dangers, 1 << 2);
    assert_int_equal(run.selection.shard, 2);
    assert_int_equal(run.selection.shards, 3);
    assert_int_equal(run.limits.budget_ms, 500);
    assert_true(run.limits.endless);
    assert_true(run.strict);
    assert_int_equal(run.network->loss, 10000);
    assert_int_equal(run.evidence_octets, 0);
    assert_int_equal(options.seed, INT64_MAX);
    assert_true(takes(&options, "repeat", "7"));
    iw_run_options_apply(&options, &run);
    assert_false(run.limits.endless);
    assert_int_equal(run.limits.repeats, 7);
    iw_run_options_dispose(&options);
}

static void test_roles_are_claims(void **state) {
    struct iw_run_options options = iw_run_options_default();
    struct iw_run_config run = {0};

    (void)state;
    assert_true(takes(&options, "role", "both"));
    assert_true(takes(&options, "role", "responder"));
    assert_true(takes(&options, "without", "markers"));
    iw_run_options_apply(&options, &run);
    assert_int_equal(run.claims.without_count, 2);
    assert_string_equal(run.claims.without[0], "initiator");
    assert_string_equal(run.claims.without[1], "markers");
    while (options.without_count < IW_RUN_OPTION_CLAIMS_MAX)
        assert_true(takes(&options, "role", "initiator"));
    assert_false(takes(&options, "role", "initiator"));
    assert_string_equal(error, "too many --without options");
    iw_run_options_dispose(&options);
}

static void test_errors(void **state) {
    static const struct {
        const char *name, *argument, *error;
    } rows[] = {
        {"tier", "all", "--tier takes none, rping or agent, not all"},
        {"without-danger", "", "--without-danger takes memory, connection or host, not "},
        {"allow-danger", "memory", "--allow-danger takes host, not memory"},
        {"role", "peer", "--role takes responder, initiator or both, not peer"},
        {"shard", "3/2", "--shard takes I/N, I from 1 to N, not 3/2"},
        {"strength", "7", "--strength takes a number from 1 to 6, not 7"},
        {"random", "1000001", "--random takes a number from 1 to 1000000, not 1000001"},
        {"seed", "-1", "--seed takes a number from 0 to 9223372036854775807, not -1"},
        {"repeat", "0", "--repeat takes a number from 1 to 1000000, not 0"},
        {"budget", "1000001", "--budget takes seconds up to 1000000, not 1000001"},
    };
    struct iw_run_options options = iw_run_options_default();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_false(takes(&options, rows[i].name, rows[i].argument));
        assert_string_equal(error, rows[i].error);
    }
    assert_false(takes(&options, "only", "("));
    assert_memory_equal(error, "--only: ", 8);
    assert_null(options.only);
    assert_null(iw_run_option_find("peer"));
    iw_run_options_dispose(&options);
}

static void test_who_probes(void **state) {
    struct iw_run_options options = iw_run_options_default();

    (void)state;
    assert_true(iw_run_options_infer(&options, true));
    assert_false(iw_run_options_infer(&options, false));
    assert_true(takes(&options, "no-preflight", NULL));
    assert_false(iw_run_options_infer(&options, true));
    assert_true(takes(&options, "profile", "probe"));
    assert_true(iw_run_options_infer(&options, false));
    assert_true(iw_run_options_probe(&options));
    assert_true(takes(&options, "profile", "base"));
    assert_false(iw_run_options_infer(&options, true));
    assert_false(iw_run_options_probe(&options));
    iw_run_options_dispose(&options);
}

static void test_arguments(void **state) {
    (void)state;
    assert_true(iw_run_option_has_argument(iw_run_option_find("only")));
    assert_false(iw_run_option_has_argument(iw_run_option_find("strict")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_roles_are_claims),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_who_probes),
        cmocka_unit_test(test_arguments),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
