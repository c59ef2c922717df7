#include "iw_tcp_stream_test.h"

static void in_order(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "");
    send(f, 100, 0, "abc");
    send(f, 103, 0, "de");
    send(f, 105, F, "f");
    expect(f, "A0^@1 A0=abc@3 A3=de@4 A5=f@5 A6$@5 ");
    finish(f);
    expect(f, "");
    assert_int_equal(f->stream.counters.octets, 6);
    assert_int_equal(f->stream.counters.segments, 5);
    assert_int_equal(f->stream.counters.retransmitted, 0);
}

static const uint8_t *seen_octets;

static void remember_octets(void *context, const struct iw_chunk *chunk) {
    (void)context;
    seen_octets = chunk->octets;
}

static void in_order_octets_are_not_copied(void **state) {
    struct fixture *f = *state;
    f->output.chunk = remember_octets;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, 100, 0, "abc");
    iw_tcp_stream_segment(&f->stream, &f->output, &segment);
    assert_ptr_equal(seen_octets, segment.payload);
    assert_null(f->stream.pending);
}

static void time_and_frame_are_those_of_the_packet(void **state) {
    struct fixture *f = *state;
    struct iw_tcp_segment late = iw_tcp_recorder_segment(7, 103, 0, "de");
    struct iw_tcp_segment early = iw_tcp_recorder_segment(9, 100, 0, "abc");
    send(f, 99, S, "");
    iw_tcp_stream_segment(&f->stream, &f->output, &late);
    iw_tcp_stream_segment(&f->stream, &f->output, &early);
    flow_hand_over(f);
    expect(f, "A0^@1 A0=abc@9 A3=de@7 ");
}

static void retransmission(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abcdef");
    send(f, 100, 0, "abcdef");
    send(f, 102, 0, "cd");
    send(f, 104, 0, "efgh");
    expect(f, "A0^@1 A0=abcdef@2 A6=gh@5 ");
    assert_int_equal(f->stream.counters.retransmitted, 10);
    assert_int_equal(f->stream.counters.octets, 8);
}

static void syn_is_repeated(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    send(f, 99, S, "");
    send(f, 499, S, "");
    expect(f, "A0^@1 A0=a@3 ");
    assert_int_equal(f->stream.counters.stray, 1);
}

static void syn_carries_octets(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "ab");
    send(f, 102, 0, "c");
    expect(f, "A0^@1 A0=ab@1 A2=c@2 ");
}

static void reordering(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 106, F, "g");
    send(f, 103, 0, "d");
    send(f, 101, 0, "bc");
    send(f, 104, 0, "ef");
    expect(f, "A0^@1 ");
    send(f, 100, 0, "a");
    expect(f, "A0=a@6 A1=bc@4 A3=d@3 A4=ef@5 A6=g@2 A7$@2 ");
    assert_int_equal(f->stream.counters.out_of_order, 4);
    assert_null(f->stream.pending);
}

static void first_octets_win_over_held_back_ones(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "CD");
    send(f, 106, 0, "GH");
    send(f, 101, 0, "bcdefghi");
    send(f, 102, 0, "cd");
    assert_int_equal(f->stream.counters.differing, 6);
    send(f, 100, 0, "a");
    expect(f, "A0^@1 A0/4@4 A0/2@5 A0=a@6 A1=b@4 A2=CD@2 A4=ef@4 A6=GH@3 A8=i@4 ");
}

static void first_octets_win_when_the_hole_is_filled(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "CD");
    send(f, 105, 0, "FG");
    send(f, 100, 0, "abcdefgh");
    expect(f, "A0^@1 A0=ab@4 A2=CD@2 A4/2@4 A4=e@4 A5=FG@3 A7/2@4 A7=h@4 ");
    assert_int_equal(f->stream.counters.differing, 4);
    assert_int_equal(f->stream.counters.retransmitted, 4);
}

/* By their sums, segment by segment. */
static void octets_handed_over_are_compared_with_a_retransmission(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abcd");
    send(f, 104, 0, "efgh");
    send(f, 104, 0, "efgh");
    send(f, 100, 0, "abcdeXgh");
    send(f, 102, 0, "XX"); /* part of a segment */
    expect(f, "A0^@1 A0=abcd@2 A4=efgh@3 A8/4@5 ");
    assert_int_equal(f->stream.counters.differing, 4);
}

/* An acknowledged copy was received; a single octet may be a keep-alive probe. */
static void acknowledged_octets_and_probes_are_not_compared(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abcd");
    acked(f, 104);
    send(f, 100, 0, "Xbcd");
    send(f, 104, 0, "e");
    send(f, 104, 0, "X");
    expect(f, "A0^@1 A0=abcd@2 A4=e@5 ");
}

