#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_extension_text.h"

/* In the stream an untagged ULPDU has its DDP header from 2 to 20 and its RDMAP header from 20 on. */

/* ---- errors ---- */

static void expect_refusal(const char *first, const char *second, const char *control, const char *id,
    const char *expected, const char *actual) {
    char ulpdu[128];
    uint64_t at;

    open_plain();
    ask(first);
    ask(second);
    if (c.finding_count > 0)
        c.expected_count++; /* the misalignment itself */
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    strcpy(ulpdu, "4147 00000000 00000002 00000001 00000000 ");
    strcat(ulpdu, control);
    strcat(ulpdu, " 0046 414a 00000000 00000001 00000002 00000000");
    at = answer(ulpdu);
    if (id != NULL)
        iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 6, .offset = at + 21, .octets = 1,
            .field = "rdmap.terminate.code", .expected = expected, .actual = actual, .context = {4});
    iw_conversation_end(&c);
}

static void reports_another_error_for_a_misaligned_operation(void **state) {
    static const char first[] = FETCHADD("00000001", "cafe0001", "0000000000003000");

    (void)state;
    expect_refusal(first, CMPSWAP("00000002", "cafe0002", "0000000000003004"), "02ffc000", "RFC7306-8.2-07",
        "0/2/07", "0/2/ff");
    expect_refusal(first, SWAP("00000002", "cafe0002", "0000000000003004"), "02ffc000", "EXT01-8.2-01",
        "0/2/07", "0/2/ff");
    expect_refusal(first, CMPSWAP("00000002", "cafe0002", "0000000000003004"), "0207c000", NULL, NULL, NULL);
    expect_refusal(first, CMPSWAP("00000002", "cafe0002", "0000000000003004"), "0101c000", NULL, NULL, NULL);
    expect_refusal(first, CMPSWAP("00000002", "cafe0002", "0000000000003004"), "0208c000", NULL, NULL, NULL);
    expect_refusal(first, SWAP("00000002", "cafe0002", "0000000000003004"), "0206c000", NULL, NULL, NULL);
}

/* ---- operations that a responder supports ---- */

static void reports_a_side_that_supports_only_one_atomic_operation(void **state) {
    static const char first[] = FETCHADD("00000001", "cafe0001", "0000000000003000");

    (void)state;
    expect_refusal(first, CMPSWAP("00000002", "cafe0002", "0000000000003000"), "0206c000", "RFC7306-5-03",
        "none, because earlier ones were answered", "0/2/06");
    expect_refusal(first, SWAP("00000002", "cafe0002", "0000000000003000"), "0206c000", NULL, NULL, NULL);
}

static void accepts_a_side_without_atomic_operations(void **state) {
    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer("4147 00000000 00000002 00000001 00000000 0206c000 0046 414a 00000000 00000001 00000001 00000000");
    iw_conversation_end(&c);
}

static void reports_an_answer_to_an_unknown_operation(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(ATOMIC("00000001", "00000005", "cafe0001", "0000000000003000", ONES, ZERO, ONES));
    c.expected_count++; /* RFC7306-5.2.1-01, which has a test of its own */
    at = answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    iw_conversation_expect(&c, "RFC7306-5.2.1-08", BY_RESPONDER, .frame = 4, .offset = at, .octets = 36,
        .expected = "rejected by a Terminate", .actual = "answered", .context = {3});
    iw_conversation_end(&c);
}

/* M05 has IRD 16 and ORD 8; this Reply has IRD 2. The ULPs agree on the number of Atomic Requests, which is
 * not on the wire (RFC 7306 5.2.2). */
