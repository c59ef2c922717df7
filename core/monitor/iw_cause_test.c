#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* One fault is reported once: its consequences follow from it, and the other side is not charged. Frames 1
 * and 2 are the startup. */

#define UNTAGGED(octets, qn, msn) octets " 00000000 0000000" qn " 0000000" msn " 00000000 "
/* 8 octets to Data Sink STag 1234h, Tagged Offset 1000h; or to another one. */
#define READ(msn) UNTAGGED("4141", "1", msn) "00001234 0000000000001000 00000008 00005678 0000000000002000"
#define READ_OTHER(msn)                                                                                      \
    UNTAGGED("4141", "1", msn) "00004321 0000000000001000 00000008 00005678 0000000000002000"
#define READ_RESPONSE "c142 00001234 0000000000001000 0102030405060708"
#define READ_RESPONSE_OTHER "c142 00004321 0000000000001000 0102030405060708"
#define FLUSH(msn) UNTAGGED("414c", "1", msn) "11223344 00002000 0000000000004000 00000003"
#define FLUSH_RESPONSE(msn) UNTAGGED("414d", "3", msn)
#define ATOMIC_WRITE(msn) UNTAGGED("4150", "1", msn) "11223344 00000008 0000000000005000 0123456789abcdef"
#define ATOMIC_WRITE_RESPONSE(msn) UNTAGGED("4151", "3", msn)

/* Expects this number of findings, all of which except the first follow from the first. */
static void one_fault(const char *id, enum iw_side side, uint64_t frame, size_t findings) {
    if (c.finding_count != findings)
        for (size_t i = 0; i < c.finding_count; i++)
            fprintf(stderr, "%s: %s\n", c.findings[i].requirement->id, c.findings[i].message);
    assert_int_equal(c.finding_count, findings);
    assert_string_equal(c.findings[0].requirement->id, id);
    assert_int_equal(c.findings[0].side, side);
    assert_int_equal(c.findings[0].frame, frame);
    assert_int_equal(c.findings[0].cause, 0);
    for (size_t i = 1; i < findings; i++) {
        assert_int_equal(c.findings[i].side, side);
        assert_int_equal(c.findings[i].cause, c.findings[0].number);
        assert_int_equal(c.findings[i].cause_frame, frame);
    }
    c.expected_count = c.finding_count;
    iw_conversation_end(&c);
}

/* ---- startup ---- */

#define REQUEST "4d504120 49442052 65712046 72616d65 "
#define REPLY "4d504120 49442052 65702046 72616d65 "

static void reports_once_an_octet_of_a_startup_frame(void **state) {
    (void)state;
    /* Rev of an enhanced Request is 0; the responder may take S for reserved or not. */
    iw_conversation_open(&c, REQUEST "50000004 00080008", REPLY "50020004 00080008");
    one_fault("RFC5044-7.1.1-12", IW_SIDE_A, 1, 2);
    /* The Reply to a plain Request has S, and no enhanced data. */
    iw_conversation_open(&c, REQUEST "40020000", REPLY "50020000");
    one_fault("RFC6581-6-06", IW_SIDE_B, 2, 2);
    /* A Reply that rejects has the Key of a Request, or a second Request has R. */
    iw_conversation_open(&c, REQUEST "40010000", REQUEST "60010000");
    one_fault("RFC5044-7.1.1-10", IW_SIDE_B, 2, 1);
}

/* ---- a wrong opcode ---- */

/* A Send with Invalidate of 5 octets has the opcode of Immediate Data. */
static void reports_once_the_opcode_of_a_message_that_invalidates(void **state) {
    (void)state;
    open_plain();
    ask("4148 fd8d287a 00000000 00000001 00000000 0102030405");
    one_fault("RFC7306-4.1-01", IW_SIDE_A, 3, 2);
}

/* With the length of an Atomic Request, the opcode is right: an Invalidate STag and an AOpCode are two
 * faults. */
