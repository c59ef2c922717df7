#include "iw_dialogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The ULPDUs are: T, L, Rsvd and DV; RsvdULP; then STag and TO, or RsvdULP[8:39], QN, MSN and MO; payload
 * (RFC 5041 4.2, 4.3). In the stream they follow the two octets of ULPDU_Length. */

static uint64_t send(const char *ulpdu) {
    return iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
}

/* A Send of one segment. */
static uint64_t send_whole(unsigned msn) {
    char ulpdu[64];

    snprintf(ulpdu, sizeof ulpdu, "4143 00000000 00000000 %08x 00000000 6f6b", msn);
    return send(ulpdu);
}

/* Four octets of a Send, with L or without. */
static uint64_t send_part(bool last, unsigned msn, unsigned mo) {
    char ulpdu[64];

    snprintf(ulpdu, sizeof ulpdu, "%02x43 00000000 00000000 %08x %08x 01020304", last ? 0x41 : 0x01, msn, mo);
    return send(ulpdu);
}

static void open_message(void) {
    open_plain();
    send_part(false, 1, 0);
}

/* The next message is right again. */
static void end_behind(unsigned msn) {
    send_whole(msn);
    iw_conversation_end(&c);
}

/* A fault in that field of the segment that begins at `at` of the stream. */
#define expect_msn(at, id, ...)                                                                              \
    iw_conversation_expect(                                                                                  \
        &c, id, BY_INITIATOR, .offset = (at) + 12, .octets = 4, .field = "ddp.msn", __VA_ARGS__)
#define expect_mo(at, id, ...)                                                                               \
    iw_conversation_expect(                                                                                  \
        &c, id, BY_INITIATOR, .offset = (at) + 16, .octets = 4, .field = "ddp.mo", __VA_ARGS__)

/* ---- MSN ---- */

static void reports_a_first_msn_that_is_not_1(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    at = send_whole(0);
    expect_msn(at, "RFC5041-4.3-09", .frame = 3, .expected = "1", .actual = "0");
    send_whole(1); /* continues from there */
    at = send("4147 00000000 00000002 00000002 00000000 00000000");
    expect_msn(at, "RFC5041-4.3-09", .frame = 5, .expected = "1", .actual = "2");
    iw_conversation_end(&c);
}

static void reports_an_msn_that_is_omitted(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_whole(1);
    at = send_whole(3);
    expect_msn(at, "RFC5041-4.3-08", .frame = 4, .expected = "2", .actual = "3");
    end_behind(4);
}

static void reports_an_msn_that_is_used_again(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_whole(1);
    at = send("0143 00000000 00000000 00000001 00000000 6f6b");
    expect_msn(at, "RFC5041-4.3-08", .frame = 4, .expected = "2", .actual = "1");
    send("4143 00000000 00000000 00000001 00000002 6f6b");
    end_behind(2);
}

/* The sender continues after the correct MSN, not after the wrong one. */
static void reports_an_msn_that_is_wrong_alone(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_whole(1);
    at = send("0143 00000000 00000000 00000007 00000000 6f6b");
    expect_msn(at, "RFC5041-4.3-08", .frame = 4, .expected = "2", .actual = "7");
    send("4143 00000000 00000000 00000002 00000002 6f6b");
    send_whole(3);
    at = send_whole(5);
    expect_msn(at, "RFC5041-4.3-08", .frame = 7, .expected = "4", .actual = "5");
    send_whole(5);
    send_whole(6);
    assert_int_equal(c.findings[1].cause, 0);
    iw_conversation_end(&c);
}

/* The skipped message comes late: one fault. */
static void reports_why_an_msn_goes_back(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_whole(1);
    at = send_whole(3);
    expect_msn(at, "RFC5041-4.3-08", .frame = 4, .expected = "2", .actual = "3");
    at = send_whole(2);
    expect_msn(at, "RFC5041-4.3-08", .frame = 5, .expected = "4", .actual = "2", .context = {4});
    assert_int_equal(c.findings[1].cause, 1);
    end_behind(4);
}

