#include "iw_session_test.h"

static void follows_a_session_from_initiate_to_terminate(void **state) {
    uint16_t ssn;

    (void)state;
    assert_false(iw_sessions_next(sessions, A, 3, &ssn));
    control(A, 3, 0, INITIATE);
    assert_int_equal(latest_session.state, IW_SESSION_INITIATED);
    assert_true(latest.first);
    control(B, 3, 0, ACCEPT);
    assert_int_equal(latest_session.state, IW_SESSION_ACCEPTED);
    assert_true(latest.first);
    segment(A, 3, 1);
    assert_false(latest.first);
    assert_true(iw_sessions_next(sessions, A, 3, &ssn));
    assert_int_equal(ssn, 2);
    control(B, 3, 1, TERMINATE);
    assert_int_equal(latest_session.state, IW_SESSION_TERMINATED);
    assert_true(latest_session.active_known);
    assert_int_equal(latest_session.active, A);
    assert_int_equal(latest_session.initiate_frame, 5);
    assert_int_equal(latest_session.answer_frame, 6);
    assert_int_equal(latest_session.first_frame, 5);
    assert_true(latest_session.from_start);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "3.1A0c 3.1B0c 3.1A1 3.1B1c 3.1$shutdown/terminated ");
}

static void knows_the_answers_to_an_initiate(void **state) {
    static const struct {
        uint8_t initiate, answer;
        enum iw_session_state state;
    } known[] = {{INITIATE, REJECT, IW_SESSION_REJECTED}, {INITIATE, TERMINATE, IW_SESSION_TERMINATED},
        {ENHANCED_INITIATE, ENHANCED_ACCEPT, IW_SESSION_ACCEPTED},
        {ENHANCED_INITIATE, ENHANCED_REJECT, IW_SESSION_REJECTED}, {INITIATE, 99, IW_SESSION_INITIATED}};

    (void)state;
    for (uint16_t i = 0; i < sizeof known / sizeof *known; i++) {
        control(A, i, 0, known[i].initiate);
        control(B, i, 0, known[i].answer);
        assert_int_equal(latest_session.state, known[i].state);
        assert_int_equal(latest_session.enhanced, known[i].initiate == ENHANCED_INITIATE);
        assert_int_equal(latest_session.answer_frame, known[i].answer == 99 ? 0 : fixture.frame);
    }
}

/* No chunk of the side is lost, and it has begun another session: the missing ones were never sent. */
static void reports_skipped_ddp_ssns(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 1);
    segment(A, 0, 4);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A1 ");
    open_session(0);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A1 0.1A4-2 0.1$next/accepted 0.2A0c 0.2B0c ");
}

/* SCTP shuts down, and no SACK covers the last chunk: the capture may lack it. */
static void reports_no_skipped_ddp_ssns_when_sctp_shuts_down(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 2);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A2!1 0.1$shutdown/accepted ");
}

/* The side has shut down, and all its chunks have come (RFC 5043 6). */
static void reports_skipped_ddp_ssns_when_the_side_shuts_down(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 2);
    association.shut[A] = true;
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A2-1 0.1$shutdown/accepted ");
}

/* One chunk of the side is lost, on any DDP Stream: it explains one missing DDP-SSN, not two. */
static void lost_chunks_account_for_as_many_ddp_ssns(void **state) {
    (void)state;
    open_session(0);
    open_session(1);
    association.lost[A] = 1;
    segment(A, 0, 2);
    segment(A, 1, 3);
    association.shut[A] = true;
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(
        log_of, "0.1A0c 0.1B0c 1.1A0c 1.1B0c 0.1A2!1 0.1$shutdown/accepted 1.1A3-2 1.1$shutdown/accepted ");
}

/* A chunk of another protocol uses an SSN of the same SCTP stream (RFC 5043 5.2.1). */
static void a_foreign_chunk_may_account_for_a_ddp_ssn(void **state) {
    (void)state;
    open_session(0);
    assert_true(iw_sessions_feed(sessions, iw_session_fixture(&fixture, A, 0, 46, 0, "x", 1)));
    segment(A, 0, 2);
    association.shut[A] = true;
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A2!1 0.1$shutdown/accepted ");
}

static void reports_no_skipped_ddp_ssns_that_the_capture_may_lack(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 3);
    association.lost[A]++;
    open_session(1);
    segment(A, 1, 2);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 1.1A0c 1.1B0c 0.1A3!2 0.1$shutdown/accepted 1.1A2!1 "
                                "1.1$shutdown/accepted ");
}

