#include "iw_in_flight.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void counts_unacknowledged_responses(void **state) {
    (void)state;
    struct iw_in_flight *in_flight = NULL;

    assert_int_equal(iw_in_flight_received(in_flight, 100), 0);
    assert_true(iw_in_flight_add(&in_flight, 28, 8));
    assert_true(iw_in_flight_add(&in_flight, 56, 8));
    assert_true(iw_in_flight_add(&in_flight, 84, 8));
    assert_int_equal(iw_in_flight_received(in_flight, 27), 3);
    assert_int_equal(iw_in_flight_received(in_flight, 28), 2);
    assert_int_equal(iw_in_flight_received(in_flight, 0), 2); /* an older acknowledgement */
    assert_int_equal(iw_in_flight_received(in_flight, UINT64_MAX), 0);
    iw_in_flight_free(in_flight);
}

static void keeps_one_more_than_the_limit(void **state) {
    (void)state;
    struct iw_in_flight *in_flight = NULL;

    for (uint64_t end = 1; end <= 100; end++)
        assert_true(iw_in_flight_add(&in_flight, end, 2));
    assert_int_equal(iw_in_flight_received(in_flight, 0), 3);
    assert_int_equal(iw_in_flight_received(in_flight, 2), 1);
    iw_in_flight_free(in_flight);
}

static void counts_in_a_long_connection(void **state) {
    (void)state;
    struct iw_in_flight *in_flight = NULL;

    for (uint64_t end = 1; end <= 100000; end++) {
        assert_true(iw_in_flight_add(&in_flight, end, 16));
        if (end > 3)
            assert_int_equal(iw_in_flight_received(in_flight, end - 3), 3);
    }
    iw_in_flight_free(in_flight);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_unacknowledged_responses),
        cmocka_unit_test(keeps_one_more_than_the_limit),
        cmocka_unit_test(counts_in_a_long_connection),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
