#include "iw_tcp_life_test.h"

static void knows_a_plain_connection(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 1460);
    back(K, 500, 1560, 20);
    forth(F | K, 1560, 520, 0);
    back(F | K, 520, 1561, 0);
    assert_int_equal(life.side[IW_SIDE_A].mss, 1460);
    assert_int_equal(life.side[IW_SIDE_A].largest_octets, 1460);
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 1460);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->oversize, 0);
    assert_int_equal(life.side[IW_SIDE_A].fin_frame, 6);
    assert_int_equal(life.side[IW_SIDE_B].fin_frame, 7);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions +
                         iw_tcp_life_trouble(&life, IW_SIDE_B)->retransmissions,
        0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_B)->zero_windows, 0);
}

/* RFC 4821: a host that looks for the MTU of the path sends the same octets in smaller segments. */
static void keeps_the_size_of_copies_before_a_smaller_one(void **state) {
    const struct iw_tcp_resend *longest;

    (void)state;
    opens();
    for (unsigned i = 0; i < 4; i++)
        forth(K, 100, 500, 1460);
    forth(K, 100, 500, 500);
    back(K, 500, 600, 0);
    forth(K, 600, 500, 500);
    longest = &iw_tcp_life_trouble(&life, IW_SIDE_A)->longest;
    assert_int_equal(longest->count, 4);
    assert_int_equal(longest->octets, 500);
    assert_int_equal(longest->large_octets, 1460);
    assert_int_equal(longest->large_count, 3);
    back(K, 500, 1100, 0);
    assert_int_equal(longest->count, 4);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.large_octets, 0);
}

static void counts_a_segment_sent_until_it_is_acknowledged(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    forth(K, 100, 500, 40);
    forth(K, 100, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.count, 2);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.first.frame, 5);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.last.frame, 6);
    back(K, 500, 140, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.count, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->longest.count, 2);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 2);
}

/* Small segments arrive, one of full size never does. */
static void knows_the_largest_segment_that_arrived(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 200);
    back(K, 500, 300, 0);
    for (int i = 0; i < 5; i++)
        forth(K, 300, 500, 1460);
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 200);
    assert_int_equal(life.side[IW_SIDE_A].largest_octets, 1460);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.count, 4);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->resend.octets, 1460);
}

static void tells_late_segments_from_retransmissions(void **state) {
    (void)state;
    opens();
    forth(K, 140, 500, 40);
    forth(K, 100, 500, 40); /* 1 ms later */
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->late, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 0);
    forth(K, 220, 500, 40);
    now += 200 * MS;
    forth(K, 180, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->late, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 1);
}

/* Two late segments at once, and one that comes into the middle of a hole. */
static void tells_several_late_segments(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 0);
    forth(K, 140, 500, 40);
    forth(K, 220, 500, 40);
    forth(K, 100, 500, 40);
    forth(K, 180, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->late, 2);
    back(K, 500, 260, 0);
    forth(K, 380, 500, 40);
    forth(K, 300, 500, 40);
    forth(K, 340, 500, 40);
    forth(K, 260, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->late, 5);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 0);
    forth(K, 300, 500, 40); /* there was no hole any more */
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 1);
}

/* RFC 5681 3.2: the third duplicate acknowledgement asks for the octets again. */
static void takes_a_hole_for_lost_octets_after_three_duplicates(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 0);
    forth(K, 140, 500, 40);
    back(K, 500, 100, 0);
    back(K, 500, 100, 0);
    now += 100 * MS;
    forth(K, 100, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->late, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 0);
    back(K, 500, 180, 0);
    forth(K, 220, 500, 40);
    for (int i = 0; i < 3; i++)
        back(K, 500, 180, 0);
    forth(K, 180, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->late, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 1);
}

/* An acknowledgement that did not arrive, or came too late. */
static void knows_acknowledged_octets_that_are_sent_again(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    forth(K, 100, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->acked_again.frame, 0);
    back(K, 500, 140, 0);
    forth(K, 100, 500, 40);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->acked_again.frame, 7);
}

/* What the other side acknowledges was sent, whether captured or not. */
static void knows_octets_that_the_capture_lacks(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 20);
    forth(K, 100, 520, 40);
    assert_false(iw_tcp_life_lacks(&life, IW_SIDE_B));
    forth(K, 140, 521, 40);
    assert_true(iw_tcp_life_lacks(&life, IW_SIDE_B)); /* one octet, or a FIN */
    back(F | K, 520, 180, 0);
    assert_false(iw_tcp_life_lacks(&life, IW_SIDE_B));
    back(K, 530, 180, 0);
    assert_true(iw_tcp_life_lacks(&life, IW_SIDE_B));
}

