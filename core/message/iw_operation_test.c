#include "iw_operation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct iw_operations operations;
static struct iw_response_fact fact;
static const struct iw_operation *request;

static int set_up(void **state) {
    (void)state;
    iw_operations_init(&operations, true);
    memset(&fact, 0, sizeof fact);
    request = NULL;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_operations_dispose(&operations);
    return 0;
}

/* ---- requests, their headers written out by hand (RFC 5040 4.4, RFC 7306 5.2.1,
 * draft-talpey-rdma-commit-01 3.1) ---- */

static struct iw_segment untagged(uint8_t opcode, uint32_t msn, const uint8_t *header, uint8_t octets) {
    return (struct iw_segment){.last = true,
        .opcode = opcode,
        .op = &iw_opcodes[opcode],
        .qn = iw_opcodes[opcode].qn,
        .msn = msn,
        .ddp_octets = 18,
        .header = header,
        .header_octets = octets,
        .length = (uint16_t)(18 + octets)};
}

/* Data Sink STag 00001234h, Tagged Offset as given, Data Source STag 00005678h, Tagged Offset 2000h. */
static void ask_read(uint32_t msn, uint16_t sink_to, uint16_t size, uint64_t frame) {
    uint8_t header[28] = {0, 0, 0x12, 0x34, 0, 0, 0, 0, 0, 0, (uint8_t)(sink_to >> 8), (uint8_t)sink_to, 0, 0,
        (uint8_t)(size >> 8), (uint8_t)size, 0, 0, 0x56, 0x78, 0, 0, 0, 0, 0, 0, 0x20, 0};
    struct iw_segment segment = untagged(IW_RDMAP_OP_READ_REQUEST, msn, header, sizeof header);

    request = iw_operations_request(&operations, &segment, frame, frame * 10);
}

static void ask_atomic(uint32_t msn, uint8_t identifier, uint64_t frame) {
    uint8_t header[52] = {0, 0, 0, 2, 0xCA, 0xFE, 0, identifier, 0x11, 0x22, 0x33, 0x44};
    struct iw_segment segment = untagged(IW_RDMAP_OP_ATOMIC_REQUEST, msn, header, sizeof header);

    request = iw_operations_request(&operations, &segment, frame, frame * 10);
}

/* STag 11223344h, length 8, Tagged Offset 4000h, and what the opcode has behind it. */
static void ask_commit(uint8_t opcode, uint8_t octets, uint16_t hash_octets, uint32_t msn) {
    uint8_t header[24] = {0x11, 0x22, 0x33, 0x44, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0x40, 0, 0, 0, 0, 1};
    struct iw_segment segment = untagged(opcode, msn, header, octets);

    segment.payload_octets = hash_octets;
    segment.length = (uint16_t)(segment.length + hash_octets);
    request = iw_operations_request(&operations, &segment, msn, 0);
}

static bool answer_read(uint32_t stag, uint64_t to, uint16_t payload, bool last, uint64_t frame) {
    struct iw_segment segment = {.tagged = true,
        .last = last,
        .opcode = IW_RDMAP_OP_READ_RESPONSE,
        .op = &iw_opcodes[IW_RDMAP_OP_READ_RESPONSE],
        .stag = stag,
        .to = to,
        .ddp_octets = 14,
        .payload_octets = payload,
        .length = (uint16_t)(14 + payload)};

    return iw_operations_response(&operations, &segment, frame, &fact);
}

static bool answer_atomic(uint32_t msn, uint8_t identifier, uint64_t frame) {
    uint8_t header[12] = {0xCA, 0xFE, 0, identifier, 0, 0, 0, 0, 0, 0, 0, 7};
    struct iw_segment segment = untagged(IW_RDMAP_OP_ATOMIC_RESPONSE, msn, header, sizeof header);

    return iw_operations_response(&operations, &segment, frame, &fact);
}

static bool answer_commit(uint8_t opcode, uint32_t msn) {
    struct iw_segment segment = untagged(opcode, msn, NULL, 0);

    return iw_operations_response(&operations, &segment, msn, &fact);
}

static void expect_right(void) {
    assert_true(fact.known);
    assert_true(fact.opcode_ok);
    assert_true(fact.in_order);
    assert_true(fact.stag_ok);
    assert_true(fact.to_ok);
    assert_true(fact.length_ok);
    assert_true(fact.identifier_ok);
}

/* ---- Reads ---- */

