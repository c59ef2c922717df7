#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_extension_text.h"

/* ---- Read Responses ---- */

static void reports_another_stag_than_the_data_sinks(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    at = answer("8142 00001235 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC5040-4.4-02", BY_RESPONDER, .frame = 4, .offset = at + 4, .octets = 4,
        .field = "ddp.stag", .expected = "0x00001234", .actual = "0x00001235", .context = {3});
    answer("c142 00001235 0000000000001004 05060708");
    iw_conversation_end(&c);
}

/* The last segment shows that the answer does not begin where it should. */
static void reports_an_answer_that_begins_inside_the_data_sink(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    answer("8142 00001234 0000000000001004 01020304");
    at = answer("c142 00001234 0000000000001008 05060708");
    iw_conversation_expect(&c, "RFC5040-4.4-05", BY_RESPONDER, .frame = 5, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "0x0000000000001000", .actual = "0x0000000000001004", .context = {3});
    iw_conversation_end(&c);
}

static void warns_of_an_answer_in_another_order(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    answer("8142 00001234 0000000000001004 01020304");
    at = answer("c142 00001234 0000000000001000 05060708");
    iw_conversation_expect(&c, "RFC5041-5.3-03", BY_RESPONDER, .frame = 5, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "higher than in earlier segments",
        .actual = "0x0000000000001000, lower than in an earlier segment", .context = {4});
    iw_conversation_end(&c);
}

static void reports_another_to_than_the_data_sinks(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    at = answer("8142 00001234 0000000000001008 01020304");
    iw_conversation_expect(&c, "RFC5040-4.4-05", BY_RESPONDER, .frame = 4, .offset = at + 8, .octets = 8,
        .field = "ddp.to", .expected = "0x0000000000001000", .actual = "0x0000000000001008", .context = {3});
    answer("c142 00001234 000000000000100c 05060708");
    /* The next response is judged as usual. */
    ask(READ("00000002", "00000004"));
    answer("c142 00001234 0000000000001000 05060708");
    assert_true(c.response.known);
    iw_conversation_end(&c);
}

static void reports_an_answer_that_is_too_short(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    at = answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC5040-4.4-05", BY_RESPONDER, .frame = 4, .offset = at, .octets = 24,
        .expected = "8", .actual = "4", .context = {3});
    iw_conversation_end(&c);
}

#define READ_TO(msn, to, size)                                                                               \
    "4141 00000000 00000001 " msn " 00000000 00001234 " to " " size " 00005678 0000000000002000"

static void reports_read_responses_out_of_order(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ_TO("00000001", "0000000000001000", "00000008"));
    ask(READ_TO("00000002", "0000000000002000", "00000008"));
    ask(READ_TO("00000003", "0000000000003000", "00000008"));
    at = answer("8142 00001234 0000000000003000 01020304");
    iw_conversation_expect(&c, "RFC5040-5.5-16", BY_RESPONDER, .frame = 6, .offset = at, .octets = 24,
        .expected = "after the responses to earlier Read Requests",
        .actual = "sent before the response to the request in frame 3", .context = {3, 5});
    /* The other responses are judged as usual. */
    answer("c142 00001234 0000000000003004 05060708");
    answer("c142 00001234 0000000000001000 0102030405060708");
    answer("c142 00001234 0000000000002000 0102030405060708");
    assert_true(c.response.known);
    assert_int_equal(c.requests_waiting, 0);
    iw_conversation_end(&c);
}

static void reports_octets_of_a_read_of_size_0(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000000"));
    at = answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC5040-5.2.1-14", BY_RESPONDER, .frame = 4, .offset = at, .octets = 24,
        .expected = "0", .actual = "4", .context = {3});
    iw_conversation_end(&c);
}

static void reports_an_answer_that_is_too_long_once(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000006"));
    answer("8142 00001234 0000000000001000 01020304");
    at = answer("8142 00001234 0000000000001004 05060708");
    iw_conversation_expect(&c, "RFC5040-4.4-05", BY_RESPONDER, .frame = 5, .offset = at, .octets = 24,
        .expected = "at most 2", .actual = "4", .context = {3});
    answer("8142 00001234 0000000000001008 01020304");
    answer("c142 00001234 000000000000100c 01020304");
    iw_conversation_end(&c);
}

static void reports_a_read_response_that_was_not_requested_once(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    at = answer("8142 00001234 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC5040-5.2-01", BY_RESPONDER, .frame = 4, .offset = at, .octets = 24,
        .expected = "the response to an outstanding request",
        .actual = "for STag 0x00001234, without an outstanding Read Request");
    answer("c142 00001234 0000000000001004 05060708");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_end(&c);
}

