#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

/* ---- flags and Rev ---- */

static void reports_a_rev_that_no_document_has(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40030000", "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.1-12", BY_INITIATOR, .frame = 1, .offset = 17, .octets = 1,
        .field = "mpa.rev", .expected = "1 or 2", .actual = "3");
    iw_conversation_end(&c);
}

static void reports_rev_0_but_not_its_answer(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40000000", REPLY "40000000");
    iw_conversation_expect(&c, "RFC5044-7.1.1-12", BY_INITIATOR, .frame = 1, .offset = 17, .octets = 1,
        .field = "mpa.rev", .expected = "1 or 2", .actual = "0");
    /* DDP and RDMAP version 0 belong to Rev 0 (RFC 5044 C). */
    iw_conversation_fpdu(&c, IW_SIDE_A, "4003 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_B, "4003 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_end(&c);
}

/* Only the Rev is wrong: an RNIC that complies with the RFCs uses DV and RV 1 (RFC 5040 4.1, RFC 5041
 * 4.1). */
static void accepts_version_1_with_rev_0(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40000000", REPLY "40000000");
    iw_conversation_found(&c, "RFC5044-7.1.1-12");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_fpdu(&c, IW_SIDE_A, "c140 11223344 0000000000001000 6f6b");
    iw_conversation_end(&c);
}

/* Both versions are valid (RFC 5040 4.1): each side uses the one of its own specification. */
static void accepts_both_versions_with_rev_0(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40000000", REPLY "40000000");
    iw_conversation_found(&c, "RFC5044-7.1.1-12");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4003 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_end(&c);
}

/* A side that has used 1 complies with the RFCs, so its DV must be 1. */
static void reports_version_0_after_version_1(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40000000", REPLY "40000000");
    iw_conversation_found(&c, "RFC5044-7.1.1-12");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4003 00000000 00000000 00000002 00000000 6f6b");
    iw_conversation_found(&c, "RFC5041-4.1-08");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_end(&c);
}

/* DV of one specification with RV of the other. */
static void reports_a_mixture_of_both_versions(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40000000", REPLY "40000000");
    iw_conversation_found(&c, "RFC5044-7.1.1-12");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4103 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_end(&c);
}

static void reports_rev_0_that_answers_rev_1(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", REPLY "40000000");
    iw_conversation_expect(&c, "RFC5044-7.1.1-12", BY_RESPONDER, .frame = 2, .offset = 17, .octets = 1,
        .field = "mpa.rev", .expected = "1 or 2", .actual = "0");
    iw_conversation_say(&c, IW_SIDE_A, "F07"); /* neither of the two versions is a fault of its own */
    iw_conversation_fpdu(&c, IW_SIDE_B, "4003 00000000 00000000 00000001 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_B, "c100 11223344 0000000000001000 6f6b");
    iw_conversation_found(&c, "RFC5040-4.1-08");
    iw_conversation_end(&c);
}

static void accepts_rev_2_without_enhanced_data(void **state) {
    (void)state;
    iw_conversation_open(&c, "M11", REPLY "40020000");
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M11", "M03");
    iw_conversation_end(&c);
}

static void reports_reserved_bits_of_rev_1(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "48010000", "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.1-11", BY_INITIATOR, .frame = 1, .offset = 16, .octets = 1,
        .field = "mpa.res", .expected = "0x0", .actual = "0x8");
    iw_conversation_end(&c);
}

static void reports_s_of_rev_1_as_a_reserved_bit(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", REPLY "50010000");
    iw_conversation_expect(&c, "RFC5044-7.1.1-11", BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1,
        .field = "mpa.s", .expected = "0", .actual = "1");
    iw_conversation_end(&c);
    iw_conversation_open(&c, REQUEST "50010003 000000", "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.1-11", BY_INITIATOR, .frame = 1, .offset = 16, .octets = 1,
        .field = "mpa.s", .expected = "0", .actual = "1");
    iw_conversation_end(&c);
}

/* Private data may have the length of the enhanced data; a Reply with Rev 2 does not show whether the
 * initiator meant that. */
static void reports_s_of_rev_1_before_private_data_as_a_reserved_bit(void **state) {
    static const char *const replies[] = {"M03", "M06"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        iw_conversation_open(&c, REQUEST "50010004 80080010", replies[i]);
        iw_conversation_expect(&c, "RFC5044-7.1.1-11", BY_INITIATOR, .frame = 1, .offset = 16, .octets = 1,
            .field = "mpa.s", .expected = "0", .actual = "1");
        iw_conversation_end(&c);
    }
}

/* With Rev 1, Res has five bits: S is the first of them. */
static void reports_s_and_res_of_rev_1_once(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "58010000", "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.1-11", BY_INITIATOR, .frame = 1, .offset = 16, .octets = 1,
        .field = "mpa.res", .expected = "0x0", .actual = "0x18");
    iw_conversation_end(&c);
}

