#include "iw_outcome_option.h"

#include "iw_outcome_test.h"

static struct iw_outcome_run run_of(const char *header) {
    return (struct iw_outcome_run){.header = json_loads(header, 0, NULL)};
}

static void test_options(void **state) {
    struct iw_outcome_run run = run_of("{\"options\":[\"--peer\",\"192.0.2.7:1\",\"--simulate\",\"--only\","
                                       "\"a\",\"--only\",\"--b\",\"--strict\",\"--lab\",\"x\"]}");
    struct iw_run_options options = iw_run_options_default();
    char error[128];

    (void)state;
    assert_true(iw_outcome_has_options(&run));
    assert_true(iw_outcome_has_option(&run, "--peer"));
    assert_false(iw_outcome_has_option(&run, "--agent"));
    assert_true(iw_outcome_read_options(&run, &options, error, sizeof error));
    assert_true(options.simulated);
    assert_true(options.strict);
    assert_false(options.rping);
    assert_true(iw_pattern_found(options.only, "--b"));
    assert_false(iw_pattern_found(options.only, "a"));
    iw_run_options_dispose(&options);
    iw_outcome_clear(&run);
}

/* The file is untrusted. */
static void test_other_values(void **state) {
    static const struct {
        const char *header, *error;
    } rows[] = {
        {"{\"options\":[7,\"--tier\",null]}", "--tier takes none, rping or agent, not "},
        {"{\"options\":[\"--repeat\"]}", "--repeat takes a number from 1 to 1000000, not "},
        {"{\"options\":[\"--random\",\"18446744073709551617\"]}",
            "--random takes a number from 1 to 1000000, not 18446744073709551617"},
    };
    struct iw_outcome_run none = run_of("{\"options\":{}}");
    struct iw_run_options options = iw_run_options_default();
    char error[128];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct iw_outcome_run run = run_of(rows[i].header);

        assert_false(iw_outcome_read_options(&run, &options, error, sizeof error));
        assert_string_equal(error, rows[i].error);
        iw_outcome_clear(&run);
    }
    assert_false(iw_outcome_has_options(&none));
    assert_false(iw_outcome_has_option(&none, "--only"));
    assert_true(iw_outcome_read_options(&none, &options, error, sizeof error));
    iw_run_options_dispose(&options);
    iw_outcome_clear(&none);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_options), cmocka_unit_test(test_other_values)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
