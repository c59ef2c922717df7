#include "iw_conclusion.h"

#include "iw_diagnosis_test.h"

static enum iw_conclusion concluded(void) {
    iw_diagnose(&facts, &diagnosis);
    return iw_conclusion_of(&facts, &diagnosis);
}

static void a_complete_capture_without_a_fault_is_fine(void **state) {
    (void)state;
    assert_int_equal(concluded(), IW_CONCLUSION_FINE);
}

static void a_capture_without_the_startup_is_partial(void **state) {
    (void)state;
    counts.unjudged[IW_UNJUDGED_STARTUP] = 1;
    assert_int_equal(concluded(), IW_CONCLUSION_PARTIAL);
    assert_string_equal(iw_conclusion_key(concluded()), "partial");
}

static void a_capture_with_a_gap_is_partial(void **state) {
    (void)state;
    trouble.lost_frame = 7;
    assert_int_equal(concluded(), IW_CONCLUSION_PARTIAL);
}

/* What a partial capture shows counts more than what it hides. */
static void violations_count_more_than_gaps(void **state) {
    (void)state;
    trouble.lost_frame = 7;
    counts.findings[IW_SEVERITY_ERROR] = 1;
    assert_int_equal(concluded(), IW_CONCLUSION_VIOLATIONS);
}

/* A RST directly after octets of the other side. */
static void a_failure_without_a_cause_counts_more_than_violations(void **state) {
    (void)state;
    counts.findings[IW_SEVERITY_ERROR] = 1;
    ends(IW_LLP_CLOSE_ABORTIVE);
    tcp_trouble.rst_after_octets = true;
    assert_int_equal(concluded(), IW_CONCLUSION_NOT_KNOWN);
    assert_false(iw_conclusion_has_cause(concluded()));
}

static void add(enum iw_cause_id id) {
    memset(&diagnosis, 0, sizeof diagnosis);
    assert_non_null(iw_diagnosis_add(&diagnosis, id, IW_CONFIDENCE_LIKELY, "."));
    diagnosis.failed = true;
}

static void a_slow_connection_has_not_failed(void **state) {
    (void)state;
    add(IW_CAUSE_ID_ZERO_WINDOW);
    assert_int_equal(iw_conclusion_of(&facts, &diagnosis), IW_CONCLUSION_SLOW);
    assert_non_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_POSSIBLE, "."));
    assert_int_equal(iw_conclusion_of(&facts, &diagnosis), IW_CONCLUSION_FAILED);
    assert_true(iw_conclusion_has_cause(IW_CONCLUSION_FAILED));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_complete_capture_without_a_fault_is_fine),
        TEST(a_capture_without_the_startup_is_partial),
        TEST(a_capture_with_a_gap_is_partial),
        TEST(violations_count_more_than_gaps),
        TEST(a_failure_without_a_cause_counts_more_than_violations),
        TEST(a_slow_connection_has_not_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
