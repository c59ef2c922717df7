#include "iw_rule_sctp_test.h"

/* The order of messages, sessions and acknowledgements. */

static void judges_the_sequence_of_messages(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 0));
    assert_string_equal(
        found, "RFC5043-6.1-01 of responder in 6: Accept, Reject or Terminate, a DDP Segment; ");
    begin_again();
    active(0, INITIATE, 0);
    passive(0, ENHANCED_ACCEPT, 4);
    assert_non_null(strstr(found, "RFC5043-6.1-01 of responder in 6: Accept, Reject or Terminate, Enhanced"));
    begin_again();
    active(0, ENHANCED_INITIATE, 4);
    passive(0, ACCEPT, 0);
    assert_non_null(strstr(found, "RFC5043-6.1-01 of responder in 6: Enhanced Accept, Enhanced Reject, "));
    begin_again();
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 0));
    assert_string_equal(found, "RFC5043-6.1-01 of responder in 5: an Initiate, a DDP Segment; ");
}

/* However much follows the end of a session, it is one fault. */
static void reports_what_follows_the_end_once(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, REJECT, 0);
    for (uint16_t ssn = 1; ssn < 4; ssn++)
        feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, ssn));
    assert_string_equal(found, "RFC5043-6.1-01 of responder in 7: nothing, a DDP Segment; "
                               "RFC5043-6.1-01 of responder in 8 again: nothing, a DDP Segment; "
                               "RFC5043-6.1-01 of responder in 9 again: nothing, a DDP Segment; ");
}

/* A side whose session was rejected sends nothing more in it, but its Terminate may cross that of the other
 * side.
 */
static void reports_what_the_initiator_sends_after_a_rejection(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, REJECT, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    active(2, TERMINATE, 0);
    assert_string_equal(found,
        "RFC5043-6.1-01 of initiator in 7: nothing, a DDP Segment; "
        "RFC5043-6.1-01 of initiator in 8 again: nothing, DDP Stream Session Terminate; ");
    begin_again();
    active(0, INITIATE, 0);
    passive(0, TERMINATE, 0);
    active(1, TERMINATE, 0);
    assert_string_equal(found, "");
    begin_again();
    active(0, ENHANCED_INITIATE, 4);
    passive(0, TERMINATE, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    assert_string_equal(found, "RFC5043-6.1-01 of initiator in 7: nothing, a DDP Segment; ");
}

/* The segment may have been sent before the Reject arrived, once the Initiate was acknowledged (RFC 5043
 * 6.6). */
static void leaves_open_whether_a_segment_before_a_reject_was_right(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    association.acked_known[IW_SIDE_A] = true;
    association.acked[IW_SIDE_A] = talk.tsn - 1;
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    assert_int_equal(steps_unproven, 0);
    passive(0, REJECT, 0);
    assert_string_equal(found, "");
    assert_int_equal(steps_unproven, 1);
}

/* RFC 5043 6.6: the capture may lack the acknowledgement, or have it too late. */
static void leaves_open_what_comes_before_an_acknowledgement(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    assert_int_equal(steps_unproven, 0); /* a later SACK may prove it wrong */
    active(2, TERMINATE, 0);
    finish(IW_SESSION_END_INPUT);
    assert_int_equal(steps_unproven, 2);

    begin_again();
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    passive(1, TERMINATE, 0);
    finish(IW_SESSION_END_INPUT);
    assert_int_equal(steps_unproven, 1);

    begin_again(); /* data of the other side after the Accept shows that the Accept has arrived */
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1));
    passive(2, TERMINATE, 0);
    finish(IW_SESSION_END_INPUT);
    assert_int_equal(steps_unproven, 0);

    begin_again(); /* chunks in one packet arrive in their order */
    active(0, INITIATE, 0);
    talk.frame--;
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    finish(IW_SESSION_END_INPUT);
    assert_int_equal(steps_unproven, 0);
    assert_string_equal(found, "");
}

/* The Initiate has TSN 100; the SACK reports it as missing and TSNs from 101 to `to` as received. */
static void two_segments_before_an_acknowledgement(uint32_t to) {
    begin_again();
    active(0, INITIATE, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 2));
    association.gap[IW_SIDE_A][0] =
        (struct iw_sctp_gap){.missing = 100, .from = 101, .to = to, .frame = talk.frame};
    association.gaps[IW_SIDE_A] = 1;
    finish(IW_SESSION_END_INPUT);
}

/* RFC 5043 6.6: one finding for all that wait for the same control message. A segment that the SACK does not
 * report may have been sent after an acknowledgement that the capture lacks. */