static void reports_another_msn_inside_a_message(void **state) {
    uint64_t at;

    (void)state;
    open_message();
    at = send_part(true, 2, 4);
    expect_msn(at, "RFC5041-4.3-11", .frame = 4, .expected = "1", .actual = "2", .context = {3});
    end_behind(3);
}

static void reports_an_msn_inside_a_message_that_is_wrong_alone(void **state) {
    uint64_t at;

    (void)state;
    open_message();
    at = send_part(false, 9, 4);
    expect_msn(at, "RFC5041-4.3-11", .frame = 4, .expected = "1", .actual = "9", .context = {3});
    send_part(true, 1, 8);
    end_behind(2);
}

/* ---- L ---- */

static void reports_a_send_without_a_last_segment(void **state) {
    uint64_t at;

    (void)state;
    open_message();
    send_part(false, 1, 4);
    at = send_whole(2);
    expect_msn(at, "RFC5041-4.1-02", .frame = 5, .expected = "ended by a segment with L=1", .actual = "open",
        .context = {3});
    send("0143 00000000 00000000 00000003 00000000"); /* no octets so far */
    at = send_whole(4);
    expect_msn(at, "RFC5041-4.1-02", .frame = 7, .expected = "ended by a segment with L=1", .actual = "open",
        .context = {6});
    end_behind(5);
}

static void reports_a_write_without_a_last_segment(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send("8140 11223344 0000000000001000 01020304");
    at = send("8140 55667788 0000000000009000 05060708");
    iw_conversation_expect(&c, "RFC5041-4.1-02", BY_INITIATOR, .frame = 4, .offset = at + 4, .octets = 4,
        .field = "ddp.stag", .expected = "ended by a segment with L=1", .actual = "open", .context = {3});
    send("c140 55667788 0000000000009004 090a0b0c");
    iw_conversation_end(&c);
}

/* The first of two segments has L too. */
static void reports_a_segment_with_l_that_is_not_the_last(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_part(true, 1, 0);
    at = send_part(false, 1, 4);
    expect_mo(at, "RFC5041-4.1-03", .frame = 4, .expected = "the next message, MSN 2",
        .actual = "more of MSN 1, MO 4", .context = {3});
    send_part(true, 1, 8);
    end_behind(2);
}

static void reports_a_segment_after_the_one_with_l(void **state) {
    uint64_t at;

    (void)state;
    open_message();
    send_part(false, 1, 4);
    send_part(true, 1, 8);
    at = send_part(false, 1, 4);
    expect_mo(at, "RFC5041-4.1-04", .frame = 6, .expected = "the next message, MSN 2",
        .actual = "an earlier part of MSN 1, MO 4", .context = {3});
    end_behind(2);
}

/* The hole that the segment with L has left is filled later. */
static void reports_why_a_segment_comes_after_the_one_with_l(void **state) {
    uint64_t at;

    (void)state;
    open_message();
    at = send_part(true, 1, 8);
    expect_mo(at, "RFC5041-5.2-05", .frame = 4, .expected = "4", .actual = "8", .context = {3});
    at = send_part(false, 1, 4);
    expect_mo(at, "RFC5041-4.1-04", .frame = 5, .expected = "the next message, MSN 2",
        .actual = "an earlier part of MSN 1, MO 4", .context = {3, 4});
    assert_int_equal(c.findings[1].cause, 1);
    end_behind(2);
}

/* ---- QN ---- */

static void reports_another_qn_inside_a_message(void **state) {
    uint64_t at;

    (void)state;
    open_message();
    at = send("0143 00000000 00000007 00000001 00000004 05060708");
    iw_conversation_expect(&c, "RFC5041-4.3-07", BY_INITIATOR, .frame = 4, .offset = at + 8, .octets = 4,
        .field = "ddp.qn", .expected = "0", .actual = "7", .context = {3});
    send_part(true, 1, 8);
    send_whole(2);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 0);
    iw_conversation_end(&c);
}

