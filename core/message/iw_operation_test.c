#include "iw_operation_test.h"

/* ---- Reads ---- */

static void matches_a_read_with_its_response(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 5);
    assert_non_null(request);
    assert_int_equal(request->number, 1);
    assert_int_equal(request->opcode, IW_RDMAP_OP_READ_REQUEST);
    assert_int_equal(request->msn, 1);
    assert_int_equal(request->request_frame, 5);
    assert_int_equal(request->request_time_ns, 50);
    assert_int_equal(request->response_frame, 0);
    assert_int_equal(request->request.header.read_request.source_to, 0x2000);
    assert_int_equal(iw_operations_waiting(&operations), 1);

    assert_true(answer_read(0x1234, 0x1000, 8, true, 6));
    expect_correct();
    assert_true(fact.complete);
    assert_int_equal(fact.to_expected, 0x1000);
    assert_int_equal(fact.octets_left, 8);
    assert_int_equal(fact.operation->number, 1);
    assert_int_equal(fact.operation->request_frame, 5);
    assert_int_equal(fact.operation->response_frame, 6);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void follows_a_response_in_many_segments(void **state) {
    (void)state;
    ask_read(1, 0x1000, 20, 1);
    answer_read(0x1234, 0x1000, 8, false, 2);
    expect_correct();
    assert_false(fact.complete);
    answer_read(0x1234, 0x1008, 8, false, 3);
    expect_correct();
    assert_int_equal(fact.to_expected, 0x1008);
    assert_int_equal(fact.octets_left, 12);
    assert_int_equal(fact.operation->response_frame, 2);
    answer_read(0x1234, 0x1010, 4, true, 4);
    expect_correct();
    assert_true(fact.complete);
    assert_int_equal(fact.operation->answered, 20);
}

/* All payload comes first, then L without payload. */
static void accepts_a_last_segment_without_payload(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    answer_read(0x1234, 0x1000, 8, false, 2);
    expect_correct();
    answer_read(0, 0, 0, true, 3);
    expect_correct();
    assert_true(fact.complete);
}

/* STag and TO of a Read of size 0 are ignored. */
static void accepts_any_stag_and_to_for_size_0(void **state) {
    (void)state;
    ask_read(1, 0x1000, 0, 1);
    answer_read(0xDEAD, 0xFFFFFFFFFFFFFFFF, 0, true, 2);
    expect_correct();
    assert_true(fact.complete);
    ask_read(2, 0x1000, 0, 3);
    answer_read(0xDEAD, 0, 4, true, 4);
    assert_true(fact.stag_ok);
    assert_false(fact.length_ok);
}

static void reports_a_wrong_stag(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    ask_read(2, 0x2000, 8, 2);
    answer_read(0x1235, 0x1000, 8, true, 3);
    assert_true(fact.known);
    assert_false(fact.stag_ok);
    assert_true(fact.to_ok);
    assert_int_equal(fact.operation->request_frame, 1);
    /* The previous response may have belonged to the other request. */
    answer_read(0x1234, 0x2000, 8, true, 4);
    assert_false(fact.known);
}

static void reports_a_wrong_to(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    answer_read(0x1234, 0x1004, 8, true, 2);
    assert_true(fact.stag_ok);
    assert_false(fact.to_ok);
    assert_int_equal(fact.to_expected, 0x1000);
    assert_true(fact.length_ok);
    ask_read(2, 0x1000, 8, 3);
    answer_read(0x1234, 0x1000, 8, true, 4);
    expect_correct();
}

static void reports_a_wrong_length(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    answer_read(0x1234, 0x1000, 4, true, 2); /* too short */
    assert_false(fact.length_ok);
    assert_int_equal(fact.octets_left, 8);
    assert_true(fact.complete);
    ask_read(2, 0x1000, 8, 3);
    answer_read(0x1234, 0x1000, 12, false, 4); /* too long */
    assert_false(fact.length_ok);
    assert_int_equal(fact.operation->answered, 12);
    answer_read(0x1234, 0x100C, 4, true, 5); /* even longer */
    assert_false(fact.length_ok);
    assert_int_equal(fact.octets_left, 0);
    assert_true(fact.complete);
}

static void reports_an_unsolicited_response(void **state) {
    (void)state;
    assert_true(answer_read(0x1234, 0x1000, 8, true, 1));
    assert_true(fact.known);
    assert_null(fact.operation);
    assert_false(fact.complete);
    answer_read(0x1234, 0x1000, 8, true, 2);
    assert_false(fact.known);
}

/* ---- other messages ---- */

