#include "iw_tcp_stream_test.h"

/* Missing octets: which segment proves that they were sent, and how long later octets wait for them. */

/* The SYN and octets 0 and 1: frames 1 and 2. */
static void begin_with_ab(struct fixture *f) {
    send(f, 99, S, "");
    send(f, 100, 0, "ab");
}

/* ---- holes and acknowledgements ---- */

static void acknowledged_hole_is_a_gap_at_once(void **state) {
    struct fixture *f = *state;
    begin_with_ab(f);
    send(f, 105, 0, "fg");
    send(f, 109, 0, "jk");
    acked(f, 102);
    expect(f, "A0^@1 A0=ab@2 ");
    acked(f, 107);
    expect(f, "A2?3@3 A5=fg@3 ");
    acked(f, 111);
    expect(f, "A7?2@4 A9=jk@4 ");
    assert_int_equal(f->stream.counters.lost, 5);
    assert_int_equal(f->stream.counters.unseen, 5);
    send(f, 102, 0, "cde");
    expect(f, "");
}

static void hole_acknowledged_in_part(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 106, 0, "g");
    acked(f, 103);
    expect(f, "A0^@1 A0?3@2 ");
    send(f, 102, 0, "cdef");
    expect(f, "A3=def@4 A6=g@2 ");
    assert_int_equal(f->stream.counters.lost, 3);
    assert_int_equal(f->stream.counters.unseen, 3);
}

/* The acknowledgement may be captured before what it acknowledges. */
static void acknowledgement_overtakes_data(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    acked(f, 104);
    send(f, 100, 0, "ab");
    send(f, 102, 0, "cd");
    acked(f, 102);
    expect(f, "A0^@1 A0=ab@3 A2=cd@4 ");
    acked(f, 110);
    send(f, 107, 0, "h");
    expect(f, "A4?3@7 A7=h@7 ");
}

static void acknowledgement_overtaken_by_a_later_one(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    acked(f, 110);
    acked(f, 102);
    send(f, 107, 0, "h");
    expect(f, "A0^@1 A0?7@4 A7=h@4 ");
}

static void hole_before_the_fin_is_acknowledged(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 103, F, "");
    expect(f, "A0^@1 ");
    acked(f, 104);
    expect(f, "A0?3@2 A3$@2 ");
}

static void holes_at_the_end_of_the_capture(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    send(f, 105, F, "f");
    finish(f);
    expect(f, "A0^@1 A0?2@2 A2=c@2 A3?2@3 A5=f@3 A6$@3 ");
    assert_int_equal(f->stream.counters.lost, 4);
    assert_int_equal(f->stream.counters.unseen, 0);
}

static void acknowledged_but_never_captured_at_the_end(void **state) {
    struct fixture *f = *state;
    begin_with_ab(f);
    acked(f, 110);
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2?8@3 ");
    assert_int_equal(f->stream.counters.unseen, 8);
}

/* The last number may be the FIN: so it counts as outside the stream, and is not reported as a gap. */
static void fin_never_captured(void **state) {
    struct fixture *f = *state;
    begin_with_ab(f);
    acked(f, 103);
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2x1@3 ");
}

/* ---- numbers of segments without octets ---- */

static void shown_by_an_acknowledgement(void **state) {
    struct fixture *f = *state;
    begin_with_ab(f);
    send(f, 109, 0, "");
    send(f, 105, 0, "");
    send(f, 102, 0, "c");
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2=c@5 A3?6@5 ");
    assert_int_equal(f->stream.counters.lost, 6);
    assert_int_equal(f->stream.counters.unseen, 0);
}

/* The garbage octet of a keep-alive probe does not fill the hole. */
static void garbage_does_not_fill_a_hole(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    acked(f, 103);
    send(f, 102, 0, "#");
    send(f, 100, 0, "abc");
    finish(f);
    expect(f, "A0^@1 A0=abc@4 ");
}

/* The same, without the acknowledgement: the copy in a longer segment is the one of the stream. */
static void garbage_yields_to_a_longer_copy(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "#");
    send(f, 100, 0, "abc");
    finish(f);
    expect(f, "A0^@1 A0=ab@3 A2=c@3 ");
    assert_int_equal(f->stream.counters.differing, 0);
}

static void shown_and_then_captured(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "");
    send(f, 100, 0, "ab");
    finish(f);
    expect(f, "A0^@1 A0=ab@3 ");
}

/* The sequence number after `ab` counts one octet, or a FIN. After the FIN it proves nothing. */
static void fin_or_octet_is_not_a_gap(void **state) {
    struct fixture *f = *state;
    begin_with_ab(f);
    send(f, 103, 0, "");
    finish(f);
    expect(f, "A0^@1 A0=ab@2 A2x1@3 ");
    send(f, 102, F, "");
    send(f, 110, 0, "");
    finish(f);
    expect(f, "A2$@4 ");
}