/* RFC 9293 3.4: a segment without octets has the number of the next octet. */
static void knows_when_a_side_had_sent_no_more(void **state) {
    (void)state;
    opens();
    back(K, 500, 100, 20);
    forth(K, 100, 520, 0);
    assert_int_equal(life.side[IW_SIDE_B].complete.frame, 0);
    now += 5000 * MS;
    back(K, 520, 100, 0);
    assert_int_equal(life.side[IW_SIDE_B].complete.frame, 6);
    back(K, 530, 100, 0); /* ten octets are missing before it */
    assert_int_equal(life.side[IW_SIDE_B].complete.frame, 6);
    back(R, 520, 0, 0); /* this number is that of the segment that it answers */
    assert_int_equal(life.side[IW_SIDE_B].complete.frame, 6);
}

/* RFC 2018 3: a later segment arrived, this one does not. */
static void knows_that_a_later_segment_arrived(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 1460);
    forth(K, 1560, 500, 40);
    back(K, 500, 100, 0);
    forth(K, 100, 500, 1460);
    assert_false(iw_tcp_life_is_passed(&life, IW_SIDE_A));
    sacked = 1500;
    back(K, 500, 100, 0);
    assert_true(iw_tcp_life_is_passed(&life, IW_SIDE_A));
    sacked = 0;
    back(K, 500, 1600, 0);
    assert_false(iw_tcp_life_is_passed(&life, IW_SIDE_A));
}

/* Of segments in flight, the first may be acknowledged alone. */
static void knows_the_largest_of_several_segments(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 124);
    forth(K, 224, 500, 724);
    back(K, 500, 224, 0);
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 124);
    forth(K, 948, 500, 724);
    back(K, 500, 948, 0);
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 724);
    for (uint32_t octets = 1000, seq = 1672; octets < 1006; seq += octets++)
        forth(K, seq, 500, octets);
    back(K, 500, 1672 + 1000 + 1001, 0);
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 1001);
    back(K, 500, 1672 + 1000 + 1001 + 1002 + 1003, 0); /* more sizes than are kept: at most the largest */
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 1005);
}

static void counts_keep_alive_probes_without_an_answer(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    back(K, 500, 140, 0);
    forth(K, 139, 500, 0);
    back(K, 500, 140, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes_unanswered, 0);
    now += 7000 * MS;
    forth(K, 139, 500, 1);
    forth(K, 139, 500, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes, 3);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probes_unanswered, 2);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->probe_first_frame, 8);
    assert_int_equal(life.idle_ns, 7001 * MS);
    assert_int_equal(life.idle_end_frame, 8);
}

static void counts_duplicate_acknowledgements(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 40);
    back(K, 500, 140, 0);
    back(K, 500, 140, 0); /* nothing in flight: no duplicate */
    forth(K, 180, 500, 40);
    back(K, 500, 140, 0);
    back(K, 500, 140, 0);
    assert_int_equal(life.side[IW_SIDE_B].dup_acks, 2);
}

static void counts_segments_that_exceed_the_mss(void **state) {
    (void)state;
    opens();
    forth(K, 100, 500, 1461);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->oversize, 1);
}

/* Sequence numbers wrap (RFC 9293 3.4). */
static void sequence_numbers_wrap(void **state) {
    (void)state;
    forth(K, 0xFFFFFFF0, 500, 32);
    back(K, 500, 16, 0);
    forth(K, 16, 500, 32);
    forth(K, 16, 500, 32);
    back(K, 500, 48, 0);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->retransmissions, 1);
    assert_int_equal(iw_tcp_life_trouble(&life, IW_SIDE_A)->longest.count, 1);
    assert_int_equal(life.side[IW_SIDE_A].largest_acked_octets, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(knows_a_plain_connection),
        TEST(keeps_the_size_of_copies_before_a_smaller_one),
        TEST(counts_a_segment_sent_until_it_is_acknowledged),
        TEST(knows_the_largest_segment_that_arrived),
        TEST(tells_late_segments_from_retransmissions),
        TEST(tells_several_late_segments),
        TEST(takes_a_hole_for_lost_octets_after_three_duplicates),
        TEST(knows_acknowledged_octets_that_are_sent_again),
        TEST(knows_octets_that_the_capture_lacks),
        TEST(knows_when_a_side_had_sent_no_more),
        TEST(knows_that_a_later_segment_arrived),
        TEST(knows_the_largest_of_several_segments),
        TEST(counts_keep_alive_probes_without_an_answer),
        TEST(counts_duplicate_acknowledgements),
        TEST(counts_segments_that_exceed_the_mss),
        TEST(sequence_numbers_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
