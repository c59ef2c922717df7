#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_live_rate.h"

static const uint64_t SECOND = 1000000000;

static void is_the_mean_of_three_seconds(void **state) {
    struct iw_live_rate rate = {.count = 0};

    (void)state;
    iw_live_rate_add(&rate, 100, 5 * SECOND);
    assert_int_equal(rate.per_second, 0);
    iw_live_rate_add(&rate, 400, 6 * SECOND);
    assert_int_equal(rate.per_second, 300);
    iw_live_rate_add(&rate, 400, 7 * SECOND);
    assert_int_equal(rate.per_second, 150);
    iw_live_rate_add(&rate, 400, 8 * SECOND);
    assert_int_equal(rate.per_second, 100);
    iw_live_rate_add(&rate, 400, 9 * SECOND); /* the growth was more than 3 seconds ago */
    assert_int_equal(rate.per_second, 0);
    iw_live_rate_add(&rate, 900, 11 * SECOND);
    assert_int_equal(rate.per_second, 125);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_the_mean_of_three_seconds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
