#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_extension_text.h"

/* In the stream an untagged ULPDU has its DDP header from 2 to 20 and its RDMAP header from 20 on. */

/* ---- the clauses of a message ---- */

/* The first message of side A, and its fault. */
#define expect_first(ulpdu, ...) expect_first_at(ulpdu, (struct iw_expectation){__VA_ARGS__}, __LINE__)
static void expect_first_at(const char *ulpdu, struct iw_expectation expectation, int line) {
    uint64_t at;

    open_plain();
    at = ask(ulpdu);
    expectation.frame = 3;
    expectation.side = IW_SIDE_A;
    expectation.role = IW_ROLE_INITIATOR;
    expectation.offset += at;
    iw_conversation_expect_at(&c, expectation, __FILE__, line);
    iw_conversation_end(&c);
}

#define FIELD(at, size, name) .offset = at, .octets = size, .field = name

static void reports_t_by_the_clause_of_the_message(void **state) {
    (void)state;
    expect_first("c148 00000001 0000000000001000 0102030405060708", .id = "RFC7306-6.3-01",
        FIELD(2, 1, "ddp.tagged"), .expected = "0", .actual = "1");
    expect_first("c14a 00000001 0000000000001000 0102030405060708", .id = "RFC7306-5.2.1-04",
        FIELD(2, 1, "ddp.tagged"), .expected = "0", .actual = "1");
    expect_first("c14b 00000001 0000000000001000 0102030405060708", .id = "RFC7306-5.2.2-01",
        FIELD(2, 1, "ddp.tagged"), .expected = "0", .actual = "1");
}

static void reports_a_queue_that_rdmap_does_not_have(void **state) {
    (void)state;
    expect_first("414a 00000000 00000004 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                 "0000000000000005 " ZERO " " ZERO " " ONES,
        .id = "RFC7306-5.2.1-09", FIELD(8, 4, "ddp.qn"), .expected = "1", .actual = "4");
    expect_first("414b 00000000 00000009 00000001 00000000 cafe0001 " ZERO, .id = "RFC7306-5.2.2-02",
        FIELD(8, 4, "ddp.qn"), .expected = "3", .actual = "9");
}

static void reports_a_wrong_swap_by_its_draft(void **state) {
    (void)state;
    expect_first("414a 00000000 00000000 00000001 00000000 00000001 cafe0001 11223344 0000000000003000 "
                 "0000000000000005 " ONES " " ZERO " " ONES,
        .id = "EXT01-4.1-02", FIELD(8, 4, "ddp.qn"), .expected = "1", .actual = "0");
    expect_first("414a 11223344 00000001 00000001 00000000 00000001 cafe0001 11223344 0000000000003000 "
                 "0000000000000005 " ONES " " ZERO " " ONES,
        .id = "EXT01-4.1-01", FIELD(4, 4, "ddp.rsvdulp_rest"), .expected = "0x00000000",
        .actual = "0x11223344");
    expect_first(SWAP("00000001", "cafe0001", "0000000000003000") " 00000000", .id = "EXT01-4.2-01",
        FIELD(0, 2, "mpa.ulpdu_length"), .expected = "70", .actual = "74");
    expect_first("414a 00000000 00000001 00000001 00000000 00000001 cafe0001 11223344 0000000000003000",
        .id = "EXT01-4.2-01", FIELD(0, 2, "mpa.ulpdu_length"), .expected = "70", .actual = "38");
    expect_first(ATOMIC("00000001", "00000021", "cafe0001", "0000000000003000", ONES, ZERO, ONES),
        .id = "EXT01-5.2.1-03", FIELD(20, 4, "rdmap.atomic.reserved"), .expected = "0x0000000",
        .actual = "0x0000002");
    expect_first(ATOMIC("00000001", "00000001", "cafe0001", "0000000000003000", ZERO, ZERO, ONES),
        .id = "EXT01-5.2.1-01", FIELD(48, 8, "rdmap.atomic.mask"), .expected = "0x" ONES,
        .actual = "0x" ZERO);
    expect_first(ATOMIC("00000001", "00000001", "cafe0001", "0000000000003000", ONES, ONES, ONES),
        .id = "EXT01-5.2.1-02", FIELD(56, 8, "rdmap.atomic.compare_data"), .expected = "0x" ZERO,
        .actual = "0x" ONES);
    expect_first(ATOMIC("00000001", "00000001", "cafe0001", "0000000000003000", ONES, ZERO, ZERO),
        .id = "EXT01-5.2.1-02", FIELD(64, 8, "rdmap.atomic.compare_mask"), .expected = "0x" ONES,
        .actual = "0x" ZERO);
}

