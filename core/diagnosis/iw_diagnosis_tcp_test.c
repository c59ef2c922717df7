#include "iw_diagnosis_test.h"

/* The TCP connection below. */

#define MS UINT64_C(1000000)

/* 1,400 octets never arrive, 200 octets do. */
static void only_a_larger_segment_shows_a_black_hole(void **state) {
    struct iw_tcp_life_side *own = &life.side[IW_SIDE_A];

    (void)state;
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_B].last.frame = 20;
    own->largest_acked_octets = 200;
    tcp_trouble.resend =
        (struct iw_tcp_resend){.octets = 1400, .count = 4, .first = {10, SECOND}, .last = {19, 15 * SECOND}};
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE); /* the connection is open */
    ends(IW_LLP_CLOSE_ABORTIVE);
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_CERTAIN);
    life.side[IW_SIDE_B].last = (struct iw_tcp_mark){15, 3 * SECOND}; /* alive after some copies */
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
    life.side[IW_SIDE_B].last = (struct iw_tcp_mark){11, SECOND + 1}; /* after the first copy, then dead? */
    assert_string_equal(first(), "retransmissions");
    assert_string_equal(diagnosis.causes[1].cause->id, "mtu-black-hole");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    life.side[IW_SIDE_B].last.frame = 9;
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_string_equal(diagnosis.causes[1].cause->id, "peer-silent");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    life.side[IW_SIDE_B].last.frame = 20;
    own->largest_acked_octets = 1400; /* before the MTU of the path fell, perhaps */
    assert_string_equal(first(), "retransmissions");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "mtu-black-hole");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    life.side[IW_SIDE_B].last.frame = 9;
    assert_string_equal(first(), "peer-silent");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
    tcp_trouble.resend.count = 2;
    assert_string_equal(first(), "");
}

/* RFC 8200 5: every path of IPv6 takes packets of 1280 octets. */
static void a_segment_that_every_path_takes_shows_no_black_hole(void **state) {
    (void)state;
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_B].last.frame = 9;
    life.side[IW_SIDE_A].largest_acked_octets = 84;
    tcp_trouble.resend =
        (struct iw_tcp_resend){.octets = 724, .count = 9, .first = {10, SECOND}, .last = {19, 100 * SECOND}};
    ends(IW_LLP_CLOSE_ABORTIVE);
    assert_string_equal(first(), "peer-silent"); /* hardly any path of IPv4 drops it */
    assert_string_equal(diagnosis.causes[1].cause->id, "mtu-black-hole");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    facts.ipv6 = true;
    assert_string_equal(first(), "peer-silent");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 1);
    tcp_trouble.resend.octets = 1300;
    assert_string_equal(first(), "mtu-black-hole");
}

/* The other side sends again what was acknowledged: small segments are lost as well. */
static void a_dead_path_is_no_black_hole(void **state) {
    struct iw_tcp_trouble peer = {.retransmissions = 4, .acked_again = {18, 14 * SECOND}};

    (void)state;
    ends(IW_LLP_CLOSE_ABORTIVE);
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_B].last.frame = 20;
    life.side[IW_SIDE_A].largest_acked_octets = 200;
    tcp_trouble.resend =
        (struct iw_tcp_resend){.octets = 1400, .count = 4, .first = {10, SECOND}, .last = {16, 9 * SECOND}};
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
    life.side[IW_SIDE_B].trouble = &peer;
    assert_string_equal(first(), "retransmissions");
    assert_string_equal(diagnosis.causes[1].cause->id, "mtu-black-hole");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
    peer.acked_again.frame = 8; /* before */
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
}

/* Side A sends a segment of 48 octets four times more within `span_ns`; side B was captured before. */
static void unanswered(uint64_t span_ns) {
    ends(IW_LLP_CLOSE_ABORTIVE);
    life.side[IW_SIDE_B].segments = 3;
    life.side[IW_SIDE_B].last.frame = 5;
    tcp_trouble.resend = (struct iw_tcp_resend){
        .octets = 48, .count = 4, .first = {8, SECOND}, .last = {12, SECOND + span_ns}};
}

/* RFC 6298 2.4: no host sends a segment four times within milliseconds because there was no answer. */
static void silence_lasts_longer_than_a_timeout(void **state) {
    (void)state;
    unanswered(2 * MS);
    assert_string_equal(first(), "");
    unanswered(14 * SECOND);
    assert_string_equal(first(), "peer-silent");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
}

/* Side A has acknowledged octets of side B that the capture lacks. */
static void a_host_may_have_answered_outside_the_capture(void **state) {
    (void)state;
    unanswered(14 * SECOND);
    life.side[IW_SIDE_B].has_next = true;
    life.side[IW_SIDE_B].next = 552;
    life.side[IW_SIDE_B].shown = 584;
    assert_string_equal(first(), "peer-silent");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "lacks octets of the other host"));
}

/* RFC 9293 3.8.4: the answers to probes are segments of the other side. */
static void probes_need_both_directions(void **state) {
    (void)state;
    ends(IW_LLP_CLOSE_GRACEFUL);
    tcp_trouble.probes_unanswered = 5;
    tcp_trouble.probe_first_frame = 5;
    assert_string_equal(first(), "");
    life.side[IW_SIDE_B].segments = 3;
    assert_string_equal(first(), "keep-alive-death");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
    tcp_trouble.rst_frame = 4; /* before the probes, so not because of them */
    assert_string_equal(first(), "keep-alive-death");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
    tcp_trouble.rst_frame = 11;
    assert_string_equal(first(), "keep-alive-death");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_CERTAIN);
    assert_non_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "NAT drop idle connections"));
    facts.unanswered[IW_SIDE_A].count = 1; /* the connection was not idle */
    assert_string_equal(first(), "keep-alive-death");
    assert_non_null(strstr(diagnosis.causes[0].detail, "It waited for the other side"));
    assert_null(strstr(iw_diagnosed_next(&diagnosis.causes[0]), "idle"));
    life.side[IW_SIDE_B].has_next = true;
    life.side[IW_SIDE_B].shown = 1; /* an acknowledged FIN that was not captured */
    assert_string_equal(first(), "keep-alive-death");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
}