static void accepts_an_msn_of_each_queue(void **state) {
    (void)state;
    open_plain();
    send_whole(1);
    send("4141 00000000 00000001 00000001 00000000 00001234 0000000000001000 00000000 00005678 "
         "0000000000002000");
    send("4144 11223344 00000000 00000002 00000000");
    send("4148 00000000 00000000 00000003 00000000 0102030405060708"); /* Immediate Data counts with Sends */
    send("414c 00000000 00000001 00000002 00000000 11223344 00002000 0000000000004000 00000003");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4143 00000000 00000000 00000001 00000000");
    send("4147 00000000 00000002 00000001 00000000 00000000");
    iw_conversation_end(&c);
}

/* The queue is seen again at its end; FFFFFFFFh is followed by 0 (RFC 5041 4.3). */
static void accepts_an_msn_that_begins_again(void **state) {
    (void)state;
    open_plain();
    send_whole(1);
    iw_conversation_gap(&c, IW_SIDE_A, 400, false);
    iw_conversation_say(&c, IW_SIDE_A, "F40");
    send_whole(0);
    send_whole(1);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 400);
    iw_conversation_end(&c);
}

static void reports_an_msn_that_omits_0(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_whole(1); /* from now on TCP segments begin with FPDUs */
    iw_conversation_gap(&c, IW_SIDE_A, 400, false);
    iw_conversation_say(&c, IW_SIDE_A, "F40");
    at = send_whole(1);
    expect_msn(at, "RFC5041-4.3-10", .frame = 6, .expected = "0", .actual = "1");
    iw_conversation_end(&c);
}

/* MSN 1 is due again after 2^32 messages, but is not the first one. */
static void reports_an_msn_that_repeats_0(void **state) {
    uint64_t at;

    (void)state;
    open_plain();
    send_whole(1); /* from now on TCP segments begin with FPDUs */
    iw_conversation_gap(&c, IW_SIDE_A, 400, false);
    iw_conversation_say(&c, IW_SIDE_A, "F40");
    send_whole(0);
    at = send_whole(0);
    expect_msn(at, "RFC5041-4.3-08", .frame = 7, .expected = "1", .actual = "0");
    iw_conversation_end(&c);
}

/* ---- messages in another order ---- */

/* Messages in this order, of one segment each, from frame 3 on. */
static void send_in_order(const char *msns) {
    open_plain();
    for (; *msns != 0; msns++)
        send_whole((unsigned)(*msns - '0'));
}

