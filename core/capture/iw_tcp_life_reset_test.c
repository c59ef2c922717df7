#include "iw_tcp_life_test.h"

/* RSTs and ICMP errors. */

/* RFC 9293 3.10.7.1: a RST in answer to a segment with ACK has no ACK. */
static void knows_a_reset_by_a_host_without_the_connection(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 20);
    now += 3000 * MS;
    forth(K, 100, 520, 40);
    back(R, 520, 0, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->rst_frame, 6);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_B)->rst_answers);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_B)->rst_after_octets);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->rst_silence_ns, 3002 * MS);
    assert_int_not_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->rst_before_frame, 0);
}

/* RFC 9293 3.10.7.4, RFC 5961 4.2: the other side acknowledges such a SYN, and the host answers with a RST.
 */
static void knows_a_host_that_connects_again(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    back(K, 500, 140, 0);
    forth(S, 5000, 0, 0);
    back(K, 500, 140, 0);
    forth(R, 140, 0, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->syn_again.frame, 6);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_answers);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_after_octets);
    assert_int_equal(life.side[IW_SIDE_A].next, 140);
    assert_false(iw_tcp_life_lacks(&life, IW_SIDE_A));
}

static void a_syn_that_is_sent_again_begins_nothing(void **state) {
    (void)state;
    forth(S, 99, 0, 0);
    forth(S, 99, 0, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->syn_again.frame, 0);
}

/* The number of a RST is the next one of its sender. */
static void a_reset_shows_what_was_sent(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    forth(R | K, 140, 500, 0);
    assert_false(iw_tcp_life_lacks(&life, IW_SIDE_A));
    back(R | K, 520, 140, 0);
    assert_true(iw_tcp_life_lacks(&life, IW_SIDE_B));
}

static void a_reset_by_a_program_has_an_ack(void **state) {
    (void)state;
    opens();
    forth(R | K, 100, 500, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_frame, 4);
    assert_false(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_answers);
}

/* RFC 9293 3.1: ACK of the header says that all octets before it have arrived, as it does in a segment of its
 * own. */
static void a_reset_may_acknowledge_octets(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 20);
    forth(R | K, 100, 520, 0);
    assert_false(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_after_octets);
    reset(state);
    opens();
    back(K, 500, 100, 20);
    forth(R | K, 100, 519, 0);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_after_octets);
    reset(state);
    opens();
    back(K, 499, 100, 1); /* a probe */
    forth(R | K, 100, 500, 0);
    assert_true(iw_tcp_life_trouble(&life, IW_SIDE_A)->rst_after_octets);
}

/* What RFC 791 3.1 calls Time to Live: a RST of another device has another one. */
static void knows_how_far_the_segments_of_a_side_came(void **state) {
    const struct iw_tcp_life_side *own = &life.side[IW_SIDE_B];

    (void)state;
    opens();
    assert_int_equal(own->hops_least, 0);
    hops = 60;
    back(K, 500, 100, 20);
    hops = 57;
    back(K, 520, 100, 20);
    hops = 63;
    back(R, 540, 0, 0);
    assert_int_equal(own->hops_least, 57);
    assert_int_equal(own->hops_most, 60);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->rst_hops, 63);
    assert_int_equal(life.side[IW_SIDE_A].hops_most, 0);
}

/* ---- ICMP errors ---- */

static void is_rejected(uint32_t seq, enum iw_icmp_kind kind) {
    const struct iw_icmp icmp = {.kind = kind, .type = 3, .mtu = kind == IW_ICMP_TOO_BIG ? 1280 : 0};
    const struct iw_tcp_segment segment = {.seq = seq, .frame = frame + 1, .time_ns = now + MS};

    frame = segment.frame;
    now = segment.time_ns;
    iw_tcp_life_rejected(&life, IW_SIDE_A, &segment, &icmp);
}

static void counts_icmp_errors_about_octets_that_were_sent(void **state) {
    const struct iw_tcp_trouble *trouble;

    (void)state;
    opens();
    forth(K, 100, 500, 1460);
    is_rejected(100, IW_ICMP_TOO_BIG);
    is_rejected(100, IW_ICMP_UNREACHABLE);
    is_rejected(100, IW_ICMP_PROHIBITED);
    trouble = iw_tcp_life_trouble(&life, IW_SIDE_A);
    assert_int_equal(trouble->too_big.count, 1);
    assert_int_equal(trouble->too_big.icmp.mtu, 1280);
    assert_int_equal(trouble->too_big.first.frame, 5);
    assert_int_equal(trouble->refused.count, 2);
    assert_int_equal(trouble->refused.icmp.kind, IW_ICMP_PROHIBITED);
    assert_int_equal(trouble->refused.seq, 100);
    assert_int_equal(trouble->refused.first.frame, 6);
    assert_int_equal(trouble->refused.last.frame, 7);
}

/* RFC 5927 4.1: whoever guesses the ports does not know the numbers. */
static void ignores_icmp_errors_about_other_octets(void **state) {
    (void)state;
    is_rejected(99, IW_ICMP_UNREACHABLE); /* before the first segment */
    opens();
    is_rejected(100, IW_ICMP_UNREACHABLE);
    is_rejected(100u - (1u << 25), IW_ICMP_UNREACHABLE);
    is_rejected(100u + (1u << 25), IW_ICMP_UNREACHABLE);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->refused.count, 0);
    is_rejected(99, IW_ICMP_UNREACHABLE); /* the SYN */
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->refused.count, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(knows_a_reset_by_a_host_without_the_connection),
        TEST(knows_a_host_that_connects_again),
        TEST(a_syn_that_is_sent_again_begins_nothing),
        TEST(a_reset_shows_what_was_sent),
        TEST(a_reset_by_a_program_has_an_ack),
        TEST(a_reset_may_acknowledge_octets),
        TEST(knows_how_far_the_segments_of_a_side_came),
        TEST(counts_icmp_errors_about_octets_that_were_sent),
        TEST(ignores_icmp_errors_about_other_octets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
