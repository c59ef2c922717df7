#include "iw_tcp_life_test.h"

/* Segments that were captured several times. */

/* A segment that is captured again within microseconds: the same port was mirrored twice. */
static void again_after_us(
    enum iw_side side, uint64_t us, uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    now -= MS - 1000 * us;
    sends(side, flags, seq, ack, octets);
}

static void a_copy_is_not_sent_again(void **state) {
    (void)state;
    now = 5 * MS;
    forth(S, 99, 0, 0);
    again_after_us(IW_SIDE_A, 2, S, 99, 0, 0);
    back(S | K, 499, 100, 0);
    again_after_us(IW_SIDE_B, 2, S | K, 499, 100, 0);
    forth(K, 100, 500, 0);
    for (int i = 0; i < 4; i++)
        again_after_us(IW_SIDE_A, 2, K, 100, 500, 40);
    back(K, 500, 140, 0);
    again_after_us(IW_SIDE_B, 2, K, 500, 140, 0);
    forth(K, 139, 500, 0); /* a keep-alive probe */
    again_after_us(IW_SIDE_A, 2, K, 139, 500, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.count, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes_unanswered, 1);
    assert_int_equal(life.side[IW_SIDE_A].segments, 4);
    assert_int_equal(life.side[IW_SIDE_A].copies, 5);
    assert_int_equal(life.side[IW_SIDE_A].copy_frame, 2);
    assert_int_equal(life.side[IW_SIDE_B].segments, 2);
    assert_int_equal(life.side[IW_SIDE_B].copies, 2);
}

/* A SYN is sent again after 1 s at first (RFC 6298 2.1), so a copy of it within 1 ms is one of a mirror port,
 * and the others come as late. */
static void copies_of_a_slow_mirror_are_not_sent_again(void **state) {
    (void)state;
    for (int mirrored = 0; mirrored <= 1; mirrored++) {
        reset(NULL);
        now = 5 * MS;
        forth(S, 99, 0, 0);
        if (mirrored)
            again_after_us(IW_SIDE_A, 400, S, 99, 0, 0);
        back(S | K, 499, 100, 0);
        forth(K, 100, 500, 0);
        for (uint32_t i = 0; i < 20; i++)
            again_after_us(IW_SIDE_A, 10, K, 100 + 40 * i, 500, 40);
        for (uint32_t i = 0; i < 20; i++)
            again_after_us(IW_SIDE_A, 10, K, 100 + 40 * i, 500, 40);
        assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, mirrored ? 0 : 20);
        assert_int_equal(life.side[IW_SIDE_A].copies, mirrored ? 21 : 0);
        again_after_us(IW_SIDE_A, 2000, K, 100, 500, 40);
        assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, mirrored ? 1 : 21);
    }
}

/* No retransmission is that fast, but duplicate acknowledgements are (RFC 5681 3.2). */
static void a_duplicate_acknowledgement_is_no_copy(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 0);
    forth(K, 140, 500, 40);
    for (int i = 0; i < 3; i++)
        again_after_us(IW_SIDE_B, 2, K, 500, 100, 0);
    assert_int_equal(life.side[IW_SIDE_B].dup_acks, 3);
    assert_int_equal(life.side[IW_SIDE_B].copies, 0);
    forth(K, 140, 500, 40); /* 1 ms later: sent again */
    assert_int_equal(life.side[IW_SIDE_A].copies, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 1);
}

/* Clocks without a value show no distance. */
static void without_times_there_are_no_copies(void **state) {
    (void)state;
    opens();
    now = 0;
    again_after_us(IW_SIDE_A, 0, K, 100, 500, 40);
    now = 0;
    again_after_us(IW_SIDE_A, 0, K, 100, 500, 40);
    assert_int_equal(life.side[IW_SIDE_A].copies, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_copy_is_not_sent_again),
        TEST(copies_of_a_slow_mirror_are_not_sent_again),
        TEST(a_duplicate_acknowledgement_is_no_copy),
        TEST(without_times_there_are_no_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
