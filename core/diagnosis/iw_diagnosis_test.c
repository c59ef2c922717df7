#include "iw_diagnosis.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "iw_diagnosis_part.h"

/* Evidence written by hand; the captures of captures/causes test the rest. */

#define SECOND UINT64_C(1000000000)

static struct iw_history history;
static struct iw_history_trouble trouble;
static struct iw_mpa_terms terms;
static struct iw_monitor_counts counts;
static struct iw_tcp_counters tcp[2];
static struct iw_tcp_life life;
static struct iw_tcp_trouble tcp_trouble;
static struct iw_evidence evidence;
static struct iw_diagnosis diagnosis;

/* A connection that is open, with a complete startup and a message of each side. */
static int reset(void **state) {
    (void)state;
    memset(&history, 0, sizeof history);
    memset(&trouble, 0, sizeof trouble);
    history.side[IW_SIDE_B].trouble = &trouble;
    memset(&terms, 0, sizeof terms);
    memset(&counts, 0, sizeof counts);
    memset(&life, 0, sizeof life);
    memset(&tcp_trouble, 0, sizeof tcp_trouble);
    life.side[IW_SIDE_A].trouble = &tcp_trouble;
    memset(&diagnosis, 0, sizeof diagnosis);
    terms.seen[IW_SIDE_A] = terms.seen[IW_SIDE_B] = terms.settled = terms.initiator_known = true;
    history.message_count = 2;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        history.side[side].close_kind = IW_LLP_CLOSE_INPUT;
    evidence = (struct iw_evidence){
        .history = &history, .terms = &terms, .counts = &counts, .tcp = tcp, .life = &life};
    return 0;
}

static const char *first(void) {
    iw_diagnose(&evidence, &diagnosis);
    return diagnosis.count > 0 ? diagnosis.causes[0].cause->id : "";
}

static void the_most_probable_cause_is_first(void **state) {
    (void)state;
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_POSSIBLE, "one");
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_RIGHTS, IW_CONFIDENCE_CERTAIN, "two");
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_ROCE, IW_CONFIDENCE_LIKELY, "three");
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_KEEP_ALIVE, IW_CONFIDENCE_LIKELY, "four");
    assert_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_CERTAIN, "again"));
    assert_int_equal(diagnosis.count, 4);
    assert_string_equal(diagnosis.causes[0].detail, "Two");
    assert_string_equal(diagnosis.causes[1].detail, "Three");
    assert_string_equal(diagnosis.causes[2].detail, "Four");
    assert_string_equal(diagnosis.causes[3].detail, "One");
}

static void a_full_list_keeps_the_more_probable(void **state) {
    (void)state;
    for (unsigned i = 0; i < IW_DIAGNOSIS_CAUSES; i++)
        iw_diagnosis_add(&diagnosis, (enum iw_cause_id)i, IW_CONFIDENCE_LIKELY, "%u", i);
    assert_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_ROCE, IW_CONFIDENCE_POSSIBLE, "late"));
    assert_non_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_KEEP_ALIVE, IW_CONFIDENCE_CERTAIN, "sure"));
    assert_int_equal(diagnosis.count, IW_DIAGNOSIS_CAUSES);
    assert_string_equal(diagnosis.causes[0].detail, "Sure");
    assert_string_equal(diagnosis.causes[IW_DIAGNOSIS_CAUSES - 1].detail, "4");
}

static void names_each_frame_once(void **state) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY, "octets");

    (void)state;
    iw_diagnosis_frame(cause, 7);
    iw_diagnosis_frame(cause, 0);
    iw_diagnosis_frame(cause, 7);
    iw_diagnosis_frame(NULL, 8);
    assert_int_equal(cause->frame_count, 1);
    assert_int_equal(cause->frames[0], 7);
}

static void nothing_wrong_has_no_cause(void **state) {
    (void)state;
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
}

