#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_extension_text.h"

/* Outstanding requests: their limit, and what is known of them after a loss. */

/* ---- IRD and ORD: M05 has IRD 16 and ORD 8, and M06 accepts them ---- */

static void ask_times(enum iw_side side, unsigned first, unsigned last) {
    char ulpdu[160];

    for (unsigned msn = first; msn <= last; msn++) {
        snprintf(ulpdu, sizeof ulpdu,
            "4141 00000000 00000001 %08x 00000000 00001234 0000000000001000 00000004 00005678 "
            "0000000000002000",
            msn);
        iw_conversation_fpdu(&c, side, ulpdu);
    }
}

static void reports_more_requests_than_the_responders_ird(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 80028010");
    iw_conversation_say(&c, IW_SIDE_A, "F02"); /* the RTR */
    ask_times(IW_SIDE_A, 1, 3);
    /* M05 has 28 octets, F02 20, a Read Request 52. */
    iw_conversation_expect(&c, "RFC5040-6.1-04", BY_INITIATOR, .frame = 6, .offset = 48 + 104, .octets = 52,
        .expected = "at most 2", .actual = "3", .context = {1, 2});
    iw_conversation_end(&c);
}

static void reports_more_requests_than_the_responders_ord(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 80028001");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    ask_times(IW_SIDE_B, 1, 2);
    iw_conversation_expect(&c, "RFC5040-6.1-04", BY_RESPONDER, .frame = 5, .offset = 24 + 52, .octets = 52,
        .expected = "at most 1", .actual = "2", .context = {1, 2});
    iw_conversation_end(&c);
}

static void accepts_as_many_requests_as_ird_and_ord_allow(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 80028001");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    ask_times(IW_SIDE_A, 1, 2);
    ask_times(IW_SIDE_B, 1, 1);
    answer("c142 00001234 0000000000001000 01020304");
    ask_times(IW_SIDE_A, 3, 3);
    ask("c142 00001234 0000000000001000 01020304");
    ask_times(IW_SIDE_B, 2, 2);
    iw_conversation_end(&c);
}

/* The initiator's ORD of 8 was a proposal; the responder's IRD of 16 counts (RFC 6581 9.1). */
static void accepts_more_requests_than_the_initiators_first_ord(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 80108001");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    ask_times(IW_SIDE_A, 1, 16);
    iw_conversation_end(&c);
}

/* An RTR of a named type may be sent whatever IRD says; the IRD may be raised for it (RFC 6581 9.1). */
static void accepts_a_read_rtr_without_an_ird_for_it(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80004000", REPLY "50020004 80004000");
    iw_conversation_say(&c, IW_SIDE_A, "F04");
    iw_conversation_say(&c, IW_SIDE_B, "F06");
    iw_conversation_end(&c);
}

static void accepts_any_number_of_requests_if_none_is_negotiated(void **state) {
    (void)state;
    iw_conversation_open(&c, "M07", REPLY "50020004 3fff3fff");
    ask_times(IW_SIDE_A, 1, 40);
    ask_times(IW_SIDE_B, 1, 40);
    iw_conversation_end(&c);
    open_plain();
    ask_times(IW_SIDE_A, 1, 40);
    ask_times(IW_SIDE_B, 1, 40);
    iw_conversation_end(&c);
}

/* ---- responses in flight ---- */

/* The capture has the response, but the requester had received only the responder's octets up to `acked`. M05
 * and the Reply, which allows one request, have 24 and 28 octets, the RTR 20; a Read Request 52; the response
 * 28 from 28 on. */
static void ask_after(uint64_t acked) {
    c.acks = true;
    c.acked = acked;
    ask_times(IW_SIDE_A, 2, 2);
    c.acks = false;
}

static void open_for_one(void) {
    iw_conversation_open(&c, "M05", REPLY "50020004 80018010");
    iw_conversation_say(&c, IW_SIDE_A, "F02"); /* the RTR */
    ask_times(IW_SIDE_A, 1, 1);
    answer("c142 00001234 0000000000001000 01020304");
}

static void counts_a_request_whose_response_has_not_arrived(void **state) {
    uint64_t end;

    (void)state;
    open_for_one();
    end = c.offset[IW_SIDE_B];
    ask_after(end - 1);
    iw_conversation_expect(&c, "RFC5040-6.1-04", BY_INITIATOR, .frame = 6, .offset = 48 + 52, .octets = 52,
        .expected = "at most 1", .actual = "2", .context = {1, 2});
    iw_conversation_end(&c);
    open_for_one();
    ask_after(0);
    iw_conversation_found(&c, "RFC5040-6.1-04");
    iw_conversation_end(&c);
}

static void counts_no_request_whose_response_has_arrived(void **state) {
    (void)state;
    open_for_one();
    ask_after(c.offset[IW_SIDE_B]);
    iw_conversation_end(&c);
    open_for_one();
    ask_times(IW_SIDE_A, 2, 2); /* without an acknowledgement */
    iw_conversation_end(&c);
}

