#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct iw_conversation c;

static void expect_bad_crc(uint64_t frame, uint64_t offset, const char *expected, const char *actual) {
    iw_conversation_expect(&c, "RFC5044-4.4-11", BY_INITIATOR, .frame = frame, .offset = offset, .octets = 4,
        .field = "mpa.crc", .expected = expected, .actual = actual);
}

static void reports_a_wrong_crc(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    expect_bad_crc(3, at + 28, "0xb990b10c", "0xb990b10d");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_end(&c);
}

static void reports_every_wrong_crc(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37 F37 F37");
    expect_bad_crc(3, at + 28, "0xb990b10c", "0xb990b10d");
    expect_bad_crc(3, at + 60, "0xb990b10c", "0xb990b10d");
    expect_bad_crc(3, at + 92, "0xb990b10c", "0xb990b10d");
    assert_int_equal(c.findings[1].cause, 1);
    assert_int_equal(c.findings[2].cause, 1);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    expect_bad_crc(5, at + 28, "0xb990b10c", "0xb990b10d");
    assert_int_equal(c.findings[3].cause, 0); /* one was right between */
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    expect_bad_crc(6, at + 28, "0xb990b10c", "0xb990b10d");
    assert_int_equal(c.findings[4].cause, 0);
    iw_conversation_end(&c);
}

/* One octet of the enhanced data follows the end of the Request by its PD_Length 3; no later FPDU proves
 * that by its CRC. */
static void reports_that_a_wrong_crc_follows_from_pd_length(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "50020003 001000", REPLY "40020000");
    iw_conversation_found(&c, "RFC6581-6-06");
    iw_conversation_found(&c, "RFC6581-6-07");
    iw_conversation_say(&c, IW_SIDE_A, "00 F37");
    iw_conversation_finish(&c);
    iw_conversation_found(&c, "RFC5044-4.4-11");
    assert_int_equal(c.findings[2].cause, 1);
    iw_conversation_end(&c);
}

/* M10 asks for Markers: their absence is reported once, and the CRC is computed over the FPDU as sent. */
static void reports_a_wrong_crc_where_markers_were_asked_for_in_vain(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    iw_conversation_expect(&c, "RFC5044-7.1.1-06", BY_INITIATOR, .frame = 3, .offset = at, .octets = 0,
        .expected = "present, because the other side's M is 1", .actual = "missing", .context = {2});
    expect_bad_crc(3, at + 28, "0xb990b10c", "0xb990b10d");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    assert_int_equal(c.events[IW_LLP_SEGMENT], 2);
    iw_conversation_end(&c);
}

/* K01 with one CRC bit flipped, in a stream with Markers that were not requested. */
static void reports_a_wrong_crc_among_markers_that_was_not_requested(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A,
        "00000000 002a4143 00000000 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000"
        "00000000 52239982");
    iw_conversation_expect(&c, "RFC5044-7.1.1-05", BY_INITIATOR, .frame = 3, .offset = at, .octets = 4,
        .field = "mpa.marker.fpduptr", .expected = "none, because the other side's M is 0",
        .actual = "present", .context = {2});
    expect_bad_crc(3, at + 48, "0x52239983", "0x52239982");
    iw_conversation_end(&c);
}

/* One side with C=1 is enough (RFC 5044 7.1.1). */
static void reports_a_wrong_crc_if_one_side_wants_it(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", REPLY "00010000");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    expect_bad_crc(3, at + 28, "0xb990b10c", "0xb990b10d");
    iw_conversation_end(&c);
}

static void accepts_any_crc_where_it_is_not_in_use(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "00010000", REPLY "00010000");
    iw_conversation_say(&c, IW_SIDE_A, "F36");
    iw_conversation_say(&c, IW_SIDE_A, "F09"); /* with a correct CRC */
    iw_conversation_say(&c, IW_SIDE_B, "F37");
    iw_conversation_end(&c);
}

/* F07 with MSN 9, an Invalidate STag, DV 0 and RV 2, and the CRC of the original: the contents, and their
 * consequences, are not judged. */
static void judges_nothing_else_of_an_fpdu_with_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(
        &c, IW_SIDE_A, "00174083 11111111 00000000 00000009 00000000 68656c6c 6f00ff00 b990b10c");
    iw_conversation_say(&c, IW_SIDE_A, "F09"); /* F07 was not private data: FPDUs begin where F07 ends */
    assert_int_equal(c.finding_count, 1);
    assert_string_equal(c.findings[0].requirement->id, "RFC5044-4.4-11");
    assert_int_equal(c.findings[0].frame, 3);
    c.expected_count = 1;
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_end(&c);
}

/* The FPDU with the wrong CRC looks like a Terminate. */
static void accepts_what_follows_a_terminate_with_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "00164147 00000000 00000002 00000001 00000000 20020000 7fe42584");
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

/* F03 with another Data Sink STag: its answer has the right one. */
static void accepts_the_answer_to_a_request_with_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A,
        "002e4141 00000000 00000001 00000001 00000000 00009999 00000000 00001000 00000008 00005678 00000000 "
        "00002000 03173a1e");
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_say(&c, IW_SIDE_B, "F05");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_end(&c);
}

