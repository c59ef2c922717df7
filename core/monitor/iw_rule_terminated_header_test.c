#include "iw_rule_terminated_test.h"

#include "iw_header_log.h"

/* ---- progress and length ---- */

static void expect_progress(const char *header, const char *expected, const char *actual) {
    uint64_t at;

    open_plain();
    ask(READ("00000001", EIGHT));
    answer("8142 00001234 0000000000001000 01020304");
    at = answer(header);
    iw_conversation_expect(&c, "RFC5040-4.8-12", BY_RESPONDER, .frame = 5, .offset = at, .octets = 76,
        .expected = expected, .actual = actual, .context = {3});
    iw_conversation_end(&c);
}

static void reports_a_read_request_that_has_not_got_as_far(void **state) {
    (void)state;
    expect_progress(TERMINATE "0100e000" OF_READ
                              "00001235 0000000000001004 00000004 00005678 0000000000002004",
        "0x00001234", "0x00001235");
    expect_progress(TERMINATE "0100e000" OF_READ
                              "00001234 0000000000001000 00000008 00005678 0000000000002000",
        "0x0000000000001004", "0x0000000000001000");
    expect_progress(TERMINATE "0100e000" OF_READ
                              "00001234 0000000000001004 00000008 00005678 0000000000002004",
        "4", "8");
    expect_progress(TERMINATE "0100e000" OF_READ
                              "00001234 0000000000001004 00000004 00005679 0000000000002004",
        "0x00005678", "0x00005679");
    expect_progress(TERMINATE "0100e000" OF_READ
                              "00001234 0000000000001004 00000004 00005678 0000000000002000",
        "0x0000000000002004", "0x0000000000002000");
}

static void reports_a_read_request_that_was_answered_and_seems_not_to_be(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    answer("c142 00001234 0000000000001000 0102030405060708");
    at = answer(TERMINATE "0101e000" OF_READ "00001234 0000000000001000 00000008 00005678 0000000000002000");
    iw_conversation_expect(&c, "RFC5040-4.8-12", BY_RESPONDER, .frame = 5, .offset = at, .octets = 76,
        .expected = "0x0000000000001008", .actual = "0x0000000000001000", .context = {3});
    iw_conversation_end(&c);
    open_plain();
    ask(READ("00000001", EIGHT));
    answer("c142 00001234 0000000000001000 0102030405060708");
    answer(TERMINATE "0101e000" OF_READ "00001234 0000000000001008 00000000 00005678 0000000000002008");
    iw_conversation_end(&c);
}

static void accepts_a_read_request_as_far_as_it_has_got(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    answer("8142 00001234 0000000000001000 01020304");
    answer(TERMINATE "0100e000" OF_READ "00001234 0000000000001004 00000004 00005678 0000000000002004");
    iw_conversation_end(&c);
    open_plain();
    ask(READ("00000001", EIGHT));
    answer(TERMINATE "0100e000" OF_READ "00001234 0000000000001000 00000008 00005678 0000000000002000");
    iw_conversation_end(&c);
}

static void reports_another_length_than_that_of_the_segment(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    at = answer(TERMINATE "0100e000 001c 4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 "
                          "00000008 00005678 0000000000002000");
    iw_conversation_expect(&c, "RFC5040-4.8-08", BY_RESPONDER, .frame = 4, .offset = at, .octets = 76,
        .expected = "46", .actual = "28");
    iw_conversation_end(&c);
    open_plain();
    ask("4183 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    at = answer(TERMINATE "0205c000 0013 4183 00000000 00000000 00000001 00000000");
    iw_conversation_expect(&c, "RFC5040-4.8-08", BY_RESPONDER, .frame = 4, .offset = at, .octets = 48,
        .expected = "20", .actual = "19", .context = {3});
    iw_conversation_end(&c);
}

/* Two Sends have the same header: the second one reuses the MSN of the first. Only the length could show
 * which of them the Terminate is about, so either length is accepted. */
static void accepts_the_length_of_either_segment_with_the_same_header(void **state) {
    static const char *const lengths[] = {"0014", "0015"};
    char terminate[128];

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_plain();
        ask("4143 00000000 00000000 00000001 00000000 6f6b");
        ask("4143 00000000 00000000 00000001 00000000 6f6b6f");
        iw_conversation_found(&c, "RFC5041-4.3-08");
        snprintf(terminate, sizeof terminate,
            TERMINATE "1203c000 %s 4143 00000000 00000000 00000001 00000000", lengths[i]);
        answer(terminate);
        iw_conversation_end(&c);
    }
}

