#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Rules about the first FPDU of a side: which side may send first, and what. */

static struct iw_conversation c;

/* ---- the RTR (RFC 6581 9.2): M05 offers B, C and D, M06 takes C and D ---- */

static void expect_no_rtr(const char *requirement, const char *id, uint32_t octets, const char *title) {
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_say(&c, IW_SIDE_A, id);
    iw_conversation_expect(&c, requirement, BY_INITIATOR, .frame = 3, .offset = 28, .octets = octets,
        .expected = "a zero-length RDMA Write or RDMA Read, which both sides named", .actual = title,
        .context = {1, 2});
    iw_conversation_end(&c);
}

static void reports_a_first_fpdu_that_is_no_rtr(void **state) {
    (void)state;
    expect_no_rtr("RFC6581-5-01", "F07", 32, "Send of 5 octets");
    expect_no_rtr("RFC6581-5-01", "F01", 28, "RDMA Write of 8 octets");
    expect_no_rtr("RFC6581-5-01", "F03", 52, "RDMA Read Request of 4096 octets");
}

static void reports_an_rtr_of_a_type_that_was_not_named(void **state) {
    (void)state;
    expect_no_rtr("RFC6581-9.2-09", "F08", 24, "Send of 0 octets");
}

/* The Request offers a Read, the Reply takes a Write: 0010h is a depth of 16, with A, D or C before it. */
static void reports_whatever_but_a_terminate_without_a_common_type(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_expect(&c, "RFC6581-9.2-10", BY_INITIATOR, .frame = 3, .offset = 24, .octets = 24,
        .expected = "a Terminate, because both sides named no common RTR type", .actual = "Send of 0 octets",
        .context = {1, 2});
    iw_conversation_end(&c);
}

/* The initiator can send a Write, but has not named it. */
static void reports_an_rtr_of_a_type_that_only_the_reply_names(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 8010c010");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    iw_conversation_expect(&c, "RFC6581-9.2-02", BY_INITIATOR, .frame = 3, .offset = 24, .octets = 20,
        .expected = "a zero-length RDMA Read, which both sides named", .actual = "RDMA Write of 0 octets",
        .context = {1, 2});
    iw_conversation_end(&c);

    /* The Request names the Send, the Reply the Write. */
    iw_conversation_open(&c, REQUEST "50020004 c0100010", REPLY "50020004 80108010");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    iw_conversation_expect(&c, "RFC6581-9.2-02", BY_INITIATOR, .frame = 3, .offset = 24, .octets = 20,
        .expected = "a Terminate, because both sides named no common RTR type",
        .actual = "RDMA Write of 0 octets", .context = {1, 2});
    iw_conversation_end(&c);
}

/* 2/0/01 instead of 2/0/07. */
static void reports_another_terminate_without_a_common_type(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4147 00000000 00000002 00000001 00000000 20010000");
    iw_conversation_expect(&c, "RFC6581-9.2-11", BY_INITIATOR, .frame = 3, .offset = 45, .octets = 1,
        .field = "rdmap.terminate.code", .expected = "2/0/07", .actual = "2/0/01");
    iw_conversation_end(&c);
}

/* The responder has sent an FPDU too early, with a wrong CRC, or one that was not captured. */
static void accepts_a_terminate_for_an_fpdu_of_the_responder(void **state) {
    static const char terminate[] = "4147 00000000 00000002 00000001 00000000 20020000";

    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_say(&c, IW_SIDE_B, "F37");
    c.expected_count += 2; /* RFC5044-4.4-11 and RFC5044-7.1.2-15, by the responder */
    iw_conversation_fpdu(&c, IW_SIDE_A, terminate);
    iw_conversation_end(&c);

    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_gap(&c, IW_SIDE_B, 64, false);
    iw_conversation_fpdu(&c, IW_SIDE_A, terminate);
    iw_conversation_end(&c);
}

/* DDP may split the Terminate (RFC 5041 5.2). */
static void reports_another_terminate_in_two_segments(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_fpdu(&c, IW_SIDE_A, "0147 00000000 00000002 00000001 00000000 20");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "4147 00000000 00000002 00000001 00000001 010000");
    iw_conversation_expect(&c, "RFC6581-9.2-11", BY_INITIATOR, .frame = 4, .offset = at + 20, .octets = 1,
        .field = "rdmap.terminate.code", .expected = "2/0/07", .actual = "2/0/01");
    iw_conversation_end(&c);

    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_fpdu(&c, IW_SIDE_A, "0147 00000000 00000002 00000001 00000000 20");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4147 00000000 00000002 00000001 00000001 070000");
    iw_conversation_end(&c);
}

