#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

static void reports_a_fin_inside_an_fpdu(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5044-4.1-01", BY_INITIATOR, .frame = 4, .offset = at + 32, .octets = 0,
        .expected = "complete", .actual = "incomplete (8 octets)");
    iw_conversation_end(&c);
}

/* L=0: the message of the last segment is incomplete (RFC 5041 4.1). */
static void expect_open_message(uint64_t at, uint64_t begun, const char *actual) {
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5041-6.2.1-01", BY_INITIATOR, .frame = c.frame, .offset = at, .octets = 0,
        .expected = "a complete message", .actual = actual, .context = {begun});
    iw_conversation_end(&c);
}

static void reports_a_fin_inside_a_message(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "0143 00000000 00000000 00000001 00000000 61626364");
    expect_open_message(at + 28, 3, "MSN 1, incomplete at MO 4");
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "8140 00000001 0000000000000000 61626364");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "8140 00000001 0000000000000004 61626364");
    expect_open_message(at + 24, 3, "STag 0x00000001, incomplete at TO 0x0000000000000008");
}

#define ATOMIC_ANSWER "00000003 00000001 00000000 cafe0001 0000000000000000"

/* A message of fixed length is complete, so no other segment can be the last one (RFC 5041 4.1); a hash can
 * have any length. */
static void reports_a_fin_after_a_whole_message_without_l(void **state) {
    static const struct {
        const char *ulpdu, *id, *expected, *actual;
    } cases[] = {
        {"014d 00000000 00000003 00000001 00000000", "RFC5041-4.1-02", "a last segment with L=1",
            "MSN 1 with L=0"},
        {"014b 00000000 " ATOMIC_ANSWER, "RFC5041-4.1-02", "a last segment with L=1", "MSN 1 with L=0"},
        {"0151 00000000 00000003 00000001 00000000", "RFC5041-4.1-02", "a last segment with L=1",
            "MSN 1 with L=0"},
        {"014f 00000000 00000003 00000001 00000000 01234567", "RFC5041-6.2.1-01", "a complete message",
            "MSN 1, incomplete at MO 4"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        iw_conversation_open(&c, "M01", "M03");
        iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 61626364");
        iw_conversation_fpdu(&c, IW_SIDE_B, cases[i].ulpdu);
        iw_conversation_found(&c, "RFC7306-5-05"); /* no request */
        iw_conversation_fin(&c, IW_SIDE_B);
        iw_conversation_expect(&c, cases[i].id, BY_RESPONDER, .frame = 5, .offset = c.offset[IW_SIDE_B],
            .octets = 0, .expected = cases[i].expected, .actual = cases[i].actual, .context = {4});
        iw_conversation_end(&c);
    }
}

static void accepts_a_fin_inside_a_message_that_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "0143 00000000 00000000 00000001 00000000 61626364");
    iw_conversation_gap(&c, IW_SIDE_A, 28, false);
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "0143 00000000 00000000 00000001 00000000 61626364");
    iw_conversation_say(&c, IW_SIDE_B, "F12");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

static void accepts_a_fin_between_fpdus(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    assert_int_equal(c.events[IW_LLP_CLOSE], 2);
    iw_conversation_end(&c);
}

/* An abortive close may come within an FPDU (RFC 5040 6.2). */
static void accepts_a_reset_inside_an_fpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* A side that has sent or received a Terminate may stop anywhere (RFC 5040 6.2.1). */
static void accepts_a_fin_inside_an_fpdu_after_a_terminate(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_say(&c, IW_SIDE_A, "00174143 00000000");
    iw_conversation_say(&c, IW_SIDE_B, "F12");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_end(&c);
}

#define TERMINATE_OPEN "0147 00000000 00000002 00000001 00000000 "

static void expect_open_terminate(uint64_t at, const char *id, const char *expected, const char *actual) {
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 4, .offset = at, .octets = 0, .expected = expected,
        .actual = actual, .context = {3});
    iw_conversation_end(&c);
}

/* All headers that its HdrCt announces are included: no other segment can be the last one (RFC 5041 4.1). */
static void reports_a_fin_after_a_terminate_without_l(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, TERMINATE_OPEN "20020000");
    expect_open_terminate(at + 28, "RFC5041-4.1-02", "a last segment with L=1", "MSN 1 with L=0");
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, TERMINATE_OPEN "1202c000 0014 4143");
    expect_open_terminate(at + 32, "RFC5041-6.2.1-01", "a complete message", "MSN 1, incomplete at MO 8");
}

