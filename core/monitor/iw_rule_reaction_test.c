#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_ulpdu_text.h"

/* Side A sends requests and faults, side B responds. */

/* ---- a side that continues ---- */

/* Side A sends `fault` in frame 3 and `request` in frame 4; the response is in frame 5. */
static void expect_served(const char *fault, const char *fault_id, const char *request, const char *id) {
    uint64_t at;

    open_plain();
    ask(fault);
    ask(request);
    at = answer(ANSWER);
    iw_conversation_found(&c, fault_id);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 5, .offset = at, .octets = 28,
        .expected = "a Terminate", .actual = "RDMA Read Response to the later request in frame 4",
        .context = {3, 4});
    iw_conversation_end(&c);
}

static void reports_an_answer_after_what_must_be_rejected(void **state) {
    (void)state;
    expect_served("4183 00000000 00000000 00000001 00000000 6f6b", "RFC5040-4.1-08", READ("00000001", EIGHT),
        "RFC5040-7.2-03");
    expect_served("4143 00000000 00000000 00000000 00000000 6f6b", "RFC5041-4.3-09", READ("00000001", EIGHT),
        "RFC5040-7.2-01");
    expect_served("4143 00000000 00000007 00000001 00000000 6f6b", "RFC5040-4.1-07", READ("00000001", EIGHT),
        "RFC5040-7.2-01");
    expect_served("4143 00000000 00000001 00000001 00000000 6f6b", "RFC5040-5.3-07", READ("00000001", EIGHT),
        "RFC5040-7.2-07");
    expect_served(
        "c142 00000001 0000000000000000 6f6b", "RFC5040-5.2-01", READ("00000001", EIGHT), "RFC5040-5.2.2-08");
}

/* Both RDMAP versions are valid to a receiver (RFC 5040 4.1), although this sender must not use 0. */
static void lets_rdmap_version_0_be_taken(void **state) {
    (void)state;
    open_plain();
    ask("4103 00000000 00000000 00000001 00000000 6f6b");
    ask(READ("00000001", EIGHT));
    answer(ANSWER);
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_end(&c);
}

/* In the messages of RFC 7306, only version 1 is valid (RFC 7306 4.1, 8.2). The receiver ignores the
 * Invalidate STag field. */
static void reports_an_answer_after_version_0_of_rfc_7306(void **state) {
    (void)state;
    expect_served("4108 00000000 00000000 00000001 00000000 0102030405060708", "RFC7306-4.1-01",
        READ("00000001", EIGHT), "RFC7306-8.2-04");
    open_plain();
    ask("4148 11223344 00000000 00000001 00000000 0102030405060708");
    ask(READ("00000001", EIGHT));
    answer(ANSWER);
    iw_conversation_found(&c, "RFC7306-4.1-01");
    iw_conversation_end(&c);
}

/* The receiver must check whether TO wraps (RFC 5041 7.1). The last octet may be at 2^64 - 1. */
static void reports_an_answer_after_a_to_that_wraps(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask("c140 11223344 fffffffffffffffc 01020304");
    ask(READ("00000001", EIGHT));
    answer(ANSWER);
    ask("c140 11223344 fffffffffffffffc 0102030405");
    ask(READ("00000002", EIGHT));
    at = answer(ANSWER);
    iw_conversation_expect(&c, "RFC5041-7.1-06", BY_RESPONDER, .frame = 8, .offset = at, .octets = 28,
        .expected = "a Terminate", .actual = "RDMA Read Response to the later request in frame 7",
        .context = {6, 7});
    iw_conversation_end(&c);
}

static void reports_an_answer_after_an_undefined_opcode(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_init(&c, IW_EXT_BASE);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    at = ask("4148 00000000 00000000 00000001 00000000 0102030405060708");
    iw_conversation_expect(&c, "RFC5040-4.1-06", BY_INITIATOR, .frame = 3, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = "an opcode of the documents in use", .actual = "0x8");
    ask(READ("00000001", EIGHT));
    at = answer(ANSWER);
    iw_conversation_expect(&c, "RFC5040-7.2-02", BY_RESPONDER, .frame = 5, .offset = at, .octets = 28,
        .expected = "a Terminate", .actual = "RDMA Read Response to the later request in frame 4",
        .context = {3, 4});
    iw_conversation_end(&c);
}