/* Rev 0 has to be answered by Rev 0, and C is 1 with it on both sides (RFC 5044 C.1). */
static void reports_rev_0_without_crcs(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "c0000000", REPLY "80000000");
    iw_conversation_expect(&c, "RFC5044-7.1.1-12", BY_INITIATOR, .frame = 1, .offset = 17, .octets = 1,
        .field = "mpa.rev", .expected = "1 or 2", .actual = "0");
    iw_conversation_expect(&c, "RFC5044-AppC-02", BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1,
        .field = "mpa.c", .expected = "1", .actual = "0");
    iw_conversation_end(&c);
}

/* ---- reactions to a malformed Request ---- */

static void expect_accepted(const char *id) {
    iw_conversation_expect(&c, id, BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1, .field = "mpa.r",
        .expected = "a close", .actual = "a Reply with R=0", .context = {1});
    iw_conversation_end(&c);
}

static void reports_a_reply_to_another_key(void **state) {
    (void)state;
    iw_conversation_open(&c, "4d504120 49442052 65712046 72616d66 40010000", "M03");
    assert_string_equal(c.findings[0].requirement->id, "RFC5044-7.1.1-01");
    c.expected_count = 1;
    expect_accepted("RFC5044-7.1.1-02");
}

static void reports_a_reply_to_too_much_private_data(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40010201", "M03");
    assert_string_equal(c.findings[0].requirement->id, "RFC5044-7.1.1-17");
    c.expected_count = 1;
    expect_accepted("RFC5044-7.1.1-16");
}

static void accepts_a_reject_of_a_malformed_request(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40010201", "M04");
    assert_string_equal(c.findings[0].requirement->id, "RFC5044-7.1.1-17");
    c.expected_count = 1;
    iw_conversation_end(&c);
}

static void reports_reserved_bits_of_rev_2(void **state) {
    (void)state;
    iw_conversation_open(&c, "M11", REPLY "41020000");
    iw_conversation_expect(&c, "RFC6581-6-01", BY_RESPONDER, .frame = 2, .offset = 16, .octets = 1,
        .field = "mpa.res", .expected = "0x0", .actual = "0x1");
    iw_conversation_end(&c);
}

static void accepts_s_with_rev_2(void **state) {
    (void)state;
    iw_conversation_open(&c, "M05", "M06");
    iw_conversation_end(&c);
}

static void reports_r_of_a_request(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "60010000", "M03");
    iw_conversation_expect(&c, "RFC5044-7.1.1-10", BY_INITIATOR, .frame = 1, .offset = 16, .octets = 1,
        .field = "mpa.r", .expected = "0", .actual = "1");
    iw_conversation_end(&c);
}

/* After a Reply that rejects, TCP belongs to the ULP (RFC 5044 7.1.2). */
static void accepts_a_reject_with_private_data(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M04");
    iw_conversation_say(&c, IW_SIDE_A, "51554954 0d0a");
    iw_conversation_say(&c, IW_SIDE_B, "42594520 0d0a");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    assert_int_equal(c.events[IW_LLP_SEGMENT], 0);
    iw_conversation_end(&c);
}

static void accepts_every_m_and_c(void **state) {
    static const char *const requests[] = {"M01", "M02", REQUEST "00010000", REQUEST "80010000"};
    static const char *const replies[] = {"M03", "M10", REPLY "00010000", REPLY "c0010000"};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            iw_conversation_open(&c, requests[i], replies[j]);
            iw_conversation_end(&c);
        }
    }
}

/* ---- private data ---- */