/* A Terminate may have several segments, like any message, and the capture may lack the last ones. */
static void accepts_a_terminate_that_continues(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_gap(&c, IW_SIDE_B, 28, false); /* the segment at fault */
    iw_conversation_fpdu(&c, IW_SIDE_A, TERMINATE_OPEN "1202c000 0014 4143");
    iw_conversation_fpdu(
        &c, IW_SIDE_A, "4147 00000000 00000002 00000001 00000008 00000000 00000000 00000001 00000000");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, TERMINATE_OPEN "20020000");
    iw_conversation_gap(&c, IW_SIDE_A, 28, false);
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, TERMINATE_OPEN "20020000");
    iw_conversation_finish(&c);
    iw_conversation_end(&c);
}

static void reports_once_what_follows_a_terminate_without_l(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, TERMINATE_OPEN "20020000");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_found(&c, "RFC5040-5.4-06");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* Octets that it has received, but the capture lacks, may be a Terminate. */
static void accepts_a_fin_inside_an_fpdu_after_what_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    c.unseen = true;
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* The end of the capture is not the end of the stream. */
static void accepts_the_end_of_the_capture_inside_an_fpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    iw_conversation_finish(&c);
    assert_int_equal(c.events[IW_LLP_CLOSE], 2);
    iw_conversation_end(&c);
}

/* F07 up to its CRC. */
static void reports_a_fin_before_the_crc(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5044-4.4-10", BY_INITIATOR, .frame = 4, .offset = at + 28, .octets = 0,
        .expected = "present", .actual = "missing");
    iw_conversation_end(&c);
}

/* Side A begins with these octets, and side B rejects them. */
static void reject(const char *octets) {
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, octets);
    iw_conversation_say(&c, IW_SIDE_B, "M04");
}

/* "RPC" instead of "MPA". */
static void reports_the_key_of_what_was_rejected(void **state) {
    static const char *const frames[] = {"52504320 49442052 65712046 72616d65 40010000",
        "52504320 49442052 65712046 72616d65 50020004 00100010"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        reject(frames[i]);
        iw_conversation_fin(&c, IW_SIDE_A);
        iw_conversation_fin(&c, IW_SIDE_B);
        iw_conversation_rst(&c, IW_SIDE_A);
        iw_conversation_expect(&c, "RFC5044-7.1.1-01", BY_INITIATOR, .frame = 3, .offset = i == 0 ? 20 : 24,
            .octets = 0, .expected = "\"MPA ID Req Frame\"", .actual = "\"RPC ID Req Frame\"",
            .context = {1, 2});
        iw_conversation_end(&c);
    }
}

/* Streaming mode is possible (RFC 5044 7.1), and the missing octets may hold the Request. */
static void accepts_other_octets_before_a_reply_that_rejects(void **state) {
    static const char *const frames[] = {"52504320 49442052 65712046 72616d65 40010004 616263",
        "52504320 49442052 65712046 72616d65 40070000", "68656c6c 6f"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        reject(frames[i]);
        iw_conversation_fin(&c, IW_SIDE_A);
        iw_conversation_end(&c);
    }
    reject("52504320 49442052 65712046 72616d65 40010000");
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "52504320 49442052 65712046 72616d65 40010000");
    iw_conversation_gap(&c, IW_SIDE_A, 20, false);
    iw_conversation_say(&c, IW_SIDE_B, "M04");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* The Marker at 512 is missing in the 468 octets after K01. */
static void reports_a_fin_after_an_fpdu_without_its_marker(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    at = iw_conversation_sum(&c, IW_SIDE_A, "01ce 4143 00000000 00000000 00000002 00000000 68656c6c6f *439");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5044-4.3-02", BY_INITIATOR, .frame = 5, .offset = at + 468, .octets = 0,
        .expected = "present, 512 octets after the previous one", .actual = "missing");
    iw_conversation_end(&c);
}

/* The octets may follow the other copy of those that were retransmitted, in a connection that the capture
 * shows only in part. */
