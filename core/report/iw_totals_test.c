#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_totals.h"

static void only_errors_are_violations(void **state) {
    struct iw_totals tally = {0};

    (void)state;
    assert_string_equal(iw_totals_verdict(&tally), "nothing judged");
    iw_totals_add(
        &tally, &(struct iw_monitor_counts){.fpdus = {2, 3}, .findings = {[IW_SEVERITY_WARNING] = 4}});
    assert_string_equal(iw_totals_verdict(&tally), "conforms");
    assert_int_equal(tally.fpdus, 5);
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_CONFORMS);
    iw_totals_add(&tally, &(struct iw_monitor_counts){.unjudged = {[IW_UNJUDGED_CRC] = 1}});
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_UNJUDGED);
    assert_string_equal(iw_totals_verdict(&tally), "not fully judged");
    iw_totals_add(&tally, &(struct iw_monitor_counts){.findings = {[IW_SEVERITY_ERROR] = 1}});
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_VIOLATIONS);
    assert_int_equal(tally.streams, 3);
}

static void warnings_and_notes_may_be_violations(void **state) {
    struct iw_totals tally = {.stricter = 1}, all = {.stricter = 2};

    (void)state;
    iw_totals_add(&tally, &(struct iw_monitor_counts){.findings = {[IW_SEVERITY_NOTE] = 1}});
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_CONFORMS);
    iw_totals_join(&all, &tally);
    assert_int_equal(all.streams, 1);
    assert_int_equal(iw_totals_exit(&all), IW_EXIT_VIOLATIONS);
    iw_totals_add(&tally, &(struct iw_monitor_counts){.findings = {[IW_SEVERITY_WARNING] = 1}});
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_VIOLATIONS);
    assert_true(iw_totals_violates(&tally, IW_SEVERITY_WARNING));
    assert_false(iw_totals_violates(&tally, IW_SEVERITY_NOTE));
}

static void waived_findings_are_not_violations(void **state) {
    struct iw_totals tally = {0};

    (void)state;
    iw_totals_add(&tally, &(struct iw_monitor_counts){.findings = {[IW_SEVERITY_ERROR] = 3}});
    iw_totals_waive(&tally, IW_SEVERITY_ERROR, 2);
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_VIOLATIONS);
    iw_totals_waive(&tally, IW_SEVERITY_ERROR, 1);
    assert_int_equal(iw_totals_exit(&tally), IW_EXIT_CONFORMS);
    assert_int_equal(tally.waived, 3);
}

static void the_worse_exit_wins(void **state) {
    (void)state;
    assert_int_equal(iw_exit_join(IW_EXIT_UNJUDGED, IW_EXIT_VIOLATIONS), IW_EXIT_VIOLATIONS);
    assert_int_equal(iw_exit_join(IW_EXIT_VIOLATIONS, IW_EXIT_ENVIRONMENT), IW_EXIT_ENVIRONMENT);
    assert_int_equal(iw_exit_join(IW_EXIT_INTERNAL, IW_EXIT_ENVIRONMENT), IW_EXIT_INTERNAL);
    assert_int_equal(iw_exit_join(IW_EXIT_CONFORMS, IW_EXIT_UNJUDGED), IW_EXIT_UNJUDGED);
    assert_int_equal(iw_exit_join(IW_EXIT_CONFORMS, IW_EXIT_CONFORMS), IW_EXIT_CONFORMS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_errors_are_violations),
        cmocka_unit_test(warnings_and_notes_may_be_violations),
        cmocka_unit_test(waived_findings_are_not_violations),
        cmocka_unit_test(the_worse_exit_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