static void reports_private_data_that_is_too_long(void **state) {
    (void)state;
    iw_conversation_open(&c, "M12", "");
    iw_conversation_expect(&c, "RFC5044-7.1.1-17", BY_INITIATOR, .frame = 1, .offset = 18, .octets = 2,
        .field = "mpa.pd_length", .expected = "at most 512", .actual = "513");
    iw_conversation_end(&c);
}

static void accepts_512_octets_of_private_data(void **state) {
    char text[64 + 2 * 512] = REQUEST "40010200 ";

    (void)state;
    for (size_t i = strlen(text), end = i + 1024; i < end; i++)
        text[i] = 'a';
    iw_conversation_open(&c, text, "M03");
    assert_int_equal(c.events[IW_LLP_STARTUP], 2);
    iw_conversation_end(&c);
}

static void reports_a_startup_frame_that_ends_too_early(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40010005 68656c", "");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5044-7.1.1-15", .side = IW_SIDE_A, .role = IW_ROLE_UNKNOWN, .frame = 3,
        .offset = 23, .octets = 0, .expected = "complete", .actual = "incomplete (23 octets)");
    iw_conversation_end(&c);
}

static void accepts_a_close_after_the_request(void **state) {
    (void)state;
    iw_conversation_open(&c, "M02", "");
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

static void accepts_a_reset_inside_the_request(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "40010005 68656c", "");
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

static void reports_enhanced_data_that_is_not_there(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020003 c010c0", "M06");
    iw_conversation_expect(&c, "RFC6581-6-06", BY_INITIATOR, .frame = 1, .offset = 18, .octets = 2,
        .field = "mpa.pd_length", .expected = "at least 4", .actual = "3");
    expect_accepted("RFC6581-6-07");
}

static void accepts_private_data_that_was_not_captured(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_start(&c, IW_SIDE_A);
    iw_conversation_start(&c, IW_SIDE_B);
    iw_conversation_say(&c, IW_SIDE_A, REQUEST "50020008");
    iw_conversation_gap(&c, IW_SIDE_A, 8, true);
    iw_conversation_say(&c, IW_SIDE_B, REPLY "50020004");
    iw_conversation_gap(&c, IW_SIDE_B, 4, false);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    assert_int_equal(c.events[IW_LLP_STARTUP], 2);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_CUT), 8);
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_LOST), 4);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_rev_that_no_document_has),
        cmocka_unit_test(reports_rev_0_but_not_its_answer),
        cmocka_unit_test(accepts_version_1_with_rev_0),
        cmocka_unit_test(accepts_both_versions_with_rev_0),
        cmocka_unit_test(reports_version_0_after_version_1),
        cmocka_unit_test(reports_a_mixture_of_both_versions),
        cmocka_unit_test(reports_rev_0_that_answers_rev_1),
        cmocka_unit_test(accepts_rev_2_without_enhanced_data),
        cmocka_unit_test(reports_reserved_bits_of_rev_1),
        cmocka_unit_test(reports_s_of_rev_1_as_a_reserved_bit),
        cmocka_unit_test(reports_s_of_rev_1_before_private_data_as_a_reserved_bit),
        cmocka_unit_test(reports_s_and_res_of_rev_1_once),
        cmocka_unit_test(reports_rev_0_without_crcs),
        cmocka_unit_test(reports_a_reply_to_another_key),
        cmocka_unit_test(reports_a_reply_to_too_much_private_data),
        cmocka_unit_test(accepts_a_reject_of_a_malformed_request),
        cmocka_unit_test(reports_reserved_bits_of_rev_2),
        cmocka_unit_test(accepts_s_with_rev_2),
        cmocka_unit_test(reports_r_of_a_request),
        cmocka_unit_test(accepts_a_reject_with_private_data),
        cmocka_unit_test(accepts_every_m_and_c),
        cmocka_unit_test(reports_private_data_that_is_too_long),
        cmocka_unit_test(accepts_512_octets_of_private_data),
        cmocka_unit_test(reports_a_startup_frame_that_ends_too_early),
        cmocka_unit_test(accepts_a_close_after_the_request),
        cmocka_unit_test(accepts_a_reset_inside_the_request),
        cmocka_unit_test(reports_enhanced_data_that_is_not_there),
        cmocka_unit_test(accepts_private_data_that_was_not_captured),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
