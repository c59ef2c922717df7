#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_timeouts.h"

static void check_timeouts(
    uint64_t startup_us, uint32_t answer_ms, uint32_t silence_ms, uint32_t deadline_ms) {
    struct iw_timeouts timeouts = iw_timeouts_of(startup_us, 20, 0);

    assert_int_equal(timeouts.answer_ms, answer_ms);
    assert_int_equal(timeouts.silence_ms, silence_ms);
    assert_int_equal(timeouts.deadline_ms, deadline_ms);
}

static void slow_device_gets_longer_bounded_timeout(void **state) {
    (void)state;
    check_timeouts(0, 5000, 0, 50000);
    check_timeouts(100, 2000, 0, 35000);
    check_timeouts(50000, 3200, 400, 41000);
    check_timeouts(187500, 10000, 1500, 75000);
    check_timeouts(60000000, 10000, 1500, 75000);
    check_timeouts(UINT32_MAX, 10000, 1500, 75000);
}

static void deadline_covers_timeout_of_device(void **state) {
    (void)state;
    assert_int_equal(iw_timeouts_of(0, 0, 0).deadline_ms, 40000);
    assert_int_equal(iw_timeouts_of(0, 10, 0).deadline_ms, 40000);
    assert_int_equal(iw_timeouts_of(0, 300, 0).deadline_ms, 330000);
    assert_int_equal(iw_timeouts_of(0, 300, 0).answer_ms, 5000);
}

static void network_adds_to_each_timeout(void **state) {
    struct iw_timeouts timeouts = iw_timeouts_of(187500, 20, 7000);

    (void)state;
    assert_int_equal(timeouts.answer_ms, 17000);
    assert_int_equal(timeouts.silence_ms, 8500);
    assert_int_equal(timeouts.deadline_ms, 110000);
}

static void estimate_rises_at_once_and_falls_slowly(void **state) {
    uint64_t startup_us = iw_timeouts_learn(0, 800);

    (void)state;
    assert_int_equal(startup_us, 800);
    startup_us = iw_timeouts_learn(startup_us, 16000);
    assert_int_equal(startup_us, 16000);
    startup_us = iw_timeouts_learn(startup_us, 8000);
    assert_int_equal(startup_us, 15000);
    for (int i = 0; i < 100; i++)
        startup_us = iw_timeouts_learn(startup_us, 1000);
    assert_in_range(startup_us, 1000, 1010);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_device_gets_longer_bounded_timeout),
        cmocka_unit_test(deadline_covers_timeout_of_device),
        cmocka_unit_test(network_adds_to_each_timeout),
        cmocka_unit_test(estimate_rises_at_once_and_falls_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