static void reports_an_aopcode_beside_an_invalidate_stag(void **state) {
    (void)state;
    open_plain();
    ask("414a 11223344 00000001 00000001 00000000 00000003 cafe0001 11223344 0000000000003000 "
        "0000000000000005 "
        "0000000000000000 0000000000000000 ffffffffffffffff");
    assert_int_equal(c.finding_count, 2);
    assert_int_equal(c.findings[0].cause, 0);
    assert_int_equal(c.findings[1].cause, 0);
    c.expected_count = 2;
    iw_conversation_end(&c);
}

/* The second segment of a Send of 6 octets has the opcode of Immediate Data. */
static void reports_once_the_opcode_of_a_later_segment(void **state) {
    (void)state;
    open_plain();
    ask("0143 00000000 00000000 00000001 00000000 01020304");
    ask("4148 00000000 00000000 00000001 00000004 0506");
    one_fault("RFC5041-4.3-04", IW_SIDE_A, 4, 2);
}

/* ---- a response to a later request ---- */

/* The response to the last request comes before those to a Flush and a Read. */
static void reports_once_that_a_response_overtakes_two(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("1"));
    ask(READ("2"));
    ask(ATOMIC_WRITE("3"));
    answer(ATOMIC_WRITE_RESPONSE("1"));
    answer(FLUSH_RESPONSE("2"));
    answer(READ_RESPONSE);
    one_fault("RFC5040-5.2.2-05", IW_SIDE_B, 6, 2);
}

/* ---- possible requests ---- */

static void accepts_what_is_on_the_queue_of_requests_for_one(void **state) {
    (void)state;
    open_plain();
    ask(UNTAGGED("4143", "1", "1") "00001234 0000000000001000 00000008 00005678 0000000000002000");
    answer(READ_RESPONSE);
    one_fault("RFC5040-5.3-07", IW_SIDE_A, 3, 1);
}

static void accepts_what_is_on_the_queue_of_answers_for_one(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("1"));
    ask(ATOMIC_WRITE("2"));
    answer(UNTAGGED("4143", "3", "1"));
    answer(ATOMIC_WRITE_RESPONSE("2"));
    one_fault("RFC5040-5.3-07", IW_SIDE_B, 5, 1);
}

static void accepts_the_answer_to_a_request_with_another_mo(void **state) {
    (void)state;
    open_plain();
    ask("414c 00000000 00000001 00000001 00000001 11223344 00002000 0000000000004000 00000003");
    answer(FLUSH_RESPONSE("1"));
    one_fault("RFC5041-4.3-12", IW_SIDE_A, 3, 1);
}

static void accepts_answers_to_requests_in_another_order(void **state) {
    (void)state;
    open_plain();
    ask(ATOMIC_WRITE("2"));
    ask(FLUSH("1"));
    answer(FLUSH_RESPONSE("1"));
    answer(ATOMIC_WRITE_RESPONSE("2"));
    one_fault("RFC5041-4.3-09", IW_SIDE_A, 3, 2);
}

/* The third MSN does not show which of two counts the sender uses. */
static void accepts_answers_to_requests_from_behind(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("1"));
    ask(ATOMIC_WRITE("4"));
    ask(FLUSH("3"));
    ask(FLUSH("2"));
    answer(FLUSH_RESPONSE("1"));
    answer(FLUSH_RESPONSE("2"));
    answer(FLUSH_RESPONSE("3"));
    answer(ATOMIC_WRITE_RESPONSE("4"));
    one_fault("RFC5041-4.3-08", IW_SIDE_A, 4, 2);
}

static void accepts_a_request_of_another_length_for_another(void **state) {
    (void)state;
    open_plain();
    ask(UNTAGGED("414c", "1", "1") "00001234 0000000000001000 00000008 00005678 0000000000002000");
    answer(READ_RESPONSE);
    one_fault("TALPEY-3.1.1.1-01", IW_SIDE_A, 3, 1);
}

/* ULPDU_Length of the Flush Request is 40h too large: its end is that of the next FPDU. */
static void accepts_an_answer_to_an_incomplete_request(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A,
        "0066414c 00000000 00000001 00000001 00000000 11223344 00002000 00000000 00004000 00000003 972a5b39");
    answer(FLUSH_RESPONSE("1"));
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_fin(&c, IW_SIDE_A);
    one_fault("RFC5044-4.1-01", IW_SIDE_A, 3, 1);
}

