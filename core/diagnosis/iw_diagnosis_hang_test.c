#include "iw_diagnosis_test.h"

/* Requests without a response. */

/* A Read Request of side A in frame 7, 2 s before the end. */
static void outstanding_read(uint64_t answered) {
    facts.unanswered[IW_SIDE_A] = (struct iw_unanswered){.count = 1, .named_count = 1};
    facts.unanswered[IW_SIDE_A].named[0] = (struct iw_request_name){.number = 1,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .msn = 1,
        .frame = 7,
        .time_ns = SECOND,
        .answered = answered,
        .read_octets = 4000};
    history.last = (struct iw_history_mark){9, 3 * SECOND};
    requests.side[IW_SIDE_B].last_answer_frame = answered > 0 ? 8 : 0;
    life.side[IW_SIDE_B].complete = (struct iw_tcp_mark){9, 3 * SECOND}; /* it has sent nothing more */
}

/* RFC 5040 5.5: the response may still come while the connection is open. */
static void a_response_is_missing_for_sure_only_after_the_end(void **state) {
    (void)state;
    outstanding_read(1440);
    assert_string_equal(first(), "response-stopped");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "open at the end of the capture"));
    ends(IW_LLP_CLOSE_GRACEFUL);
    assert_string_equal(first(), "response-stopped");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_CERTAIN);
    assert_null(strstr(diagnosis.causes[0].detail, "open at the end of the capture"));
    outstanding_read(0);
    assert_string_equal(first(), "response-missing");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
}

static void a_response_is_under_way_after_its_latest_octets(void **state) {
    (void)state;
    outstanding_read(1440);
    requests.side[IW_SIDE_B].last_answer_ns = 3 * SECOND - SECOND / 2;
    assert_string_equal(first(), "");
}

/* RFC 9293 3.4: only the number of a later segment shows what its sender had sent until then. */
static void what_is_lost_before_the_capture_is_not_missing_for_sure(void **state) {
    (void)state;
    outstanding_read(1440);
    ends(IW_LLP_CLOSE_ABORTIVE);
    requests.side[IW_SIDE_B].last_answer_ns = SECOND;
    life.side[IW_SIDE_B].complete = (struct iw_tcp_mark){8, SECOND};
    assert_string_equal(first(), "response-stopped");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "shows that the responder sent nothing more"));
    assert_string_equal(iw_diagnosed_next(&diagnosis.causes[0]),
        "Capture again at the host of the responder, and see whether the request arrives and the whole "
        "response is "
        "sent. If so, look at the path and at the host of the initiator; otherwise at the device of the "
        "responder.");
    outstanding_read(0);
    life.side[IW_SIDE_B].complete = (struct iw_tcp_mark){8, SECOND};
    assert_string_equal(first(), "response-missing");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
}

static void sent_by_side_b(uint32_t acked, uint64_t octets_frame) {
    life.side[IW_SIDE_B].has_next = life.side[IW_SIDE_B].has_acked = true;
    life.side[IW_SIDE_B].next = life.side[IW_SIDE_B].shown = 200;
    life.side[IW_SIDE_B].acked_seq = acked;
    life.side[IW_SIDE_B].last_octets_frame = octets_frame;
}

/* The host of the requester does not acknowledge the octets of the response (RFC 9293 3.8.1). */
static void octets_in_flight_explain_a_response_that_stopped(void **state) {
    struct iw_tcp_trouble again = {.resend = {.octets = 48, .count = 1, .first = {9, 2 * SECOND}}};

    (void)state;
    outstanding_read(1440);
    ends(IW_LLP_CLOSE_GRACEFUL);
    sent_by_side_b(200, 8);
    assert_string_equal(first(), "response-stopped");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_CERTAIN);
    sent_by_side_b(100, 8);
    assert_string_equal(first(), "");
    sent_by_side_b(100, 9); /* octets after the response are in flight, perhaps not its own */
    assert_string_equal(first(), "response-stopped");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "not acknowledged all octets of the responder"));
    life.side[IW_SIDE_B].trouble = &again;
    assert_string_equal(first(), "");
}

/* One wait has one length: to the end of the connection, not to the last segment after it. */
static void a_wait_ends_with_the_connection(void **state) {
    (void)state;
    outstanding_read(0);
    ends(IW_LLP_CLOSE_GRACEFUL);
    life.last.time_ns = 5 * SECOND;
    assert_string_equal(first(), "response-missing");
    assert_non_null(strstr(diagnosis.causes[0].detail, "for 2.000 s"));
}

/* RFC 9293 3.8.6: a closed window stops the sender of the response. */
static void a_closed_window_of_the_requester_explains_a_missing_response(void **state) {
    (void)state;
    outstanding_read(1440);
    tcp_trouble.zero_since = (struct iw_tcp_mark){8, 2 * SECOND};
    life.last.time_ns = 3 * SECOND;
    assert_string_equal(first(), "zero-window");
    assert_int_equal(diagnosis.count, 1);
}

static void a_dead_host_explains_a_missing_response(void **state) {
    (void)state;
    outstanding_read(0);
    life.side[IW_SIDE_B].segments = 3;
    tcp_trouble.resend =
        (struct iw_tcp_resend){.octets = 48, .count = 6, .first = {8, SECOND}, .last = {9, 3 * SECOND}};
    assert_string_equal(first(), "peer-silent");
    assert_int_equal(diagnosis.count, 1);
}