/* The header is in two segments: the AOpCode, identifier, STag and half of the TO in the first one. */
static void reports_each_segment_of_a_wrong_swap_by_its_draft(void **state) {
    (void)state;
    open_plain();
    ask("014a 11223344 00000001 00000001 00000000 00000001 cafe0001 11223344 00000000");
    iw_conversation_found(&c, "EXT01-4.1-01");
    ask("414a 55667788 00000001 00000001 00000010 00003000 0000000000000005 " ONES " " ZERO " " ONES);
    iw_conversation_found(&c, "EXT01-4.1-01");
    iw_conversation_end(&c);
}

static void reports_wrong_unused_fields_of_a_fetchadd(void **state) {
    (void)state;
    expect_first(ATOMIC("00000001", "00000000", "cafe0001", "0000000000003000", ONES, ONES, ONES),
        .id = "RFC7306-5.2.1-13", FIELD(56, 8, "rdmap.atomic.compare_data"), .expected = "0x" ZERO,
        .actual = "0x" ONES);
    expect_first(ATOMIC("00000001", "00000000", "cafe0001", "0000000000003000", ONES, ZERO, ZERO),
        .id = "RFC7306-5.2.1-13", FIELD(64, 8, "rdmap.atomic.compare_mask"), .expected = "0x" ONES,
        .actual = "0x" ZERO);
}

/* A request whose RDMAP header is in two segments, frames 3 and 4, and its fault: known with the second one.
 * An offset of 0 counts from the second FPDU. */
#define expect_split(first, second, ...)                                                                     \
    expect_split_at(first, second, (struct iw_expectation){__VA_ARGS__}, __LINE__)
static void expect_split_at(
    const char *first, const char *second, struct iw_expectation expectation, int line) {
    open_plain();
    ask(first);
    expectation.offset += ask(second);
    expectation.frame = 4;
    expectation.side = IW_SIDE_A;
    expectation.role = IW_ROLE_INITIATOR;
    expectation.context[0] = 3;
    iw_conversation_expect_at(&c, expectation, __FILE__, line);
    iw_conversation_end(&c);
}

#define FIRST_OF_ATOMIC(reserved)                                                                            \
    "014a 00000000 00000001 00000001 00000000 " reserved " cafe0001 11223344 0000000000003000"
#define REST_OF_ATOMIC(compare_data)                                                                         \
    "414a 00000000 00000001 00000001 00000014 0000000000000005 " ZERO " " compare_data " " ONES

static void judges_the_header_of_a_split_request(void **state) {
    (void)state;
    expect_split(FIRST_OF_ATOMIC("00000010"), REST_OF_ATOMIC(ZERO), .id = "RFC7306-5.2.1-14",
        FIELD(0, 56, "rdmap.atomic.reserved"), .expected = "0x0000000", .actual = "0x0000001");
    expect_split(FIRST_OF_ATOMIC("00000005"), REST_OF_ATOMIC(ZERO), .id = "RFC7306-5.2.1-01",
        FIELD(0, 56, "rdmap.atomic.aopcode"), .expected = "0, 1 or 2", .actual = "5");
    expect_split(FIRST_OF_ATOMIC("00000000"), REST_OF_ATOMIC("0000000000000001"), .id = "RFC7306-5.2.1-13",
        FIELD(36, 8, "rdmap.atomic.compare_data"), .expected = "0x0000000000000000",
        .actual = "0x0000000000000001");
    expect_split("0150 00000000 00000001 00000001 00000000 11223344 00000009 0000000000001000",
        "4150 00000000 00000001 00000001 00000010 0123456789abcdef", .id = "TALPEY-3.1.3.1-02",
        FIELD(0, 32, "rdmap.atomic_write.length"), .expected = "8", .actual = "9");
}

