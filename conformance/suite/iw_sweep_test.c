#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_catalogue_test.h"
#include "iw_run.h"
#include "iw_sweep.h"

static const char *const no_markers[] = {"markers"};
static const struct iw_run_config everything = {.catalogue = &catalogue};
static const struct iw_run_config without_markers = {
    .catalogue = &catalogue, .claims = {.without = no_markers, .without_count = 1}};

static void sweep_result(void *user, const struct iw_trial_result *result) {
    (void)user;
    if (result->verdict != IW_VERDICT_PASS)
        print_error("%s: %s, line %d: %s\n", result->one->id, iw_verdict_name(result->verdict),
            result->reason.line, result->reason.message);
}

/* Runs all generated cases. Returns their number, and in `failed` how many did not pass. */
static unsigned run_sweep(
    const struct iw_sweep_config *config, const struct iw_defect *defect, unsigned *failed) {
    struct iw_sweep sweep;
    struct iw_run_counts counts;
    struct iw_run_config run = {
        .simulated = true, .jobs = 16, .target.defect = defect, .handlers.result = sweep_result};
    char error[256];

    if (defect)
        run.handlers.result = NULL;
    assert_int_equal(iw_sweep_init(&sweep, config), IW_OK);
    run.catalogue = &sweep.catalogue;
    assert_int_equal(iw_run(&run, &counts, error, sizeof error), IW_OK);
    iw_sweep_dispose(&sweep);
    *failed = counts.cases - counts.verdicts[IW_VERDICT_PASS];
    return counts.cases;
}

static void reference_conforms_with_any_two_settings(void **state) {
    const struct iw_sweep_config config = {.run = &everything, .strength = 2, .seed = 1};
    unsigned failed;

    (void)state;
    assert_in_range(run_sweep(&config, NULL, &failed), 300, 5000);
    assert_int_equal(failed, 0);
}

static void reference_conforms_with_any_seed(void **state) {
    const struct iw_sweep_config config = {.run = &everything, .seed = 1000, .seeds = 300};
    unsigned failed;

    (void)state;
    assert_int_equal(run_sweep(&config, NULL, &failed), 600);
    assert_int_equal(failed, 0);
}

static void defect_of_one_setting_is_found(void **state) {
    const struct iw_sweep_config config = {.run = &everything, .strength = 2, .seed = 1};
    unsigned failed, cases;

    (void)state;
    cases = run_sweep(&config, iw_defect_find("marker-fpduptr"), &failed);
    assert_in_range(failed, cases / 10, cases * 9 / 10);
}

static void unclaimed_values_are_skipped(void **state) {
    const struct iw_sweep_config config = {.run = &without_markers, .strength = 2, .seed = 1};
    unsigned failed;

    (void)state;
    run_sweep(&config, iw_defect_find("marker-fpduptr"), &failed);
    assert_int_equal(failed, 0);
}

static void id_gives_one_case(void **state) {
    const struct iw_sweep_config config = {.run = &everything, .strength = 2, .seed = 3, .seeds = 1};
    struct iw_sweep sweep, again;
    char error[256];

    (void)state;
    assert_int_equal(iw_sweep_init(&sweep, &config), IW_OK);
    for (size_t i = 0; i < sweep.catalogue.count; i++) {
        assert_int_equal(
            iw_sweep_init_one(&again, &catalogue, sweep.catalogue.cases[i].id, error, sizeof error), IW_OK);
        assert_string_equal(again.catalogue.cases[0].id, sweep.catalogue.cases[i].id);
        assert_memory_equal(
            &again.catalogue.cases[0].choice, &sweep.catalogue.cases[i].choice, sizeof(struct iw_choice));
        iw_sweep_dispose(&again);
    }
    iw_sweep_dispose(&sweep);
    assert_int_equal(iw_sweep_init_one(&again, &catalogue, "mpa-crc-001", error, sizeof error), IW_OK);
    assert_string_equal(again.catalogue.cases[0].id, "mpa-crc-001");
    iw_sweep_dispose(&again);
}

static void wrong_id_is_rejected(void **state) {
    static const char *const ids[] = {"", "no-such-case", "mpa-crc-001.0", "sweep-001.", "sweep-001.01",
        "sweep-001.9000000000", "sweep-001.000000000x", "random-001.", "random-001.-1", "random-001.1x",
        "random-001.5-", "random-001.5-0", "random-001.5-100", "random-001.5-1-1",
        "random-001.9223372036854775808", "random-001.99999999999999999999999"};
    struct iw_sweep sweep;

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        char error[256] = "";

        assert_int_equal(iw_sweep_init_one(&sweep, &catalogue, ids[i], error, sizeof error), IW_ERR_FORMAT);
        assert_non_null(strstr(error, ids[i]));
    }
}

static void strength_four_gives_thousands_of_combinations(void **state) {
    const struct iw_sweep_config config = {.run = &everything, .strength = 4, .seed = 1};
    struct iw_sweep sweep;

    (void)state;
    assert_int_equal(iw_sweep_init(&sweep, &config), IW_OK);
    assert_in_range(sweep.catalogue.count, 5000, 100000);
    iw_sweep_dispose(&sweep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_conforms_with_any_two_settings),
        cmocka_unit_test(reference_conforms_with_any_seed),
        cmocka_unit_test(defect_of_one_setting_is_found),
        cmocka_unit_test(unclaimed_values_are_skipped),
        cmocka_unit_test(id_gives_one_case),
        cmocka_unit_test(wrong_id_is_rejected),
        cmocka_unit_test(strength_four_gives_thousands_of_combinations),
    };
    return cmocka_run_group_tests(tests, iw_catalogue_load, iw_catalogue_unload);
}