/* ---- answers ---- */

/* The request is still answered: its slot is free, and the next response is in order. */
static void reports_once_an_answer_without_l(void **state) {
    (void)state;
    iw_conversation_open(&c, "4d504120 49442052 65712046 72616d65 50020004 00010001",
        "4d504120 49442052 65702046 72616d65 50020004 00010001");
    ask(READ("1"));
    answer("8142 00001234 0000000000001000 0102030405060708");
    ask(FLUSH("2"));
    answer(FLUSH_RESPONSE("1"));
    ask(READ_OTHER("3"));
    answer(READ_RESPONSE_OTHER);
    assert_int_equal(c.findings[0].context[0], 4);
    one_fault("RFC5041-4.1-02", IW_SIDE_B, 8, 1);
}

static void reports_once_an_answer_on_queue_3_without_l(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("1"));
    ask(ATOMIC_WRITE("2"));
    answer(UNTAGGED("014d", "3", "1"));
    answer(ATOMIC_WRITE_RESPONSE("2"));
    one_fault("RFC5041-4.1-02", IW_SIDE_B, 6, 1);
}

static void reports_once_an_answer_omitted(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    ask(READ_OTHER("2"));
    ask(FLUSH("3"));
    answer(READ_RESPONSE_OTHER);
    answer(FLUSH_RESPONSE("1"));
    one_fault("RFC5040-5.5-16", IW_SIDE_B, 6, 2);
}

/* L is set in the first of three segments: the others do not answer the next request. */
static void reports_once_an_l_too_early_in_an_answer(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    ask(READ_OTHER("2"));
    answer("c142 00001234 0000000000001000 0102");
    answer("8142 00001234 0000000000001002 030405");
    answer("c142 00001234 0000000000001005 060708");
    answer(READ_RESPONSE_OTHER);
    ask(FLUSH("3"));
    answer(FLUSH_RESPONSE("1"));
    one_fault("RFC5040-4.4-05", IW_SIDE_B, 5, 1);
}

/* A Read of size 0 after one of 8 octets: their responses change places, or both are empty. */
static void reports_once_an_empty_answer_before_its_turn(void **state) {
    static const char *const second[] = {READ_RESPONSE, "c142 00001234 0000000000001000"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_plain();
        ask(READ("1"));
        ask(UNTAGGED("4141", "1", "2") "00004321 0000000000001000 00000000 00005678 0000000000002000");
        answer("c142 00004321 0000000000001000");
        answer(second[i]);
        one_fault("RFC5040-5.5-16", IW_SIDE_B, 5, 1 + i);
    }
}

/* The MSN tells which answer was left out. */
static void what_an_answer_is_to_follows_from_its_msn(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("1"));
    ask(ATOMIC_WRITE("2"));
    answer(ATOMIC_WRITE_RESPONSE("2"));
    one_fault("RFC5041-4.3-09", IW_SIDE_B, 5, 2);
}

/* A Write becomes a Read Response in its second segment. */
static void what_breaks_into_a_message_is_no_answer(void **state) {
    (void)state;
    open_plain();
    ask("8140 00004321 0000000000001000 01020304");
    ask("c142 00004321 0000000000001004 05060708");
    one_fault("RFC5041-4.2-04", IW_SIDE_A, 4, 2);
}

static void reports_once_an_answer_within_another(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    ask(READ_OTHER("2"));
    answer("8142 00001234 0000000000001000 01020304");
    answer(READ_RESPONSE_OTHER);
    answer("c142 00001234 0000000000001004 05060708");
    one_fault("RFC5041-4.1-02", IW_SIDE_B, 6, 2);
}

/* The first segment has an unknown STag; the others have the right one. */
static void reports_once_a_wrong_stag_of_an_answer(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    answer("8142 00001235 0000000000001000 010203");
    answer("8142 00001234 0000000000001003 0405");
    answer("c142 00001234 0000000000001005 060708");
    one_fault("RFC5040-4.4-02", IW_SIDE_B, 4, 2);
}

