#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* The second octet of a ULPDU is RV, Rsv and Opcode (RFC 5040 4.1). In the stream an untagged ULPDU has its
 * DDP header from 2 to 20 and its RDMAP header from 20 on. */

/* ---- the control octet ---- */

static void reports_t_of_another_model(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask("c143 00000001 0000000000001000 6f6b");
    iw_conversation_expect(&c, "RFC5040-5.3-01", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 1,
        .field = "ddp.tagged", .expected = "0", .actual = "1");
    at = ask("4140 11223344 00000000 00001000 00000000 6f6b");
    iw_conversation_expect(&c, "RFC5040-5.1-01", BY_INITIATOR, .frame = 4, .offset = at + 2, .octets = 1,
        .field = "ddp.tagged", .expected = "1", .actual = "0");
    /* It is unknown whether either used an MSN. */
    ask("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_end(&c);
}

static void expect_model(const char *ulpdu, const char *id, const char *expected, const char *actual) {
    uint64_t at;

    open_with_extensions(IW_EXT_ALL | IW_EXT_OPCODE5);
    at = ask(ulpdu);
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 1,
        .field = "ddp.tagged", .expected = expected, .actual = actual);
    iw_conversation_end(&c);
}

static void reports_t_of_another_model_by_opcode(void **state) {
    (void)state;
    expect_model("4140 11223344 00000000 00000001 00000000 6f6b", "RFC5040-5.1-01", "1", "0");
    expect_model("c141 00000001 0000000000001000 6f6b", "RFC5040-5.2.1-01", "0", "1");
    expect_model("4142 11223344 00000000 00000001 00000000 6f6b", "RFC5040-5.2.2-01", "1", "0");
    expect_model("c143 00000001 0000000000001000 6f6b", "RFC5040-5.3-01", "0", "1");
    expect_model("c144 00000001 0000000000001000 6f6b", "RFC5040-5.3-01", "0", "1");
    expect_model("c145 00000001 0000000000001000 6f6b", "RFC5040-5.3-01", "0", "1");
    expect_model("c146 00000001 0000000000001000 6f6b", "RFC5040-5.3-01", "0", "1");
    expect_model("c147 00000001 0000000000001000 20020000", "RFC5040-5.4-01", "0", "1");
    expect_model("c14c 00000001 0000000000001000 0102030405060708", "RFC5040-4.1-05", "0", "1");
}

