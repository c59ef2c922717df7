#include "iw_latency.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void an_empty_one_has_no_quantile(void **state) {
    struct iw_latency latency = {0};

    (void)state;
    assert_int_equal(iw_latency_at(&latency, 50), 0);
}

/* 99 operations of 1 ms, one of 1 s: nearest rank. */
static void quantiles_are_within_an_eighth(void **state) {
    struct iw_latency latency = {0};

    (void)state;
    for (unsigned i = 0; i < 99; i++)
        iw_latency_add(&latency, 1000000, 400000, 7, 8);
    iw_latency_add(&latency, 1000000000, 500000, 70, 80);
    assert_int_equal(latency.count, 100);
    assert_in_range(iw_latency_at(&latency, 50), 1000000, 1125000);
    assert_in_range(iw_latency_at(&latency, 99), 1000000, 1125000);
    assert_int_equal(iw_latency_at(&latency, 100), 1000000000);
    assert_int_equal(latency.most_request_frame, 70);
    assert_int_equal(latency.most_response_frame, 80);
    assert_int_equal(latency.first_octet_sum_ns, 99 * 400000 + 500000);
}

static void the_longest_time_fits(void **state) {
    struct iw_latency latency = {0};

    (void)state;
    iw_latency_add(&latency, UINT64_MAX, UINT64_MAX, 1, 2);
    iw_latency_add(&latency, 0, 5, 3, 4);
    assert_int_equal(latency.most_ns, UINT64_MAX);
    assert_int_equal(latency.count, 2);
    assert_in_range(iw_latency_at(&latency, 50), 0, IW_LATENCY_UNIT_NS - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_has_no_quantile),
        cmocka_unit_test(quantiles_are_within_an_eighth),
        cmocka_unit_test(the_longest_time_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