/* No Verify is outstanding, so the fault is not the order of a Flush and a Verify. */
static void an_answer_of_another_kind_is_unsolicited(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("1"));
    answer(UNTAGGED("414f", "3", "1") "00112233");
    one_fault("RFC7306-5-05", IW_SIDE_B, 4, 1);
}

/* The TO of the first segment is 40h too high, and those of the others are right. */
static void reports_once_a_wrong_to_of_an_answer(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    answer("8142 00001234 0000000000001040 01020304");
    answer("c142 00001234 0000000000001004 05060708");
    one_fault("RFC5040-4.4-05", IW_SIDE_B, 4, 3);
}

/* The last segment has the opcode of a Write, so the Read Response has no last segment. */
static void what_follows_an_answer_broken_off_is_in_doubt(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    ask(READ_OTHER("2"));
    answer("8142 00001234 0000000000001000 01020304");
    answer("c140 00001234 0000000000001004 05060708");
    answer(READ_RESPONSE_OTHER);
    one_fault("RFC5041-4.2-04", IW_SIDE_B, 6, 1);
}

/* A Write begins as an unsolicited Read Response. */
static void the_rest_differs_from_an_answer_without_a_request(void **state) {
    (void)state;
    open_plain();
    ask("8142 00004321 0000000000001000 01020304");
    ask("c140 00004321 0000000000001004 05060708");
    one_fault("RFC5040-5.2-01", IW_SIDE_A, 3, 2);
}

/* T of the Atomic Write Request is wrong: it uses an MSN, and is answered. */
static void what_a_wrong_t_leads_to_is_in_doubt(void **state) {
    (void)state;
    open_plain();
    ask("c150 00000000 00000001 00000001 00000000 11223344 00000008 0000000000005000 0123456789abcdef");
    answer(ATOMIC_WRITE_RESPONSE("1"));
    ask(FLUSH("2"));
    one_fault("RFC5040-4.1-09", IW_SIDE_A, 3, 1);
}

/* With a wrong version, the rest of the octet is unknown: the Atomic Request has the opcode of a Flush
 * Request, so its response seems to be the wrong one. */
static void the_opcode_after_a_wrong_version_is_in_doubt(void **state) {
    (void)state;
    open_plain();
    ask("418c 00000000 00000001 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
        "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff");
    answer(UNTAGGED("414b", "3", "1") "cafe0001 0000000000000007");
    one_fault("RFC5040-4.1-08", IW_SIDE_A, 3, 1);
}

/* ---- one FPDU ---- */

static void reserved_bits_follow_from_the_octet_they_stand_in(void **state) {
    (void)state;
    open_plain();
    ask("7e43 00000000 00000000 00000001 00000000"); /* DV and Rsvd */
    one_fault("RFC5041-4.1-08", IW_SIDE_A, 3, 2);

    open_plain();
    ask("41b3 00000000 00000000 00000001 00000000"); /* RV and Rsv */
    one_fault("RFC5040-4.1-08", IW_SIDE_A, 3, 2);

    open_plain();
    ask("4153 00000000 00000001 00000001 00000000"); /* Rsv, which may be a bit of the opcode */
    one_fault("RFC5040-4.1-09", IW_SIDE_A, 3, 2);

    open_plain();
    ask(UNTAGGED("414a", "1", "1") "0000001f cafe0001 11223344 0000000000003000 0000000000000005 "
                                   "0000000000000000 0000000000000000 ffffffffffffffff");
    one_fault("RFC7306-5.2.1-01", IW_SIDE_A, 3, 2);

    open_plain();
    ask(UNTAGGED("4143", "0", "1"));
    answer(UNTAGGED("4147", "2", "1") "20029f00 0012"); /* HdrCt and the octets after it */
    one_fault("RFC5040-4.8-07", IW_SIDE_B, 4, 2);
}