/* What no rule knows is not known, and never a guess. */
static void an_unknown_terminate_is_not_known(void **state) {
    (void)state;
    trouble.terminate.mark = (struct iw_history_mark){9, 9};
    trouble.terminate.error = 0x0FFF;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    assert_int_equal(diagnosis.ending, IW_ENDING_TERMINATE);
    assert_int_equal(diagnosis.ender, IW_SIDE_B);
}

/* RFC 5041 7.2: 1/2/03 about an MSN that is right on the wire. */
static void an_msn_is_not_out_of_step_if_octets_are_missing(void **state) {
    struct iw_history_terminate *terminate = &trouble.terminate;

    (void)state;
    *terminate = (struct iw_history_terminate){.mark = {9, 9},
        .error = 0x1203,
        .has_header = true,
        .has_message = true,
        .message = {.decoded = true, .msn_expected = true, .opcode = 3, .known_opcode = true, .msn = 2}};
    assert_string_equal(first(), "msn-out-of-step");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_REFUTED);
    counts.unjudged[IW_UNJUDGED_LOST] = 1;
    assert_string_equal(first(), "");
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_UNDECIDED);
}

static void ends(enum iw_llp_close close) {
    history.side[IW_SIDE_A].close_kind = close;
    history.side[IW_SIDE_A].close = (struct iw_history_mark){10, 3 * SECOND};
}

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
    own->largest_acked_octets = 1400;
    assert_string_equal(first(), "retransmissions");
    life.side[IW_SIDE_B].last.frame = 9;
    assert_string_equal(first(), "peer-silent");
    tcp_trouble.resend.count = 2;
    assert_string_equal(first(), "");
}

/* A Read Request of side A in frame 7, 2 s before the end. */
static void outstanding_read(uint64_t answered) {
    evidence.unanswered[IW_SIDE_A] = (struct iw_unanswered){.count = 1, .named_count = 1};
    evidence.unanswered[IW_SIDE_A].named[0] = (struct iw_request_name){.number = 1,
        .opcode = IW_RDMAP_OP_READ_REQUEST,
        .msn = 1,
        .frame = 7,
        .time_ns = SECOND,
        .answered = answered,
        .read_octets = 4000};
    history.last = (struct iw_history_mark){9, 3 * SECOND};
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
    history.side[IW_SIDE_B].last_answer_ns = 3 * SECOND - SECOND / 2;
    assert_string_equal(first(), "");
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
    evidence.address[IW_SIDE_B] = "192.0.2.2:4711";
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
    assert_string_equal(iw_diagnosis_without_cause(&evidence, &diagnosis), "not known");
    life.side[IW_SIDE_B].fin_frame = 8;
    assert_string_equal(first(), "");
    assert_false(diagnosis.failed);
}

/* The capture begins after the startup: three Read Requests and two responses of Reads, perhaps earlier ones.
 */
static void more_requests_than_responses_are_not_known(void **state) {
    struct iw_history_traffic requests = {.opcode = IW_RDMAP_OP_READ_REQUEST, .messages = 3};
    struct iw_history_traffic responses = {.opcode = IW_RDMAP_OP_READ_RESPONSE, .messages = 2};

    (void)state;
    outstanding_read(0);
    evidence.unanswered[IW_SIDE_A].perhaps = 1;
    counts.unjudged[IW_UNJUDGED_STARTUP] = 2;
    history.side[IW_SIDE_A].traffic = &requests;
    history.side[IW_SIDE_B].traffic = &responses;
    history.side[IW_SIDE_A].traffic_count = history.side[IW_SIDE_B].traffic_count = 1;
    history.side[IW_SIDE_A].last_request_ns = SECOND;
    history.side[IW_SIDE_B].last_answer_ns = 2 * SECOND;
    assert_string_equal(first(), "");
    assert_true(diagnosis.failed);
    history.side[IW_SIDE_A].last_request_ns = 3 * SECOND - 1;
    first();
    assert_false(diagnosis.failed);
    ends(IW_LLP_CLOSE_ABORTIVE);
    first();
    assert_true(diagnosis.failed);
    responses.messages = 3;
    first();
    assert_false(diagnosis.failed);
    responses.messages = 2;
    counts.unjudged[IW_UNJUDGED_LOST] = 1;
    first();
    assert_false(diagnosis.failed);
}

