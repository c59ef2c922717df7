#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_repeat.h"

static struct iw_case cases[10];
static const struct iw_catalogue catalogue = {.cases = cases, .count = 10};

static void different_verdicts_make_case_flaky(void **state) {
    struct iw_repeats repeats;
    const unsigned *verdicts;

    (void)state;
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, NULL, 0), IW_OK);
    assert_null(iw_repeats_flaky(&repeats, &cases[3]));
    iw_repeats_add(&repeats, &cases[3], IW_VERDICT_WARNING);
    iw_repeats_add(&repeats, &cases[3], IW_VERDICT_WARNING);
    assert_null(iw_repeats_flaky(&repeats, &cases[3]));
    iw_repeats_add(&repeats, &cases[3], IW_VERDICT_PASS);
    assert_int_equal(iw_repeats_first(&repeats, &cases[3]), IW_VERDICT_WARNING);
    verdicts = iw_repeats_flaky(&repeats, &cases[3]);
    assert_non_null(verdicts);
    assert_int_equal(verdicts[IW_VERDICT_WARNING], 2);
    assert_int_equal(verdicts[IW_VERDICT_PASS], 1);
    assert_null(iw_repeats_flaky(&repeats, &cases[4]));
    iw_repeats_dispose(&repeats);
}

static void finished_repeats_are_known(void **state) {
    static const struct iw_run_prior prior[] = {{&cases[0], 1, IW_VERDICT_PASS, false},
        {&cases[9], 1, IW_VERDICT_PASS, false}, {&cases[9], 2, IW_VERDICT_FAIL, false}};
    struct iw_repeats repeats;

    (void)state;
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, prior, 3), IW_OK);
    assert_true(iw_repeats_had(&repeats, &cases[0], 1));
    assert_false(iw_repeats_had(&repeats, &cases[0], 2));
    assert_true(iw_repeats_had(&repeats, &cases[9], 1));
    assert_true(iw_repeats_had(&repeats, &cases[9], 2));
    assert_false(iw_repeats_had(&repeats, &cases[9], 3));
    assert_false(iw_repeats_had(&repeats, &cases[5], 1000000));
    assert_non_null(iw_repeats_flaky(&repeats, &cases[9]));
    iw_repeats_dispose(&repeats);
}

static void impossible_prior_results_are_rejected(void **state) {
    static const struct iw_run_prior twice[] = {
        {&cases[0], 1, IW_VERDICT_PASS, false}, {&cases[0], 1, IW_VERDICT_PASS, false}};
    static const struct iw_run_prior far[] = {{&cases[0], UINT32_MAX, IW_VERDICT_PASS, false}};
    struct iw_repeats repeats;

    (void)state;
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, twice, 2), IW_ERR_FORMAT);
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, far, 1), IW_ERR_FORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(different_verdicts_make_case_flaky),
        cmocka_unit_test(finished_repeats_are_known),
        cmocka_unit_test(impossible_prior_results_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