/* T of the Terminated DDP Header is wrong, and so is everything derived from it. */
static void what_a_terminate_is_about_follows_from_its_t(void **state) {
    (void)state;
    open_plain();
    ask(UNTAGGED("4143", "0", "1"));
    answer(UNTAGGED("4147", "2", "1") "1202c000 0012 c143 00000000 00000000 00000001 00000000");
    one_fault("RFC5040-4.2-01", IW_SIDE_B, 4, 2);
}

static void another_error_is_one_that_the_headers_cannot_have(void **state) {
    (void)state;
    open_plain();
    ask("4144 11223344 00000000 00000001 00000000");
    answer(UNTAGGED("4147", "2", "1") "1109c000 0012 4144 11223344 00000000 00000001 00000000");
    one_fault("RFC5040-4.8-03", IW_SIDE_B, 4, 2);
}

/* The Read was one of 8 octets. */
static void a_size_of_0_in_a_terminate_is_a_wrong_size(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    answer(UNTAGGED("4147", "2", "1") "0102e000 002e" UNTAGGED(
        "4141", "1", "1") "00001234 0000000000001000 00000000 00005678 0000000000002000");
    one_fault("RFC5040-4.8-12", IW_SIDE_B, 4, 1);
}

static void what_an_opcode_asks_for_follows_from_its_queue(void **state) {
    (void)state;
    open_plain();
    ask("414a 11223344 00000000 00000001 00000000 01020304 05060708");
    one_fault("RFC7306-5.2-01", IW_SIDE_A, 3, 3);
}

static void what_a_terminate_holds_follows_from_its_queue(void **state) {
    (void)state;
    open_plain();
    ask(UNTAGGED("4147", "0", "1") "ff02 0001");
    one_fault("RFC5040-5.4-02", IW_SIDE_A, 3, 3);
}

static void a_bit_of_hdrct_is_one_fault(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    ask(UNTAGGED("4147", "2", "1") "0000 4000");
    one_fault("RFC5040-4.8-09", IW_SIDE_A, 4, 2);
}

/* The Error Type, which decides what a Terminate includes, is 0 instead of 1; or the Layer is 2. */
static void what_hdrct_should_be_follows_from_the_error(void **state) {
    (void)state;
    open_plain();
    ask(READ("1"));
    answer(UNTAGGED("4147", "2", "1") "0002e000 002e" READ("1"));
    one_fault("RFC5040-4.8-04", IW_SIDE_B, 4, 3);

    open_plain();
    ask(READ("1"));
    answer(UNTAGGED("4147", "2", "1") "2102e000 002e" READ("1"));
    one_fault("RFC5040-4.8-03", IW_SIDE_B, 4, 4);
}

/* The header that R=1 adds is that of an Atomic Request: it is not decoded as that of a Read. */
static void reads_no_read_request_in_another_header(void **state) {
    static const char *const errors[] = {"0101e000", "0104e000"};
    char ulpdu[256];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_plain();
        ask(UNTAGGED("414a", "1", "1") "00000000 cafe0001 11223344 0000000000003000 0000000000000005 "
                                       "0000000000000000 0000000000000000 ffffffffffffffff");
        strcpy(ulpdu, UNTAGGED("4147", "2", "1"));
        strcat(ulpdu, errors[i]);
        strcat(ulpdu, "0046 " UNTAGGED("414a", "1", "1"));
        strcat(ulpdu, "00000000 cafe0001 11223344 0000000000003000 0000000000000005");
        answer(ulpdu);
        one_fault("RFC7306-8.1-01", IW_SIDE_B, 4, 1);
    }
}

static void unused_fields_may_be_of_another_operation(void **state) {
    (void)state;
    open_plain();
    ask(UNTAGGED("414a", "1", "1") "00000000 cafe0001 11223344 0000000000003000 0000000000000005 "
                                   "0000000000000000 0000000000000001 0000000000000001");
    one_fault("RFC7306-5.2.1-13", IW_SIDE_A, 3, 2);
}

static void a_later_segment_differs_from_a_wrong_one(void **state) {
    (void)state;
    open_plain();
    ask("0153 00000000 00000000 00000001 00000000 01020304");
    ask("4143 00000000 00000000 00000001 00000004 01020304");
    one_fault("RFC5040-4.1-09", IW_SIDE_A, 3, 2);
}