/* 2/0/07, although both frames name C and D. */
static void reports_a_false_lack_of_a_common_type(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_say(&c, IW_SIDE_A, "F15");
    iw_conversation_expect(&c, "RFC6581-9.2-09", BY_INITIATOR, .frame = 3, .offset = 49, .octets = 1,
        .field = "rdmap.terminate.code",
        .expected = "a zero-length RDMA Write or RDMA Read, which both sides named",
        .actual = "a Terminate for the lack of a common RTR type", .context = {1, 2});
    iw_conversation_end(&c);
}

/* The size of the Read is in the second segment. */
static void speak_split_read(const char *size, const char *id) {
    char rest[128];
    uint64_t at;

    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_fpdu(
        &c, IW_SIDE_A, "0141 00000000 00000001 00000001 00000000 00000001 00000000 00000000");
    strcpy(rest, "4141 00000000 00000001 00000001 0000000c ");
    strcat(rest, size);
    strcat(rest, " 00000001 00000000 00000000");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, rest);
    if (id != NULL)
        iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 4, .offset = at, .octets = 40,
            .expected = "a zero-length RDMA Write or RDMA Read, which both sides named",
            .actual = "an RDMA Read Request of 5 octets", .context = {3, 1, 2});
    iw_conversation_end(&c);
}

static void judges_a_read_in_two_segments_as_rtr(void **state) {
    (void)state;
    speak_split_read("00000000", NULL);
    speak_split_read("00000005", "RFC6581-5-01");
}

/* ---- FPDUs without a startup ---- */

static void expect_nothing_after(const char *answer, const char *earlier, const char *id) {
    bool charged = earlier != NULL;

    iw_conversation_open(&c, "M01", answer);
    if (charged)
        assert_string_equal(c.findings[0].requirement->id, earlier);
    c.expected_count = charged;
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_expect(&c, id, .side = IW_SIDE_A, .role = charged ? IW_ROLE_INITIATOR : IW_ROLE_UNKNOWN,
        .frame = 3, .offset = 20, .octets = 32, .expected = "nothing", .actual = "an FPDU", .context = {2});
    iw_conversation_end(&c);
}

static void reports_an_fpdu_after_an_answer_that_is_no_reply(void **state) {
    (void)state;
    expect_nothing_after(
        "48545450 2f312e31 20343030 20426164 20526571", "RFC5044-7.1.1-03", "RFC5044-7.1.1-04");
    expect_nothing_after("M01", NULL, "RFC5044-7.1.2-20");
}

/* The initiator sends the FPDU; then the other side sends `reply`, if it is not NULL. */
static void speak_before(const char *reply) {
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    if (reply != NULL)
        iw_conversation_say(&c, IW_SIDE_B, reply);
}

static void expect_too_early(uint64_t begun) {
    iw_conversation_expect(&c, "RFC5044-7.1.2-11", BY_INITIATOR, .frame = 2, .offset = 20, .octets = 32,
        .expected = "after the Reply",
        .actual = begun != 0 ? "before the Reply is complete" : "before any Reply", .context = {begun});
}

static void reports_an_fpdu_before_a_reply_that_is_never_complete(void **state) {
    static const char *const begun[] = {"4d504120 49442052", REPLY "40010004 6162"};

    (void)state;
    speak_before(NULL);
    iw_conversation_fin(&c, IW_SIDE_B);
    expect_too_early(0);
    iw_conversation_end(&c);
    for (size_t i = 0; i < 2; i++) {
        speak_before(begun[i]);
        iw_conversation_fin(&c, IW_SIDE_B);
        iw_conversation_found(&c, "RFC5044-7.1.1-15");
        expect_too_early(3);
        iw_conversation_end(&c);
    }
    speak_before(NULL);
    iw_conversation_rst(&c, IW_SIDE_B);
    expect_too_early(0);
    iw_conversation_end(&c);
}

/* The Reply may have been sent but not captured, or its sender may consider it complete. */
static void accepts_an_fpdu_before_a_reply_that_was_not_captured(void **state) {
    (void)state;
    speak_before(NULL);
    iw_conversation_gap(&c, IW_SIDE_B, 20, false);
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", REPLY "40010004 6162");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_found(&c, "RFC5044-7.1.1-15");
    iw_conversation_end(&c);
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

static void accepts_a_terminate_without_a_common_type(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 80104010", REPLY "50020004 80108010");
    iw_conversation_say(&c, IW_SIDE_A, "F15");
    iw_conversation_end(&c);
}

static void accepts_an_rtr_of_each_type(void **state) {
    static const char *const types[] = {"F02", "F04", "F08"};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        iw_conversation_open(&c, "M05", REPLY "50020004 c008c010");
        iw_conversation_say(&c, IW_SIDE_A, types[i]);
        iw_conversation_end(&c);
    }
}

