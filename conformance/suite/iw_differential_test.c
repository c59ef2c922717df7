#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_catalogue_test.h"
#include "iw_differential.h"
#include "iw_sweep.h"

static struct iw_difference last;
static char last_id[64];

static void take_difference(void *user, const struct iw_difference *difference) {
    (void)user;
    last = *difference;
    strncpy(last_id, difference->b->one->id, sizeof last_id - 1);
}

/* The same 50 seeds with and without the change to the reference. */
static struct iw_differential_counts compare_with(const struct iw_defect *change) {
    const struct iw_run_config cases = {.catalogue = &catalogue};
    struct iw_sweep sweep;
    struct iw_run_config a = {.simulated = true, .jobs = 8}, b = a;
    struct iw_differential_config config = {.a = &a, .b = &b, .result = take_difference};
    struct iw_differential_counts counts;
    char error[256];

    assert_int_equal(
        iw_sweep_init(&sweep, &(struct iw_sweep_config){.run = &cases, .seed = 7, .seeds = 50}), IW_OK);
    a.catalogue = b.catalogue = &sweep.catalogue;
    b.target.defect = change;
    assert_int_equal(iw_differential(&config, &counts, error, sizeof error), IW_OK);
    iw_sweep_dispose(&sweep);
    return counts;
}

static void same_device_has_no_difference(void **state) {
    struct iw_differential_counts counts = compare_with(NULL);

    (void)state;
    assert_int_equal(counts.cases, 100);
    assert_int_equal(counts.differing, 0);
    assert_int_equal(counts.unjudged, 0);
}

/* Different TCP segments, same messages. */
static void different_segments_are_no_difference(void **state) {
    (void)state;
    assert_int_equal(compare_with(iw_variant_find("segments-of-seven")).differing, 0);
}

static void different_answer_is_a_difference(void **state) {
    struct iw_differential_counts counts = compare_with(iw_defect_find("read-short"));

    (void)state;
    assert_in_range(counts.differing, 10, 100);
    assert_non_null(strstr(last.sent, ": "));
    assert_int_equal(strncmp(last_id, "random-00", 9), 0);
}

static void different_startup_is_a_difference(void **state) {
    (void)state;
    assert_int_equal(compare_with(iw_variant_find("markers-wanted")).differing, 100);
    assert_non_null(strstr(last.sent, "m=0"));
    assert_non_null(strstr(last.sent, "m=1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_device_has_no_difference),
        cmocka_unit_test(different_segments_are_no_difference),
        cmocka_unit_test(different_answer_is_a_difference),
        cmocka_unit_test(different_startup_is_a_difference),
    };
    return cmocka_run_group_tests(tests, iw_catalogue_load, iw_catalogue_unload);
}