static void accepts_a_split_request(void **state) {
    (void)state;
    open_plain();
    ask(FIRST_OF_ATOMIC("00000000"));
    ask(REST_OF_ATOMIC(ZERO));
    iw_conversation_end(&c);
}

static void accepts_any_mask_and_comparison_of_a_cmpswap(void **state) {
    (void)state;
    open_plain();
    ask(ATOMIC("00000001", "00000002", "cafe0001", "0000000000003000", ZERO, ONES, ZERO));
    iw_conversation_end(&c);
}

/* ---- alignment ---- */

/* `second` names an address that is no multiple of 8 if that of `first` is one. */
static void expect_misaligned(const char *first, const char *second, const char *id, const char *field,
    const char *distance, uint64_t in_header, const char *answers[2], const char *answer_id) {
    uint64_t at;

    open_plain();
    ask(first);
    at = ask(second);
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 4, .offset = at + in_header, .octets = 8,
        .field = field, .expected = "a multiple of 8 octets", .actual = distance, .context = {3});
    answer(answers[0]);
    at = answer(answers[1]);
    iw_conversation_expect(&c, answer_id, BY_RESPONDER, .frame = 6, .offset = at,
        .octets = strncmp(answers[1], "4151", 4) == 0 ? 24 : 36, .expected = "rejected by a Terminate",
        .actual = "answered", .context = {4});
    iw_conversation_end(&c);
}

static void reports_misaligned_operations_and_their_execution(void **state) {
    static const char *atomics[] = {
        ATOMIC_RESPONSE("00000001", "cafe0001"), ATOMIC_RESPONSE("00000002", "cafe0002")};
    static const char *write[] = {ATOMIC_RESPONSE("00000001", "cafe0001"), WRITE_RESPONSE("00000002")};

    (void)state;
    expect_misaligned(SWAP("00000001", "cafe0001", "0000000000003003"),
        FETCHADD("00000002", "cafe0002", "0000000000003000"), "RFC7306-5.1.1-01", "rdmap.atomic.to",
        "3 octets", 32, atomics, "RFC7306-5.1.1-02");
    expect_misaligned(FETCHADD("00000001", "cafe0001", "0000000000003000"),
        CMPSWAP("00000002", "cafe0002", "0000000000003004"), "RFC7306-5.1.2-02", "rdmap.atomic.to",
        "4 octets", 32, atomics, "RFC7306-5.1.2-03");
    expect_misaligned(FETCHADD("00000001", "cafe0001", "0000000000003000"),
        SWAP("00000002", "cafe0002", "0000000000003001"), "EXT01-5.1.2-02", "rdmap.atomic.to", "1 octet", 32,
        atomics, "EXT01-5.1.2-03");
    expect_misaligned(FETCHADD("00000001", "cafe0001", "0000000000003000"),
        WRITE("00000002", "00000008", "0000000000003007"), "TALPEY-3.1.3.1-03", "rdmap.atomic_write.to",
        "7 octets", 28, write, "TALPEY-3.1.3.1-06");
}

/* The base of the buffer is unknown, and the STag may name another buffer when no request on it is
 * outstanding. */