static void shown_too_far_away(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 101 + (1 << 24), 0, "");
    send(f, 0x70000000, 0, "");
    finish(f);
    expect(f, "A0^@1 ");
}

static void more_than_a_window_is_lost(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    acked(f, 0x70000000);
    send(f, 0x70000001, 0, "x");
    expect(f, "A0^@1 A0?2@2 A2=c@2 A3?1879048090@4 A1879048093=x@4 ");
}

/* ---- limits of held octets ---- */

static void limit_of_octets(void **state) {
    struct fixture *f = *state;
    f->pool.stream_octets = 6;
    send(f, 99, S, "");
    send(f, 102, 0, "cde");
    send(f, 106, 0, "ghi");
    expect(f, "A0^@1 ");
    send(f, 110, 0, "k");
    expect(f, "A0~2@2 A2=cde@2 ");
    send(f, 105, 0, "f");
    expect(f, "A5=f@5 A6=ghi@3 ");
    send(f, 120, 0, "uvwxyz!");
    expect(f, "A9~1@4 A10=k@4 A11~9@6 A20=uvwxyz!@6 ");
    assert_int_equal(f->stream.counters.limited, 12);
    assert_int_equal(f->stream.counters.lost, 0);
}

static void limit_of_segments(void **state) {
    struct fixture *f = *state;
    f->pool.stream_segments = 2;
    send(f, 99, S, "");
    send(f, 106, 0, "g");
    send(f, 104, 0, "e");
    send(f, 102, 0, "c");
    expect(f, "A0^@1 A0~2@4 A2=c@4 ");
    send(f, 108, F, "");
    expect(f, "A3~1@3 A4=e@3 ");
    send(f, 105, 0, "f");
    expect(f, "A5=f@6 A6=g@2 ");
}

static void limit_of_all_streams(void **state) {
    struct fixture *f = *state;
    f->pool.octets = 1;
    send(f, 99, S, "");
    send(f, 102, 0, "c");
    send(f, 105, F, "");
    expect(f, "A0^@1 A0~2@2 A2=c@2 A3~2@3 A5$@3 ");
}

/* Octets that the other side has received will not come again. */
static void acknowledged_at_the_limit(void **state) {
    struct fixture *f = *state;
    f->pool.stream_octets = 2;
    send(f, 99, S, "");
    acked(f, 104);
    send(f, 110, 0, "klm");
    expect(f, "A0^@1 A0?4@3 A4~6@3 A10=klm@3 ");
    assert_int_equal(f->stream.counters.lost, 4);
    assert_int_equal(f->stream.counters.unseen, 4);
    assert_int_equal(f->stream.counters.limited, 6);
}

/* ---- octets that were not captured ---- */

static void packets_cut_by_the_snapshot_length(void **state) {
    struct fixture *f = *state;
    send(f, 99, S, "");
    send_cut(f, 100, 0, "abcdef", 2);
    send_cut(f, 106, 0, "ghi", 0);
    send_cut(f, 112, F, "mno", 1);
    send(f, 100, 0, "abcdefghi");
    send(f, 109, 0, "jkl");
    expect(f, "A0^@1 A0=ab@2 A2!4@2 A6!3@3 A9=jkl@6 A12=m@4 A13!2@4 A15$@4 ");
    assert_int_equal(f->stream.counters.cut, 9);
    assert_int_equal(f->stream.counters.lost, 0);
    assert_int_equal(f->stream.counters.octets, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(acknowledged_hole_is_a_gap_at_once),
        TEST(hole_acknowledged_in_part),
        TEST(acknowledgement_overtakes_data),
        TEST(acknowledgement_overtaken_by_a_later_one),
        TEST(hole_before_the_fin_is_acknowledged),
        TEST(holes_at_the_end_of_the_capture),
        TEST(acknowledged_but_never_captured_at_the_end),
        TEST(fin_never_captured),
        TEST(limit_of_octets),
        TEST(limit_of_segments),
        TEST(limit_of_all_streams),
        TEST(acknowledged_at_the_limit),
        TEST(packets_cut_by_the_snapshot_length),
        TEST(shown_by_an_acknowledgement),
        TEST(garbage_does_not_fill_a_hole),
        TEST(garbage_yields_to_a_longer_copy),
        TEST(shown_and_then_captured),
        TEST(fin_or_octet_is_not_a_gap),
        TEST(shown_too_far_away),
        TEST(more_than_a_window_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
