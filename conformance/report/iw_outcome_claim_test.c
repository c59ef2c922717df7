#include "iw_outcome_claim.h"

#include "iw_outcome_test.h"

static struct iw_outcome_run run_of(const char *header) {
    return (struct iw_outcome_run){.header = json_loads(header, 0, NULL)};
}

static void test_without_profile(void **state) {
    struct iw_outcome_run run = run_of("{\"without\":[\"markers\"]}");

    (void)state;
    assert_true(iw_outcome_claims(&run, "atomic"));
    assert_false(iw_outcome_claims(&run, "markers"));
    iw_outcome_clear(&run);
}

static void test_with_profile(void **state) {
    struct iw_outcome_run run =
        run_of("{\"without\":[\"markers\"],\"profile\":{\"claims\":[\"markers\",\"rev-1\",7]}}");

    (void)state;
    assert_true(iw_outcome_claims(&run, "rev-1"));
    assert_false(iw_outcome_claims(&run, "markers"));
    assert_false(iw_outcome_claims(&run, "atomic"));
    iw_outcome_clear(&run);
}

static void test_no_header(void **state) {
    struct iw_outcome_run run = {0};

    (void)state;
    assert_true(iw_outcome_claims(&run, "markers"));
    assert_false(iw_outcome_lists(NULL, "markers"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_profile),
        cmocka_unit_test(test_with_profile), cmocka_unit_test(test_no_header)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