static void pairs_a_read_with_its_answer(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 5);
    assert_non_null(request);
    assert_int_equal(request->number, 1);
    assert_int_equal(request->opcode, IW_RDMAP_OP_READ_REQUEST);
    assert_int_equal(request->msn, 1);
    assert_int_equal(request->request_frame, 5);
    assert_int_equal(request->request_time_ns, 50);
    assert_int_equal(request->response_frame, 0);
    assert_int_equal(request->request.read.source_to, 0x2000);
    assert_int_equal(iw_operations_waiting(&operations), 1);

    assert_true(answer_read(0x1234, 0x1000, 8, true, 6));
    expect_right();
    assert_true(fact.complete);
    assert_int_equal(fact.to_expected, 0x1000);
    assert_int_equal(fact.octets_left, 8);
    assert_int_equal(fact.operation->number, 1);
    assert_int_equal(fact.operation->request_frame, 5);
    assert_int_equal(fact.operation->response_frame, 6);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void follows_an_answer_of_many_segments(void **state) {
    (void)state;
    ask_read(1, 0x1000, 20, 1);
    answer_read(0x1234, 0x1000, 8, false, 2);
    expect_right();
    assert_false(fact.complete);
    answer_read(0x1234, 0x1008, 8, false, 3);
    expect_right();
    assert_int_equal(fact.to_expected, 0x1008);
    assert_int_equal(fact.octets_left, 12);
    assert_int_equal(fact.operation->response_frame, 2);
    answer_read(0x1234, 0x1010, 4, true, 4);
    expect_right();
    assert_true(fact.complete);
    assert_int_equal(fact.operation->answered, 20);
}

/* All the payload is there, L comes with none. */
static void takes_a_last_segment_without_payload(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    answer_read(0x1234, 0x1000, 8, false, 2);
    expect_right();
    answer_read(0, 0, 0, true, 3);
    expect_right();
    assert_true(fact.complete);
}

/* STag and TO of a Read of size 0 are not looked at. */
static void takes_any_stag_and_to_for_size_0(void **state) {
    (void)state;
    ask_read(1, 0x1000, 0, 1);
    answer_read(0xDEAD, 0xFFFFFFFFFFFFFFFF, 0, true, 2);
    expect_right();
    assert_true(fact.complete);
    ask_read(2, 0x1000, 0, 3);
    answer_read(0xDEAD, 0, 4, true, 4);
    assert_true(fact.stag_ok);
    assert_false(fact.length_ok);
}

static void tells_a_wrong_stag(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    ask_read(2, 0x2000, 8, 2);
    answer_read(0x1235, 0x1000, 8, true, 3);
    assert_true(fact.known);
    assert_false(fact.stag_ok);
    assert_true(fact.to_ok);
    assert_int_equal(fact.operation->request_frame, 1);
    /* It may have been the answer to the other one. */
    answer_read(0x1234, 0x2000, 8, true, 4);
    assert_false(fact.known);
}

static void tells_a_wrong_to(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    answer_read(0x1234, 0x1004, 8, true, 2);
    assert_true(fact.stag_ok);
    assert_false(fact.to_ok);
    assert_int_equal(fact.to_expected, 0x1000);
    assert_true(fact.length_ok);
    ask_read(2, 0x1000, 8, 3);
    answer_read(0x1234, 0x1000, 8, true, 4);
    expect_right();
}

static void tells_a_wrong_length(void **state) {
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
    answer_read(0x1234, 0x100C, 4, true, 5); /* longer still */
    assert_false(fact.length_ok);
    assert_int_equal(fact.octets_left, 0);
    assert_true(fact.complete);
}

static void tells_an_answer_to_no_read(void **state) {
    (void)state;
    assert_true(answer_read(0x1234, 0x1000, 8, true, 1));
    assert_true(fact.known);
    assert_null(fact.operation);
    assert_false(fact.complete);
    answer_read(0x1234, 0x1000, 8, true, 2);
    assert_false(fact.known);
}

/* ---- queue 3 ---- */