/* The Read Request itself is wrong, and is answered. */
static void reports_the_answer_to_a_read_request_that_must_be_rejected(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ("00000000", EIGHT));
    iw_conversation_found(&c, "RFC5041-4.3-09");
    at = answer(ANSWER);
    iw_conversation_expect(&c, "RFC5040-7.2-06", BY_RESPONDER, .frame = 4, .offset = at, .octets = 28,
        .expected = "a Terminate", .actual = "RDMA Read Response to that message in frame 3", .context = {3});
    iw_conversation_end(&c);
    open_plain();
    ask("4181 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000008 00005678 "
        "0000000000002000");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    at = answer(ANSWER);
    iw_conversation_expect(&c, "RFC5040-7.2-08", BY_RESPONDER, .frame = 4, .offset = at, .octets = 28,
        .expected = "a Terminate", .actual = "RDMA Read Response to that message in frame 3", .context = {3});
    iw_conversation_end(&c);
}

/* Messages in flight when the fault arrives prove nothing: neither responses to earlier requests, nor
 * Sends. */
static void accepts_messages_in_flight(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    ask("4183 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    ask(READ("00000002", EIGHT));
    answer(ANSWER);
    answer("4143 00000000 00000000 00000001 00000000 6f6b");
    answer(TERMINATE "0205c000 0014 4183 00000000 00000000 00000001 00000000");
    iw_conversation_end(&c);
}

/* The receiver may have a buffer for a higher MSN, and one long enough for this MO (RFC 5041 7.1). */
static void accepts_answers_after_what_may_have_a_buffer(void **state) {
    (void)state;
    open_plain();
    ask("4143 00000000 00000000 00000001 00000004 6f6b");
    iw_conversation_found(&c, "RFC5041-4.3-12");
    ask("4143 00000000 00000000 00000003 00000000 6f6b");
    iw_conversation_found(&c, "RFC5041-4.3-08");
    ask("4143 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_found(&c, "RFC5041-4.3-08");
    ask(READ("00000002", EIGHT));
    iw_conversation_found(&c, "RFC5041-4.3-09");
    answer(ANSWER);
    iw_conversation_end(&c);
}

/* The receiver may have a buffer for an MSN that is ahead, and then for the skipped ones (RFC 5041 7.1). */
static void accepts_answers_after_an_msn_that_is_ahead(void **state) {
    (void)state;
    open_plain();
    ask("4143 00000000 00000000 00000003 00000000 6f6b");
    iw_conversation_found(&c, "RFC5041-4.3-09");
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC5041-4.3-08");
    ask(READ("00000001", EIGHT));
    answer(ANSWER);
    iw_conversation_end(&c);
}

/* A receiver may drop an FPDU with a wrong CRC, and TCP retransmits it. */
static void accepts_answers_after_an_fpdu_that_mpa_rejects(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F37");
    iw_conversation_found(&c, "RFC5044-4.4-11");
    ask(READ("00000001", EIGHT));
    answer(ANSWER);
    iw_conversation_end(&c);
}

static void reports_the_answer_to_a_read_beyond_the_last_octet(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000008 00005678 "
        "fffffffffffffff8");
    answer(ANSWER);
    ask("4141 00000000 00000001 00000002 00000000 00001234 0000000000001000 00000008 00005678 "
        "fffffffffffffff9");
    at = answer(ANSWER);
    iw_conversation_expect(&c, "RFC5040-7.2-13", BY_RESPONDER, .frame = 6, .offset = at, .octets = 28,
        .expected = "a Terminate", .actual = "a Read Response", .context = {5});
    iw_conversation_end(&c);
}

/* ---- requests on a wrong queue or at a wrong MO ---- */

#define READ_AT(qn, msn, mo, sink)                                                                           \
    "4141 00000000 " qn " " msn " " mo " " sink " 0000000000001000 00000008 00005678 0000000000002000"
#define ANSWER_TO(sink) "c142 " sink " 0000000000001000 0102030405060708"

/* `request` in frame 3 has a fault, and frame 4 answers it. */
static void expect_answer(const char *request, const char *fault_id, const char *reply, uint32_t octets,
    const char *id, const char *actual) {
    uint64_t at;

    open_plain();
    ask(request);
    iw_conversation_found(&c, fault_id);
    at = answer(reply);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 4, .offset = at, .octets = octets,
        .expected = "a Terminate", .actual = actual, .context = {3});
    iw_conversation_end(&c);
}

