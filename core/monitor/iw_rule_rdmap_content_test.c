#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* Sizes and contents of messages. In the stream an untagged ULPDU has its DDP header from 2 to 20 and its
 * RDMAP header from 20 on. */

/* ---- sizes ---- */

static void expect_size(const char *ulpdu, const char *id, const char *expected, const char *actual) {
    uint64_t at;

    open_plain();
    at = ask(ulpdu);
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 3, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = expected, .actual = actual);
    iw_conversation_end(&c);
}

static void reports_messages_of_the_wrong_size(void **state) {
    (void)state;
    expect_size("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00001000 00005678 "
                "0000000000002000 00000000",
        "RFC5040-4.2-01", "46", "50");
    expect_size("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00001000 00005678",
        "RFC5040-4.4-01", "46", "38");
    expect_size("4147 00000000 00000002 00000001 00000000 2002", "RFC5040-4.8-01", "at least 22", "20");
    expect_size("414a 00000000 00000001 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                "0000000000000005 0000000000000000",
        "RFC7306-4.2-01", "70", "54");
    expect_size("414a 00000000 00000001 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff 00000000",
        "RFC7306-4.2-01", "70", "74");
    expect_size("414c 00000000 00000001 00000001 00000000 11223344 00002000 0000000000004000",
        "TALPEY-3.1.1.1-01", "38", "34");
    expect_size("414e 00000000 00000001 00000001 00000000 11223344 00002000", "TALPEY-3.1.2.1-01",
        "at least 34", "26");
    expect_size("4150 00000000 00000001 00000001 00000000 11223344 00000008 0000000000005000 01234567",
        "TALPEY-3.1.3.1-01", "42", "38");
}

static void expect_payload(const char *request, const char *answer, const char *id) {
    uint64_t at;

    open_plain();
    ask(request);
    at = iw_conversation_fpdu(&c, IW_SIDE_B, answer);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 4, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "18", .actual = "22");
    iw_conversation_end(&c);
}

static void reports_payload_of_an_answer_that_has_none(void **state) {
    (void)state;
    expect_payload("414c 00000000 00000001 00000001 00000000 11223344 00002000 0000000000004000 00000003",
        "414d 00000000 00000003 00000001 00000000 01020304", "TALPEY-3.1.1.2-01");
    expect_payload(
        "4150 00000000 00000001 00000001 00000000 11223344 00000008 0000000000005000 0123456789abcdef",
        "4151 00000000 00000003 00000001 00000000 01020304", "TALPEY-3.1.3.2-01");
}

static void reports_immediate_data_of_the_wrong_size(void **state) {
    (void)state;
    expect_size("4148 00000000 00000000 00000001 00000000 010203040506070809", "RFC7306-6.3-05", "26", "27");
    expect_size("4149 00000000 00000000 00000001 00000000 01020304050607", "RFC7306-6.3-05", "26", "25");
}

/* ---- contents ---- */

static void reports_reserved_bits_of_an_atomic_request(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask("414a 00000000 00000001 00000001 00000000 80000010 cafe0001 11223344 0000000000003000 "
             "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff");
    iw_conversation_expect(&c, "RFC7306-5.2.1-14", BY_INITIATOR, .frame = 3, .offset = at + 20, .octets = 4,
        .field = "rdmap.atomic.reserved", .expected = "0x0000000", .actual = "0x8000001");
    iw_conversation_end(&c);
}

#define ATOMIC(code)                                                                                         \
    "414a 00000000 00000001 00000001 00000000 0000000" code " cafe0001 11223344 0000000000003000 "           \
    "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff"

static void reports_an_atomic_operation_that_no_document_has(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask(ATOMIC("3"));
    iw_conversation_expect(&c, "RFC7306-5.2.1-01", BY_INITIATOR, .frame = 3, .offset = at + 23, .octets = 1,
        .field = "rdmap.atomic.aopcode", .expected = "0, 1 or 2", .actual = "3");
    iw_conversation_end(&c);
}

/* F26 is a Swap; accepts_every_message uses it with the draft in use. */
static void reports_a_swap_without_the_draft_that_has_it(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_init(&c, IW_EXT_RFC7306);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    at = ask(ATOMIC("1"));
    iw_conversation_expect(&c, "RFC7306-5.2.1-01", BY_INITIATOR, .frame = 3, .offset = at + 23, .octets = 1,
        .field = "rdmap.atomic.aopcode", .expected = "0 or 2", .actual = "1");
    iw_conversation_end(&c);
}