static void ignores_other_messages(void **state) {
    static const uint8_t opcodes[] = {IW_RDMAP_OP_RDMA_WRITE, IW_RDMAP_OP_SEND, IW_RDMAP_OP_TERMINATE,
        IW_RDMAP_OP_IMMEDIATE, IW_RDMAP_OP_SEND_SE_INV};
    struct iw_segment unknown = {.last = true, .opcode = 0x0C, .qn = 1};

    (void)state;
    for (size_t i = 0; i < sizeof opcodes; i++) {
        struct iw_segment segment = untagged(opcodes[i], 1, NULL, 0);

        assert_null(iw_operations_request(&operations, &segment, 1, 0));
        assert_false(iw_operations_response(&operations, &segment, UINT64_MAX, 1, &fact));
    }
    assert_null(iw_operations_request(&operations, &unknown, 1, 0));
    assert_false(iw_operations_response(&operations, &unknown, UINT64_MAX, 1, &fact));
    assert_int_equal(iw_operations_waiting(&operations), 0);
    assert_true(operations.known);
}

/* ---- losses ---- */

static void knows_no_request_after_a_loss(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    ask_atomic(2, 1, 2);
    iw_operations_lost(&operations);
    assert_int_equal(iw_operations_waiting(&operations), 0);
    answer_read(0x1234, 0x1000, 8, true, 3);
    assert_false(fact.known);
    assert_null(fact.operation);
    /* A response that fits proves nothing: it may belong to an equal request. */
    ask_read(3, 0x1000, 8, 4);
    ask_atomic(4, 1, 5);
    answer_read(0x1234, 0x1000, 8, true, 6);
    assert_false(fact.known);
    answer_atomic(2, 1, 7);
    assert_false(fact.known);
}

static void knows_no_request_after_one_without_its_header(void **state) {
    struct iw_segment segment = untagged(IW_RDMAP_OP_READ_REQUEST, 1, NULL, 0);

    (void)state;
    segment.header_missing = true;
    assert_null(iw_operations_request(&operations, &segment, 1, 0));
    answer_read(0x1234, 0x1000, 8, true, 2);
    assert_false(fact.known);
}

/* ---- the lists ---- */

static void list_grows_and_wraps(void **state) {
    uint32_t asked = 0;
    uint32_t answered = 0;

    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 7; i++, asked++)
            ask_read(asked, (uint16_t)(asked * 8), 8, asked + 1);
        for (unsigned i = 0; i < 5; i++, answered++) {
            answer_read(0x1234, (uint16_t)(answered * 8), 8, true, 1000);
            expect_correct();
            assert_int_equal(fact.operation->request_frame, answered + 1);
        }
    }
    assert_int_equal(iw_operations_waiting(&operations), 100);
    for (; answered < asked; answered++) {
        answer_read(0x1234, (uint16_t)(answered * 8), 8, true, 1000);
        expect_correct();
    }
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void keeps_at_most_the_maximum(void **state) {
    (void)state;
    for (uint32_t i = 0; i < IW_OPERATION_MAX; i++) {
        ask_read(i + 1, 0x1000, 8, i + 1);
        assert_non_null(request);
    }
    assert_true(operations.known);
    ask_read(IW_OPERATION_MAX + 1, 0x1000, 8, 1);
    assert_null(request);
    assert_int_equal(iw_operations_waiting(&operations), IW_OPERATION_MAX);
    answer_read(0x1234, 0x1000, 8, true, 1);
    assert_false(fact.known);
}

static void frees_the_memory_of_many_requests(void **state) {
    (void)state;
    for (uint32_t i = 1; i <= 100; i++)
        ask_read(i, 0x1000, 8, i);
    assert_true(operations.waiting[IW_OPERATION_READS].capacity >= 100);
    for (uint32_t i = 1; i <= 100; i++) {
        assert_true(answer_read(0x1234, 0x1000, 8, true, 200 + i));
        assert_int_equal(fact.operation->number, i);
    }
    assert_int_equal(iw_operations_waiting(&operations), 0);
    assert_true(operations.waiting[IW_OPERATION_READS].capacity <= 8);
    ask_read(101, 0x1000, 8, 400);
    assert_int_equal(iw_operations_waiting(&operations), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(frees_the_memory_of_many_requests),
        TEST(matches_a_read_with_its_response),
        TEST(follows_a_response_in_many_segments),
        TEST(accepts_a_last_segment_without_payload),
        TEST(accepts_any_stag_and_to_for_size_0),
        TEST(reports_a_wrong_stag),
        TEST(reports_a_wrong_to),
        TEST(reports_a_wrong_length),
        TEST(reports_an_unsolicited_response),
        TEST(ignores_other_messages),
        TEST(knows_no_request_after_a_loss),
        TEST(knows_no_request_after_one_without_its_header),
        TEST(list_grows_and_wraps),
        TEST(keeps_at_most_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