static void accepts_operations_that_may_be_aligned(void **state) {
    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003001"));
    ask(FETCHADD("00000002", "cafe0002", "0000000000003009"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    answer(ATOMIC_RESPONSE("00000002", "cafe0002"));
    ask(FETCHADD("00000003", "cafe0003", "0000000000003002"));
    ask("414a 00000000 00000001 00000004 00000000 00000000 cafe0004 55667788 0000000000003003 "
        "0000000000000005 " ZERO " " ZERO " " ONES);
    answer(ATOMIC_RESPONSE("00000003", "cafe0003"));
    answer(ATOMIC_RESPONSE("00000004", "cafe0004"));
    iw_conversation_end(&c);
}

/* It is unknown which memory an undefined AOpCode accesses: only the AOpCode is wrong. */
static void accepts_any_address_with_an_undefined_aopcode(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    at = ask(ATOMIC("00000002", "00000003", "cafe0002", "0000000000003004", ZERO, ZERO, ONES));
    iw_conversation_expect(&c, "RFC7306-5.2.1-01", BY_INITIATOR, .frame = 4, .offset = at + 23, .octets = 1,
        .field = "rdmap.atomic.aopcode", .expected = "0, 1 or 2", .actual = "3");
    ask(FETCHADD("00000003", "cafe0003", "0000000000003008"));
    iw_conversation_end(&c);
}

/* A CmpSwap, a Send with Invalidate of its STag, and a CmpSwap 4 octets further: in one segment, and with a
 * header in two segments. */
static void accepts_operations_on_an_stag_invalidated_between(void **state) {
    static const char *const before = CMPSWAP("00000001", "cafe0001", "0000000000003000");

    (void)state;
    open_plain();
    ask(before);
    ask("4144 11223344 00000000 00000001 00000000 78");
    ask(CMPSWAP("00000002", "cafe0002", "0000000000003004"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    answer(ATOMIC_RESPONSE("00000002", "cafe0002"));
    iw_conversation_end(&c);

    open_plain();
    ask(before);
    ask("4144 11223344 00000000 00000001 00000000 78");
    ask("014a 00000000 00000001 00000002 00000000 00000002 cafe0002 11223344");
    ask("414a 00000000 00000001 00000002 0000000c 0000000000003004 0000000000000005 " ONES " " ZERO " " ONES);
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    answer(ATOMIC_RESPONSE("00000002", "cafe0002"));
    iw_conversation_end(&c);
}

/* The invalidated STag is a different one, or was invalidated before the first operation. */
static void reports_a_misaligned_operation_after_other_invalidations(void **state) {
    (void)state;
    open_plain();
    ask("4144 11223344 00000000 00000001 00000000 78");
    ask(CMPSWAP("00000001", "cafe0001", "0000000000003000"));
    ask("4144 55667788 00000000 00000002 00000000 78");
    ask(CMPSWAP("00000002", "cafe0002", "0000000000003004"));
    iw_conversation_found(&c, "RFC7306-5.1.2-02");
    iw_conversation_end(&c);
}

/* Without the responses, it is unknown whether the first one is still outstanding. */
static void doubts_operations_whose_answers_are_not_captured(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(WRITE("00000002", "00000008", "0000000000003004"));
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_t_by_the_clause_of_the_message),
        cmocka_unit_test(reports_a_queue_that_rdmap_does_not_have),
        cmocka_unit_test(reports_a_wrong_swap_by_its_draft),
        cmocka_unit_test(reports_each_segment_of_a_wrong_swap_by_its_draft),
        cmocka_unit_test(reports_wrong_unused_fields_of_a_fetchadd),
        cmocka_unit_test(judges_the_header_of_a_split_request),
        cmocka_unit_test(accepts_a_split_request),
        cmocka_unit_test(accepts_any_mask_and_comparison_of_a_cmpswap),
        cmocka_unit_test(reports_misaligned_operations_and_their_execution),
        cmocka_unit_test(accepts_any_address_with_an_undefined_aopcode),
        cmocka_unit_test(accepts_operations_that_may_be_aligned),
        cmocka_unit_test(accepts_operations_on_an_stag_invalidated_between),
        cmocka_unit_test(reports_a_misaligned_operation_after_other_invalidations),
        cmocka_unit_test(doubts_operations_whose_answers_are_not_captured),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
