#include "iw_operation_test.h"

/* Requests with a response on queue 3, and their order among Reads. */

static void matches_atomics_by_identifier(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    assert_int_equal(request->request.header.atomic_request.identifier, 0xCAFE0001);
    assert_int_equal(request->request.header.atomic_request.aopcode, 2);
    ask_atomic(2, 2, 2);
    answer_atomic(1, 1, 3);
    expect_correct();
    assert_true(fact.complete);
    answer_atomic(2, 9, 4);
    assert_true(fact.known);
    assert_true(fact.opcode_ok);
    assert_false(fact.identifier_ok);
    assert_int_equal(fact.operation->request_frame, 2);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void matches_flush_verify_and_atomic_write(void **state) {
    (void)state;
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 1);
    assert_int_equal(request->request.header.flush_request.stag, 0x11223344);
    assert_int_equal(request->request.header.flush_request.p, 1);
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 16, 2);
    assert_int_equal(request->request.header.verify_request.to, 0x4000);
    ask_commit(IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, 24, 0, 3);
    assert_int_equal(request->request.header.atomic_write_request.length, 8);
    assert_int_equal(iw_operations_waiting(&operations), 3);
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 1);
    expect_correct();
    answer_commit(IW_RDMAP_OP_VERIFY_RESPONSE, 2);
    expect_correct();
    answer_commit(IW_RDMAP_OP_ATOMIC_WRITE_RESPONSE, 3);
    expect_correct();
    assert_int_equal(fact.operation->msn, 3);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void reports_a_response_with_another_opcode(void **state) {
    (void)state;
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 1);
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 0, 2);
    answer_commit(IW_RDMAP_OP_ATOMIC_WRITE_RESPONSE, 1);
    assert_true(fact.known);
    assert_false(fact.opcode_ok);
    assert_null(fact.overtaken);
    assert_int_equal(fact.operation->opcode, IW_RDMAP_OP_FLUSH_REQUEST);
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 2);
    assert_false(fact.known);
}

static void reports_a_response_to_a_later_request(void **state) {
    (void)state;
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 1);
    ask_atomic(2, 2, 2);
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 0, 3);
    answer_commit(IW_RDMAP_OP_VERIFY_RESPONSE, 1);
    expect_correct();
    assert_int_equal(fact.operation->msn, 3);
    assert_int_equal(fact.overtaken->msn, 1);
    assert_true(iw_operations_earlier_waits(&operations, fact.operation));
    /* The overtaken Flush is reported only once. */
    answer_atomic(2, 2, 4);
    expect_correct();
    assert_null(fact.overtaken);
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 3);
    expect_correct();
    assert_int_equal(fact.operation->msn, 1);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void reports_a_response_to_a_later_atomic(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    ask_atomic(2, 2, 2);
    ask_atomic(3, 3, 3);
    answer_atomic(1, 3, 4);
    expect_correct();
    assert_int_equal(fact.operation->msn, 3);
    assert_int_equal(fact.overtaken->msn, 1);
    answer_atomic(2, 1, 5);
    expect_correct();
    assert_int_equal(fact.operation->msn, 1);
    assert_null(fact.overtaken);
    answer_atomic(3, 2, 6);
    expect_correct();
    assert_false(iw_operations_earlier_waits(&operations, fact.operation));
}

/* The search ends at LOOK_AHEAD requests. */
static void searches_few_of_many_requests(void **state) {
    (void)state;
    for (uint8_t i = 1; i <= 17; i++)
        ask_atomic(i, i, i);
    assert_int_equal(iw_operations_find(&operations, 16)->msn, 16);
    assert_null(iw_operations_find(&operations, 17));
    assert_int_equal(iw_operations_before_last(&operations)->msn, 16);
    answer_atomic(1, 17, 20);
    assert_false(fact.identifier_ok);
    assert_int_equal(fact.operation->msn, 1);
    answer_atomic(2, 17, 21);
    assert_true(fact.identifier_ok);
    assert_int_equal(fact.operation->msn, 17);
    assert_int_equal(fact.overtaken->msn, 2);
}