static void judges_no_unfinished_fpdu_after_a_differing_retransmission(void **state) {
    (void)state;
    for (int differing = 0; differing <= 1; differing++) {
        iw_conversation_open(&c, "M01", "M03");
        iw_conversation_say(&c, IW_SIDE_A, "F08");
        if (differing)
            iw_conversation_differing(&c, IW_SIDE_A, 5);
        iw_conversation_say(&c, IW_SIDE_A, "0017 4143 00000000");
        iw_conversation_fin(&c, IW_SIDE_A);
        if (!differing)
            iw_conversation_found(&c, "RFC5044-4.1-01");
        iw_conversation_end(&c);
    }
}

/* Without the Reply, the hole inside an FPDU may hide Markers, or the begin of another connection. */
static void judges_no_unfinished_fpdu_after_a_hole_without_the_reply(void **state) {
    (void)state;
    for (int hole = 0; hole <= 1; hole++) {
        iw_conversation_init(&c, IW_EXT_ALL);
        iw_conversation_start(&c, IW_SIDE_A);
        iw_conversation_say(&c, IW_SIDE_A, "M01");
        iw_conversation_say(&c, IW_SIDE_A, "F08");
        if (hole)
            iw_conversation_cut(
                &c, IW_SIDE_A, "4143 00000000 00000000 00000002 00000000 68656c6c 6f", 12, true);
        else
            iw_conversation_say(&c, IW_SIDE_A, "F08");
        iw_conversation_say(&c, IW_SIDE_A, "0017 4143 00000000");
        iw_conversation_fin(&c, IW_SIDE_A);
        if (!hole) {
            iw_conversation_found(&c, "RFC5041-4.3-08");
            iw_conversation_found(&c, "RFC5044-4.1-01");
        }
        iw_conversation_end(&c);
    }
}

/* After a hole inside an FPDU, octets that cannot begin an FPDU are perhaps of another connection. */
static void judges_no_unfinished_fpdu_by_an_impossible_header_after_a_hole(void **state) {
    static const char whole[] = "4143 00000000 00000000 00000002 00000000 68656c6c 6f";

    (void)state;
    for (int hole = 0; hole <= 1; hole++) {
        for (int possible = 0; possible <= 1; possible++) {
            iw_conversation_open(&c, "M01", "M03");
            iw_conversation_say(&c, IW_SIDE_A, "F08");
            if (hole)
                iw_conversation_cut(&c, IW_SIDE_A, whole, 12, false);
            else
                iw_conversation_fpdu(&c, IW_SIDE_A, whole);
            iw_conversation_say(&c, IW_SIDE_A, possible ? "0017 4143 00000000" : "4120 4944 20526571");
            iw_conversation_fin(&c, IW_SIDE_A);
            if (possible || !hole)
                iw_conversation_found(&c, "RFC5044-4.1-01");
            iw_conversation_end(&c);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_fin_inside_an_fpdu),
        cmocka_unit_test(reports_a_fin_inside_a_message),
        cmocka_unit_test(reports_a_fin_after_a_whole_message_without_l),
        cmocka_unit_test(accepts_a_fin_inside_a_message_that_was_not_captured),
        cmocka_unit_test(accepts_a_fin_between_fpdus),
        cmocka_unit_test(accepts_a_reset_inside_an_fpdu),
        cmocka_unit_test(accepts_a_fin_inside_an_fpdu_after_a_terminate),
        cmocka_unit_test(reports_a_fin_after_a_terminate_without_l),
        cmocka_unit_test(accepts_a_terminate_that_continues),
        cmocka_unit_test(reports_once_what_follows_a_terminate_without_l),
        cmocka_unit_test(accepts_a_fin_inside_an_fpdu_after_what_was_not_captured),
        cmocka_unit_test(accepts_the_end_of_the_capture_inside_an_fpdu),
        cmocka_unit_test(reports_a_fin_before_the_crc),
        cmocka_unit_test(reports_a_fin_after_an_fpdu_without_its_marker),
        cmocka_unit_test(reports_the_key_of_what_was_rejected),
        cmocka_unit_test(accepts_other_octets_before_a_reply_that_rejects),
        cmocka_unit_test(judges_no_unfinished_fpdu_after_a_differing_retransmission),
        cmocka_unit_test(judges_no_unfinished_fpdu_after_a_hole_without_the_reply),
        cmocka_unit_test(judges_no_unfinished_fpdu_by_an_impossible_header_after_a_hole),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