static void accepts_answers_in_one_segment_and_in_many(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    ask(READ("00000002", "00000008"));
    ask(READ("00000003", "00000000"));
    ask(READ("00000004", "00000004"));
    answer("c142 00001234 0000000000001000 0102030405060708");
    answer("8142 00001234 0000000000001000 010203");
    answer("4143 00000000 00000000 00000001 00000000 6f6b"); /* a Send between two segments */
    answer("8142 00001234 0000000000001003 04");
    answer("c142 00001234 0000000000001004 05060708");
    answer("c142 00000000 0000000000000000");
    answer("8142 00001234 0000000000001000 01020304"); /* all of it, but L comes without payload */
    answer("c142 00000000 0000000000000000");
    assert_true(c.response.complete);
    assert_int_equal(c.requests_waiting, 0);
    iw_conversation_end(&c);
}

/* Each side can ask the other. */
static void accepts_reads_of_both_sides(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", "00000004"));
    answer(READ("00000001", "00000004"));
    ask("c142 00001234 0000000000001000 01020304");
    answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_end(&c);
}

/* ---- order ---- */

static void reports_a_read_response_before_an_atomic_response(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(READ("00000002", "00000008"));
    at = answer("8142 00001234 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC5040-5.2.2-05", BY_RESPONDER, .frame = 5, .offset = at, .octets = 24,
        .expected = "after the responses to earlier requests",
        .actual = "sent before the response to the request in frame 3", .context = {3});
    answer("c142 00001234 0000000000001004 05060708");
    answer("414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    assert_int_equal(c.requests_waiting, 0);
    iw_conversation_end(&c);
}

static void reports_an_atomic_response_before_a_read_response(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000004"));
    ask(FETCHADD("00000002", "cafe0001", "0000000000003000"));
    at = answer("414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    iw_conversation_expect(&c, "RFC5040-5.2.2-05", BY_RESPONDER, .frame = 5, .offset = at, .octets = 36,
        .expected = "after the responses to earlier requests",
        .actual = "sent before the response to the request in frame 3", .context = {3});
    answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_end(&c);
}

static void accepts_answers_in_the_order_of_the_requests(void **state) {
    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(READ("00000002", "00000004"));
    ask(FETCHADD("00000003", "cafe0001", "0000000000003000"));
    answer("414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    answer("c142 00001234 0000000000001000 01020304");
    answer("414b 00000000 00000003 00000002 00000000 cafe0001 0000000000000007");
    iw_conversation_end(&c);
}

/* A Read may proceed before it is known that an earlier Flush has succeeded (draft-talpey-rdma-commit-01 2).
 */
static void accepts_a_read_response_before_a_flush_response(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("00000001", "00002000", "0000000000004000"));
    ask(READ("00000002", "00000004"));
    answer("c142 00001234 0000000000001000 01020304");
    answer("414d 00000000 00000003 00000001 00000000");
    iw_conversation_end(&c);
}

/* ---- answers on queue 3 ---- */

static void reports_an_atomic_response_that_was_not_requested(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    at = iw_conversation_say(&c, IW_SIDE_B, "F28");
    iw_conversation_expect(&c, "RFC7306-5-05", BY_RESPONDER, .frame = 4, .offset = at, .octets = 36,
        .expected = "the response to an outstanding request",
        .actual = "for MSN 1, without an outstanding request");
    iw_conversation_end(&c);
}

/* An outstanding Read has no response on queue 3. */
static void reports_a_flush_response_while_only_a_read_waits(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000004"));
    at = answer("414d 00000000 00000003 00000001 00000000");
    iw_conversation_expect(&c, "RFC7306-5-05", BY_RESPONDER, .frame = 4, .offset = at, .octets = 24,
        .expected = "the response to an outstanding request",
        .actual = "for MSN 1, without an outstanding request");
    iw_conversation_end(&c);
}

static void reports_an_answer_of_another_kind(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FLUSH("00000001", "00002000", "0000000000004000"));
    ask(FETCHADD("00000002", "cafe0001", "0000000000003000"));
    at = answer("414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    iw_conversation_expect(&c, "RFC7306-5.2.2-06", BY_RESPONDER, .frame = 5, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = "RDMA Flush Response", .actual = "Atomic Response",
        .context = {3});
    answer("414d 00000000 00000003 00000002 00000000");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 0);
    iw_conversation_end(&c);
}

static void reports_another_request_identifier(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(FETCHADD("00000002", "cafe0002", "0000000000003000"));
    at = answer("414b 00000000 00000003 00000001 00000000 cafe0000 0000000000000007");
    iw_conversation_expect(&c, "RFC7306-5.2.1-12", BY_RESPONDER, .frame = 5, .offset = at + 20, .octets = 4,
        .field = "rdmap.atomic.original_identifier", .expected = "0xcafe0001", .actual = "0xcafe0000",
        .context = {3});
    answer("414b 00000000 00000003 00000002 00000000 cafe0002 0000000000000007");
    iw_conversation_end(&c);
}