static void counts_only_steps_that_no_acknowledgement_proves(void **state) {
    (void)state;
    two_segments_before_an_acknowledgement(102);
    assert_non_null(strstr(found, "RFC5043-6.6-01 of initiator in "));
    assert_int_equal(steps_unproven, 0);
    two_segments_before_an_acknowledgement(101);
    assert_non_null(strstr(found, "RFC5043-6.6-01 of initiator in "));
    assert_int_equal(steps_unproven, 1);
}

/* Two sessions on one DDP Stream. Of the active side, the first one has TSNs 100 to 102; the Initiate of the
 * second one has 103. */
static void two_sessions(void) {
    begin_again();
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    talk.tsn--; /* each side has its own TSNs */
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    active(2, TERMINATE, 0);
    passive(1, TERMINATE, 0);
    talk.tsn--;
    active(0, INITIATE, 0);
}

static void two_sessions_with_gap(uint32_t missing, uint32_t from, uint32_t to) {
    two_sessions();
    association.gap[IW_SIDE_A][0] =
        (struct iw_sctp_gap){.missing = missing, .from = from, .to = to, .frame = talk.frame};
    association.gaps[IW_SIDE_A] = 1;
    finish(IW_SESSION_END_INPUT);
}

/* RFC 5043 6.6: the SACK reports TSN 101 or 102 of the first session as missing, and 103 as received. */
static void reports_a_session_that_begins_while_earlier_chunks_are_outstanding(void **state) {
    (void)state;
    two_sessions_with_gap(101, 102, 103);
    assert_string_equal(found,
        "RFC5043-6.6-01 of initiator in 10: received before the Initiate is sent, missing: the receiver has "
        "the Initiate and lacks one of these chunks; ");
    assert_int_equal(steps_unproven, 0);
    two_sessions_with_gap(102, 103, 103);
    assert_non_null(strstr(found, "RFC5043-6.6-01 of initiator in 10: received before the Initiate is sent"));
}

/* The SACKs that came do not report the Initiate as received, or report all chunks before it as received. */
static void leaves_open_whether_earlier_chunks_were_outstanding(void **state) {
    (void)state;
    two_sessions_with_gap(101, 102, 102);
    assert_string_equal(found, "");
    assert_int_equal(steps_unproven, 1);
    two_sessions_with_gap(104, 105, 105);
    assert_string_equal(found, "");
    assert_int_equal(steps_unproven, 1);
}

static void accepts_a_session_after_all_earlier_chunks_have_arrived(void **state) {
    (void)state;
    begin_again();
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    active(1, TERMINATE, 0);
    association.acked_known[IW_SIDE_A] = true;
    association.acked[IW_SIDE_A] = talk.tsn - 1;
    passive(1, TERMINATE, 0);
    active(0, INITIATE, 0);
    finish(IW_SESSION_END_INPUT);
    assert_int_equal(steps_unproven, 0);

    begin_again(); /* the Reject shows that the Initiate has arrived */
    active(0, INITIATE, 0);
    passive(0, REJECT, 0);
    active(0, INITIATE, 0);
    finish(IW_SESSION_END_INPUT);
    assert_int_equal(steps_unproven, 0);
    assert_string_equal(found, "");
}

/* Each side may end the session while the other continues, until it learns of the end. */
static void accepts_segments_that_cross_a_terminate(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    active(1, TERMINATE, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1));
    passive(2, TERMINATE, 0);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(found, "");
}

static void reports_an_accepted_session_without_a_session_terminate(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    active(0, INITIATE, 0);
    passive(0, REJECT, 0);
    assert_string_equal(found, "RFC5043-6.2-01 of responder in 8: present, missing; ");
    begin_again();
    active(0, ENHANCED_INITIATE, 4);
    passive(0, ENHANCED_ACCEPT, 4);
    active(0, INITIATE, 0);
    assert_string_equal(found, ""); /* a Terminate of the other side may come later */
    passive(0, REJECT, 0);
    assert_string_equal(found, "RFC6581-7-09 of responder in 8: present, missing; ");
}

/* Another session may begin only in missing chunks. After the last chunks and their acknowledgements,
 * nothing shows further chunks that the capture lacks: SCTP shuts down without their TSNs. */
static void judges_no_session_whose_end_may_be_hidden(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(found, "");
    assert_int_equal(steps_unproven, 1);

    begin_again(); /* the other side's answer shows that its Terminate may be missing */
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    active(0, INITIATE, 0);
    association.lost[IW_SIDE_B]++;
    passive(0, REJECT, 0);
    assert_string_equal(found, "");

    begin_again(); /* the answer to the second Initiate may be missing; it comes after those to the first */
    active(0, ENHANCED_INITIATE, 4);
    active(1, TERMINATE, 0);
    active(0, INITIATE, 0);
    association.lost[IW_SIDE_B]++;
    talk.frame = 5;
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1));
    talk.frame = 5;
    passive(2, TERMINATE, 0);
    assert_string_equal(found, "");
}

