#include "iw_tcp_life_test.h"

/* Closed windows. */

static void measures_a_closed_window(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    window = 0;
    back(K, 500, 140, 0);
    window = 1000;
    forth(K, 139, 500, 0); /* a window probe, not a keep-alive */
    now += 700 * MS;
    back(K, 500, 140, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_windows, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_first_frame, 5);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_since.frame, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_longest_ns, 702 * MS);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed_ns, 0);
    forth(K, 140, 500, 40); /* they waited */
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed_ns, 702 * MS);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes, 0);
}

/* RFC 9293 3.8.6.1: a sender that has octets probes the closed window. */
static void nothing_waits_at_a_closed_window_without_a_probe(void **state) {
    (void)state;
    opens();
    window = 0;
    back(K, 500, 100, 0);
    now += 9000 * MS;
    window = 1000;
    back(K, 500, 100, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_longest_ns, 9001 * MS);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed_ns, 0);
}

/* RFC 9293 3.8.4: a keep-alive probe, perhaps with an octet, looks like a window probe. */
static void a_keep_alive_at_a_closed_window_waits_for_nothing(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    window = 0;
    back(K, 500, 140, 0);
    now += 75000 * MS;
    forth(K, 139, 500, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_asked.frame, 6);
    assert_false(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed);
    window = 1000;
    back(K, 500, 140, 0);
    now += 30000 * MS;
    forth(K, 140, 500, 40); /* long after */
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed_ns, 0);
}

/* RFC 9293 3.8.6.1: a probe may take the next octet with it. */
static void new_octets_at_a_closed_window_wait(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    window = 0;
    back(K, 500, 140, 0);
    forth(K, 140, 500, 1);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed);
    window = 1000;
    back(K, 500, 141, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_probed_ns, 2 * MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(measures_a_closed_window),
        TEST(nothing_waits_at_a_closed_window_without_a_probe),
        TEST(a_keep_alive_at_a_closed_window_waits_for_nothing),
        TEST(new_octets_at_a_closed_window_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