#define SWAP                                                                                                 \
    "414a 00000000 00000001 00000001 00000000 00000001 cafe0001 11223344 0000000000003000 "                  \
    "0000000000000005 ffffffffffffffff 0000000000000000 ffffffffffffffff"

/* The draft also defines Immediate Data and the other Atomic Operations (4.1). */
static void accepts_all_messages_of_the_draft_that_has_swap(void **state) {
    static const char *const messages[] = {ATOMIC("0"), ATOMIC("2"), SWAP,
        "4148 00000000 00000000 00000001 00000000 0102030405060708",
        "4149 00000000 00000000 00000001 00000000 0102030405060708"};

    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        open_with_extensions(IW_EXT_STORM);
        ask(messages[i]);
        iw_conversation_end(&c);
    }
}

static void reports_the_length_of_an_atomic_write(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask("4150 00000000 00000001 00000001 00000000 11223344 00000004 0000000000005000 0123456789abcdef");
    iw_conversation_expect(&c, "TALPEY-3.1.3.1-02", BY_INITIATOR, .frame = 3, .offset = at + 24, .octets = 4,
        .field = "rdmap.atomic_write.length", .expected = "8", .actual = "4");
    iw_conversation_end(&c);
}

/* Every message once, with the size its document gives it. */
static void accepts_every_message(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F01");
    iw_conversation_say(&c, IW_SIDE_A, "F03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_say(&c, IW_SIDE_A, "F10");
    iw_conversation_say(&c, IW_SIDE_A, "F11");
    iw_conversation_say(&c, IW_SIDE_A, "F23");
    iw_conversation_say(&c, IW_SIDE_A, "F24");
    iw_conversation_say(&c, IW_SIDE_A, "F25 F26 F27 F29 F31 F32 F34");
    iw_conversation_fill(&c, IW_SIDE_B, "c142 00001234 0000000000001000", 4096);
    iw_conversation_fpdu(&c, IW_SIDE_B, "414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    iw_conversation_fpdu(&c, IW_SIDE_B, "414b 00000000 00000003 00000002 00000000 cafe0002 0000000000000007");
    iw_conversation_fpdu(&c, IW_SIDE_B, "414b 00000000 00000003 00000003 00000000 cafe0003 0000000000000007");
    iw_conversation_fpdu(&c, IW_SIDE_B, "414d 00000000 00000003 00000004 00000000");
    iw_conversation_fpdu(
        &c, IW_SIDE_B, "414f 00000000 00000003 00000005 00000000 00112233445566778899aabbccddeeff");
    iw_conversation_fpdu(
        &c, IW_SIDE_B, "414f 00000000 00000003 00000006 00000000 00112233445566778899aabbccddeeff");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4151 00000000 00000003 00000007 00000000");
    assert_int_equal(c.requests_waiting, 0);
    iw_conversation_say(&c, IW_SIDE_B, "F12");
    iw_conversation_end(&c);
}

/* The hash of a Verify may be longer than a segment. */
static void accepts_a_verify_in_segments(void **state) {
    (void)state;
    open_plain();
    ask("014e 00000000 00000001 00000001 00000000 11223344 00002000 0000000000004000 0011223344556677");
    ask("414e 00000000 00000001 00000001 00000018 8899aabbccddeeff");
    iw_conversation_fpdu(&c, IW_SIDE_B, "014f 00000000 00000003 00000001 00000000 0011223344556677");
    iw_conversation_fpdu(&c, IW_SIDE_B, "414f 00000000 00000003 00000001 00000008 8899aabbccddeeff");
    assert_true(c.response.complete);
    assert_int_equal(c.requests_waiting, 0);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_messages_of_the_wrong_size),
        cmocka_unit_test(reports_payload_of_an_answer_that_has_none),
        cmocka_unit_test(reports_immediate_data_of_the_wrong_size),
        cmocka_unit_test(reports_reserved_bits_of_an_atomic_request),
        cmocka_unit_test(reports_an_atomic_operation_that_no_document_has),
        cmocka_unit_test(reports_a_swap_without_the_draft_that_has_it),
        cmocka_unit_test(accepts_all_messages_of_the_draft_that_has_swap),
        cmocka_unit_test(reports_the_length_of_an_atomic_write),
        cmocka_unit_test(accepts_every_message),
        cmocka_unit_test(accepts_a_verify_in_segments),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