static void a_wrong_segment_differs_from_others(void **state) {
    (void)state;
    open_plain();
    ask("0143 00000000 00000000 00000001 00000000 01020304");
    ask("4183 00000000 00000000 00000001 00000004 01020304");
    one_fault("RFC5040-4.1-08", IW_SIDE_A, 4, 1);
}

/* ULPDU_Length is 45 instead of 46. */
static void a_length_too_small_shows_as_pad(void **state) {
    (void)state;
    open_plain();
    iw_conversation_sum(&c, IW_SIDE_A,
        "002d4141 00000000 00000001 00000001 00000000 00001234 00000000 00001000 00000008 00005678 00000000 "
        "00002001");
    one_fault("RFC5044-4.1-02", IW_SIDE_A, 3, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_once_an_octet_of_a_startup_frame),
        cmocka_unit_test(reports_once_the_opcode_of_a_message_that_invalidates),
        cmocka_unit_test(reports_an_aopcode_beside_an_invalidate_stag),
        cmocka_unit_test(reports_once_the_opcode_of_a_later_segment),
        cmocka_unit_test(reports_once_that_a_response_overtakes_two),
        cmocka_unit_test(accepts_what_is_on_the_queue_of_requests_for_one),
        cmocka_unit_test(accepts_what_is_on_the_queue_of_answers_for_one),
        cmocka_unit_test(accepts_the_answer_to_a_request_with_another_mo),
        cmocka_unit_test(accepts_answers_to_requests_in_another_order),
        cmocka_unit_test(accepts_answers_to_requests_from_behind),
        cmocka_unit_test(accepts_a_request_of_another_length_for_another),
        cmocka_unit_test(accepts_an_answer_to_an_incomplete_request),
        cmocka_unit_test(reports_once_an_answer_without_l),
        cmocka_unit_test(reports_once_an_answer_on_queue_3_without_l),
        cmocka_unit_test(reports_once_an_answer_omitted),
        cmocka_unit_test(reports_once_an_l_too_early_in_an_answer),
        cmocka_unit_test(reports_once_an_empty_answer_before_its_turn),
        cmocka_unit_test(what_an_answer_is_to_follows_from_its_msn),
        cmocka_unit_test(what_breaks_into_a_message_is_no_answer),
        cmocka_unit_test(reports_once_an_answer_within_another),
        cmocka_unit_test(reports_once_a_wrong_stag_of_an_answer),
        cmocka_unit_test(an_answer_of_another_kind_is_unsolicited),
        cmocka_unit_test(what_an_opcode_asks_for_follows_from_its_queue),
        cmocka_unit_test(what_a_terminate_holds_follows_from_its_queue),
        cmocka_unit_test(a_bit_of_hdrct_is_one_fault),
        cmocka_unit_test(reports_once_a_wrong_to_of_an_answer),
        cmocka_unit_test(what_follows_an_answer_broken_off_is_in_doubt),
        cmocka_unit_test(the_rest_differs_from_an_answer_without_a_request),
        cmocka_unit_test(what_a_wrong_t_leads_to_is_in_doubt),
        cmocka_unit_test(the_opcode_after_a_wrong_version_is_in_doubt),
        cmocka_unit_test(reserved_bits_follow_from_the_octet_they_stand_in),
        cmocka_unit_test(what_a_terminate_is_about_follows_from_its_t),
        cmocka_unit_test(another_error_is_one_that_the_headers_cannot_have),
        cmocka_unit_test(a_size_of_0_in_a_terminate_is_a_wrong_size),
        cmocka_unit_test(what_hdrct_should_be_follows_from_the_error),
        cmocka_unit_test(reads_no_read_request_in_another_header),
        cmocka_unit_test(unused_fields_may_be_of_another_operation),
        cmocka_unit_test(a_later_segment_differs_from_a_wrong_one),
        cmocka_unit_test(a_wrong_segment_differs_from_others),
        cmocka_unit_test(a_length_too_small_shows_as_pad),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