static void reports_no_skipped_ddp_ssns_at_the_end_of_the_capture(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 3);
    finish(IW_SESSION_END_INPUT);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A3!2 0.1$input/accepted ");
}

static void reports_a_repeated_ddp_ssn(void **state) {
    (void)state;
    open_session(0);
    segment(A, 0, 1);
    segment(A, 0, 1);
    segment(A, 0, 3);
    segment(A, 0, 3);
    segment(A, 0, 0xfffe);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1A1 0.1A1= 0.1A3= 0.1A65534= ");
    assert_int_equal(latest.ssn_expected, 2);
}

static void begins_in_the_middle_of_a_session(void **state) {
    (void)state;
    association.setup[A].frame = 0;
    segment(A, 0, 700);
    segment(A, 0, 701);
    segment(A, 0, 699);
    control(B, 0, 50, TERMINATE);
    assert_string_equal(log_of, "0.1A700? 0.1A701 0.1A699!0 0.1B50c? ");
    assert_false(latest_session.from_start);
    assert_int_equal(latest_session.initiate_frame, 0);
}

static void continues_when_ddp_ssns_wrap(void **state) {
    (void)state;
    open_session(0);
    for (uint32_t ssn = 1; ssn < 0x10003; ssn++) {
        segment(A, 0, (uint16_t)ssn);
        assert_int_equal(latest.order, IW_SESSION_IN_ORDER);
    }
    assert_int_equal(events, 2 + 0x10002);
}

static void follows_one_session_after_the_other(void **state) {
    (void)state;
    open_session(7);
    control(A, 7, 1, TERMINATE);
    control(B, 7, 0, INITIATE);
    assert_int_equal(latest_session.active, B);
    control(A, 7, 0, REJECT);
    control(A, 7, 0, ENHANCED_INITIATE);
    assert_true(latest_session.enhanced);
    assert_string_equal(log_of, "7.1A0c 7.1B0c 7.1A1c 7.1$next/terminated 7.2B0c 7.2A0c 7.2$next/rejected "
                                "7.3A0c ");
}

/* The capture begins late and has the Accept before its Initiate: what the other side sends next is
 * unknown. */
static void is_uncertain_about_a_side_that_may_have_answered(void **state) {
    (void)state;
    association.setup[A].frame = 0;
    control(B, 0, 0, ACCEPT);
    control(A, 0, 0, INITIATE);
    segment(B, 0, 1);
    assert_false(latest.certain);
    assert_string_equal(log_of, "0.1B0c? 0.1$next/accepted 0.2A0c 0.2B1!0 ");
}

/* The capture has A's first Initiate after B's; A's answer to B is captured after a third session has
 * begun. */
static void is_uncertain_about_answers_after_crossing_initiates(void **state) {
    (void)state;
    control(B, 0, 0, ACCEPT);
    control(B, 0, 0, INITIATE);
    control(A, 0, 0, INITIATE);
    control(A, 0, 1, TERMINATE);
    control(B, 0, 0, ENHANCED_INITIATE);
    control(A, 0, 0, REJECT);
    assert_false(latest_session.refused);
    assert_false(latest.certain);
}

/* The capture begins late, and has a chunk of an earlier session after the next Initiate: each answer then
 * belongs to the Initiate before. */
static void is_uncertain_about_answers_that_may_be_late(void **state) {
    (void)state;
    association.setup[A].frame = 0;
    control(B, 0, 0, INITIATE);
    control(A, 0, 1, TERMINATE);
    control(B, 0, 0, ENHANCED_INITIATE);
    control(A, 0, 0, REJECT);
    assert_false(latest_session.refused);
    assert_false(latest.certain);
    control(B, 0, 0, INITIATE);
    control(A, 0, 0, REJECT);
    assert_false(latest_session.refused);
    control(A, 0, 0, INITIATE); /* all answers of A were captured before it */
    control(B, 0, 0, ACCEPT);
    control(A, 0, 1, TERMINATE);
    control(B, 0, 0, INITIATE);
    control(A, 0, 0, REJECT);
    assert_true(latest_session.refused);
    assert_true(latest.certain);
}

