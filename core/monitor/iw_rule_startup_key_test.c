#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

/* The Keys of startup frames, and which side is the initiator. */

static struct iw_conversation c;

static void reports_a_first_frame_with_another_key(void **state) {
    (void)state;
    iw_conversation_open(&c, "4d504120 49442052 65712046 72616d66 40010000", "");
    iw_conversation_expect(&c, "RFC5044-7.1.1-01", BY_INITIATOR, .frame = 1, .offset = 0, .octets = 16,
        .field = "mpa.key", .expected = "\"MPA ID Req Frame\"", .actual = "\"MPA ID Req Framf\"");
    iw_conversation_end(&c);
}

/* The frame may be the answer to a Request that was not captured: then the side is the responder. */
static void blames_no_initiator_for_a_key_after_what_is_missing(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_say(&c, IW_SIDE_A, "4d504120 49442052 65712046 72616d66 40010000");
    assert_int_equal(c.events[IW_LLP_STARTUP], 1);
    iw_conversation_end(&c);

    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    c.unseen = true;
    iw_conversation_say(&c, IW_SIDE_A, "4d504120 49442052 65712046 72616d66 40010000");
    assert_int_equal(c.events[IW_LLP_STARTUP], 1);
    iw_conversation_end(&c);
}

static void request(void) {
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
}

/* Both sides act as initiators (RFC 5044 7.1.2, 8), even if TCP has acknowledged the first Request. */
static void blames_no_side_for_two_requests(void **state) {
    (void)state;
    for (unsigned acked = 0; acked <= 20; acked += 20) {
        request();
        c.acks = true;
        c.acked = acked;
        iw_conversation_say(&c, IW_SIDE_B, "M01");
        assert_int_equal(c.events[IW_LLP_STARTUP], 2);
        iw_conversation_fin(&c, IW_SIDE_A);
        iw_conversation_fin(&c, IW_SIDE_B);
        assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_STARTUP), 2); /* and not conforming */
        iw_conversation_end(&c);
    }
}

/* Without a Reply, nothing tells whether CRCs are in use and the initiator has been asked for Markers:
 * neither the CRC of this Terminate, which is 0, nor its missing Marker is a fault. */
static void two_requests_agree_on_nothing(void **state) {
    (void)state;
    request();
    iw_conversation_say(&c, IW_SIDE_B, "4d504120 49442052 65712046 72616d65 c0010000");
    iw_conversation_say(&c, IW_SIDE_A, "00164147 00000000 00000002 00000001 00000000 20040000 00000000");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_end(&c);
}

/* The octets may belong to streaming mode: their sender had not received the whole Request. */
static void blames_no_responder_for_octets_that_answer_no_request(void **state) {
    (void)state;
    request();
    c.acks = true;
    c.acked = 19;
    iw_conversation_say(&c, IW_SIDE_B, "48545450 2f312e31 20343030 20426164 20526571 75657374");
    assert_int_equal(c.events[IW_LLP_STARTUP], 2);
    iw_conversation_end(&c);
}

static void reports_an_answer_with_another_key(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "48545450 2f312e31 20343030 20426164 20526571 75657374");
    iw_conversation_expect(&c, "RFC5044-7.1.1-03", BY_RESPONDER, .frame = 2, .offset = 0, .octets = 16,
        .field = "mpa.key", .expected = "\"MPA ID Rep Frame\"", .actual = "\"HTTP/1.1 400 Bad\"",
        .context = {1});
    iw_conversation_end(&c);
}

static void accepts_each_key_in_its_place(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    assert_int_equal(c.events[IW_LLP_STARTUP], 2);
    iw_conversation_end(&c);
}

static void reports_a_reply_that_was_not_requested(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.2-03", .side = IW_SIDE_A, .role = IW_ROLE_RESPONDER, .frame = 1,
        .offset = 0, .octets = 16, .field = "mpa.key", .expected = "after the Request",
        .actual = "sent before any Request");
    iw_conversation_end(&c);
}

#define WRONG_KEY "4d504120 49442072 65712066 72616d65 40010000" /* "MPA ID req frame" */

static void expect_unrequested(uint64_t frame) {
    iw_conversation_expect(&c, "RFC5044-7.1.2-03", BY_RESPONDER, .frame = frame, .offset = 0, .octets = 16,
        .field = "mpa.key", .expected = "after the Request", .actual = "sent before any Request",
        .context = {frame - 1});
}

static void reports_a_reply_to_other_octets(void **state) {
    static const char *const octets[] = {WRONG_KEY, "48", "*20", WRONG_KEY " 6d6f7265"};

    (void)state;
    for (size_t i = 0; i < sizeof octets / sizeof *octets; i++) {
        iw_conversation_open(&c, octets[i], "M03");
        expect_unrequested(2);
        iw_conversation_end(&c);
    }
}