/* The message has begun as a Send, and continues as a Send with Invalidate. */
static void accepts_a_terminate_about_another_opcode_within_a_message(void **state) {
    (void)state;
    open_plain();
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    ask("0143 00000000 00000000 00000002 00000000 6f6b");
    ask("4144 11223344 00000000 00000002 00000002 6f6b");
    iw_conversation_found(&c, "RFC5041-4.3-04");
    answer(TERMINATE "0206c000 0014 4144 11223344 00000000 00000002 00000002");
    iw_conversation_end(&c);
}

/* A Send with RV 2 and a Send on queue 7, in one TCP segment or in two. */
#define OF_FIRST "0012 4183 00000000 00000000 00000001 00000000 "
#define OF_SECOND "0012 4143 00000000 00000007 00000001 00000000 "

static void reports_a_terminate_about_the_second_fault(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, OF_FIRST "a0459b03" OF_SECOND "42b58803");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_found(&c, "RFC5040-4.1-07");
    at = answer(TERMINATE "1201c000" OF_SECOND);
    iw_conversation_expect(&c, "RFC5040-7.1-03", BY_RESPONDER, .frame = 4, .offset = at, .octets = 48,
        .expected = "the one on QN 0, MSN 1, MO 0: the first error", .actual = "the one on QN 7, MSN 1, MO 0",
        .context = {3});
    iw_conversation_end(&c);
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, OF_FIRST "a0459b03");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_say(&c, IW_SIDE_A, OF_SECOND "42b58803");
    iw_conversation_found(&c, "RFC5040-4.1-07");
    answer(TERMINATE "1201c000" OF_SECOND);
    iw_conversation_found(&c, "RFC5040-7.1-03");
    iw_conversation_end(&c);
}

static void accepts_a_terminate_about_the_first_fault(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, OF_FIRST "a0459b03" OF_SECOND "42b58803");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_found(&c, "RFC5040-4.1-07");
    answer(TERMINATE "0205c000" OF_FIRST);
    iw_conversation_end(&c);
}

/* ---- in reversed bit order ---- */