/* RFC 6581 9.1: the ORD of a rejecting Reply is what the responder's ULP requires. */
static void a_reply_that_rejects_the_depth_says_so(void **state) {
    struct iw_startup *request = &terms.frame[IW_SIDE_A], *reply = &terms.frame[IW_SIDE_B];

    (void)state;
    terms.rejected = true;
    history.message_count = 0;
    history.side[IW_SIDE_A].private_octets = 6;
    history.side[IW_SIDE_A].startup.frame = 4;
    history.side[IW_SIDE_B].startup.frame = 5;
    request->enhanced = reply->enhanced = true;
    request->enhanced_data.ird = 1;
    reply->enhanced_data.ord = 16;
    assert_string_equal(first(), "startup-resources");
    assert_int_equal(diagnosis.causes[0].confidence, IW_CONFIDENCE_LIKELY);
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "startup-rejected");
    reply->enhanced_data.ord = 0x3FFF; /* no negotiation */
    assert_string_equal(first(), "startup-rejected");
    reply->enhanced_data.ord = 1;
    assert_string_equal(first(), "startup-rejected");
    assert_string_equal(diagnosis.causes[1].cause->id, "private-data-refused");
}

/* RFC 5044 7.1.1: for a receiver without Markers, those of the other side are octets that the CRC covers. */
static void markers_explain_a_crc_that_is_right_on_the_wire(void **state) {
    struct iw_history_trouble sender = {.markers_unexpected_frame = 6};

    (void)state;
    trouble.terminate.mark = (struct iw_history_mark){9, 9};
    trouble.terminate.error = IW_ERROR_MPA_CRC;
    history.side[IW_SIDE_A].crc_good = 2;
    assert_string_equal(first(), "crc-receiver");
    history.side[IW_SIDE_A].trouble = &sender;
    assert_string_equal(first(), "marker-disagreement");
    assert_int_equal(diagnosis.count, 1);
    assert_int_equal(diagnosis.truth[IW_SIDE_B], IW_TRUTH_CONFIRMED);
}

/* RFC 5043: a session over SCTP has neither FIN nor RST. */
static void sctp_has_its_own_endings(void **state) {
    (void)state;
    assert_string_equal(iw_ending_text(&evidence, IW_ENDING_GRACEFUL), "by a FIN");
    evidence.life = NULL;
    assert_string_equal(iw_ending_text(&evidence, IW_ENDING_GRACEFUL), "by an orderly close");
    assert_string_equal(iw_ending_text(&evidence, IW_ENDING_RESET), "by an abort");
    assert_string_equal(iw_ending_text(&evidence, IW_ENDING_REJECTED), "by a Reject");
}

/* A Terminate of side B about an STag; the segments that side A sent before, the rejected one last. */
static void rejects(uint16_t error, struct iw_history_message *messages, uint32_t count) {
    history.messages = messages;
    history.message_count = history.message_max = count;
    for (uint32_t i = 0; i < count; i++) {
        messages[i].mark.frame = 10 + i;
        messages[i].decoded = messages[i].known_opcode = messages[i].msn_expected = true;
    }
    trouble.terminate = (struct iw_history_terminate){.mark = {20, 20},
        .error = error,
        .has_header = true,
        .header_tagged = messages[count - 1].tagged,
        .has_message = true,
        .message = messages[count - 1]};
}

static void finds_an_stag_in_the_wrong_byte_order(void **state) {
    struct iw_history_message writes[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 0x0001A2F0, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 0xF0A20100, .length = 8}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_STAG, writes, 2);
    assert_string_equal(first(), "stag-unknown");
    assert_non_null(strstr(diagnosis.causes[0].detail, "It is STag 0x0001a2f0 of"));
    assert_int_equal(diagnosis.causes[0].frames[0], 10);
    writes[0].stag = 0x0001A2F1;
    assert_string_equal(first(), "stag-unknown");
    assert_null(strstr(diagnosis.causes[0].detail, "It is STag"));
}