/* STag and TO of a zero-length message are ignored (RFC 5041 5.2, RFC 5040 5.2.1). */
static void accepts_a_write_and_a_read_rtr_with_any_stag(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_fpdu(&c, IW_SIDE_A, "c140 deadbeef ffffffffffffffff");
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_fpdu(&c, IW_SIDE_A,
        "4141 00000000 00000001 00000001 00000000 cafe0001 fffffffffffffff0 00000000 cafe0002 "
        "0000000000000007");
    iw_conversation_fpdu(&c, IW_SIDE_B, "c142 00000000 0000000000000000");
    assert_true(c.response.complete);
    iw_conversation_end(&c);
}

/* No matching type, or too little IRD (RFC 6581 9.1, 9.2). The second Reply takes only the Read, with an IRD
 * of 0: the initiator may not send it. */
static void accepts_a_terminate_in_the_place_of_the_rtr(void **state) {
    static const char *const replies[] = {REPLY "50020004 80108010", REPLY "50020004 80004010"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        iw_conversation_open(&c, REQUEST "50020004 80104010", replies[i]);
        iw_conversation_say(&c, IW_SIDE_A, "F15");
        iw_conversation_fin(&c, IW_SIDE_A);
        iw_conversation_end(&c);
    }
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_say(&c, IW_SIDE_A, "F14");
    iw_conversation_end(&c);
}

static void accepts_anything_first_in_the_client_server_model(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020004 00100008", REPLY "50020004 00080010");
    iw_conversation_say(&c, IW_SIDE_A, "F01");
    iw_conversation_end(&c);
}

static void accepts_a_first_fpdu_after_a_hole(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_gap(&c, IW_SIDE_A, 20, false);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 20);
    iw_conversation_end(&c);
}

static void accepts_a_read_rtr_whose_size_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_cut(&c, IW_SIDE_A,
        "4141 00000000 00000001 00000001 00000000 00000001 0000000000000000 00000000 00000001 "
        "0000000000000000",
        20, true);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 32);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CRC), 1);
    iw_conversation_end(&c);
}

/* F02 with the opcode of a Send and the CRC it had before. */
static void reports_only_that_the_crc_of_the_rtr_is_wrong(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_say(&c, IW_SIDE_A, "000ec143 00000001 00000000 00000000 ebd34c5f");
    assert_string_equal(c.findings[0].requirement->id, "RFC5044-4.4-11");
    c.expected_count = 1;
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

/* ---- the initiator before the Reply (RFC 5044 7.1.2) ---- */

static void reports_an_fpdu_before_the_reply(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.2-11", BY_INITIATOR, .frame = 2, .offset = 20, .octets = 32,
        .expected = "after the Reply", .actual = "before the Reply", .context = {4});
    iw_conversation_end(&c);
}

/* The Reply may have ended after 20 octets, in spite of its PD_Length 4. */
static void blames_no_initiator_for_a_reply_that_seems_longer(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    iw_conversation_say(&c, IW_SIDE_B, REPLY "40010004");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "00000000");
    iw_conversation_end(&c);
}

/* The initiator has acknowledged a Reply that the capture has only later, as a retransmission. */
static void accepts_an_fpdu_after_a_reply_that_was_not_captured(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, "M01");
    c.unseen = true;
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    c.unseen = false;
    iw_conversation_say(&c, IW_SIDE_B, "M03");
    iw_conversation_end(&c);
}

static void accepts_an_fpdu_right_after_the_reply(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

/* ---- the responder before the initiator (RFC 5044 7.1.2) ---- */

static void reports_a_responder_that_speaks_first(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_expect(&c, "RFC5044-7.1.2-15", BY_RESPONDER, .frame = 3, .offset = 20, .octets = 32,
        .expected = "after the initiator's first FPDU", .actual = "before any FPDU of the initiator",
        .context = {2});
    iw_conversation_say(&c, IW_SIDE_B, "F09");
    iw_conversation_end(&c);
}

static void reports_a_responder_whose_first_fpdu_comes_with_the_reply(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03 F12");
    iw_conversation_expect(&c, "RFC5044-7.1.2-15", BY_RESPONDER, .frame = 2, .offset = 20, .octets = 28,
        .expected = "after the initiator's first FPDU", .actual = "before any FPDU of the initiator");
    iw_conversation_end(&c);
}

/* A responder that fails before the RTR comes has to say so by 2/0/05 (RFC 6581 9.3). */
static void accepts_a_terminate_of_a_responder_that_fails_in_the_startup(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4147 00000000 00000002 00000001 00000000 20050000");
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_say(&c, IW_SIDE_B, "F14");
    iw_conversation_expect(&c, "RFC5044-7.1.2-15", BY_RESPONDER, .frame = 3, .offset = 24, .octets = 28,
        .expected = "after the initiator's first FPDU", .actual = "before any FPDU of the initiator",
        .context = {2});
    iw_conversation_end(&c);
}

static void accepts_a_responder_that_answers(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_end(&c);
}

static void accepts_a_responder_while_the_initiators_fpdu_is_lost(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_gap(&c, IW_SIDE_A, 24, false);
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "00124143");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* The responder has acknowledged octets that the capture lacks, and no later octet shows the hole. */
static void accepts_a_responder_that_answers_what_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    c.unseen = true;
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_end(&c);
}