/* Two Reads into one buffer, of 8 and of 4 octets, are answered in the wrong order: one fault. */
static void folds_two_answers_that_have_changed_places(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    ask(READ("00000002", "00000004"));
    answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_found(&c, "RFC5040-4.4-05");
    answer("c142 00001234 0000000000001000 0102030405060708");
    iw_conversation_found(&c, "RFC5040-4.4-05");
    assert_int_equal(c.findings[1].cause, c.findings[0].number);
    iw_conversation_end(&c);
    open_plain();
    ask(READ("00000001", "00000008"));
    ask(READ("00000002", "00000004"));
    answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_found(&c, "RFC5040-4.4-05");
    answer("c142 00001234 0000000000001000 010203040506");
    iw_conversation_found(&c, "RFC5040-4.4-05");
    assert_int_equal(c.findings[1].cause, 0);
    iw_conversation_end(&c);
}

/* ---- responses before their requests ---- */

/* From now on the responder acknowledges the initiator's octets up to `acked`. */
static void answer_after(uint64_t acked, const char *ulpdu) {
    c.acks = true;
    c.acked = acked;
    answer(ulpdu);
    c.acks = false;
}

/* All octets of the request except the last have arrived. */
static void reports_a_response_sent_before_its_request_arrived(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    ask(READ("00000001", "00000008"));
    answer_after(c.offset[IW_SIDE_A] - 1, "c142 00001234 0000000000001000 0102030405060708");
    iw_conversation_expect(&c, "RFC5040-5.2-01", BY_RESPONDER, .frame = 5, .offset = 20, .octets = 28,
        .expected = "the response to an outstanding request",
        .actual = "for STag 0x00001234, sent before the Read Request had arrived", .context = {4});
    assert_int_equal(c.requests_waiting, 1);
    iw_conversation_end(&c);
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    ask(READ("00000001", "00000008"));
    answer_after(c.offset[IW_SIDE_A], "c142 00001234 0000000000001000 0102030405060708");
    iw_conversation_end(&c);
}

static void reports_an_atomic_response_sent_before_its_request_arrived(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer_after(44, "414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    iw_conversation_expect(&c, "RFC7306-5-05", BY_RESPONDER, .frame = 5, .offset = 20, .octets = 36,
        .expected = "the response to an outstanding request",
        .actual = "for MSN 1, sent before the request had arrived", .context = {4});
    iw_conversation_end(&c);
}

/* The first of two requests has arrived, the second has not. */
static void accepts_a_response_before_a_later_request_arrives(void **state) {
    uint64_t first;

    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    first = c.offset[IW_SIDE_A];
    ask(READ("00000002", "00000008"));
    answer_after(first, "c142 00001234 0000000000001000 0102030405060708");
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_another_stag_than_the_data_sinks),
        cmocka_unit_test(reports_an_answer_that_begins_inside_the_data_sink),
        cmocka_unit_test(warns_of_an_answer_in_another_order),
        cmocka_unit_test(reports_another_to_than_the_data_sinks),
        cmocka_unit_test(reports_an_answer_that_is_too_short),
        cmocka_unit_test(reports_read_responses_out_of_order),
        cmocka_unit_test(reports_octets_of_a_read_of_size_0),
        cmocka_unit_test(reports_an_answer_that_is_too_long_once),
        cmocka_unit_test(reports_a_read_response_that_was_not_requested_once),
        cmocka_unit_test(accepts_answers_in_one_segment_and_in_many),
        cmocka_unit_test(accepts_reads_of_both_sides),
        cmocka_unit_test(reports_a_read_response_before_an_atomic_response),
        cmocka_unit_test(reports_an_atomic_response_before_a_read_response),
        cmocka_unit_test(accepts_answers_in_the_order_of_the_requests),
        cmocka_unit_test(accepts_a_read_response_before_a_flush_response),
        cmocka_unit_test(reports_an_atomic_response_that_was_not_requested),
        cmocka_unit_test(reports_a_flush_response_while_only_a_read_waits),
        cmocka_unit_test(reports_an_answer_of_another_kind),
        cmocka_unit_test(reports_another_request_identifier),
        cmocka_unit_test(folds_two_answers_that_have_changed_places),
        cmocka_unit_test(reports_a_response_sent_before_its_request_arrived),
        cmocka_unit_test(reports_an_atomic_response_sent_before_its_request_arrived),
        cmocka_unit_test(accepts_a_response_before_a_later_request_arrives),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