/* The capture begins late, so the Reject may answer an earlier Initiate: then the messages after it are
 * lawful. */
static void reports_that_a_sequence_is_not_judged(void **state) {
    (void)state;
    association.setup[IW_SIDE_A].frame = 0;
    active(0, INITIATE, 0);
    assert_int_equal(unplaced, 0);
    passive(0, REJECT, 0);
    assert_int_equal(unplaced, 1);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    passive(1, TERMINATE, 0);
    assert_string_equal(found, "");
    assert_int_equal(unplaced, 1);

    begin_again(); /* the same is judged if the whole association was captured */
    active(0, INITIATE, 0);
    passive(0, REJECT, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    assert_string_not_equal(found, "");
    assert_int_equal(unplaced, 0);
}

/* The Accept is captured before its Initiate, and the Terminate after the next one. */
static void judges_no_order_between_the_sides(void **state) {
    (void)state;
    passive(0, ACCEPT, 0);
    active(0, INITIATE, 0);
    active(1, TERMINATE, 0);
    active(0, INITIATE, 0);
    passive(1, TERMINATE, 0);
    passive(0, ACCEPT, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1));
    finish(IW_SESSION_END_ABORT);
    assert_string_equal(found, "");
}

/* The truncated control message may have been an Initiate. */
static void judges_nothing_after_a_control_message_that_was_truncated(void **state) {
    struct iw_sctp_message message;

    (void)state;
    for (uint32_t captured = 0; captured < 4; captured++) {
        begin_again();
        active(0, INITIATE, 0);
        passive(0, ACCEPT, 0);
        active(1, TERMINATE, 0);
        message = *iw_session_fixture_control(&talk, IW_SIDE_A, 0, 0, INITIATE, 0);
        message.captured = captured;
        feed(&message);
        passive(0, ACCEPT, 0);
        feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
        feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1));
        finish(IW_SESSION_END_ASSOCIATION);
        assert_string_equal(found, "");
    }
}

/* The end of the capture, an abort and a lost chunk leave open whether a Terminate was sent; a Reject needs
 * none. */
static void asks_for_no_terminate_that_need_not_be_there(void **state) {
    static const enum iw_session_end ends[] = {IW_SESSION_END_INPUT, IW_SESSION_END_ABORT};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        begin_again();
        active(0, INITIATE, 0);
        passive(0, ACCEPT, 0);
        finish(ends[i]);
        assert_string_equal(found, "");
    }
    begin_again();
    active(0, INITIATE, 0);
    passive(0, ACCEPT, 0);
    association.lost[IW_SIDE_B]++;
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(found, "");
    begin_again();
    active(0, INITIATE, 0);
    passive(0, REJECT, 0);
    finish(IW_SESSION_END_ASSOCIATION);
    assert_string_equal(found, "");
}

/* RFC 5043 6.6 is about control messages among each other and the segments of the active side. */
static void judges_what_may_come_before_a_control_message(void **state) {
    (void)state;
    active(0, INITIATE, 0);
    feed(iw_session_fixture_write(&talk, IW_SIDE_B, 0, 1));
    passive(0, ACCEPT, 0);
    assert_string_equal(found, "");
    begin_again();
    feed(iw_session_fixture_write(&talk, IW_SIDE_A, 0, 1));
    active(0, INITIATE, 0);
    passive(1, TERMINATE, 0);
    passive(0, ACCEPT, 0);
    assert_string_equal(found,
        "RFC5043-6.6-01 of initiator in 5: after it, before an earlier control message; "
        "RFC5043-6.6-01 of responder in 7: after it, before an earlier control message; ");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(judges_the_sequence_of_messages),
        TEST(reports_what_follows_the_end_once),
        TEST(reports_what_the_initiator_sends_after_a_rejection),
        TEST(leaves_open_whether_a_segment_before_a_reject_was_right),
        TEST(leaves_open_what_comes_before_an_acknowledgement),
        TEST(counts_only_steps_that_no_acknowledgement_proves),
        TEST(reports_a_session_that_begins_while_earlier_chunks_are_outstanding),
        TEST(leaves_open_whether_earlier_chunks_were_outstanding),
        TEST(accepts_a_session_after_all_earlier_chunks_have_arrived),
        TEST(accepts_segments_that_cross_a_terminate),
        TEST(reports_an_accepted_session_without_a_session_terminate),
        TEST(judges_no_session_whose_end_may_be_hidden),
        TEST(reports_that_a_sequence_is_not_judged),
        TEST(judges_no_order_between_the_sides),
        TEST(judges_nothing_after_a_control_message_that_was_truncated),
        TEST(asks_for_no_terminate_that_need_not_be_there),
        TEST(judges_what_may_come_before_a_control_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