/* ULPDU_Length was wrong: the apparent next FPDU is not one. Zeros have DV 0. */
static void reports_no_wrong_crc_of_octets_that_are_no_fpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "00124143 00000000 00000000 00000001 00000000 12345678");
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_say(&c, IW_SIDE_A, "00120000 00000000 00000000 00000000 00000000 12345678");
    iw_conversation_say(&c, IW_SIDE_A, "00040000 00000000 12345678");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_UNREAD), 24 + 12);
    iw_conversation_end(&c);
}

static void reports_no_broken_end_after_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F37 ffffffff ffff");
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* The startup was not captured: some octets of the payload may be a Marker, and zeros are no FPDU. */
static void accepts_what_may_be_a_marker(void **state) {
    (void)state;
    iw_conversation_init(&c, IW_EXT_ALL);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    iw_conversation_say(
        &c, IW_SIDE_A, "001a4143 00000000 00000000 00000003 00000000 00000014 00000000 00000000");
    iw_conversation_say(&c, IW_SIDE_A, "00000000 00000000 00000000 00000000");
    iw_conversation_fin(&c, IW_SIDE_A);
    assert_true(iw_conversation_unjudged(&c, IW_UNJUDGED_UNREAD) > 0);
    iw_conversation_end(&c);
}

/* ---- mistakes of the sender ---- */

static void expect_left_out(
    const char *reply, const char *octets, uint64_t at, const char *expected, const char *actual) {
    iw_conversation_open(&c, "M01", reply);
    at += iw_conversation_say(&c, IW_SIDE_A, octets);
    iw_conversation_expect(&c, "RFC5044-4.4-12", BY_INITIATOR, .frame = 3, .offset = at, .octets = 4,
        .field = "mpa.crc", .expected = expected, .actual = actual);
    iw_conversation_end(&c);
}

/* F07 and K01 with the CRC of fewer octets. */
static void reports_a_crc_of_too_little(void **state) {
    (void)state;
    expect_left_out("M03", "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 e2820f45", 28,
        "0xb990b10c", "0xe2820f45");
    assert_string_equal(
        c.findings[0].message, "CRC, computed without ULPDU_Length, is 0xe2820f45, expected 0xb990b10c");
    expect_left_out("M03", "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 10e14561", 28,
        "0xb990b10c", "0x10e14561");
    assert_string_equal(
        c.findings[0].message, "CRC, computed without the PAD, is 0x10e14561, expected 0xb990b10c");
    expect_left_out("M10",
        "00000000 002a4143 00000000 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000"
        "00000000 b7243ec3",
        0, "0x52239983", "0xb7243ec3");
    assert_string_equal(
        c.findings[0].message, "CRC, computed without the first Marker, is 0xb7243ec3, expected 0x52239983");
}

/* The Marker at 512 is missing in the 468 octets after K01; the next FPDU follows at 520. */
static void reports_a_marker_that_is_missing(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    at = iw_conversation_sum(&c, IW_SIDE_A, "01ce 4143 00000000 00000000 00000002 00000000 68656c6c6f *439");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_expect(&c, "RFC5044-4.3-02", BY_INITIATOR, .frame = 5, .offset = at + 460, .octets = 0,
        .expected = "present, 512 octets after the previous one", .actual = "missing", .context = {2});
    iw_conversation_end(&c);
}

/* K03 with zeros for its payload, a Marker before it and none inside. */
static void reports_markers_that_are_all_missing_inside_an_fpdu(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_sum(&c, IW_SIDE_A, "00000000 03f6 c140 11223344 0000000100002000 *1000");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_expect(&c, "RFC5044-4.3-02", BY_INITIATOR, .frame = 4, .offset = at + 512, .octets = 0,
        .expected = "present, 512 octets after the previous one", .actual = "missing", .context = {2});
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_wrong_crc),
        cmocka_unit_test(reports_every_wrong_crc),
        cmocka_unit_test(reports_that_a_wrong_crc_follows_from_pd_length),
        cmocka_unit_test(reports_a_wrong_crc_where_markers_were_asked_for_in_vain),
        cmocka_unit_test(reports_a_wrong_crc_among_markers_that_was_not_requested),
        cmocka_unit_test(reports_a_wrong_crc_if_one_side_wants_it),
        cmocka_unit_test(accepts_any_crc_where_it_is_not_in_use),
        cmocka_unit_test(judges_nothing_else_of_an_fpdu_with_a_wrong_crc),
        cmocka_unit_test(accepts_what_follows_a_terminate_with_a_wrong_crc),
        cmocka_unit_test(accepts_the_answer_to_a_request_with_a_wrong_crc),
        cmocka_unit_test(reports_no_wrong_crc_of_octets_that_are_no_fpdu),
        cmocka_unit_test(reports_no_broken_end_after_a_wrong_crc),
        cmocka_unit_test(accepts_what_may_be_a_marker),
        cmocka_unit_test(reports_a_crc_of_too_little),
        cmocka_unit_test(reports_a_marker_that_is_missing),
        cmocka_unit_test(reports_markers_that_are_all_missing_inside_an_fpdu),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