/* Only the jump is a fault: the findings about the skipped messages follow from it. */
static void reports_why_what_a_jump_has_left_out_comes_later(void **state) {
    static const struct {
        const char *msns;
        const char *expected[3]; /* of the consequences */
        const char *actual[3];
    } jumps[] = {
        {"1324", {"4"}, {"2"}},
        {"13425", {"5"}, {"2"}},
        {"14235", {"5", "5"}, {"2", "3"}},
        {"1562347", {"7", "7", "7"}, {"2", "3", "4"}},
        {"14325", {"4"}, {"2"}},
        {"143526", {"6"}, {"2"}},
        {"1534267", {"5"}, {"2"}},
        {"1532467", {"4", "6"}, {"2", "4"}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof jumps / sizeof *jumps; i++) {
        size_t consequences = 0;

        send_in_order(jumps[i].msns);
        assert_string_equal(c.findings[0].expected, "2");
        assert_int_equal(c.findings[0].cause, 0);
        for (; consequences < 3 && jumps[i].expected[consequences] != NULL; consequences++) {
            const struct iw_finding *finding = &c.findings[1 + consequences];

            assert_string_equal(finding->requirement->id, "RFC5041-4.3-08");
            assert_int_equal(finding->cause, 1);
            assert_string_equal(finding->expected, jumps[i].expected[consequences]);
            assert_string_equal(finding->actual, jumps[i].actual[consequences]);
        }
        assert_int_equal(c.finding_count, 1 + consequences);
        c.expected_count = c.finding_count;
        iw_conversation_end(&c);
    }
}

/* The jump also skips the MSN from which the sender continues: only the MSN of the jump was wrong, and no
 * skipped message follows. */
static void reports_no_more_about_a_jump_that_was_wrong_alone(void **state) {
    (void)state;
    send_in_order("1534567");
    iw_conversation_found(&c, "RFC5041-4.3-08");
    assert_int_equal(c.findings[0].frame, 4);
    iw_conversation_end(&c);
    send_in_order("15345672");
    iw_conversation_found(&c, "RFC5041-4.3-08");
    iw_conversation_found(&c, "RFC5041-4.3-08");
    assert_int_equal(c.findings[1].cause, 0);
    iw_conversation_end(&c);
}

/* A message that was sent before was not skipped. */
static void reports_a_message_again_after_a_jump(void **state) {
    (void)state;
    send_in_order("14232");
    assert_int_equal(c.finding_count, 4);
    assert_int_equal(c.findings[2].cause, 1);
    assert_int_equal(c.findings[3].cause, 0);
    c.expected_count = c.finding_count;
    iw_conversation_end(&c);
}

/* The second message begins before the first one has ended, and only that is a fault. */
static void reports_why_segments_of_two_messages_come_by_turns(void **state) {
    static const char *const sends[] = {"0143 00000000 00000000 00000001 00000000 6f6b",
        "0143 00000000 00000000 00000002 00000000 6f6b", "4143 00000000 00000000 00000001 00000002 6f6b",
        "4143 00000000 00000000 00000002 00000002 6f6b", "4143 00000000 00000000 00000003 00000000 6f6b"};
    static const char *const writes[] = {"8140 00000001 0000000000001000 6f6b",
        "8140 00000002 0000000000009000 6f6b", "c140 00000001 0000000000001002 6f6b",
        "c140 00000002 0000000000009002 6f6b", "c140 00000001 0000000000001000 6f6b"};
    static const char *const *const all[] = {sends, writes};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        open_plain();
        for (size_t k = 0; k < 5; k++)
            send(all[i][k]);
        iw_conversation_found(&c, "RFC5041-4.1-02");
        iw_conversation_found(&c, "RFC5041-4.1-02");
        assert_int_equal(c.findings[0].frame, 4);
        assert_int_equal(c.findings[0].cause, 0);
        assert_int_equal(c.findings[1].frame, 5);
        assert_int_equal(c.findings[1].cause, 1);
        iw_conversation_end(&c);
    }
}

/* The octets that the segment with L has skipped follow it: the first of a Send, and those of a Write. */
static void reports_why_segments_come_after_the_one_with_l(void **state) {
    (void)state;
    open_plain();
    send_part(true, 1, 8);
    iw_conversation_found(&c, "RFC5041-4.3-12");
    send_part(false, 1, 4);
    iw_conversation_found(&c, "RFC5041-4.1-04");
    send_part(false, 1, 0);
    iw_conversation_found(&c, "RFC5041-4.1-04");
    assert_int_equal(c.findings[1].cause, 1);
    assert_int_equal(c.findings[2].cause, 1);
    end_behind(2);
    open_plain();
    send("8140 00000001 0000000000001000 01020304");
    send("c140 00000001 0000000000001008 01020304");
    iw_conversation_found(&c, "RFC5041-5.2-07");
    send("8140 00000001 0000000000001004 01020304");
    iw_conversation_found(&c, "RFC5041-4.1-04");
    assert_int_equal(c.findings[1].cause, 1);
    send("c140 00000002 0000000000009000 6f6b");
    iw_conversation_end(&c);
}

/* The segments of a Write in the order of their TOs from the last one, with L, to the first. Two of them do
 * not show that they are one message. */
static void reports_once_that_the_segment_with_l_came_first(void **state) {
    (void)state;
    open_plain();
    send("c140 00000001 000000000000100c 01020304");
    send("8140 00000001 0000000000001008 01020304");
    send("8140 00000001 0000000000001004 01020304");
    iw_conversation_found(&c, "RFC5041-4.1-04");
    assert_int_equal(c.findings[0].context[0], 3);
    send("8140 00000001 0000000000001000 01020304");
    iw_conversation_found(&c, "RFC5041-4.1-04");
    assert_int_equal(c.findings[1].cause, 1);
    send("c140 00000002 0000000000009000 6f6b");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
    open_plain();
    send("c140 00000001 0000000000001008 01020304");
    send("8140 00000001 0000000000001004 01020304");
    send("c140 00000002 0000000000009000 6f6b");
    iw_conversation_found(&c, "RFC5041-4.1-02");
    iw_conversation_end(&c);
}