/* RFC 4821: the same octets arrive in a smaller segment. */
static void a_smaller_copy_that_arrives_shows_a_black_hole(void **state) {
    struct iw_tcp_resend *longest = &tcp_trouble.longest;

    (void)state;
    life.side[IW_SIDE_A].largest_acked_octets = 1448;
    *longest = (struct iw_tcp_resend){.octets = 500,
        .count = 6,
        .first = {10, SECOND},
        .last = {15, 9 * SECOND},
        .large_octets = 1448,
        .large_count = 5};
    assert_string_equal(first(), "mtu-black-hole");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_non_null(strstr(diagnosis.causes[0].detail, "1448 octets 5 times more"));
    longest->count = 7; /* smaller ones were lost as well */
    assert_string_equal(first(), "retransmissions");
    longest->count = 2;
    longest->large_count = 1; /* once is chance */
    assert_string_equal(first(), "");
}

/* RFC 9293 3.8.6.1: only a side that has octets to send probes a closed window. */
static void a_window_is_closed_for_a_side_that_probes_it(void **state) {
    (void)state;
    tcp_trouble.zero_windows = 1;
    tcp_trouble.zero_first_frame = 8;
    tcp_trouble.zero_longest_ns = 10 * SECOND;
    life.side[IW_SIDE_B].segments = 3;
    assert_string_equal(first(), "");
    tcp_trouble.zero_probed_ns = 3 * SECOND;
    assert_string_equal(first(), "zero-window");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_CERTAIN);
    assert_non_null(strstr(diagnosis.causes[0].detail, "for up to 3.000 s"));
    tcp_trouble.zero_probed_ns = 0;
    life.side[IW_SIDE_B].segments = 0; /* its probes are not captured */
    assert_string_equal(first(), "zero-window");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
}

static void both_sides_may_close_their_windows(void **state) {
    static struct iw_tcp_trouble other;

    (void)state;
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 9;
    tcp_trouble.zero_windows = other.zero_windows = 1;
    tcp_trouble.zero_first_frame = 8;
    other.zero_first_frame = 14;
    tcp_trouble.zero_probed_ns = other.zero_probed_ns = 2 * SECOND;
    life.side[IW_SIDE_B].trouble = &other;
    assert_string_equal(first(), "zero-window");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "zero-window");
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_A);
    assert_int_equal(diagnosis.causes[1].side, IW_SIDE_B);
    assert_int_equal(diagnosis.causes[1].frames[0], 14);
}

/* The window is still closed at the end, and the probes take no octets with them. */
static void an_early_probe_is_rather_one_of_the_window(void **state) {
    (void)state;
    tcp_trouble.zero_windows = 1;
    tcp_trouble.zero_first_frame = 8;
    tcp_trouble.zero_since = (struct iw_tcp_mark){8, SECOND};
    life.last.time_ns = 300 * SECOND;
    life.side[IW_SIDE_B].segments = 3;
    assert_string_equal(first(), "");
    tcp_trouble.zero_asked = (struct iw_tcp_mark){9, 76 * SECOND};
    assert_string_equal(first(), "");
    tcp_trouble.zero_asked.time_ns = 2 * SECOND;
    assert_string_equal(first(), "zero-window");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    tcp_trouble.zero_probed = true;
    assert_string_equal(first(), "zero-window");
    assert_int_equal(confidence(), IW_CONFIDENCE_CERTAIN);
}

static void disorder_has_evidence(void **state) {
    (void)state;
    life.side[IW_SIDE_A].segments = 29;
    life.side[IW_SIDE_B].dup_acks = tcp_trouble.late = 12;
    tcp_trouble.late_first_frame = 10;
    tcp_trouble.late_last_frame = 54;
    assert_string_equal(first(), "out-of-order");
    assert_int_equal(diagnosis.causes[0].frame_count, 2);
    assert_int_equal(diagnosis.causes[0].frames[0], 10);
    assert_int_equal(diagnosis.causes[0].frames[1], 54);
}

static void copies_are_a_note(void **state) {
    (void)state;
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 9;
    life.side[IW_SIDE_A].copies = 7;
    life.side[IW_SIDE_A].copy_frame = 9;
    life.side[IW_SIDE_B].copies = 1;
    life.side[IW_SIDE_B].copy_frame = 6;
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.note_count, 1);
    assert_string_equal(diagnosis.notes[0].cause->id, "capture-duplicates");
    assert_string_equal(diagnosis.notes[0].detail, "8 segments are identical to one within 100 us before.");
    assert_int_equal(diagnosis.notes[0].frames[0], 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(only_a_larger_segment_shows_a_black_hole),
        TEST(a_segment_that_every_path_takes_shows_no_black_hole),
        TEST(a_dead_path_is_no_black_hole),
        TEST(silence_lasts_longer_than_a_timeout),
        TEST(a_host_may_have_answered_outside_the_capture),
        TEST(probes_need_both_directions),
        TEST(a_smaller_copy_that_arrives_shows_a_black_hole),
        TEST(a_window_is_closed_for_a_side_that_probes_it),
        TEST(both_sides_may_close_their_windows),
        TEST(an_early_probe_is_rather_one_of_the_window),
        TEST(disorder_has_evidence),
        TEST(copies_are_a_note),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