/* The capture has A's Initiate after everything that B has sent since its answer. */
static void is_uncertain_about_answers_after_an_answered_initiate(void **state) {
    (void)state;
    control(B, 0, 0, ACCEPT);
    control(B, 0, 0, INITIATE);
    control(B, 0, 1, TERMINATE);
    control(A, 0, 0, INITIATE);
    control(B, 0, 0, ENHANCED_REJECT);
    assert_false(latest.certain);
    assert_false(latest_session.refused);
}

/* A second Initiate of a side that waits for an answer begins no session. */
static void takes_a_second_initiate_into_the_session(void **state) {
    (void)state;
    control(A, 0, 0, INITIATE);
    control(A, 0, 1, INITIATE);
    assert_string_equal(log_of, "0.1A0c 0.1A1c ");
}

static void keeps_streams_apart(void **state) {
    (void)state;
    open_session(65535);
    open_session(0);
    open_session(256);
    segment(A, 256, 1);
    finish(IW_SESSION_END_ABORT);
    assert_string_equal(log_of, "65535.1A0c 65535.1B0c 0.1A0c 0.1B0c 256.1A0c 256.1B0c 256.1A1 "
                                "0.1$abort/accepted 256.1$abort/accepted 65535.1$abort/accepted ");
}

static void reports_chunks_sent_before_a_control_message(void **state) {
    (void)state;
    control(A, 0, 0, INITIATE);
    control(B, 0, 1, TERMINATE);
    control(B, 0, 0, ACCEPT);
    assert_string_equal(log_of, "0.1A0c 0.1B0c 0.1B1c< ");
    assert_int_equal(latest.overtaken_frame, fixture.frame);
}

/* RFC 5043 5.2.1: a chunk has at least a DDP-SSN. */
static void takes_chunks_too_short_for_a_ddp_ssn(void **state) {
    struct iw_sctp_message message;

    (void)state;
    open_session(0);
    for (uint32_t octets = 0; octets < 2; octets++) {
        uint8_t *copy = malloc(1);

        assert_non_null(copy);
        message = *iw_session_fixture_write(&fixture, A, 0, 1);
        message.length = message.captured = octets;
        message.octets = copy;
        assert_true(iw_sessions_feed(sessions, &message));
        assert_int_equal(latest.order, IW_SESSION_LOST);
        assert_false(latest.whole_header);
        free(copy);
    }
    message = *iw_session_fixture_control(&fixture, A, 0, 1, TERMINATE, 0);
    message.captured = 3;
    assert_true(iw_sessions_feed(sessions, &message));
    assert_false(latest.whole_header);
    assert_int_equal(latest_session.state, IW_SESSION_ACCEPTED);
}

static void ignores_other_payload_protocols(void **state) {
    (void)state;
    assert_true(iw_sessions_feed(sessions, iw_session_fixture(&fixture, A, 0, 15, 0, "x", 1)));
    assert_true(iw_sessions_feed(sessions, iw_session_fixture(&fixture, A, 0, 0, 0, "x", 1)));
    finish(IW_SESSION_END_INPUT);
    assert_string_equal(log_of, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(follows_a_session_from_initiate_to_terminate),
        TEST(knows_the_answers_to_an_initiate),
        TEST(reports_skipped_ddp_ssns),
        TEST(reports_no_skipped_ddp_ssns_when_sctp_shuts_down),
        TEST(reports_skipped_ddp_ssns_when_the_side_shuts_down),
        TEST(lost_chunks_account_for_as_many_ddp_ssns),
        TEST(a_foreign_chunk_may_account_for_a_ddp_ssn),
        TEST(reports_no_skipped_ddp_ssns_that_the_capture_may_lack),
        TEST(reports_no_skipped_ddp_ssns_at_the_end_of_the_capture),
        TEST(reports_a_repeated_ddp_ssn),
        TEST(begins_in_the_middle_of_a_session),
        TEST(continues_when_ddp_ssns_wrap),
        TEST(follows_one_session_after_the_other),
        TEST(is_uncertain_about_a_side_that_may_have_answered),
        TEST(is_uncertain_about_answers_after_crossing_initiates),
        TEST(is_uncertain_about_answers_that_may_be_late),
        TEST(is_uncertain_about_answers_after_an_answered_initiate),
        TEST(takes_a_second_initiate_into_the_session),
        TEST(keeps_streams_apart),
        TEST(reports_chunks_sent_before_a_control_message),
        TEST(takes_chunks_too_short_for_a_ddp_ssn),
        TEST(ignores_other_payload_protocols),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
