#include "iw_diagnosis_test.h"

/* Connections that end before the initiator's first message. Side A is the initiator. */

/* Side `closer` ends the connection in frame 8. */
static void unused(enum iw_side closer, enum iw_llp_close close) {
    history.message_count = 0;
    history.last = (struct iw_history_mark){8, 2 * SECOND};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        struct iw_tcp_life_side *own = &life.side[side];

        own->syn = own->has_next = own->has_acked = true;
        own->next = own->shown = own->acked_seq = 25;
        history.side[side].startup = (struct iw_history_mark){4 + (uint64_t)side, SECOND};
    }
    history.side[closer].close_kind = (uint8_t)close;
    history.side[closer].close = (struct iw_history_mark){8, 2 * SECOND};
}

/* RFC 5044 7.1.2 */
static void an_initiator_leaves_after_an_answer_that_violates_a_rule(void **state) {
    (void)state;
    unused(IW_SIDE_A, IW_LLP_CLOSE_GRACEFUL);
    assert_string_equal(first(), "");
    finds("RFC5044-7.1.1-17", IW_SIDE_B, 6);
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_B);
    life.idle_ns = 60 * SECOND; /* it took the answer, and had nothing to send */
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
}

static void an_initiator_that_goes_on_has_not_left_for_it(void **state) {
    (void)state;
    unused(IW_SIDE_A, IW_LLP_CLOSE_GRACEFUL);
    finds("RFC5044-7.1.1-17", IW_SIDE_B, 6);
    history.side[IW_SIDE_A].fpdus = 1;
    assert_string_equal(first(), "");
    history.side[IW_SIDE_A].fpdus = 0;
    life.side[IW_SIDE_A].shown = 45; /* it sent more than was captured */
    assert_string_equal(first(), "");
    unused(IW_SIDE_A, IW_LLP_CLOSE_INPUT);
    unused(IW_SIDE_B, IW_LLP_CLOSE_GRACEFUL);
    assert_string_equal(first(), "");
}

/* RFC 5044 7.1 */
static void two_requests_start_no_connection(void **state) {
    (void)state;
    unused(IW_SIDE_A, IW_LLP_CLOSE_GRACEFUL);
    terms.settled = terms.initiator_known = false;
    terms.frame[IW_SIDE_A].key = terms.frame[IW_SIDE_B].key = IW_STARTUP_REQUEST;
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_non_null(strstr(diagnosis.causes[0].detail, "Both sides sent a Request"));
}

/* A host that resets the connection before any message came has a reason. */
static void a_reset_before_any_message_is_a_failure(void **state) {
    (void)state;
    unused(IW_SIDE_A, IW_LLP_CLOSE_ABORTIVE);
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    life.side[IW_SIDE_A].fin_frame = 7; /* it closed before */
    first();
    assert_false(diagnosis.failed);
    life.side[IW_SIDE_A].fin_frame = 0;
    life.side[IW_SIDE_A].acked_seq = 45; /* a message arrived, which was not captured */
    first();
    assert_false(diagnosis.failed);
    unused(IW_SIDE_A, IW_LLP_CLOSE_ABORTIVE);
    life.side[IW_SIDE_A].shown = 45; /* octets that were sent did not arrive */
    first();
    assert_true(diagnosis.failed);
    history.side[IW_SIDE_A].fpdus = 1;
    first();
    assert_false(diagnosis.failed);
}

static void a_responder_may_reset_after_its_own_fin(void **state) {
    (void)state;
    unused(IW_SIDE_B, IW_LLP_CLOSE_ABORTIVE);
    life.side[IW_SIDE_B].fin_frame = 7;
    first();
    assert_true(diagnosis.failed);
    history.side[IW_SIDE_A].close_kind = IW_LLP_CLOSE_GRACEFUL; /* the initiator closed first */
    history.side[IW_SIDE_A].close = (struct iw_history_mark){6, SECOND};
    first();
    assert_false(diagnosis.failed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(an_initiator_leaves_after_an_answer_that_violates_a_rule),
        TEST(an_initiator_that_goes_on_has_not_left_for_it),
        TEST(two_requests_start_no_connection),
        TEST(a_reset_before_any_message_is_a_failure),
        TEST(a_responder_may_reset_after_its_own_fin),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