/* The initiator's device answers the Reads of the responder. */
static void names_the_side_that_owes_the_response(void **state) {
    (void)state;
    outstanding_read(0);
    terms.initiator = IW_SIDE_B;
    first();
    assert_string_equal(iw_diagnosed_next(&diagnosis.causes[0]),
        "Look at the device of the initiator: it answers these requests without its program.");
    facts.address[IW_SIDE_B] = "192.0.2.2:4711";
    first();
    assert_string_equal(iw_diagnosed_next(&diagnosis.causes[0]),
        "Look at the device of the initiator, 192.0.2.2:4711: it "
        "answers these requests without its program.");
}

/* RFC 9293 3.10.7: a RST that answers octets leaves open whether they arrived. */
static void a_reset_of_octets_is_not_known(void **state) {
    (void)state;
    ends(IW_LLP_CLOSE_ABORTIVE);
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
    tcp_trouble.rst_after_octets = true;
    tcp_trouble.rst_frame = 10;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    assert_int_equal(iw_conclusion_of(&facts, &diagnosis), IW_CONCLUSION_NOT_KNOWN);
    life.side[IW_SIDE_B].fin_frame = 8;
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
}

/* The capture begins after the startup: three Read Requests and two responses of Reads, perhaps earlier ones.
 */
static void more_requests_than_responses_are_not_known(void **state) {
    struct iw_history_traffic asked = {.opcode = IW_RDMAP_OP_READ_REQUEST, .messages = 3};
    struct iw_history_traffic answered = {.opcode = IW_RDMAP_OP_READ_RESPONSE, .messages = 2};

    (void)state;
    outstanding_read(0);
    facts.unanswered[IW_SIDE_A].perhaps = 1;
    counts.unjudged[IW_UNJUDGED_STARTUP] = 2;
    history.side[IW_SIDE_A].traffic = &asked;
    history.side[IW_SIDE_B].traffic = &answered;
    history.side[IW_SIDE_A].traffic_count = history.side[IW_SIDE_B].traffic_count = 1;
    requests.side[IW_SIDE_A].last_request_ns = SECOND;
    requests.side[IW_SIDE_B].last_answer_ns = 2 * SECOND;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    requests.side[IW_SIDE_A].last_request_ns = 3 * SECOND - 1;
    first();
    assert_false(diagnosis.failed);
    ends(IW_LLP_CLOSE_ABORTIVE);
    first();
    assert_true(diagnosis.failed);
    answered.messages = 3;
    first();
    assert_false(diagnosis.failed);
    answered.messages = 2;
    counts.unjudged[IW_UNJUDGED_LOST] = 1;
    first();
    assert_false(diagnosis.failed);
}

/* The capture goes on after the latest packet of the connection. */
static void an_open_connection_waits_until_the_end_of_the_capture(void **state) {
    (void)state;
    outstanding_read(0);
    history.last.time_ns = life.last.time_ns = SECOND;
    assert_string_equal(first(), "");
    facts.capture_ns = 61 * SECOND;
    assert_string_equal(first(), "response-missing");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_POSSIBLE);
    assert_non_null(strstr(diagnosis.causes[0].detail, "for 60.000 s"));
}

/* What a connection that has ended lacks does not become older. */
static void a_closed_connection_waits_until_its_end(void **state) {
    (void)state;
    outstanding_read(0);
    history.last.time_ns = life.last.time_ns = SECOND;
    ends(IW_LLP_CLOSE_GRACEFUL);
    history.side[IW_SIDE_A].close.time_ns = SECOND;
    facts.capture_ns = 61 * SECOND;
    assert_string_equal(first(), "");
}

/* A queue is full with as many requests as permitted; with more, its requester is at fault first. */
static void more_requests_than_permitted_are_no_full_queue(void **state) {
    (void)state;
    outstanding_read(0);
    ends(IW_LLP_CLOSE_ABORTIVE);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        terms.frame[side].enhanced = true;
        terms.frame[side].enhanced_data = (struct iw_mpa_enhanced){.ird = 2, .ord = 2};
    }
    facts.unanswered[IW_SIDE_A].count = 2;
    assert_string_equal(first(), "queue-full");
    facts.unanswered[IW_SIDE_A].count = 3;
    assert_string_equal(first(), "ird-exceeded");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_A);
    assert_int_equal(diagnosis.count, 1);
}

/* The frames of the request and of the silence after it are all there. */
static void a_late_capture_has_requests_without_a_response(void **state) {
    (void)state;
    outstanding_read(0);
    ends(IW_LLP_CLOSE_ABORTIVE);
    counts.unjudged[IW_UNJUDGED_STARTUP] = 2;
    assert_string_equal(first(), "response-missing");
    assert_int_equal(confidence(), IW_CONFIDENCE_POSSIBLE);
    outstanding_read(1440);
    assert_string_equal(first(), "response-stopped");
    assert_int_equal(confidence(), IW_CONFIDENCE_LIKELY);
    facts.unanswered[IW_SIDE_A].perhaps = 1; /* the response may be to an earlier request */
    assert_string_equal(first(), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_response_is_missing_for_sure_only_after_the_end),
        TEST(a_response_is_under_way_after_its_latest_octets),
        TEST(what_is_lost_before_the_capture_is_not_missing_for_sure),
        TEST(octets_in_flight_explain_a_response_that_stopped),
        TEST(a_wait_ends_with_the_connection),
        TEST(a_closed_window_of_the_requester_explains_a_missing_response),
        TEST(a_dead_host_explains_a_missing_response),
        TEST(names_the_side_that_owes_the_response),
        TEST(a_reset_of_octets_is_not_known),
        TEST(more_requests_than_responses_are_not_known),
        TEST(an_open_connection_waits_until_the_end_of_the_capture),
        TEST(a_closed_connection_waits_until_its_end),
        TEST(more_requests_than_permitted_are_no_full_queue),
        TEST(a_late_capture_has_requests_without_a_response),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