static void reports_an_opcode_of_no_document_in_use(void **state) {
    uint64_t at;

    (void)state;
    open_with_extensions(IW_EXT_BASE);
    at = ask("4148 00000000 00000000 00000001 00000000 0102030405060708");
    iw_conversation_expect(&c, "RFC5040-4.1-06", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = "an opcode of the documents in use", .actual = "0x8");
    ask("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_end(&c);
}

static void reports_an_opcode_of_no_document_in_each_segment(void **state) {
    (void)state;
    open_with_extensions(IW_EXT_BASE);
    ask("0148 00000000 00000000 00000001 00000000 0102030405060708");
    iw_conversation_found(&c, "RFC5040-4.1-06");
    ask("4148 00000000 00000000 00000001 00000008 0102030405060708");
    iw_conversation_found(&c, "RFC5040-4.1-06");
    ask("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_end(&c);
}

static void reports_an_opcode_of_five_bits_that_is_not_assigned(void **state) {
    uint64_t at;

    (void)state;
    open_with_extensions(IW_EXT_ALL | IW_EXT_OPCODE5);
    at = ask("4152 00000000 00000001 00000001 00000000");
    iw_conversation_expect(&c, "RFC5040-4.1-06", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = "an opcode of the documents in use", .actual = "0x12");
    iw_conversation_end(&c);
}

static void accepts_an_opcode_of_a_document_in_use(void **state) {
    (void)state;
    open_with_extensions(IW_EXT_RFC7306);
    ask("4148 00000000 00000000 00000001 00000000 0102030405060708");
    iw_conversation_end(&c);
}

static void reports_another_version(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = iw_conversation_say(&c, IW_SIDE_A, "F42");
    iw_conversation_expect(&c, "RFC5040-4.1-08", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.rv", .expected = "1", .actual = "2");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_end(&c);
}

/* RFC 7306 4.1 requires RV 1 in its messages, also with Rev 0. */
static void reports_another_version_of_a_message_of_rfc_7306(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask("4108 00000000 00000000 00000001 00000000 0102030405060708");
    iw_conversation_expect(&c, "RFC7306-4.1-01", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.rv", .expected = "1", .actual = "0");
    iw_conversation_end(&c);

    iw_conversation_open(&c, REQUEST "40000000", REPLY "40000000");
    iw_conversation_found(&c, "RFC5044-7.1.1-12");
    ask("4048 00000000 00000000 00000001 00000000 0102030405060708");
    ask("4003 00000000 00000000 00000002 00000000 6f6b");
    at = ask("4008 00000000 00000000 00000003 00000000 0102030405060708");
    iw_conversation_expect(&c, "RFC7306-4.1-01", BY_INITIATOR, .frame = 5, .offset = at + 3, .octets = 1,
        .field = "rdmap.rv", .expected = "1", .actual = "0");
    iw_conversation_end(&c);
}

/* Opcode 7 of another version is no Terminate, and a wrong size of it is no fault. */
static void judges_no_opcode_of_another_version(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask("4107 00000000 00000000 00000001 00000000");
    iw_conversation_expect(&c, "RFC5040-4.1-08", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.rv", .expected = "1", .actual = "0");
    ask("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_end(&c);
}

static void reports_reserved_bits(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask("4163 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_expect(&c, "RFC5040-4.1-09", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.rsv", .expected = "0x0", .actual = "0x2");
    at = ask("c170 00000001 0000000000001000 6f6b");
    iw_conversation_expect(&c, "RFC5040-4.1-09", BY_INITIATOR, .frame = 4, .offset = at + 3, .octets = 1,
        .field = "rdmap.rsv", .expected = "0x0", .actual = "0x3");
    at = ask("4170 00000000 00000001 00000001 00000000 11223344 00000008 0000000000005000 0123456789abcdef");
    iw_conversation_expect(&c, "RFC5040-4.1-09", BY_INITIATOR, .frame = 5, .offset = at + 3, .octets = 1,
        .field = "rdmap.rsv", .expected = "0x0", .actual = "0x1");
    iw_conversation_end(&c);
}

/* ---- queues ---- */

static void expect_queue(const char *ulpdu, const char *id, const char *expected, const char *actual) {
    uint64_t at;

    open_with_extensions(IW_EXT_ALL | IW_EXT_OPCODE5);
    at = ask(ulpdu);
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 3, .offset = at + 8, .octets = 4, .field = "ddp.qn",
        .expected = expected, .actual = actual);
    /* The next MSN of either queue is unknown. */
    ask("4143 00000000 00000000 00000005 00000000 6f6b");
    assert_true(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE) >= 1);
    iw_conversation_end(&c);
}

static void reports_a_wrong_queue_of_rfc_5040(void **state) {
    (void)state;
    expect_queue("4143 00000000 00000007 00000001 00000000 6f6b", "RFC5040-4.1-07", "0", "7");
    expect_queue("4143 00000000 00000001 00000001 00000000 6f6b", "RFC5040-5.3-07", "0", "1");
    expect_queue("4144 11223344 00000002 00000001 00000000 6f6b", "RFC5040-5.3-07", "0", "2");
    expect_queue("4145 00000000 00000003 00000001 00000000 6f6b", "RFC5040-5.3-07", "0", "3");
    expect_queue("4146 11223344 00000001 00000004 00000000 6f6b", "RFC5040-5.3-07", "0", "1");
    expect_queue("4141 00000000 00000000 00000001 00000000 00001234 0000000000001000 00001000 00005678 "
                 "0000000000002000",
        "RFC5040-5.2.1-05", "1", "0");
    expect_queue("4147 00000000 00000000 00000001 00000000 20020000", "RFC5040-5.4-02", "2", "0");
    expect_queue("4147 00000000 00000004 00000001 00000000 20020000", "RFC5040-4.1-07", "2", "4");
}

static void reports_a_wrong_queue_of_the_extensions(void **state) {
    (void)state;
    expect_queue("4148 00000000 00000001 00000001 00000000 0102030405060708", "RFC7306-6.3-04", "0", "1");
    expect_queue("4149 00000000 00000003 00000001 00000000 0102030405060708", "RFC7306-6.3-04", "0", "3");
    expect_queue("414a 00000000 00000000 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                 "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff",
        "RFC7306-5.2-01", "1", "0");
    expect_queue(
        "414b 00000000 00000001 00000001 00000000 cafe0001 0000000000000007", "RFC7306-5.2-02", "3", "1");
    expect_queue("414c 00000000 00000000 00000001 00000000 11223344 00002000 0000000000004000 00000003",
        "TALPEY-3.1.1.3-01", "1", "0");
    expect_queue("414d 00000000 00000001 00000001 00000000", "TALPEY-3.1.1.3-02", "3", "1");
    expect_queue("414e 00000000 00000003 00000001 00000000 11223344 00002000 0000000000004000",
        "TALPEY-3.1.2.3-01", "1", "3");
    expect_queue("414f 00000000 00000000 00000001 00000000 0011223344556677", "TALPEY-3.1.2.3-02", "3", "0");
    expect_queue(
        "4150 00000000 00000000 00000001 00000000 11223344 00000008 0000000000005000 0123456789abcdef",
        "TALPEY-3.1.3.1-01", "1", "0");
    expect_queue("4151 00000000 00000001 00000001 00000000", "TALPEY-3.1.3.2-01", "3", "1");
}

/* ---- Invalidate STag ---- */

static void expect_invalidate(const char *ulpdu, const char *id) {
    uint64_t at;

    open_plain();
    at = ask(ulpdu);
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 3, .offset = at + 4, .octets = 4,
        .field = "ddp.rsvdulp_rest", .expected = "0x00000000", .actual = "0x11223344");
    iw_conversation_end(&c);
}

static void reports_an_stag_where_nothing_is_invalidated(void **state) {
    (void)state;
    expect_invalidate("4143 11223344 00000000 00000001 00000000 6f6b", "RFC5040-4.1-10");
    expect_invalidate("4145 11223344 00000000 00000001 00000000 6f6b", "RFC5040-4.1-10");
    expect_invalidate("4141 11223344 00000001 00000001 00000000 00001234 0000000000001000 00001000 00005678 "
                      "0000000000002000",
        "RFC5040-4.1-10");
    expect_invalidate("4147 11223344 00000002 00000001 00000000 20020000", "RFC5040-4.1-10");
    expect_invalidate("4148 11223344 00000000 00000001 00000000 0102030405060708", "RFC7306-4.1-01");
    expect_invalidate("414a 11223344 00000001 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                      "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff",
        "RFC7306-4.1-01");
}

/* Requests of the commit draft may name an STag to invalidate. */
static void accepts_an_stag_where_it_is_invalidated(void **state) {
    (void)state;
    open_plain();
    ask("4144 11223344 00000000 00000001 00000000 6f6b");
    ask("4146 11223345 00000000 00000002 00000000");
    ask("414c 11223346 00000001 00000001 00000000 11223344 00002000 0000000000004000 00000003");
    ask("414e 11223346 00000001 00000002 00000000 11223344 00002000 0000000000004000");
    ask("4150 11223346 00000001 00000003 00000000 11223344 00000008 0000000000005000 0123456789abcdef");
    iw_conversation_end(&c);
}

/* ---- the default extensions (RFC 6580 3.4) ---- */

#define FLUSH(msn) "414c 00000000 00000001 " msn " 00000000 00005678 00000008 0000000000002000 00000003"

static void notes_the_first_opcode_of_the_draft(void **state) {
    uint64_t at;

    (void)state;
    open_with_extensions(IW_EXT_DEFAULT);
    at = ask(FLUSH("00000001"));
    iw_conversation_expect(&c, "RFC6580-3.4-01", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = "one that an RFC defines",
        .actual = "0xc, RDMA Flush Request of draft-talpey-rdma-commit-01 3.1.1.1");
    ask(FLUSH("00000002"));
    iw_conversation_fpdu(&c, IW_SIDE_B, "414d 00000000 00000003 00000001 00000000");
    iw_conversation_fpdu(&c, IW_SIDE_B, "414d 00000000 00000003 00000002 00000000");
    iw_conversation_end(&c);
}

/* No note if --extensions names the draft. */
static void notes_no_opcode_of_a_draft_in_use(void **state) {
    (void)state;
    open_with_extensions(IW_EXT_RFC7306 | IW_EXT_COMMIT);
    ask(FLUSH("00000001"));
    iw_conversation_end(&c);
}

static void notes_the_opcode_for_experiments(void **state) {
    uint64_t at;

    (void)state;
    open_with_extensions(IW_EXT_RFC7306);
    at = ask("414f 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_expect(&c, "RFC6580-3.4-02", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = "an opcode of the documents in use",
        .actual = "0xf, reserved for experiments");
    ask("414f 00000000 00000000 00000002 00000000 6f6b");
    ask("414e 00000000 00000000 00000003 00000000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-06");
    iw_conversation_end(&c);
}

/* By default, Fh on the draft's queue is the draft's response; without a request it is not a fault. */
static void notes_an_experiment_that_is_not_the_draft(void **state) {
    (void)state;
    open_with_extensions(IW_EXT_DEFAULT);
    ask("414f 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC6580-3.4-02");
    iw_conversation_end(&c);
    open_with_extensions(IW_EXT_DEFAULT);
    ask(FLUSH("00000001"));
    iw_conversation_found(&c, "RFC6580-3.4-01");
    ask("414f 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "TALPEY-3.1.2.3-02");
    iw_conversation_end(&c);
    open_with_extensions(IW_EXT_DEFAULT);
    ask("414f 00000000 00000003 00000001 00000000 0011223344556677");
    iw_conversation_found(&c, "RFC6580-3.4-01");
    iw_conversation_end(&c);
    open_with_extensions(IW_EXT_ALL);
    ask("414f 00000000 00000003 00000001 00000000 0011223344556677");
    iw_conversation_found(&c, "RFC7306-5-05");
    iw_conversation_end(&c);
}

static void reports_a_swap_unless_its_draft_is_in_use(void **state) {
    static const char swap[] = "414a 00000000 00000001 00000001 00000000 00000001 cafe0001 00005678 "
                               "0000000000002000 0000000000000005 ffffffffffffffff 0000000000000000 "
                               "ffffffffffffffff";
    uint64_t at;

    (void)state;
    open_with_extensions(IW_EXT_DEFAULT);
    at = ask(swap);
    iw_conversation_expect(&c, "RFC7306-5.2.1-01", BY_INITIATOR, .frame = 3, .offset = at + 23, .octets = 1,
        .field = "rdmap.atomic.aopcode", .expected = "0 or 2", .actual = "1");
    iw_conversation_end(&c);
    open_with_extensions(IW_EXT_RFC7306 | IW_EXT_STORM);
    ask(swap);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_t_of_another_model),
        cmocka_unit_test(reports_t_of_another_model_by_opcode),
        cmocka_unit_test(reports_an_opcode_of_no_document_in_use),
        cmocka_unit_test(reports_an_opcode_of_no_document_in_each_segment),
        cmocka_unit_test(reports_an_opcode_of_five_bits_that_is_not_assigned),
        cmocka_unit_test(accepts_an_opcode_of_a_document_in_use),
        cmocka_unit_test(reports_another_version),
        cmocka_unit_test(reports_another_version_of_a_message_of_rfc_7306),
        cmocka_unit_test(judges_no_opcode_of_another_version),
        cmocka_unit_test(reports_reserved_bits),
        cmocka_unit_test(reports_a_wrong_queue_of_rfc_5040),
        cmocka_unit_test(reports_a_wrong_queue_of_the_extensions),
        cmocka_unit_test(reports_an_stag_where_nothing_is_invalidated),
        cmocka_unit_test(accepts_an_stag_where_it_is_invalidated),
        cmocka_unit_test(notes_the_first_opcode_of_the_draft),
        cmocka_unit_test(notes_no_opcode_of_a_draft_in_use),
        cmocka_unit_test(notes_the_opcode_for_experiments),
        cmocka_unit_test(notes_an_experiment_that_is_not_the_draft),
        cmocka_unit_test(reports_a_swap_unless_its_draft_is_in_use),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