static void pairs_atomics_by_their_identifier(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    assert_int_equal(request->request.atomic.identifier, 0xCAFE0001);
    assert_int_equal(request->request.atomic.aopcode, 2);
    ask_atomic(2, 2, 2);
    answer_atomic(1, 1, 3);
    expect_right();
    assert_true(fact.complete);
    answer_atomic(2, 9, 4);
    assert_true(fact.known);
    assert_true(fact.opcode_ok);
    assert_false(fact.identifier_ok);
    assert_int_equal(fact.operation->request_frame, 2);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void pairs_flush_verify_and_atomic_write(void **state) {
    (void)state;
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 1);
    assert_int_equal(request->request.flush.stag, 0x11223344);
    assert_int_equal(request->request.flush.p, 1);
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 16, 2);
    assert_int_equal(request->request.verify.to, 0x4000);
    ask_commit(IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, 24, 0, 3);
    assert_int_equal(request->request.atomic_write.length, 8);
    assert_int_equal(iw_operations_waiting(&operations), 3);
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 1);
    expect_right();
    answer_commit(IW_RDMAP_OP_VERIFY_RESPONSE, 2);
    expect_right();
    answer_commit(IW_RDMAP_OP_ATOMIC_WRITE_RESPONSE, 3);
    expect_right();
    assert_int_equal(fact.operation->msn, 3);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void tells_an_answer_of_another_kind(void **state) {
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

static void tells_an_answer_to_a_later_request(void **state) {
    (void)state;
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 1);
    ask_atomic(2, 2, 2);
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 0, 3);
    answer_commit(IW_RDMAP_OP_VERIFY_RESPONSE, 1);
    expect_right();
    assert_int_equal(fact.operation->msn, 3);
    assert_int_equal(fact.overtaken->msn, 1);
    assert_true(iw_operations_earlier_waits(&operations, fact.operation));
    /* The Flush is overtaken once only. */
    answer_atomic(2, 2, 4);
    expect_right();
    assert_null(fact.overtaken);
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 3);
    expect_right();
    assert_int_equal(fact.operation->msn, 1);
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void tells_an_answer_to_a_later_atomic(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    ask_atomic(2, 2, 2);
    ask_atomic(3, 3, 3);
    answer_atomic(1, 3, 4);
    expect_right();
    assert_int_equal(fact.operation->msn, 3);
    assert_int_equal(fact.overtaken->msn, 1);
    answer_atomic(2, 1, 5);
    expect_right();
    assert_int_equal(fact.operation->msn, 1);
    assert_null(fact.overtaken);
    answer_atomic(3, 2, 6);
    expect_right();
    assert_false(iw_operations_earlier_waits(&operations, fact.operation));
}

/* As far as anyone looks ahead, and no further. */
static void looks_for_few_of_many_requests(void **state) {
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
    assert_true(iw_operations_response(&operations, &segment, 9, &fact));
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
    /* What is not there differs from nothing. */
    ask_hash("abcdefgh", 8);
    answer_hash("x", 8, 1);
    assert_true(fact.hash_ok);
    ask_hash("", 0);
    answer_hash("abcdefgh", 8, 8);
    assert_true(fact.hash_ok);
}

/* Only the first segment of a Verify with a long hash has the header. */
static void takes_a_verify_of_many_segments_once(void **state) {
    struct iw_segment later = untagged(IW_RDMAP_OP_VERIFY_REQUEST, 1, NULL, 0);

    (void)state;
    ask_commit(IW_RDMAP_OP_VERIFY_REQUEST, 16, 16, 1);
    later.mo = 32;
    later.payload_octets = 16;
    assert_null(iw_operations_request(&operations, &later, 2, 0));
    assert_int_equal(iw_operations_waiting(&operations), 1);
    answer_commit(IW_RDMAP_OP_VERIFY_RESPONSE, 1);
    expect_right();
}

/* Answers on queue 3 are counted without the Reads between their requests. */
static void keeps_queue_3_apart_from_reads(void **state) {
    (void)state;
    ask_atomic(1, 1, 1);
    ask_read(2, 0x1000, 8, 2);
    ask_read(3, 0x2000, 8, 3);
    ask_commit(IW_RDMAP_OP_FLUSH_REQUEST, 20, 0, 4);
    ask_read(5, 0x3000, 8, 5);
    answer_atomic(1, 1, 6);
    expect_right();
    answer_read(0x1234, 0x1000, 8, true, 7);
    expect_right();
    answer_read(0x1234, 0x2000, 8, true, 8);
    expect_right();
    answer_commit(IW_RDMAP_OP_FLUSH_RESPONSE, 2);
    expect_right();
    assert_int_equal(fact.operation->msn, 4);
    answer_read(0x1234, 0x3000, 8, true, 10);
    expect_right();
    assert_int_equal(fact.operation->number, 5);
}

static void tells_answers_out_of_order(void **state) {
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
    expect_right();
    assert_null(fact.earlier);
    answer_atomic(2, 2, 6);
    expect_right();
    ask_read(4, 0x1000, 8, 7);
    ask_atomic(5, 3, 8);
    answer_atomic(3, 3, 9);
    assert_false(fact.in_order);
    assert_int_equal(fact.earlier->request_frame, 7);
}

/* ---- what is no operation ---- */

static void takes_no_other_message(void **state) {
    static const uint8_t opcodes[] = {IW_RDMAP_OP_RDMA_WRITE, IW_RDMAP_OP_SEND, IW_RDMAP_OP_TERMINATE,
        IW_RDMAP_OP_IMMEDIATE, IW_RDMAP_OP_SEND_SE_INV};
    struct iw_segment unknown = {.last = true, .opcode = 0x0C, .qn = 1};

    (void)state;
    for (size_t i = 0; i < sizeof opcodes; i++) {
        struct iw_segment segment = untagged(opcodes[i], 1, NULL, 0);

        assert_null(iw_operations_request(&operations, &segment, 1, 0));
        assert_false(iw_operations_response(&operations, &segment, 1, &fact));
    }
    assert_null(iw_operations_request(&operations, &unknown, 1, 0));
    assert_false(iw_operations_response(&operations, &unknown, 1, &fact));
    assert_int_equal(iw_operations_waiting(&operations), 0);
    assert_true(operations.known);
}