/* ---- losses ---- */

static void accepts_an_answer_whose_request_is_lost(void **state) {
    (void)state;
    open_plain();
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_gap(&c, IW_SIDE_A, 52, false);
    answer("c142 00001234 0000000000001000 01020304");
    ask_times(IW_SIDE_A, 2, 2);
    answer("c142 00001234 0000000000001000 01020304");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 52);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 3);
    iw_conversation_end(&c);
}

/* Reads into the same place, three at a time, and one request lost: a response that fits the oldest captured
 * request may belong to an older request. */
static void accepts_answers_that_are_all_alike_after_a_loss(void **state) {
    (void)state;
    open_plain();
    ask_times(IW_SIDE_A, 1, 2);
    iw_conversation_gap(&c, IW_SIDE_A, 52, false);
    for (unsigned msn = 4; msn < 8; msn++) {
        ask_times(IW_SIDE_A, msn, msn);
        answer("c142 00001234 0000000000001000 01020304");
    }
    for (unsigned i = 0; i < 3; i++)
        answer("c142 00001234 0000000000001000 01020304");
    iw_conversation_end(&c);
}

static void accepts_answers_of_other_sizes_after_a_loss(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", "00000004"));
    iw_conversation_gap(&c, IW_SIDE_A, 24, false);
    ask(READ("00000002", "00000008"));
    answer("c142 00001234 0000000000001000 01020304");
    answer("c142 00001234 0000000000001000 0102030405060708");
    iw_conversation_end(&c);
}

static void accepts_answers_after_a_lost_answer(void **state) {
    (void)state;
    open_plain();
    ask(READ("00000001", "00000008"));
    ask(FETCHADD("00000002", "cafe0001", "0000000000003000"));
    ask(FETCHADD("00000003", "cafe0002", "0000000000003000"));
    iw_conversation_gap(&c, IW_SIDE_B, 28, false);
    answer("414b 00000000 00000003 00000001 00000000 cafe0001 0000000000000007");
    answer("414b 00000000 00000003 00000002 00000000 cafe0002 0000000000000007");
    iw_conversation_end(&c);
}

/* The capture has the DDP header of the request, but not its RDMAP header. */
static void accepts_an_answer_whose_request_is_truncated(void **state) {
    (void)state;
    open_plain();
    iw_conversation_cut(&c, IW_SIDE_A, READ("00000001", "00000004"), 30, true);
    answer("c142 00001234 0000000000001000 01020304");
    answer("c142 00009999 0000000000009000 01020304");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 22);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 2);
    iw_conversation_end(&c);
}

static void counts_no_depth_after_a_loss(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", REPLY "50020004 80028001");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    ask_times(IW_SIDE_A, 1, 2);
    iw_conversation_gap(&c, IW_SIDE_B, 24, false);
    ask_times(IW_SIDE_A, 3, 8);
    iw_conversation_end(&c);
}

/* The request was acknowledged, but the capture lacks it. */
static void accepts_the_answer_to_a_request_that_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    c.unseen = true;
    iw_conversation_say(&c, IW_SIDE_B, "F05");
    assert_false(c.response.known);
    iw_conversation_end(&c);
}

/* M05 and this Reply allow the initiator one request; the first was answered, but the capture lacks the
 * response. */
static void accepts_a_request_after_an_answer_that_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "4d504120 49442052 65702046 72616d65 50020004 8001c010");
    iw_conversation_say(&c, IW_SIDE_A, "F04");
    c.unseen = true;
    iw_conversation_fpdu(&c, IW_SIDE_A,
        "4141 00000000 00000001 00000002 00000000 00000001 0000000000000000 00000004 00000001 "
        "0000000000000000");
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_more_requests_than_the_responders_ird),
        cmocka_unit_test(reports_more_requests_than_the_responders_ord),
        cmocka_unit_test(accepts_as_many_requests_as_ird_and_ord_allow),
        cmocka_unit_test(accepts_more_requests_than_the_initiators_first_ord),
        cmocka_unit_test(accepts_a_read_rtr_without_an_ird_for_it),
        cmocka_unit_test(accepts_any_number_of_requests_if_none_is_negotiated),
        cmocka_unit_test(counts_a_request_whose_response_has_not_arrived),
        cmocka_unit_test(counts_no_request_whose_response_has_arrived),
        cmocka_unit_test(accepts_an_answer_whose_request_is_lost),
        cmocka_unit_test(accepts_answers_that_are_all_alike_after_a_loss),
        cmocka_unit_test(accepts_answers_of_other_sizes_after_a_loss),
        cmocka_unit_test(accepts_answers_after_a_lost_answer),
        cmocka_unit_test(accepts_an_answer_whose_request_is_truncated),
        cmocka_unit_test(counts_no_depth_after_a_loss),
        cmocka_unit_test(accepts_the_answer_to_a_request_that_was_not_captured),
        cmocka_unit_test(accepts_a_request_after_an_answer_that_was_not_captured),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
