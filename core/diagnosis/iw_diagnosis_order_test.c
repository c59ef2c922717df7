#include "iw_diagnosis_test.h"

/* The window of side A was closed for 5 s while side B had octets to send, and opened at the time. */
static void window_opens_at(uint64_t time_ns) {
    life.side[IW_SIDE_A].segments = life.side[IW_SIDE_B].segments = 9;
    tcp_trouble.zero_windows = 1;
    tcp_trouble.zero_first_frame = 8;
    tcp_trouble.zero_probed_ns = 5 * SECOND;
    tcp_trouble.zero_waited_ns = time_ns;
}

/* Side A closes in the middle of a frame at 40 s. */
static void is_cut_off(void) {
    ends(IW_LLP_CLOSE_ABORTIVE);
    history.side[IW_SIDE_A].close.time_ns = 40 * SECOND;
    history.side[IW_SIDE_B].close_unfinished = true;
}

static void a_delay_alone_is_a_cause(void **state) {
    (void)state;
    window_opens_at(10 * SECOND);
    ends(IW_LLP_CLOSE_GRACEFUL);
    history.side[IW_SIDE_A].close.time_ns = 40 * SECOND;
    assert_string_equal(first(), "zero-window");
    assert_non_null(strstr(diagnosis.causes[0].detail, "It was over 30.000 s before the end."));
    assert_int_equal(diagnosis.note_count, 0);
}

static void a_delay_that_was_over_does_not_explain_a_failure(void **state) {
    (void)state;
    window_opens_at(10 * SECOND);
    is_cut_off();
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    assert_int_equal(iw_conclusion_of(&facts, &diagnosis), IW_CONCLUSION_NOT_KNOWN);
    assert_int_equal(diagnosis.note_count, 1);
    assert_string_equal(diagnosis.notes[0].cause->id, "zero-window");
}

static void a_delay_directly_before_the_end_may_explain_it(void **state) {
    (void)state;
    window_opens_at(40 * SECOND - SECOND / 2);
    is_cut_off();
    assert_string_equal(first(), "zero-window");
    assert_null(strstr(diagnosis.causes[0].detail, "It was over"));
}

/* RFC 9293 3.8.6: the window is closed again at the end. */
static void a_delay_that_lasts_may_explain_the_end(void **state) {
    (void)state;
    window_opens_at(10 * SECOND);
    tcp_trouble.zero_since = (struct iw_tcp_mark){9, 12 * SECOND};
    tcp_trouble.zero_probed = true;
    life.last.time_ns = 40 * SECOND;
    is_cut_off();
    assert_string_equal(first(), "zero-window");
}

static void what_ended_it_comes_before_a_certain_delay(void **state) {
    struct iw_history_message send = {.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5};

    (void)state;
    window_opens_at(10);
    rejects(IW_ERROR_RDMAP_LOCAL_CATASTROPHIC, &send, 1);
    trouble.terminate.has_header = trouble.terminate.has_message = false;
    assert_string_equal(first(), "local-error");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "zero-window");
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_CERTAIN);
}

static void disorder_that_was_repaired_comes_last(void **state) {
    (void)state;
    life.side[IW_SIDE_A].segments = 29;
    life.side[IW_SIDE_B].segments = 9;
    life.side[IW_SIDE_B].dup_acks = tcp_trouble.late = 12;
    tcp_trouble.late_first_frame = 4;
    tcp_trouble.late_last_frame = 6;
    tcp_trouble.late_ns = 8 * SECOND;
    facts.unanswered[IW_SIDE_A] = (struct iw_unanswered){.count = 1, .named_count = 1};
    facts.unanswered[IW_SIDE_A].named[0] =
        (struct iw_request_name){.frame = 7, .time_ns = 9 * SECOND, .opcode = IW_RDMAP_OP_READ_REQUEST};
    ends(IW_LLP_CLOSE_ABORTIVE);
    history.side[IW_SIDE_A].close.time_ns = 40 * SECOND;
    assert_string_equal(first(), "response-missing");
    assert_string_equal(diagnosis.causes[1].cause->id, "out-of-order");
    assert_true(diagnosis.causes[1].confidence > diagnosis.causes[0].confidence);
}

/* A segment that is being sent again at the end is not repaired. */
static void only_acknowledged_octets_are_repaired(void **state) {
    (void)state;
    life.side[IW_SIDE_A].segments = 9;
    life.side[IW_SIDE_B].segments = 9;
    tcp_trouble.retransmissions = 5;
    tcp_trouble.resent_ns = 9 * SECOND;
    tcp_trouble.longest =
        (struct iw_tcp_resend){.count = 5, .octets = 40, .first = {3, SECOND}, .last = {8, 9 * SECOND}};
    is_cut_off();
    assert_string_equal(first(), "");
    assert_string_equal(diagnosis.notes[0].cause->id, "retransmissions");
    tcp_trouble.resend = (struct iw_tcp_resend){.count = 1, .octets = 40, .last = {9, 39 * SECOND}};
    assert_string_equal(first(), "retransmissions");
}

/* A timeout of the ULP after a delay that was over is still one. */
static void a_delay_does_not_hide_an_idle_timeout(void **state) {
    (void)state;
    ends(IW_LLP_CLOSE_GRACEFUL);
    history.side[IW_SIDE_A].close.time_ns = 320 * SECOND;
    tcp_trouble.rst_frame = life.idle_end_frame = 10;
    life.idle_ns = 300 * SECOND;
    window_opens_at(10 * SECOND);
    life.side[IW_SIDE_B].last_octets_frame = 11;
    assert_string_equal(first(), "idle-timeout");
    assert_string_equal(diagnosis.causes[1].cause->id, "zero-window");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_delay_alone_is_a_cause),
        TEST(a_delay_that_was_over_does_not_explain_a_failure),
        TEST(a_delay_directly_before_the_end_may_explain_it),
        TEST(a_delay_that_lasts_may_explain_the_end),
        TEST(what_ended_it_comes_before_a_certain_delay),
        TEST(disorder_that_was_repaired_comes_last),
        TEST(only_acknowledged_octets_are_repaired),
        TEST(a_delay_does_not_hide_an_idle_timeout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