/* ---- losses ---- */

static void knows_nothing_behind_a_loss(void **state) {
    (void)state;
    ask_read(1, 0x1000, 8, 1);
    ask_atomic(2, 1, 2);
    iw_operations_lost(&operations);
    assert_int_equal(iw_operations_waiting(&operations), 0);
    answer_read(0x1234, 0x1000, 8, true, 3);
    assert_false(fact.known);
    assert_null(fact.operation);
    /* What looks like the right answer proves nothing: it may be to a request alike. */
    ask_read(3, 0x1000, 8, 4);
    ask_atomic(4, 1, 5);
    answer_read(0x1234, 0x1000, 8, true, 6);
    assert_false(fact.known);
    answer_atomic(2, 1, 7);
    assert_false(fact.known);
}

static void knows_nothing_from_the_middle_on(void **state) {
    (void)state;
    iw_operations_init(&operations, false);
    ask_read(1, 0x1000, 8, 1);
    answer_read(0x1234, 0x1000, 8, true, 2);
    assert_false(fact.known);
}

static void knows_nothing_behind_a_request_without_its_header(void **state) {
    struct iw_segment segment = untagged(IW_RDMAP_OP_READ_REQUEST, 1, NULL, 0);

    (void)state;
    segment.header_missing = true;
    assert_null(iw_operations_request(&operations, &segment, 1, 0));
    answer_read(0x1234, 0x1000, 8, true, 2);
    assert_false(fact.known);
}

/* ---- the lists ---- */

static void grows_and_goes_round(void **state) {
    uint32_t asked = 0;
    uint32_t answered = 0;

    (void)state;
    for (unsigned round = 0; round < 50; round++) {
        for (unsigned i = 0; i < 7; i++, asked++)
            ask_read(asked, (uint16_t)(asked * 8), 8, asked + 1);
        for (unsigned i = 0; i < 5; i++, answered++) {
            answer_read(0x1234, (uint16_t)(answered * 8), 8, true, 1000);
            expect_right();
            assert_int_equal(fact.operation->request_frame, answered + 1);
        }
    }
    assert_int_equal(iw_operations_waiting(&operations), 100);
    for (; answered < asked; answered++) {
        answer_read(0x1234, (uint16_t)(answered * 8), 8, true, 1000);
        expect_right();
    }
    assert_int_equal(iw_operations_waiting(&operations), 0);
}

static void keeps_no_more_than_the_maximum(void **state) {
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void what_many_requests_took_is_given_back(void **state) {
    (void)state;
    for (uint32_t i = 1; i <= 100; i++)
        ask_read(i, 0x1000, 8, i);
    assert_true(operations.reads.capacity >= 100);
    for (uint32_t i = 1; i <= 100; i++) {
        assert_true(answer_read(0x1234, 0x1000, 8, true, 200 + i));
        assert_int_equal(fact.operation->number, i);
    }
    assert_int_equal(iw_operations_waiting(&operations), 0);
    assert_true(operations.reads.capacity <= 8);
    ask_read(101, 0x1000, 8, 400);
    assert_int_equal(iw_operations_waiting(&operations), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_many_requests_took_is_given_back),
        TEST(pairs_a_read_with_its_answer),
        TEST(follows_an_answer_of_many_segments),
        TEST(takes_a_last_segment_without_payload),
        TEST(takes_any_stag_and_to_for_size_0),
        TEST(tells_a_wrong_stag),
        TEST(tells_a_wrong_to),
        TEST(tells_a_wrong_length),
        TEST(tells_an_answer_to_no_read),
        TEST(pairs_atomics_by_their_identifier),
        TEST(pairs_flush_verify_and_atomic_write),
        TEST(tells_an_answer_of_another_kind),
        TEST(tells_an_answer_to_a_later_request),
        TEST(tells_an_answer_to_a_later_atomic),
        TEST(looks_for_few_of_many_requests),
        TEST(compares_the_hashes_of_a_verify),
        TEST(takes_a_verify_of_many_segments_once),
        TEST(keeps_queue_3_apart_from_reads),
        TEST(tells_answers_out_of_order),
        TEST(takes_no_other_message),
        TEST(knows_nothing_behind_a_loss),
        TEST(knows_nothing_from_the_middle_on),
        TEST(knows_nothing_behind_a_request_without_its_header),
        TEST(grows_and_goes_round),
        TEST(keeps_no_more_than_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
