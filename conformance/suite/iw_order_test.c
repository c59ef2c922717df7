#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_order.h"

enum { CASES = 3 };

static struct iw_case cases[CASES] = {
    {.id = "a", .title = "A title"}, {.id = "b", .title = "A title"}, {.id = "c", .title = "A title"}};
static const struct iw_catalogue catalogue = {.cases = cases, .count = CASES};

static struct iw_order order_of(const struct iw_run_config *config) {
    struct iw_order order;
    char error[256];

    assert_int_equal(iw_order_init(&order, config, error, sizeof error), IW_OK);
    return order;
}

/* Takes all cases, as text such as "a1 b1 c1". */
static void take_all(struct iw_order *order, char *text, size_t octets) {
    const struct iw_case *one;
    size_t used = 0;

    text[0] = '\0';
    while ((one = iw_order_next(order)) != NULL && used < octets) {
        assert_ptr_equal(iw_order_next(order), one);
        used += (size_t)snprintf(
            text + used, octets - used, "%s%s%u", used > 0 ? " " : "", one->id, order->repeat);
        iw_order_take(order);
    }
}

static void repeats_follow_each_other(void **state) {
    const struct iw_run_config once = {.catalogue = &catalogue},
                               twice = {.catalogue = &catalogue, .limits.repeats = 2};
    struct iw_order order = order_of(&once);
    char text[64];

    (void)state;
    take_all(&order, text, sizeof text);
    assert_string_equal(text, "a1 b1 c1");
    assert_int_equal(iw_order_number(&order, 1), 0);
    iw_order_dispose(&order);
    order = order_of(&twice);
    take_all(&order, text, sizeof text);
    assert_string_equal(text, "a1 b1 c1 a2 b2 c2");
    assert_int_equal(iw_order_number(&order, 2), 2);
    iw_order_dispose(&order);
}

static void finished_repeats_are_left_out(void **state) {
    static const struct iw_run_prior prior[] = {
        {&cases[0], 1, IW_VERDICT_PASS, false}, {&cases[2], 2, IW_VERDICT_PASS, false}};
    const struct iw_run_config config = {
        .catalogue = &catalogue, .limits.repeats = 2, .earlier.cases = prior, .earlier.case_count = 2};
    struct iw_order order = order_of(&config);
    char text[64];

    (void)state;
    take_all(&order, text, sizeof text);
    assert_string_equal(text, "b1 c1 a2 b2");
    iw_order_dispose(&order);
}

static void a_repeat_with_two_results_is_an_error(void **state) {
    static const struct iw_run_prior prior[] = {
        {&cases[0], 1, IW_VERDICT_PASS, false}, {&cases[0], 1, IW_VERDICT_FAIL, false}};
    const struct iw_run_config config = {
        .catalogue = &catalogue, .earlier.cases = prior, .earlier.case_count = 2};
    struct iw_order order;
    char error[256];

    (void)state;
    assert_int_equal(iw_order_init(&order, &config, error, sizeof error), IW_ERR_FORMAT);
    assert_non_null(strstr(error, "a repeat twice"));
}

static void the_rest_is_counted(void **state) {
    const struct iw_run_config twice = {.catalogue = &catalogue, .limits.repeats = 2},
                               endless = {.catalogue = &catalogue, .limits.endless = true};
    struct iw_order order = order_of(&twice);

    (void)state;
    assert_non_null(iw_order_next(&order));
    iw_order_take(&order);
    assert_int_equal(iw_order_take_rest(&order), 5);
    assert_null(iw_order_next(&order));
    assert_int_equal(iw_order_take_rest(&order), 0);
    iw_order_dispose(&order);
    order = order_of(&endless);
    assert_non_null(iw_order_next(&order));
    iw_order_take(&order);
    assert_int_equal(iw_order_take_rest(&order), 2);
    iw_order_dispose(&order);
}

/* Writes a file that stands for the evidence of a case. */
static void write_file(const char *path) {
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void count(
    struct iw_order *order, unsigned repeat, enum iw_verdict verdict, struct iw_trial_result *result) {
    *result = (struct iw_trial_result){.one = &cases[0], .end = IW_TRIAL_FINISHED, .verdict = verdict};
    iw_order_name_capture(order, &cases[0], repeat, result->capture);
    write_file(result->capture);
    iw_order_count(order, result, repeat);
}

static void evidence_of_an_equal_repeat_is_deleted(void **state) {
    char folder[] = "/tmp/iw_order_test.XXXXXX";
    const struct iw_run_config config = {
        .catalogue = &catalogue, .limits.repeats = 3, .folder = mkdtemp(folder)};
    struct iw_order order = order_of(&config);
    struct iw_trial_result first, equal, other;

    (void)state;
    assert_non_null(config.folder);
    count(&order, 1, IW_VERDICT_PASS, &first);
    count(&order, 2, IW_VERDICT_PASS, &equal);
    count(&order, 3, IW_VERDICT_FAIL, &other);
    assert_int_equal(access(first.capture, F_OK), 0);
    assert_string_equal(strrchr(first.capture, '/'), "/a.pcapng");
    assert_string_equal(equal.capture, "");
    assert_int_equal(access(other.capture, F_OK), 0);
    assert_string_equal(strrchr(other.capture, '/'), "/a-3.pcapng");
    assert_int_equal(iw_order_report_flakes(&order), 1);
    unlink(first.capture);
    unlink(other.capture);
    assert_int_equal(rmdir(folder), 0); /* nothing else is left */
    iw_order_dispose(&order);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(repeats_follow_each_other),
        cmocka_unit_test(finished_repeats_are_left_out),
        cmocka_unit_test(a_repeat_with_two_results_is_an_error), cmocka_unit_test(the_rest_is_counted),
        cmocka_unit_test(evidence_of_an_equal_repeat_is_deleted)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