static void reports_the_answer_to_a_request_in_the_wrong_place(void **state) {
    static const char *const queues[] = {"00000000", "00000002", "00000003", "00000007"};
    static const char *const ids[] = {
        "RFC5040-5.2.1-05", "RFC5040-5.2.1-05", "RFC5040-5.2.1-05", "RFC5040-4.1-07"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char request[160];

        snprintf(request, sizeof request, READ_AT("%s", "00000001", "00000000", "00001234"), queues[i]);
        expect_answer(
            request, ids[i], ANSWER, 28, "RFC5040-7.2-06", "RDMA Read Response to that message in frame 3");
    }
    expect_answer(READ_AT("00000001", "00000001", "00000008", "00001234"), "RFC5041-4.3-12", ANSWER, 28,
        "RFC5040-7.2-06", "RDMA Read Response to that message in frame 3");
    expect_answer("414a 00000000 00000000 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                  "0000000000000005 0000000000000000 0000000000000000 ffffffffffffffff",
        "RFC7306-5.2-01", "414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007", 36,
        "RFC7306-8.2-02", "Atomic Response to that message in frame 3");
    expect_answer("414c 00000000 00000003 00000001 00000000 00005678 00000008 0000000000002000 00000003",
        "TALPEY-3.1.1.3-01", "414d 00000000 00000003 00000001 00000000", 24, "TALPEY-5.2-02",
        "RDMA Flush Response to that message in frame 3");
}

/* After these, the queue that was meant is not known; the response to a later request is the proof. */
static void reports_an_answer_after_a_message_of_the_wrong_model(void **state) {
    static const char *const faults[] = {"c143 00000001 0000000000001000 6f6b",
        "4140 11223344 00000000 00000001 00000000 6f6b", "c141 00001234 0000000000001000 6f6b",
        "c14a 00001234 0000000000001000 6f6b"};
    static const char *const ids[] = {
        "RFC5040-5.3-01", "RFC5040-5.1-01", "RFC5040-5.2.1-01", "RFC7306-5.2.1-04"};
    static const char *const checks[] = {
        "RFC5040-7.2-02", "RFC5040-7.2-02", "RFC5040-7.2-07", "RFC7306-8.2-03"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        open_plain();
        ask(faults[i]);
        iw_conversation_found(&c, ids[i]);
        ask(READ("00000001", EIGHT));
        answer(ANSWER);
        iw_conversation_found(&c, checks[i]);
        iw_conversation_end(&c);
    }
}

/* The request had not arrived when the response was sent, so the response is not to it: perhaps to the
 * message with the fault. */
static void accepts_an_answer_sent_before_the_later_request_arrived(void **state) {
    (void)state;
    for (unsigned missing = 0; missing <= 1; missing++) {
        open_plain();
        ask("c141 00001234 0000000000001000 6f6b");
        iw_conversation_found(&c, "RFC5040-5.2.1-01");
        ask(READ("00000001", EIGHT));
        c.acks = true;
        c.acked = c.offset[IW_SIDE_A] - missing;
        answer(ANSWER);
        if (missing == 0)
            iw_conversation_found(&c, "RFC5040-7.2-07");
        iw_conversation_end(&c);
    }
}

/* The request ends after the third octet of its Data Source Tagged Offset. */
static void reports_the_answer_after_a_request_without_its_header(void **state) {
    (void)state;
    open_plain();
    ask("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000008 00005678 000000");
    iw_conversation_found(&c, "RFC5040-4.4-01");
    ask(READ("00000002", EIGHT));
    answer(ANSWER);
    iw_conversation_found(&c, "RFC5040-7.1-02");
    iw_conversation_end(&c);
}

/* An earlier Read with the same sink is outstanding: its response proves nothing, the next one does. */
static void accepts_the_answer_to_a_request_before_the_wrong_one(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", EIGHT));
    ask(READ_AT("00000000", "00000001", "00000000", "00001234"));
    iw_conversation_found(&c, "RFC5040-5.2.1-05");
    answer("8142 00001234 0000000000001000 01020304");
    answer("c142 00001234 0000000000001004 05060708");
    answer(TERMINATE "0206c000 002e 4141 00000000 00000000 00000001 00000000");
    iw_conversation_end(&c);
    open_plain();
    ask(READ("00000001", EIGHT));
    ask(READ_AT("00000000", "00000001", "00000000", "00001234"));
    iw_conversation_found(&c, "RFC5040-5.2.1-05");
    answer(ANSWER);
    answer(ANSWER);
    iw_conversation_found(&c, "RFC5040-7.2-06");
    iw_conversation_end(&c);
}