static void compares_the_headers_of_a_reversed_terminate(void **state) {
    (void)state;
    open_plain();
    ask("4183 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    answer(TERMINATE "20050300 0014 4183 00000000 00000000 00000001 00000000");
    iw_conversation_found(&c, "RFC5040-4.8-07");
    iw_conversation_end(&c);
    open_plain();
    ask("4183 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    answer(TERMINATE "20050300 0013 4183 00000000 00000000 00000001 00000000");
    iw_conversation_found(&c, "RFC5040-4.8-07");
    iw_conversation_found(&c, "RFC5040-4.8-08");
    assert_int_equal(c.findings[2].cause, c.findings[1].number);
    iw_conversation_end(&c);
}

/* ---- messages that were not captured ---- */

/* A second Read Request was too short; the capture lacks it, but the responder acknowledged it. */
#define OF_SHORT_READ "002a 4141 00000000 00000001 00000002 00000000 "

static void accepts_a_terminate_about_a_request_that_was_not_seen(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    c.unseen = true;
    answer(TERMINATE "0207c000" OF_SHORT_READ);
    iw_conversation_end(&c);
    /* nor about any other captured request */
    open_plain();
    c.unseen = true;
    answer(TERMINATE "0207c000" OF_SHORT_READ);
    iw_conversation_end(&c);
}

static void reports_the_length_of_a_request_when_all_was_seen(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    ask(READ("00000002", EIGHT));
    answer(TERMINATE "0207c000" OF_SHORT_READ);
    iw_conversation_found(&c, "RFC5040-4.8-08");
    iw_conversation_end(&c);
}

/* The request was lost with the octets after it, or truncated before the end of its header, or has a wrong
 * CRC. */
static void accepts_a_terminate_about_octets_that_say_nothing(void **state) {
    (void)state;
    open_plain();
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_cut(&c, IW_SIDE_A, READ("00000001", EIGHT), 10, true);
    answer(TERMINATE "0207c000 002a 4141 00000000 00000001 00000001 00000000");
    iw_conversation_end(&c);
    open_plain();
    iw_conversation_gap(&c, IW_SIDE_A, 48, false);
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    answer(TERMINATE "0207c000 002a 4141 00000000 00000001 00000001 00000000");
    iw_conversation_end(&c);
}

/* The capture may lack another request with the same MSN. */
static void judges_no_progress_of_a_request_that_may_be_another(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    c.unseen = true;
    answer(TERMINATE "0100e000" OF_READ "00004321 0000000000001000 00000008 00005678 0000000000002000");
    iw_conversation_end(&c);
    /* size 0: the rest of a Read Response that was sent in full */
    open_plain();
    ask("4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 "
        "0000000000000000");
    c.unseen = true;
    answer(TERMINATE "0100e000" OF_READ "00000001 0000000000000000 00000000 00000001 0000000000000000");
    iw_conversation_end(&c);
}

/* The first Write has only a wrong STag; the second one exceeds 2^64. */
#define AT_THE_END "c140 11223344 fffffffffffffff8 "

static void accepts_the_length_of_a_write_with_the_same_header(void **state) {
    (void)state;
    open_plain();
    ask(AT_THE_END "01020304");
    ask(AT_THE_END "0102030405060708090a");
    answer(TERMINATE "1100c000 0012 " AT_THE_END);
    iw_conversation_end(&c);
    open_plain();
    ask(AT_THE_END "01020304");
    ask(AT_THE_END "0102030405060708090a");
    answer(TERMINATE "1103c000 0012 " AT_THE_END);
    iw_conversation_found(&c, "RFC5040-4.8-08");
    iw_conversation_end(&c);
}

/* The missing last octets of the peer's Terminate would show whether it has an error. */
static void accepts_the_answer_to_a_terminate_that_was_truncated(void **state) {
    (void)state;
    open_plain();
    iw_conversation_cut(
        &c, IW_SIDE_A, TERMINATE "0205c000 0012 4183 00000000 00000000 00000001 00000000", 30, true);
    answer(TERMINATE "0207c000" OF_TERMINATE);
    iw_conversation_end(&c);
}

/* ---- the segment that the headers are of ---- */

static void reports_the_header_of_a_segment_that_was_not_sent(void **state) {
    uint64_t at = refused(SECOND, TERMINATE "1202c000" OF_SEND("00000007"));

    (void)state;
    iw_conversation_expect(&c, "RFC5040-4.8-10", BY_RESPONDER, .frame = 5, .offset = at, .octets = 48,
        .expected = "that of a segment that the other side has sent",
        .actual = "that of opcode 0x3, L=1, QN 0, MSN 7, MO 0");
    iw_conversation_end(&c);
    at = refused(WRITE, TERMINATE "1100c000 0010 8140 11223344 0000000100002000");
    iw_conversation_expect(&c, "RFC5040-4.8-10", BY_RESPONDER, .frame = 5, .offset = at, .octets = 44,
        .expected = "that of a segment that the other side has sent",
        .actual = "that of opcode 0x0, L=0, STag 0x11223344, TO 0x100002000");
    iw_conversation_end(&c);
}

/* In reversed bit order the header is read, and the reserved bits are the one fault. */
static void attaches_a_header_that_was_not_sent_to_the_reversed_bits(void **state) {
    (void)state;
    refused(SECOND, TERMINATE "20050300 0014 4183 00000000 00000000 00000007 00000000");
    iw_conversation_found(&c, "RFC5040-4.8-07");
    iw_conversation_found(&c, "RFC5040-4.8-10");
    iw_conversation_end(&c);
}

static void reports_the_length_of_another_segment(void **state) {
    uint64_t at = refused(SECOND, TERMINATE "1202c000 0016 4143 00000000 00000000 00000002 00000000");

    (void)state;
    iw_conversation_expect(&c, "RFC5040-4.8-08", BY_RESPONDER, .frame = 5, .offset = at, .octets = 48,
        .expected = "20", .actual = "22", .context = {4});
    iw_conversation_end(&c);
    at = refused(WRITE, TERMINATE "1100c000 0016 c140 11223344 0000000100002000");
    iw_conversation_expect(&c, "RFC5040-4.8-08", BY_RESPONDER, .frame = 5, .offset = at, .octets = 44,
        .expected = "16", .actual = "22", .context = {4});
    iw_conversation_end(&c);
}

/* The headers of a side with more segments are not kept, so whether one was sent is unknown. */
static void accepts_any_header_after_more_segments_than_are_kept(void **state) {
    char send[64];

    (void)state;
    for (unsigned count = IW_HEADER_LOG_MAX; count <= IW_HEADER_LOG_MAX + 1; count++) {
        open_plain();
        for (unsigned msn = 1; msn <= count; msn++) {
            snprintf(send, sizeof send, "4143 00000000 00000000 %08x 00000000 6f6b", msn);
            ask(send);
        }
        answer(TERMINATE "1202c000" OF_SEND("00000077"));
        if (count == IW_HEADER_LOG_MAX)
            iw_conversation_found(&c, "RFC5040-4.8-10");
        iw_conversation_end(&c);
    }
}

static void accepts_any_header_if_a_segment_is_missing_or_not_captured_completely(void **state) {
    (void)state;
    open_plain();
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_gap(&c, IW_SIDE_A, 28, false);
    answer(TERMINATE "1202c000" OF_SEND("00000007"));
    iw_conversation_end(&c);
    open_plain();
    iw_conversation_cut(&c, IW_SIDE_A, "4143 00000000 00000000 00000007 00000000 6f6b", 10, true);
    answer(TERMINATE "1202c000" OF_SEND("00000007"));
    iw_conversation_end(&c);
}

static void accepts_a_header_of_zeros(void **state) {
    (void)state;
    refused(SECOND, TERMINATE "02074000 0000 0000 00000000 00000000 00000000 00000000");
    iw_conversation_end(&c);
}

/* The capture cuts the Terminate within the Read Request header, after a DDP header whose MO tells how far
 * the response has got, as in Linux siw. */
static void accepts_the_mo_of_a_read_in_a_truncated_terminate(void **state) {
    (void)state;
    open_plain();
    ask("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000008 00005678 "
        "0000000000002000");
    answer("8142 00001234 0000000000001000 01020304");
    iw_conversation_cut(&c, IW_SIDE_B,
        TERMINATE "0102e000 002e 4141 00000000 00000001 00000001 00000004 "
                  "00001234 0000000000001004 00000004 00005678 0000000000002004",
        52, true);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_read_request_that_has_not_got_as_far),
        cmocka_unit_test(reports_a_read_request_that_was_answered_and_seems_not_to_be),
        cmocka_unit_test(accepts_a_read_request_as_far_as_it_has_got),
        cmocka_unit_test(reports_another_length_than_that_of_the_segment),
        cmocka_unit_test(accepts_the_length_of_either_segment_with_the_same_header),
        cmocka_unit_test(accepts_a_terminate_about_another_opcode_within_a_message),
        cmocka_unit_test(reports_a_terminate_about_the_second_fault),
        cmocka_unit_test(accepts_a_terminate_about_the_first_fault),
        cmocka_unit_test(compares_the_headers_of_a_reversed_terminate),
        cmocka_unit_test(accepts_a_terminate_about_a_request_that_was_not_seen),
        cmocka_unit_test(reports_the_length_of_a_request_when_all_was_seen),
        cmocka_unit_test(accepts_a_terminate_about_octets_that_say_nothing),
        cmocka_unit_test(judges_no_progress_of_a_request_that_may_be_another),
        cmocka_unit_test(accepts_the_length_of_a_write_with_the_same_header),
        cmocka_unit_test(accepts_the_answer_to_a_terminate_that_was_truncated),
        cmocka_unit_test(reports_the_header_of_a_segment_that_was_not_sent),
        cmocka_unit_test(attaches_a_header_that_was_not_sent_to_the_reversed_bits),
        cmocka_unit_test(reports_the_length_of_another_segment),
        cmocka_unit_test(accepts_any_header_after_more_segments_than_are_kept),
        cmocka_unit_test(accepts_any_header_if_a_segment_is_missing_or_not_captured_completely),
        cmocka_unit_test(accepts_a_header_of_zeros),
        cmocka_unit_test(accepts_the_mo_of_a_read_in_a_truncated_terminate),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