/* The FPDU shows that the octets were meant as a Request. */
static void reports_a_key_at_the_octets_of_the_key(void **state) {
    (void)state;
    iw_conversation_open(&c, WRONG_KEY, "M03");
    expect_unrequested(2);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_expect(&c, "RFC5044-7.1.1-01", BY_INITIATOR, .frame = 1, .offset = 0, .octets = 16,
        .field = "mpa.key", .expected = "\"MPA ID Req Frame\"", .actual = "\"MPA ID req frame\"");
    iw_conversation_end(&c);
}

/* Whichever side has opened the TCP connection, neither is the initiator (RFC 5044 7.1). */
static void reports_two_replies(void **state) {
    (void)state;
    iw_conversation_open(&c, "M03", "M03");
    iw_conversation_found(&c, "RFC5044-7.1.2-03");
    iw_conversation_expect(&c, "RFC5044-7.1.2-03", .side = IW_SIDE_B, .role = IW_ROLE_UNKNOWN, .frame = 2,
        .offset = 0, .octets = 16, .field = "mpa.key", .expected = "after the Request",
        .actual = "sent before any Request");
    iw_conversation_end(&c);
}

/* The Request may have come before the capture began. */
static void accepts_a_reply_whose_request_was_not_captured(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    iw_conversation_end(&c);
}

/* The side that opened the TCP connection may be the MPA responder (RFC 5044 7.1). */
static void accepts_a_request_of_the_side_that_accepted(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_B, "M01");
    iw_conversation_say(&c, IW_SIDE_A, "M03");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    assert_int_equal(iw_monitor_terms(c.monitor)->initiator, IW_SIDE_B);
    iw_conversation_end(&c);
}

/* Streaming mode comes before MPA (RFC 5044 7.1). */
static void accepts_octets_of_another_protocol_before_the_request(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_B, "32323020 52454144 590d0a");
    iw_conversation_say(&c, IW_SIDE_A, "53544152 540d0a");
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    assert_int_equal(c.events[IW_LLP_STARTUP], 2);
    iw_conversation_end(&c);
}

/* The Request acknowledges one more octet of streaming mode than was read: that octet comes later, joined
 * with the Reply by a retransmission, and is no part of its Key. */
static void judges_no_key_after_acknowledged_octets(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_B, "47414c4f532c204d5041206e65787421");
    c.acks = true;
    c.acked = 17;
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    c.acks = false;
    iw_conversation_say(&c, IW_SIDE_B, "0a M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

/* Octets from before the Request, if it acknowledges some that the capture lacks or shows only later. */
static void judges_no_key_of_what_the_request_may_acknowledge(void **state) {
    (void)state;
    for (int unseen = 0; unseen <= 1; unseen++) {
        iw_conversation_init(&c, IW_EXT_ALL);
        iw_conversation_start(&c, IW_SIDE_A);
        c.unseen = unseen;
        iw_conversation_say(&c, IW_SIDE_A, REQUEST "40010000");
        c.unseen = false;
        iw_conversation_start(&c, IW_SIDE_B);
        iw_conversation_say(&c, IW_SIDE_B, "47414c4f 532c204d 5041206e 65787421 0a4d5041");
        if (!unseen)
            iw_conversation_found(&c, "RFC5044-7.1.1-03");
        iw_conversation_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_first_frame_with_another_key),
        cmocka_unit_test(blames_no_initiator_for_a_key_after_what_is_missing),
        cmocka_unit_test(blames_no_side_for_two_requests),
        cmocka_unit_test(two_requests_agree_on_nothing),
        cmocka_unit_test(blames_no_responder_for_octets_that_answer_no_request),
        cmocka_unit_test(reports_an_answer_with_another_key),
        cmocka_unit_test(accepts_each_key_in_its_place),
        cmocka_unit_test(reports_a_reply_that_was_not_requested),
        cmocka_unit_test(reports_a_reply_to_other_octets),
        cmocka_unit_test(reports_a_key_at_the_octets_of_the_key),
        cmocka_unit_test(reports_two_replies),
        cmocka_unit_test(accepts_a_reply_whose_request_was_not_captured),
        cmocka_unit_test(accepts_a_request_of_the_side_that_accepted),
        cmocka_unit_test(accepts_octets_of_another_protocol_before_the_request),
        cmocka_unit_test(judges_no_key_after_acknowledged_octets),
        cmocka_unit_test(judges_no_key_of_what_the_request_may_acknowledge),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
