#include "iw_diagnosis_test.h"

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

static void both_sides_may_have_the_same_cause(void **state) {
    (void)state;
    assert_non_null(
        iw_diagnosis_add_of(&diagnosis, IW_SIDE_A, IW_CAUSE_ID_ZERO_WINDOW, IW_CONFIDENCE_LIKELY, "one"));
    assert_non_null(
        iw_diagnosis_add_of(&diagnosis, IW_SIDE_B, IW_CAUSE_ID_ZERO_WINDOW, IW_CONFIDENCE_LIKELY, "two"));
    assert_null(
        iw_diagnosis_add_of(&diagnosis, IW_SIDE_B, IW_CAUSE_ID_ZERO_WINDOW, IW_CONFIDENCE_CERTAIN, "again"));
    assert_null(iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_ZERO_WINDOW, IW_CONFIDENCE_CERTAIN, "again"));
    iw_diagnosis_add(&diagnosis, IW_CAUSE_ID_ROCE, IW_CONFIDENCE_LIKELY, "three");
    assert_int_equal(diagnosis.count, 3);
    assert_true(diagnosis.causes[0].has_side && diagnosis.causes[1].has_side);
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_A);
    assert_int_equal(diagnosis.causes[1].side, IW_SIDE_B);
    assert_false(diagnosis.causes[2].has_side);
}

/* Both sides reject an STag. Only if a Terminate does not acknowledge the other one, it does not follow from
 * it. */
static void terminates_that_cross_have_causes_of_their_own(void **state) {
    static struct iw_history_trouble first_trouble;
    struct iw_history_message messages[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 7, .length = 8},
        {.side = IW_SIDE_A, .opcode = IW_RDMAP_OP_TERMINATE, .qn = IW_QN_TERMINATE, .end = 200},
        {.side = IW_SIDE_B, .opcode = IW_RDMAP_OP_TERMINATE, .qn = IW_QN_TERMINATE, .end = 300}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_STAG, messages, 3);
    trouble.terminate.header_tagged = true;
    trouble.terminate.message = messages[0];
    first_trouble.terminate =
        (struct iw_history_terminate){.mark = {19, 19}, .error = IW_ERROR_RDMAP_LOCAL_CATASTROPHIC};
    history.side[IW_SIDE_A].trouble = &first_trouble;
    messages[2].received_at_most = 200;
    assert_string_equal(first(), "local-error");
    assert_int_equal(diagnosis.count, 1);
    messages[2].received_at_most = UINT64_MAX; /* not known */
    assert_string_equal(first(), "local-error");
    assert_int_equal(diagnosis.count, 1);
    messages[2].received_at_most = 199;
    assert_string_equal(first(), "local-error");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "stag-unknown");
    assert_int_equal(diagnosis.causes[1].side, IW_SIDE_B);
}

/* Each side rejects a Send of the other one that violates the protocol. */
static void each_of_two_violations_is_named(void **state) {
    static struct iw_history_trouble first_trouble;
    struct iw_history_message sends[] = {
        {.side = IW_SIDE_B, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1, .length = 5},
        {.side = IW_SIDE_A, .last = true, .opcode = IW_RDMAP_OP_SEND, .msn = 1, .length = 5}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_MO, sends, 2);
    first_trouble.terminate = trouble.terminate;
    first_trouble.terminate.mark.frame = 19;
    first_trouble.terminate.message = sends[0];
    history.side[IW_SIDE_A].trouble = &first_trouble;
    finds("RFC5041-4.3-12", IW_SIDE_B, 10);
    finds("RFC5041-4.3-12", IW_SIDE_A, 11);
    assert_string_equal(first(), "protocol-violation");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "protocol-violation");
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_B);
    assert_int_equal(diagnosis.causes[1].side, IW_SIDE_A);
}

static uint64_t number_in_file(const void *files, uint64_t frame) {
    return frame - *(const uint64_t *)files;
}

static void a_frame_has_the_number_that_a_reader_finds(void **state) {
    static const uint64_t before = 4;

    (void)state;
    assert_int_equal(iw_facts_frame_number(&facts, 12), 12);
    facts.frame_number = number_in_file;
    facts.files = &before;
    assert_int_equal(iw_facts_frame_number(&facts, 12), 8);
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
    assert_string_equal(iw_ending_text(&facts, IW_ENDING_GRACEFUL), "by a FIN");
    facts.life = NULL;
    assert_string_equal(iw_ending_text(&facts, IW_ENDING_GRACEFUL), "by an orderly end of the session");
    assert_string_equal(iw_ending_text(&facts, IW_ENDING_RESET), "by an abort of the association");
    assert_string_equal(iw_ending_text(&facts, IW_ENDING_REJECTED), "by a Reject");
}

static void finds_an_stag_in_the_wrong_byte_order(void **state) {
    struct iw_history_message writes[] = {
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 0x0001A2F0, .length = 8},
        {.tagged = true, .last = true, .opcode = IW_RDMAP_OP_RDMA_WRITE, .stag = 0xF0A20100, .length = 8}};

    (void)state;
    rejects(IW_ERROR_DDP_INVALID_STAG, writes, 2);
    assert_string_equal(first(), "stag-unknown");
    assert_non_null(
        strstr(diagnosis.causes[0].detail, "It is STag 0x0001a2f0 of frame 10 in the wrong byte order."));
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
    const struct CMUnitTest tests[] = {
        TEST(the_most_probable_cause_is_first),
        TEST(both_sides_may_have_the_same_cause),
        TEST(terminates_that_cross_have_causes_of_their_own),
        TEST(each_of_two_violations_is_named),
        TEST(a_frame_has_the_number_that_a_reader_finds),
        TEST(a_full_list_keeps_the_more_probable),
        TEST(names_each_frame_once),
        TEST(nothing_wrong_has_no_cause),
        TEST(an_unknown_terminate_is_not_known),
        TEST(an_msn_is_not_out_of_step_if_octets_are_missing),
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