/* A receiver that waits for the octets before MO may answer later requests. */
static void accepts_an_answer_after_a_request_at_another_offset(void **state) {
    (void)state;
    open_plain();
    ask(READ_AT("00000001", "00000001", "00000008", "00004321"));
    iw_conversation_found(&c, "RFC5041-4.3-12");
    ask(READ("00000002", EIGHT));
    answer(TERMINATE "1204c000 002e 4141 00000000 00000001 00000001 00000008");
    iw_conversation_end(&c);
}

/* The capture may lack another request for the same octets. */
static void accepts_answers_where_not_all_requests_were_seen(void **state) {
    (void)state;
    open_plain();
    iw_conversation_gap(&c, IW_SIDE_A, 52, false);
    ask("4143 00000000 00000000 00000001 00000000 6f6b");
    ask("4143 00000000 00000000 00000002 00000000 6f6b");
    ask(READ_AT("00000000", "00000001", "00000000", "00001234"));
    iw_conversation_found(&c, "RFC5040-5.2.1-05");
    answer(ANSWER);
    iw_conversation_end(&c);
    open_plain();
    ask(READ_AT("00000000", "00000001", "00000000", "00001234"));
    iw_conversation_found(&c, "RFC5040-5.2.1-05");
    c.unseen = true;
    answer(ANSWER);
    iw_conversation_end(&c);
}

/* ---- the end ---- */

static void reports_a_reset_after_a_terminate(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = ask(TERMINATE "20020000") + 28;
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5040-6.2.1-04", BY_INITIATOR, .frame = 4, .offset = at,
        .expected = "a FIN", .actual = "a reset", .context = {3});
    iw_conversation_end(&c);
}

/* The number of the RST shows octets that were not captured, one of which may be a FIN. */
static void accepts_a_reset_after_missing_octets(void **state) {
    (void)state;
    open_plain();
    ask(TERMINATE "20020000");
    iw_conversation_outside(&c, IW_SIDE_A, 1);
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    open_plain();
    ask(TERMINATE "20020000");
    iw_conversation_gap(&c, IW_SIDE_A, 24, false);
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* Data after the FIN is often answered by a reset, and a side that receives a Terminate may reset. */
static void accepts_a_fin_after_a_terminate(void **state) {
    (void)state;
    open_plain();
    ask(TERMINATE "20020000");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    open_plain();
    ask(TERMINATE "20020000");
    iw_conversation_rst(&c, IW_SIDE_B);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_an_answer_after_what_must_be_rejected),
        cmocka_unit_test(lets_rdmap_version_0_be_taken),
        cmocka_unit_test(reports_an_answer_after_version_0_of_rfc_7306),
        cmocka_unit_test(reports_an_answer_after_a_to_that_wraps),
        cmocka_unit_test(reports_an_answer_after_an_undefined_opcode),
        cmocka_unit_test(reports_the_answer_to_a_read_request_that_must_be_rejected),
        cmocka_unit_test(accepts_messages_in_flight),
        cmocka_unit_test(accepts_answers_after_what_may_have_a_buffer),
        cmocka_unit_test(accepts_answers_after_an_msn_that_is_ahead),
        cmocka_unit_test(accepts_answers_after_an_fpdu_that_mpa_rejects),
        cmocka_unit_test(reports_the_answer_to_a_read_beyond_the_last_octet),
        cmocka_unit_test(reports_the_answer_to_a_request_in_the_wrong_place),
        cmocka_unit_test(reports_an_answer_after_a_message_of_the_wrong_model),
        cmocka_unit_test(accepts_an_answer_sent_before_the_later_request_arrived),
        cmocka_unit_test(reports_the_answer_after_a_request_without_its_header),
        cmocka_unit_test(accepts_the_answer_to_a_request_before_the_wrong_one),
        cmocka_unit_test(accepts_an_answer_after_a_request_at_another_offset),
        cmocka_unit_test(accepts_answers_where_not_all_requests_were_seen),
        cmocka_unit_test(reports_a_reset_after_a_terminate),
        cmocka_unit_test(accepts_a_reset_after_missing_octets),
        cmocka_unit_test(accepts_a_fin_after_a_terminate),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
