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
        assert_true(iw_latency_add(&latency, 1000000, 400000, 7, 8));
    assert_true(iw_latency_add(&latency, 1000000000, 500000, 70, 80));
    assert_int_equal(latency.count, 100);
    assert_in_range(iw_latency_at(&latency, 50), 1000000, 1125000);
    assert_in_range(iw_latency_at(&latency, 99), 1000000, 1125000);
    assert_int_equal(iw_latency_at(&latency, 100), 1000000000);
    assert_int_equal(latency.most_request_frame, 70);
    assert_int_equal(latency.most_response_frame, 80);
    assert_int_equal(latency.first_octet_sum_ns, 99 * 400000 + 500000);
    iw_latency_dispose(&latency);
}

static void the_longest_time_fits(void **state) {
    struct iw_latency latency = {0};

    (void)state;
    assert_true(iw_latency_add(&latency, UINT64_MAX, UINT64_MAX, 1, 2));
    assert_true(iw_latency_add(&latency, 0, 5, 3, 4));
    assert_int_equal(latency.most_ns, UINT64_MAX);
    assert_int_equal(latency.count, 2);
    assert_in_range(iw_latency_at(&latency, 50), 0, IW_LATENCY_UNIT_NS - 1);
    iw_latency_dispose(&latency);
}

/* The array grows to both sides, and keeps what it has. */
static void has_buckets_from_the_fastest_to_the_slowest(void **state) {
    struct iw_latency latency = {0};
    const uint64_t times[] = {3000000, 2000, 500000000, 3000000};
    unsigned filled = 0;

    (void)state;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_true(iw_latency_add(&latency, times[i], 0, 1, 2));
    for (unsigned i = 0; i < IW_LATENCY_BUCKETS; i++)
        filled += iw_latency_bucket(&latency, i);
    assert_int_equal(filled, 4);
    assert_int_equal(iw_latency_bucket(&latency, latency.bucket_first), 1);
    assert_int_equal(iw_latency_bucket(&latency, latency.bucket_first + latency.bucket_count - 1u), 1);
    assert_in_range(iw_latency_at(&latency, 25), 2000, 2250);
    assert_in_range(iw_latency_at(&latency, 75), 3000000, 3375000);
    iw_latency_dispose(&latency);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_one_has_no_quantile),
        cmocka_unit_test(quantiles_are_within_an_eighth),
        cmocka_unit_test(the_longest_time_fits),
        cmocka_unit_test(has_buckets_from_the_fastest_to_the_slowest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