/* A saved connection, as part of a file that the side sends after "GET /file". If octets before it are
 * missing, the Request may be none. */
static void judges_no_fpdu_before_the_reply_in_what_may_be_a_saved_connection(void **state) {
    (void)state;
    for (int gap = 0; gap <= 1; gap++) {
        iw_conversation_init(&c, IW_EXT_ALL);
        iw_conversation_start(&c, IW_SIDE_A);
        iw_conversation_start(&c, IW_SIDE_B);
        iw_conversation_say(&c, IW_SIDE_A, "47455420 2f66696c 650d0a0d 0a");
        if (gap)
            iw_conversation_gap(&c, IW_SIDE_B, 19, false);
        iw_conversation_say(
            &c, IW_SIDE_B, REQUEST "40010000 0012 4143 00000000 00000000 00000001 00000000 587be8c4");
        iw_conversation_fin(&c, IW_SIDE_B);
        if (!gap)
            iw_conversation_found(&c, "RFC5044-7.1.2-11");
        iw_conversation_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_first_fpdu_that_is_no_rtr),
        cmocka_unit_test(reports_an_rtr_of_a_type_that_was_not_named),
        cmocka_unit_test(reports_whatever_but_a_terminate_without_a_common_type),
        cmocka_unit_test(reports_an_fpdu_before_a_reply_that_is_never_complete),
        cmocka_unit_test(accepts_an_fpdu_before_a_reply_that_was_not_captured),
        cmocka_unit_test(accepts_a_terminate_without_a_common_type),
        cmocka_unit_test(reports_an_rtr_of_a_type_that_only_the_reply_names),
        cmocka_unit_test(reports_another_terminate_without_a_common_type),
        cmocka_unit_test(accepts_a_terminate_for_an_fpdu_of_the_responder),
        cmocka_unit_test(reports_another_terminate_in_two_segments),
        cmocka_unit_test(reports_a_false_lack_of_a_common_type),
        cmocka_unit_test(judges_a_read_in_two_segments_as_rtr),
        cmocka_unit_test(reports_an_fpdu_after_an_answer_that_is_no_reply),
        cmocka_unit_test(accepts_an_rtr_of_each_type),
        cmocka_unit_test(accepts_a_write_and_a_read_rtr_with_any_stag),
        cmocka_unit_test(accepts_a_terminate_in_the_place_of_the_rtr),
        cmocka_unit_test(accepts_anything_first_in_the_client_server_model),
        cmocka_unit_test(accepts_a_first_fpdu_after_a_hole),
        cmocka_unit_test(accepts_a_read_rtr_whose_size_was_not_captured),
        cmocka_unit_test(reports_only_that_the_crc_of_the_rtr_is_wrong),
        cmocka_unit_test(reports_an_fpdu_before_the_reply),
        cmocka_unit_test(blames_no_initiator_for_a_reply_that_seems_longer),
        cmocka_unit_test(accepts_an_fpdu_after_a_reply_that_was_not_captured),
        cmocka_unit_test(accepts_an_fpdu_right_after_the_reply),
        cmocka_unit_test(reports_a_responder_that_speaks_first),
        cmocka_unit_test(reports_a_responder_whose_first_fpdu_comes_with_the_reply),
        cmocka_unit_test(accepts_a_terminate_of_a_responder_that_fails_in_the_startup),
        cmocka_unit_test(accepts_a_responder_that_answers),
        cmocka_unit_test(accepts_a_responder_while_the_initiators_fpdu_is_lost),
        cmocka_unit_test(accepts_a_responder_that_answers_what_was_not_captured),
        cmocka_unit_test(judges_no_fpdu_before_the_reply_in_what_may_be_a_saved_connection),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