/* Writes below each other, and a Write whose segments come in descending order. */
static void accepts_writes_that_are_below_each_other(void **state) {
    (void)state;
    open_plain();
    send("c140 00000001 0000000000001008 01020304");
    send("c140 00000001 0000000000001004 01020304");
    send("8140 00000001 0000000000000ffc 01020304");
    send("c140 00000001 0000000000001000 01020304");
    iw_conversation_end(&c);
    open_plain();
    send("c140 00000001 0000000000001008 01020304");
    send("8140 00000001 0000000000001000 01020304");
    send("8140 00000001 0000000000000ffc 01020304");
    iw_conversation_found(&c, "RFC5041-5.3-03");
    send("c140 00000001 0000000000001004 01020304");
    iw_conversation_end(&c);
}

/* A saved connection, whose sides were saved one after the other: a Request, its Reply, and two FPDUs.
 * Without the SYN, or with octets missing after it, this may be a part of a file, sent after "GET /file". */
static void judges_no_order_in_what_may_be_a_saved_connection(void **state) {
    enum { SYN, NO_SYN, GAP, WAYS };

    (void)state;
    for (int way = 0; way < WAYS; way++) {
        iw_conversation_init(&c, IW_EXT_ALL);
        if (way != NO_SYN)
            iw_conversation_start(&c, IW_SIDE_B);
        if (way == GAP) {
            iw_conversation_start(&c, IW_SIDE_A);
            iw_conversation_say(&c, IW_SIDE_A, "47455420 2f66696c 650d0a0d 0a");
            iw_conversation_gap(&c, IW_SIDE_B, 19, false);
        }
        iw_conversation_say(&c, IW_SIDE_B,
            REQUEST "40010000" REPLY "40010000"
                    "0012 4143 00000000 00000000 00000001 00000000 587be8c4"
                    "0012 4143 00000000 00000000 00000001 00000000 587be8c4"
                    "0012 4143 00000000 00000000 00000001 00000000 587be8c4");
        iw_conversation_fin(&c, IW_SIDE_B);
        for (int i = 0; i < 2 && way == SYN; i++)
            iw_conversation_found(&c, "RFC5041-4.3-08");
        iw_conversation_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_first_msn_that_is_not_1),
        cmocka_unit_test(reports_an_msn_that_is_omitted),
        cmocka_unit_test(reports_an_msn_that_is_used_again),
        cmocka_unit_test(reports_an_msn_that_is_wrong_alone),
        cmocka_unit_test(reports_why_an_msn_goes_back),
        cmocka_unit_test(reports_another_msn_inside_a_message),
        cmocka_unit_test(reports_an_msn_inside_a_message_that_is_wrong_alone),
        cmocka_unit_test(reports_a_send_without_a_last_segment),
        cmocka_unit_test(reports_a_write_without_a_last_segment),
        cmocka_unit_test(reports_a_segment_with_l_that_is_not_the_last),
        cmocka_unit_test(reports_a_segment_after_the_one_with_l),
        cmocka_unit_test(reports_why_a_segment_comes_after_the_one_with_l),
        cmocka_unit_test(reports_another_qn_inside_a_message),
        cmocka_unit_test(accepts_an_msn_of_each_queue),
        cmocka_unit_test(accepts_an_msn_that_begins_again),
        cmocka_unit_test(reports_an_msn_that_omits_0),
        cmocka_unit_test(reports_an_msn_that_repeats_0),
        cmocka_unit_test(reports_why_what_a_jump_has_left_out_comes_later),
        cmocka_unit_test(reports_no_more_about_a_jump_that_was_wrong_alone),
        cmocka_unit_test(reports_a_message_again_after_a_jump),
        cmocka_unit_test(reports_why_segments_of_two_messages_come_by_turns),
        cmocka_unit_test(reports_why_segments_come_after_the_one_with_l),
        cmocka_unit_test(reports_once_that_the_segment_with_l_came_first),
        cmocka_unit_test(accepts_writes_that_are_below_each_other),
        cmocka_unit_test(judges_no_order_in_what_may_be_a_saved_connection),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