static void accepts_a_lack_of_buffers_for_atomic_requests(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 80028010");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    ask(READ_FOUR("00000001"));
    ask(FETCHADD("00000002", "cafe0001", "0000000000003000"));
    answer("4147 00000000 00000002 00000001 00000000 1202c000 0046 414a 00000000 00000001 00000002 00000000");
    iw_conversation_end(&c);

    iw_conversation_open(&c, "M05", REPLY "50020004 80028010");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(FETCHADD("00000002", "cafe0002", "0000000000003000"));
    ask(FETCHADD("00000003", "cafe0003", "0000000000003000"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    answer("4147 00000000 00000002 00000001 00000000 1202c000 0046 414a 00000000 00000001 00000003 00000000");
    iw_conversation_end(&c);
}

static void reports_a_terminated_rdma_header_of_a_new_message(void **state) {
    static const char header[] = "00001234 0000000000001000 00000004 00005678 0000000000002000";
    char ulpdu[256];
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    strcpy(ulpdu,
        "4147 00000000 00000002 00000001 00000000 0207e000 0046 414a 00000000 00000001 00000001 00000000");
    at = answer(strcat(ulpdu, header));
    iw_conversation_expect(&c, "RFC7306-8.1-01", BY_RESPONDER, .frame = 4, .offset = at + 22, .octets = 1,
        .field = "rdmap.terminate.r", .expected = "0", .actual = "1");
    iw_conversation_end(&c);

    open_plain();
    ask(FLUSH("00000001", "00002000", "0000000000004000"));
    strcpy(ulpdu,
        "4147 00000000 00000002 00000001 00000000 0207e000 0026 414c 00000000 00000001 00000001 00000000");
    at = answer(strcat(ulpdu, header));
    iw_conversation_expect(&c, "TALPEY-5.1-01", BY_RESPONDER, .frame = 4, .offset = at + 22, .octets = 1,
        .field = "rdmap.terminate.r", .expected = "0", .actual = "1");
    iw_conversation_end(&c);
}

/* ---- order and content of answers ---- */

static void expect_overtaking(const char *first, const char *second, const char *answers[2], const char *id,
    const char *expected, const char *actual) {
    uint64_t at;

    open_plain();
    ask(first);
    ask(second);
    at = answer(answers[1]);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 5, .offset = at + 3, .octets = 1,
        .field = "rdmap.opcode", .expected = expected, .actual = actual, .context = {3});
    answer(answers[0]);
    iw_conversation_end(&c);
}

static void reports_answers_that_overtake_a_flush(void **state) {
    static const char *verify[] = {
        FLUSH_RESPONSE("00000002"), VERIFY_RESPONSE("00000001", "0011223344556677")};
    static const char *write[] = {FLUSH_RESPONSE("00000002"), WRITE_RESPONSE("00000001")};
    static const char *flush[] = {
        VERIFY_RESPONSE("00000002", "0011223344556677"), FLUSH_RESPONSE("00000001")};

    (void)state;
    expect_overtaking(FLUSH("00000001", "00002000", "0000000000004000"),
        VERIFY("00000002", "00002000", "0000000000004000", ""), verify, "RFC7306-5.2.2-06",
        "RDMA Flush Response", "RDMA Verify Response");
    expect_overtaking(FLUSH("00000001", "00002000", "0000000000004000"),
        WRITE("00000002", "00000008", "0000000000005000"), write, "RFC7306-5.2.2-06", "RDMA Flush Response",
        "Atomic Write Response");
    expect_overtaking(VERIFY("00000001", "00002000", "0000000000004000", ""),
        FLUSH("00000002", "00002000", "0000000000004000"), flush, "RFC7306-5.2.2-06", "RDMA Verify Response",
        "RDMA Flush Response");
}

static void reports_an_atomic_that_overtakes_another(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(FETCHADD("00000002", "cafe0002", "0000000000003000"));
    at = answer(ATOMIC_RESPONSE("00000001", "cafe0002"));
    iw_conversation_expect(&c, "RFC7306-5.4-10", BY_RESPONDER, .frame = 5, .offset = at + 20, .octets = 4,
        .field = "rdmap.atomic.original_identifier", .expected = "0xcafe0001", .actual = "0xcafe0002",
        .context = {3});
    answer(ATOMIC_RESPONSE("00000002", "cafe0001"));
    iw_conversation_end(&c);
}

/* One wrong identifier that happens to be that of a later request is one finding. */
static void reports_a_later_identifier_once(void **state) {
    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    ask(FETCHADD("00000002", "cafe0002", "0000000000003000"));
    ask(FETCHADD("00000003", "cafe0003", "0000000000003000"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0002"));
    c.expected_count++; /* RFC7306-5.4-10 */
    answer(ATOMIC_RESPONSE("00000002", "cafe0002"));
    answer(ATOMIC_RESPONSE("00000003", "cafe0003"));
    iw_conversation_end(&c);
}

static void reports_another_identifier_of_a_swap(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(SWAP("00000001", "cafe0001", "0000000000003000"));
    at = answer(ATOMIC_RESPONSE("00000001", "cafe0009"));
    iw_conversation_expect(&c, "EXT01-5.2.2-01", BY_RESPONDER, .frame = 4, .offset = at + 20, .octets = 4,
        .field = "rdmap.atomic.original_identifier", .expected = "0xcafe0001", .actual = "0xcafe0009",
        .context = {3});
    iw_conversation_end(&c);
}

/* DDP may split the header (RFC 5041 5.2). No clause makes the requester check the identifier (RFC 7306 8.2).
 */
static void reports_another_identifier_in_two_segments(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer("014b 00000000 00000003 00000001 00000000 cafe00");
    at = answer("414b 00000000 00000003 00000001 00000003 09 0000000000000007");
    iw_conversation_expect(&c, "RFC7306-5.2.1-12", BY_RESPONDER, .frame = 5, .offset = at, .octets = 36,
        .field = "rdmap.atomic.original_identifier", .expected = "0xcafe0001", .actual = "0xcafe0009",
        .context = {3});
    answer(READ_FOUR("00000001"));
    ask("c142 00001234 0000000000001000 01020304");
    ask(FETCHADD("00000002", "cafe0002", "0000000000003000"));
    answer("014b 00000000 00000003 00000002 00000000 cafe0002 00");
    answer("414b 00000000 00000003 00000002 00000005 00000000000007");
    iw_conversation_end(&c);
}

static void reports_another_hash_in_two_segments(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask("014e 00000000 00000001 00000001 00000000 11223344 00002000 0000000000004000 00112233");
    ask("414e 00000000 00000001 00000001 00000014 44556677");
    answer("014f 00000000 00000003 00000001 00000000 0011223344");
    at = answer("414f 00000000 00000003 00000001 00000005 556678");
    iw_conversation_expect(&c, "TALPEY-3.1.2-01", BY_RESPONDER, .frame = 6, .offset = at, .octets = 28,
        .expected = "8 octets with CRC32C 0x2b576cea, or a Terminate",
        .actual = "8 octets with CRC32C 0x0f6b7fb4", .context = {3});
    ask(VERIFY("00000002", "00002000", "0000000000004000", "0011223344556677"));
    answer("014f 00000000 00000003 00000002 00000000 0011223344");
    answer("414f 00000000 00000003 00000002 00000005 556677");
    iw_conversation_end(&c);
}

static void reports_a_verify_that_found_another_hash(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(VERIFY("00000001", "00002000", "0000000000004000", "0011223344556677"));
    at = answer(VERIFY_RESPONSE("00000001", "0011223344556678"));
    iw_conversation_expect(&c, "TALPEY-3.1.2-01", BY_RESPONDER, .frame = 4, .offset = at, .octets = 32,
        .expected = "8 octets with CRC32C 0x2b576cea, or a Terminate",
        .actual = "8 octets with CRC32C 0x0f6b7fb4", .context = {3});
    ask(VERIFY("00000002", "00002000", "0000000000004000", "0011223344556677"));
    answer(VERIFY_RESPONSE("00000002", "0011223344556677"));
    iw_conversation_end(&c);
}

/* DDP may split the header before the hash (RFC 5041 5.2). */
static void takes_a_verify_request_in_several_segments(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask("014e 00000000 00000001 00000001 00000000 112233");
    ask("014e 00000000 00000001 00000001 00000003 44000020000000");
    ask("414e 00000000 00000001 00000001 0000000a 000000 004000 0011223344556677");
    at = answer(VERIFY_RESPONSE("00000001", "0011223344556678"));
    iw_conversation_expect(&c, "TALPEY-3.1.2-01", BY_RESPONDER, .frame = 6, .offset = at, .octets = 32,
        .expected = "8 octets with CRC32C 0x2b576cea, or a Terminate",
        .actual = "8 octets with CRC32C 0x0f6b7fb4", .context = {5});
    iw_conversation_end(&c);
}

/* The Verify Request is too short, so its response is not judged. */
static void accepts_a_response_to_a_broken_verify_request(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask("014e 00000000 00000001 00000001 00000000 112233");
    at = ask("414e 00000000 00000001 00000001 00000003 44000020000000");
    iw_conversation_expect(&c, "TALPEY-3.1.2.1-01", BY_INITIATOR, .frame = 4, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at least 16", .actual = "10");
    answer(VERIFY_RESPONSE("00000001", "0011223344556678"));
    iw_conversation_end(&c);
}

static void reports_a_verify_response_without_hash(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(VERIFY("00000001", "00002000", "0000000000004000", ""));
    at = answer(VERIFY_RESPONSE("00000001", ""));
    iw_conversation_expect(&c, "TALPEY-3.1.2.2-01", BY_RESPONDER, .frame = 4, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at least 19", .actual = "18");
    iw_conversation_end(&c);
}

static void expect_impossible(const char *request, const char *response, const char *id, uint32_t octets) {
    uint64_t at;

    open_plain();
    ask(request);
    at = answer(response);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 4, .offset = at, .octets = octets,
        .expected = "rejected by a Terminate", .actual = "answered", .context = {3});
    iw_conversation_end(&c);
}

static void reports_answers_to_impossible_requests(void **state) {
    (void)state;
    expect_impossible(
        FLUSH("00000001", "00000002", "ffffffffffffffff"), FLUSH_RESPONSE("00000001"), "TALPEY-3.1.1-01", 24);
    expect_impossible(VERIFY("00000001", "00000009", "fffffffffffffff8", ""),
        VERIFY_RESPONSE("00000001", "0011223344556677"), "TALPEY-3.1.2-01", 32);
    expect_impossible(FETCHADD("00000001", "cafe0001", "fffffffffffffff9"),
        ATOMIC_RESPONSE("00000001", "cafe0001"), "RFC7306-8.2-08", 36);
    expect_impossible(WRITE("00000001", "00000008", "fffffffffffffff9"), WRITE_RESPONSE("00000001"),
        "TALPEY-3.1.3.1-06", 24);
}

static void accepts_what_ends_with_the_last_octet(void **state) {
    (void)state;
    open_plain();
    ask(FLUSH("00000001", "00000001", "ffffffffffffffff"));
    answer(FLUSH_RESPONSE("00000001"));
    ask(FLUSH("00000002", "00000000", "ffffffffffffffff"));
    answer(FLUSH_RESPONSE("00000002"));
    ask(FETCHADD("00000003", "cafe0001", "fffffffffffffff8"));
    answer(ATOMIC_RESPONSE("00000003", "cafe0001"));
    iw_conversation_end(&c);
}

static void reports_an_answer_to_an_atomic_write_of_another_length(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(WRITE("00000001", "00000004", "0000000000005000"));
    c.expected_count++; /* TALPEY-3.1.3.1-02 */
    at = answer(WRITE_RESPONSE("00000001"));
    iw_conversation_expect(&c, "TALPEY-3.1.3.1-06", BY_RESPONDER, .frame = 4, .offset = at, .octets = 24,
        .expected = "rejected by a Terminate", .actual = "answered", .context = {3});
    iw_conversation_end(&c);
}

/* ---- requests whose headers are wrong ---- */

#define ITSELF(title) title " to that message in frame 3"

static void expect_served(
    const char *request, const char *response, const char *id, uint32_t octets, const char *actual) {
    uint64_t at;

    open_plain();
    ask(request);
    assert_int_equal(c.finding_count, 1);
    c.expected_count++; /* the wrong header */
    at = answer(response);
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 4, .offset = at, .octets = octets,
        .expected = "a Terminate", .actual = actual, .context = {3});
    iw_conversation_end(&c);
}

/* An MSN that is still to come may have a buffer (RFC 5041 7.1). */
static void reports_answers_to_requests_with_wrong_headers(void **state) {
    (void)state;
    expect_served(FETCHADD("00000000", "cafe0001", "0000000000003000"),
        ATOMIC_RESPONSE("00000001", "cafe0001"), "RFC7306-8.2-02", 36, ITSELF("Atomic Response"));
    expect_served(FLUSH("00000000", "00002000", "0000000000004000"), FLUSH_RESPONSE("00000001"),
        "TALPEY-5.2-02", 24, ITSELF("RDMA Flush Response"));
    expect_served("418a 00000000 00000001 00000001 00000000 00000000 cafe0001 11223344 0000000000003000 "
                  "0000000000000005 " ZERO " " ZERO " " ONES,
        ATOMIC_RESPONSE("00000001", "cafe0001"), "RFC7306-8.2-04", 36, ITSELF("Atomic Response"));
}

/* ---- reactions of a requester to responses ---- */

static void reports_a_side_that_continues_after_an_invalid_answer(void **state) {
    static const char read_response[] = "c142 00001234 0000000000001000 01020304";
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0001") " 00000000");
    c.expected_count++; /* RFC7306-5.2.1-12 */
    answer(READ_FOUR("00000001"));
    at = ask(read_response);
    iw_conversation_expect(&c, "RFC7306-5.2.2-07", BY_INITIATOR, .frame = 6, .offset = at, .octets = 24,
        .expected = "a Terminate", .actual = "RDMA Read Response to the later request in frame 5",
        .context = {4, 5});
    iw_conversation_end(&c);
}

/* No clause makes the requester check the identifier (RFC 7306 8.2). */
static void accepts_an_answer_with_another_identifier_for_the_next(void **state) {
    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0009"));
    c.expected_count++; /* RFC7306-5.2.1-12, by the responder */
    answer(READ_FOUR("00000001"));
    ask("c142 00001234 0000000000001000 01020304");
    iw_conversation_end(&c);
}

static void reports_a_side_that_continues_after_an_answer_without_a_request(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    c.expected_count++; /* RFC7306-5-05 */
    answer(READ_FOUR("00000001"));
    at = ask("c142 00001234 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC7306-5.2.2-07", BY_INITIATOR, .frame = 6, .offset = at, .octets = 24,
        .expected = "a Terminate", .actual = "RDMA Read Response to the later request in frame 5",
        .context = {4, 5});
    iw_conversation_end(&c);
}

#define NO_BUFFER_FOR_ANSWER(msn)                                                                            \
    "4147 00000000 00000002 00000001 00000000 1202c000 001e 414b 00000000 00000003 " msn " 00000000"

static void reports_a_lack_of_buffers_for_an_answer(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    at = ask(NO_BUFFER_FOR_ANSWER("00000001"));
    iw_conversation_expect(&c, "RFC7306-5.2.2-04", BY_INITIATOR, .frame = 5, .offset = at + 21, .octets = 1,
        .field = "rdmap.terminate.code", .expected = "none, because it was requested", .actual = "1/2/02");
    iw_conversation_end(&c);
}

static void accepts_a_lack_of_buffers_for_an_unsolicited_response(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    answer(ATOMIC_RESPONSE("00000001", "cafe0001"));
    c.expected_count++; /* RFC7306-5-05 */
    ask(NO_BUFFER_FOR_ANSWER("00000001"));
    iw_conversation_end(&c);
}

/* The first answer has MSN 2. */
static void accepts_a_lack_of_buffers_for_another_msn(void **state) {
    (void)state;
    open_plain();
    ask(FETCHADD("00000001", "cafe0001", "0000000000003000"));
    answer("414b 00000000 00000003 00000002 00000000 cafe0001 0000000000000000");
    c.expected_count++; /* RFC5041-4.3-09 */
    ask(NO_BUFFER_FOR_ANSWER("00000002"));
    iw_conversation_end(&c);
}

/* ---- Immediate Data ---- */

static void reports_a_side_that_continues_after_wrong_immediate_data(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    ask(READ_FOUR("00000001"));
    ask(IMMEDIATE("00000001", "01020304"));
    c.expected_count++;                                /* RFC7306-6.3-05 */
    answer("c142 00001234 0000000000001000 01020304"); /* to the earlier request */
    ask(READ_FOUR("00000002"));
    ask(READ_FOUR("00000003"));
    at = answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_expect(&c, "RFC7306-6.3-07", BY_RESPONDER, .frame = 8, .offset = at, .octets = 24,
        .expected = "a Terminate", .actual = "RDMA Read Response to the later request in frame 6",
        .context = {4, 6});
    answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_end(&c);
}

static void accepts_requests_after_immediate_data_that_is_right(void **state) {
    (void)state;
    open_plain();
    ask(IMMEDIATE("00000001", "0102030405060708"));
    ask(READ_FOUR("00000001"));
    answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_another_error_for_a_misaligned_operation),
        cmocka_unit_test(reports_a_side_that_supports_only_one_atomic_operation),
        cmocka_unit_test(accepts_a_side_without_atomic_operations),
        cmocka_unit_test(reports_an_answer_to_an_unknown_operation),
        cmocka_unit_test(accepts_a_lack_of_buffers_for_atomic_requests),
        cmocka_unit_test(reports_a_terminated_rdma_header_of_a_new_message),
        cmocka_unit_test(reports_answers_that_overtake_a_flush),
        cmocka_unit_test(reports_an_atomic_that_overtakes_another),
        cmocka_unit_test(reports_a_later_identifier_once),
        cmocka_unit_test(reports_another_identifier_of_a_swap),
        cmocka_unit_test(reports_another_identifier_in_two_segments),
        cmocka_unit_test(reports_another_hash_in_two_segments),
        cmocka_unit_test(reports_a_verify_that_found_another_hash),
        cmocka_unit_test(takes_a_verify_request_in_several_segments),
        cmocka_unit_test(accepts_a_response_to_a_broken_verify_request),
        cmocka_unit_test(reports_a_verify_response_without_hash),
        cmocka_unit_test(reports_answers_to_impossible_requests),
        cmocka_unit_test(accepts_what_ends_with_the_last_octet),
        cmocka_unit_test(reports_an_answer_to_an_atomic_write_of_another_length),
        cmocka_unit_test(reports_answers_to_requests_with_wrong_headers),
        cmocka_unit_test(reports_a_side_that_continues_after_an_invalid_answer),
        cmocka_unit_test(accepts_an_answer_with_another_identifier_for_the_next),
        cmocka_unit_test(reports_a_side_that_continues_after_an_answer_without_a_request),
        cmocka_unit_test(reports_a_lack_of_buffers_for_an_answer),
        cmocka_unit_test(accepts_a_lack_of_buffers_for_an_unsolicited_response),
        cmocka_unit_test(accepts_a_lack_of_buffers_for_another_msn),
        cmocka_unit_test(reports_a_side_that_continues_after_wrong_immediate_data),
        cmocka_unit_test(accepts_requests_after_immediate_data_that_is_right),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