static void sequence_numbers_wrap(void **state) {
    struct fixture *f = *state;
    send(f, 0xfffffffd, S, "");
    send(f, 0xfffffffe, 0, "abcd");
    send(f, 4, 0, "gh");
    send(f, 2, 0, "ef");
    send(f, 0xffffffff, 0, "bcd");
    send(f, 6, F, "");
    expect(f, "A0^@1 A0=abcd@2 A4=ef@4 A6=gh@3 A8$@6 ");
}

static void offsets_do_not_wrap(void **state) {
    static uint8_t octets[1u << 20];
    struct fixture *f = *state;
    f->output.chunk = remember_octets;
    struct iw_tcp_segment segment = iw_tcp_recorder_segment(1, 0, 0, "");
    segment.length = segment.captured = sizeof octets;
    segment.payload = octets;
    for (uint32_t i = 0; i < 4096 + 2; i++, segment.seq += segment.length)
        iw_tcp_stream_segment(&f->stream, &f->output, &segment);
    f->output.chunk = iw_tcp_recorder_chunk;
    send(f, 2u << 20, 0, "x");
    expect(f, "A4297064448=x@1 ");
}

static void fin_before_missing_data(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 104, F, "");
    send(f, 104, F, "");
    send(f, 102, 0, "cdefg");
    send(f, 110, 0, "x");
    expect(f, "A0^@1 A0x3@4 A0/1@4 A0x1@5 A0/1@5 ");
    assert_int_equal(f->stream.counters.outside, 4);
    send(f, 100, 0, "ab");
    expect(f, "A0=ab@6 A2=cd@4 A4$@2 ");
}

static void data_beyond_the_fin(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, F, "ab");
    send(f, 102, 0, "cd");
    send(f, 103, 0, "");
    send(f, 110, 0, "x");
    send(f, 100, F, "ab");
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2$@2 A2x2@3 A2x1@5 ");
    assert_int_equal(f->stream.counters.outside, 3);
}

/* Octets captured first stay, so a FIN among them is wrong. */
static void fin_before_octets_already_seen(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 105, 0, "f");
    send(f, 103, F, "");
    send(f, 100, 0, "abcde");
    send(f, 101, F, "");
    expect(f, "A0^@1 A0/1@3 A0=abcde@4 A5=f@2 A6/1@5 ");
    assert_int_equal(f->stream.counters.stray, 2);
}

static void reset(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    send(f, 103, R, "why");
    send(f, 103, R, "");
    send(f, 100, 0, "ab");
    finish(f);
    expect(f, "A0^@1 A0=ab@5 A2=c@2 A3#@3 ");
    assert_int_equal(f->stream.counters.outside, 0);
}

static void reset_shows_octets_that_were_not_captured(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    send(f, 105, R, "");
    finish(f);
    expect(f, "A0^@1 A0=a@2 A1x4@3 A1#@3 ");
    assert_int_equal(f->stream.counters.outside, 4);
}

/* The receiver of the RST expects octet 105 or a later one (RFC 9293 3.10.7.4), so the octets after it are
 * read. */
static void reset_within_the_window_does_not_end_the_stream(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abcde");
    send(f, 150, R, "");
    send(f, 105, 0, "fgh");
    send(f, 108, 0, "i");
    acked(f, 109);
    send(f, 108, R, "");
    send(f, 109, F, "");
    finish(f);
    expect(f, "A0^@1 A0=abcde@2 A5=fgh@4 A8=i@5 A9$@8 ");
    assert_int_equal(f->stream.counters.stray, 2);
}

/* Octets after a RST that seemed valid: a hole before them had delayed the RST. */
static void octets_in_sequence_refute_a_reset(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abc");
    send(f, 103, R, "");
    send(f, 103, 0, "def");
    finish(f);
    expect(f, "A0^@1 A0=abc@2 A3=def@4 ");
    assert_int_equal(f->stream.counters.stray, 1);
}

/* The FIN shows where the stream ends. */
static void reset_beyond_the_fin(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abc");
    send(f, 110, R, "");
    send(f, 103, F, "");
    send(f, 104, R, "");
    finish(f);
    expect(f, "A0^@1 A0=abc@2 A3$@4 A3#@5 ");
}

static void reset_from_another_time(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 0x80000000, R, "");
    send(f, 100, 0, "a");
    expect(f, "A0^@1 A0=a@3 ");
    assert_int_equal(f->stream.counters.stray, 1);
}

static void reset_alone(void **state) {
    struct fixture *f = *state;
    send(f, 0, R, "");
    finish(f);
    expect(f, "A0#@1 ");
}

