#include "iw_outcome_option.h"

#include "iw_outcome_test.h"

static struct iw_outcome_run run_of(const char *header) {
    return (struct iw_outcome_run){.header = json_loads(header, 0, NULL)};
}

static void test_options(void **state) {
    struct iw_outcome_run run = run_of("{\"options\":[\"--simulate\",\"--only\",\"a\",\"--strict\","
                                       "\"--only\",\"b\",\"--lab\"]}");
    size_t at = 0;

    (void)state;
    assert_true(iw_outcome_has_options(&run));
    assert_string_equal(iw_outcome_option(&run, "--only", &at), "a");
    assert_string_equal(iw_outcome_option(&run, "--only", &at), "b");
    assert_null(iw_outcome_option(&run, "--only", &at));
    assert_string_equal(iw_outcome_option_last(&run, "--only"), "b");
    assert_string_equal(iw_outcome_option_last(&run, "--strict"), "");
    assert_string_equal(iw_outcome_option_last(&run, "--lab"), "");
    assert_null(iw_outcome_option_last(&run, "--skip"));
    iw_outcome_clear(&run);
}

/* The file is untrusted. */
static void test_other_values(void **state) {
    struct iw_outcome_run run = run_of("{\"options\":[7,\"--only\",null]}"),
                          none = run_of("{\"options\":{}}");

    (void)state;
    assert_string_equal(iw_outcome_option_last(&run, "--only"), "");
    assert_false(iw_outcome_has_options(&none));
    assert_null(iw_outcome_option_last(&none, "--only"));
    iw_outcome_clear(&run);
    iw_outcome_clear(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_other_values)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
