#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_repeat.h"

static struct iw_case cases[10];
static const struct iw_catalogue catalogue = {.cases = cases, .count = 10};

static void a_case_with_several_verdicts_is_flaky(void **state) {
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

static void what_was_finished_is_known_by_case_and_repeat(void **state) {
    static const struct iw_run_past past[] = {{&cases[0], 1, IW_VERDICT_PASS, false},
        {&cases[9], 1, IW_VERDICT_PASS, false}, {&cases[9], 2, IW_VERDICT_FAIL, false}};
    struct iw_repeats repeats;

    (void)state;
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, past, 3), IW_OK);
    assert_true(iw_repeats_had(&repeats, &cases[0], 1));
    assert_false(iw_repeats_had(&repeats, &cases[0], 2));
    assert_true(iw_repeats_had(&repeats, &cases[9], 1));
    assert_true(iw_repeats_had(&repeats, &cases[9], 2));
    assert_false(iw_repeats_had(&repeats, &cases[9], 3));
    assert_false(iw_repeats_had(&repeats, &cases[5], 1000000));
    assert_non_null(iw_repeats_flaky(&repeats, &cases[9]));
    iw_repeats_dispose(&repeats);
}

static void what_cannot_have_been_is_refused(void **state) {
    static const struct iw_run_past twice[] = {
        {&cases[0], 1, IW_VERDICT_PASS, false}, {&cases[0], 1, IW_VERDICT_PASS, false}};
    static const struct iw_run_past far[] = {{&cases[0], UINT32_MAX, IW_VERDICT_PASS, false}};
    struct iw_repeats repeats;

    (void)state;
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, twice, 2), IW_ERR_FORMAT);
    assert_int_equal(iw_repeats_init(&repeats, &catalogue, far, 1), IW_ERR_FORMAT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_case_with_several_verdicts_is_flaky),
        cmocka_unit_test(what_was_finished_is_known_by_case_and_repeat),
        cmocka_unit_test(what_cannot_have_been_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