static void start_in_the_middle(void **state) {
    struct fixture *f = *state;
    acked(f, 5000);
    send(f, 5000, 0, "ab");
    send(f, 4998, 0, "yzab");
    send(f, 4000, 0, "k");
    send(f, 5002, 0, "c");
    expect(f, "A0=ab@2 A2x2@3 A2x1@4 A2=c@5 ");
    assert_int_equal(f->stream.counters.outside, 3);
    assert_int_equal(f->stream.counters.retransmitted, 2);
}

static void start_in_the_middle_with_an_acknowledgement(void **state) {
    struct fixture *f = *state;
    send(f, 5000, 0, "");
    send(f, 5002, 0, "cd");
    send(f, 5000, 0, "ab");
    expect(f, "A0=ab@3 A2=cd@2 ");
}

static void start_in_the_middle_with_a_keep_alive_probe(void **state) {
    struct fixture *f = *state;
    send(f, 4999, 0, "");
    send(f, 5000, 0, "ab");
    expect(f, "A0=ab@2 ");
}

static void syn_captured_late(void **state) {
    struct fixture *f = *state;
    send(f, 100, 0, "");
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    expect(f, "A0^@2 A0=a@3 ");
}

static void keep_alive_and_window_probes(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 99, 0, "#");
    send(f, 100, 0, "ab");
    send(f, 101, 0, "#");
    send(f, 101, 0, "");
    send(f, 102, 0, "c");
    send(f, 102, 0, "cd");
    expect(f, "A0^@1 A0=ab@3 A2=c@6 A3=d@7 ");
    assert_int_equal(f->stream.counters.retransmitted, 2);
    assert_int_equal(f->stream.counters.outside, 1);
}

static void stray_segment(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "a");
    send(f, 0x70000000, 0, "zzz");
    send(f, 0x90000000, F, "zzz");
    send(f, 101, 0, "b");
    expect(f, "A0^@1 A0=a@2 A1x3@3 A1x3@4 A1=b@5 ");
    assert_int_equal(f->stream.counters.stray, 2);
}

/* Acknowledged octets come again, with different content and new octets after them: those may belong to a
 * later connection between the same ports. */
static void acknowledged_octets_are_compared_if_new_ones_follow(void **state) {
    struct fixture *f = *state;
    send(f, 100, 0, "abcd");
    iw_tcp_stream_acked(&f->stream, 104);
    send(f, 100, 0, "abcdef");
    send(f, 100, 0, "xbcd");
    expect(f, "A0=abcd@1 A4=ef@2 ");
    iw_tcp_stream_acked(&f->stream, 106);
    send(f, 104, 0, "exgh");
    expect(f, "A6/2@4 A6=gh@4 ");
}

/* A FIN and octets after it are of different connections, whichever is captured first. */
static void fin_that_octets_follow(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 104, F, "");
    send(f, 100, 0, "abcdef");
    expect(f, "A0^@1 A0x2@3 A0/1@3 A0=abcd@3 A4$@2 ");
    assert_int_equal(f->stream.counters.differing, 1);
}

static void fin_before_captured_octets(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 100, 0, "abcdef");
    send(f, 104, F, "");
    expect(f, "A0^@1 A0=abcdef@2 A6/1@3 ");
    assert_int_equal(f->stream.counters.stray, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(in_order),
        TEST(in_order_octets_are_not_copied),
        TEST(time_and_frame_are_those_of_the_packet),
        TEST(retransmission),
        TEST(syn_is_repeated),
        TEST(syn_carries_octets),
        TEST(reordering),
        TEST(first_octets_win_over_held_back_ones),
        TEST(first_octets_win_when_the_hole_is_filled),
        TEST(octets_handed_over_are_compared_with_a_retransmission),
        TEST(acknowledged_octets_and_probes_are_not_compared),
        TEST(acknowledged_octets_are_compared_if_new_ones_follow),
        TEST(fin_that_octets_follow),
        TEST(fin_before_captured_octets),
        TEST(sequence_numbers_wrap),
        TEST(offsets_do_not_wrap),
        TEST(fin_before_missing_data),
        TEST(data_beyond_the_fin),
        TEST(fin_before_octets_already_seen),
        TEST(reset),
        TEST(reset_shows_octets_that_were_not_captured),
        TEST(reset_within_the_window_does_not_end_the_stream),
        TEST(octets_in_sequence_refute_a_reset),
        TEST(reset_beyond_the_fin),
        TEST(reset_from_another_time),
        TEST(reset_alone),
        TEST(start_in_the_middle),
        TEST(start_in_the_middle_with_an_acknowledgement),
        TEST(start_in_the_middle_with_a_keep_alive_probe),
        TEST(syn_captured_late),
        TEST(keep_alive_and_window_probes),
        TEST(stray_segment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
