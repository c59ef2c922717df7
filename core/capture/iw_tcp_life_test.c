#include "iw_tcp_life.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#define MS UINT64_C(1000000)
enum { S = IW_TCP_SYN, K = IW_TCP_ACK, F = IW_TCP_FIN, R = IW_TCP_RST };

/* One connection: side A begins at sequence number 100, side B at 500. Each segment is the next frame. */
static struct iw_tcp_life life;
static uint64_t frame, now;
static uint16_t window;
static uint32_t sacked;

static int reset(void **state) {
    (void)state;
    iw_tcp_life_dispose(&life);
    iw_tcp_life_init(&life);
    frame = now = 0;
    window = 1000;
    sacked = 0;
    return 0;
}

static void sends(enum iw_side side, uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    struct iw_tcp_segment segment = {
        .flags = flags, .seq = seq, .ack = ack, .length = octets, .window = window, .sacked = sacked};

    segment.frame = ++frame;
    segment.time_ns = now += MS;
    if (flags & IW_TCP_SYN)
        segment.mss = 1460;
    iw_tcp_life_segment(&life, side, &segment);
}

static void forth(uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    sends(IW_SIDE_A, flags, seq, ack, octets);
}

static void back(uint8_t flags, uint32_t seq, uint32_t ack, uint32_t octets) {
    sends(IW_SIDE_B, flags, seq, ack, octets);
}

static void opens(void) {
    forth(S, 99, 0, 0);
    back(S | K, 499, 100, 0);
    forth(K, 100, 500, 0);
}

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
#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, reset)
    const struct CMUnitTest tests[] = {
        TEST(knows_a_plain_connection),
        TEST(keeps_the_size_of_copies_before_a_smaller_one),
        TEST(counts_a_segment_sent_until_it_is_acknowledged),
        TEST(knows_the_largest_segment_that_arrived),
        TEST(tells_late_segments_from_retransmissions),
        TEST(tells_several_late_segments),
        TEST(takes_a_hole_for_lost_octets_after_three_duplicates),
        TEST(measures_a_closed_window),
        TEST(nothing_waits_at_a_closed_window_without_a_probe),
        TEST(a_keep_alive_at_a_closed_window_waits_for_nothing),
        TEST(new_octets_at_a_closed_window_wait),
        TEST(knows_acknowledged_octets_that_are_sent_again),
        TEST(a_copy_is_not_sent_again),
        TEST(copies_of_a_slow_mirror_are_not_sent_again),
        TEST(a_duplicate_acknowledgement_is_no_copy),
        TEST(without_times_there_are_no_copies),
        TEST(knows_octets_that_the_capture_lacks),
        TEST(knows_when_a_side_had_sent_no_more),
        TEST(knows_that_a_later_segment_arrived),
        TEST(knows_the_largest_of_several_segments),
        TEST(counts_keep_alive_probes_without_an_answer),
        TEST(knows_a_reset_by_a_host_without_the_connection),
        TEST(knows_a_host_that_connects_again),
        TEST(a_syn_that_is_sent_again_begins_nothing),
        TEST(a_reset_shows_what_was_sent),
        TEST(a_reset_by_a_program_has_an_ack),
        TEST(counts_duplicate_acknowledgements),
        TEST(counts_segments_that_exceed_the_mss),
        TEST(sequence_numbers_wrap),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