static void tells_the_message_of_a_segment_out_of_bounds(void **state) {
    struct iw_history_message writes[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 0, .length = 100},
        {.tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 100, .length = 1000},
        {.tagged = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .to = 1100, .length = 1000},
        {.tagged = true,
            .last = true,
            .opcode = IW_RDMAP_OP_RDMA_WRITE,
            .stag = 7,
            .to = 2100,
            .length = 16}};

    (void)state;
    rejects(IW_ERROR_DDP_BASE_BOUNDS, writes, 4);
    assert_string_equal(first(), "bounds");
    assert_non_null(
        strstr(diagnosis.causes[0].detail, "a message of 2016 octets from Tagged Offset 0x64 on"));
    assert_int_equal(diagnosis.causes[0].frames[0], 11);
    history.message_count = 1000; /* the ring has lost what came before: it may be of the same message */
    writes[0].last = false;
    writes[0].stag = 7;
    assert_string_equal(first(), "bounds");
    assert_null(strstr(diagnosis.causes[0].detail, "a message of"));
}

/* RFC 6581 9.2: the RTR by Send is message 1. */
static void knows_an_rtr_that_is_not_counted(void **state) {
    struct iw_history_message sends[] = {{.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1},
        {.last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 2, .length = 5}};

    (void)state;
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        terms.frame[side].enhanced = true;
        terms.frame[side].enhanced_data = (struct iw_mpa_enhanced){.a = 1, .b = 1};
    }
    rejects(IW_ERROR_DDP_MSN_RANGE, sends, 2);
    assert_string_equal(first(), "msn-out-of-step");
    assert_non_null(strstr(diagnosis.causes[0].detail, "Message 1 was the RTR"));
    terms.frame[IW_SIDE_B].enhanced_data.a = 0;
    assert_string_equal(first(), "msn-out-of-step");
    assert_null(strstr(diagnosis.causes[0].detail, "RTR"));
}

static void evidence_is_in_the_order_of_frames(void **state) {
    struct iw_diagnosed *cause =
        iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_BOUNDS, IW_CONFIDENCE_LIKELY, "octets");

    (void)state;
    iw_diagnosis_frame(cause, 11);
    iw_diagnosis_frame(cause, 13);
    iw_diagnosis_frame(cause, 12);
    assert_int_equal(cause->frames[1], 12);
    assert_int_equal(cause->frames[2], 13);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(the_most_probable_cause_is_first),
        TEST(a_full_list_keeps_the_more_probable),
        TEST(names_each_frame_once),
        TEST(nothing_wrong_has_no_cause),
        TEST(an_unknown_terminate_is_not_known),
        TEST(an_msn_is_not_out_of_step_if_octets_are_missing),
        TEST(only_a_larger_segment_shows_a_black_hole),
        TEST(a_response_is_missing_for_sure_only_after_the_end),
        TEST(a_response_is_under_way_after_its_latest_octets),
        TEST(a_closed_window_of_the_requester_explains_a_missing_response),
        TEST(a_dead_host_explains_a_missing_response),
        TEST(names_the_side_that_owes_the_response),
        TEST(a_reset_of_octets_is_not_known),
        TEST(more_requests_than_responses_are_not_known),
        TEST(a_reply_that_rejects_the_depth_says_so),
        TEST(markers_explain_a_crc_that_is_right_on_the_wire),
        TEST(sctp_has_its_own_endings),
        TEST(finds_an_stag_in_the_wrong_byte_order),
        TEST(tells_the_message_of_a_segment_out_of_bounds),
        TEST(knows_an_rtr_that_is_not_counted),
        TEST(evidence_is_in_the_order_of_frames),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