static void answer_hash(const char *hash, uint16_t octets, uint16_t captured) {
    struct iw_segment segment = untagged(IW_RDMAP_OP_VERIFY_RESPONSE, 1, NULL, 0);

    segment.payload = (const uint8_t *)hash;
    segment.payload_octets = octets;
    segment.payload_captured = captured;
    assert_true(iw_operations_response(&operations, &segment, UINT64_MAX, 9, &fact));
}

static void ask_hash(const char *hash, uint16_t octets) {
    uint8_t header[16] = {0x11, 0x22, 0x33, 0x44};
    struct iw_segment segment = untagged(IW_RDMAP_OP_VERIFY_REQUEST, 1, header, sizeof header);

    segment.payload = (const uint8_t *)hash;
    segment.payload_octets = segment.payload_captured = octets;
    assert_non_null(iw_operations_request(&operations, &segment, 1, 0));
}

static void compares_the_hashes_of_a_verify(void **state) {
    (void)state;
    ask_hash("abcdefgh", 8);
    answer_hash("abcdefgh", 8, 8);
    assert_true(fact.hash_ok);
    ask_hash("abcdefgh", 8);
    answer_hash("abcdefgi", 8, 8);
    assert_false(fact.hash_ok);
    ask_hash("abcdefgh", 8);
    answer_hash("abcdefg", 7, 7);
    assert_false(fact.hash_ok);
    /* A missing hash never differs. */
    ask_hash("abcdefgh", 8);
    answer_hash("x", 8, 1);
    assert_true(fact.hash_ok);
    ask_hash("", 0);
    answer_hash("abcdefgh", 8, 8);
    assert_true(fact.hash_ok);
}

/* Only the first segment of a Verify with a long hash has the header. */
static void counts_a_verify_in_many_segments_once(void **state) {
    struct iw_segment later = untagged(IW_RDMAP_OP_VERIFY_REQUEST, 1, NULL, 0);

    (void)state;
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 16, 1);
    later.mo = 32;
    later.payload_octets = 16;
    assert_null(iw_operations_request(&operations, &later, 2, 0));
    assert_int_equal(iw_operations_waiting(&operations), 1);
    answer_commit(IW_RDMAP_OP_VERIFY_RESPONSE, 1);
    expect_correct();
}

/* Responses on queue 3 skip the Reads between their requests. */
static void keeps_queue_3_apart_from_reads(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    ask_read(2, 0x1000, 8, 2);
    ask_read(3, 0x2000, 8, 3);
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 4);
    ask_read(5, 0x3000, 8, 5);
    answer_atomic(1, 1, 6);
    expect_correct();
    answer_read(0x1234, 0x1000, 8, true, 7);
    expect_correct();
    answer_read(0x1234, 0x2000, 8, true, 8);
    expect_correct();
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 2);
    expect_correct();
    assert_int_equal(fact.operation->msn, 4);
    answer_read(0x1234, 0x3000, 8, true, 10);
    expect_correct();
    assert_int_equal(fact.operation->number, 5);
}

static void reports_responses_out_of_order(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    ask_read(2, 0x1000, 8, 2);
    ask_atomic(3, 2, 3);
    answer_read(0x1234, 0x1000, 8, true, 4);
    assert_false(fact.in_order);
    assert_int_equal(fact.earlier->request_frame, 1);
    assert_true(fact.known);
    assert_true(fact.stag_ok);
    answer_atomic(1, 1, 5);
    expect_correct();
    assert_null(fact.earlier);
    answer_atomic(2, 2, 6);
    expect_correct();
    ask_read(4, 0x1000, 8, 7);
    ask_atomic(5, 3, 8);
    answer_atomic(3, 3, 9);
    assert_false(fact.in_order);
    assert_int_equal(fact.earlier->request_frame, 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(matches_atomics_by_identifier),
        TEST(matches_flush_verify_and_atomic_write),
        TEST(reports_a_response_with_another_opcode),
        TEST(reports_a_response_to_a_later_request),
        TEST(reports_a_response_to_a_later_atomic),
        TEST(searches_few_of_many_requests),
        TEST(compares_the_hashes_of_a_verify),
        TEST(counts_a_verify_in_many_segments_once),
        TEST(keeps_queue_3_apart_from_reads),
        TEST(reports_responses_out_of_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
