#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define REQUEST "4d504120 49442052 65712046 72616d65 "
#define REPLY "4d504120 49442052 65702046 72616d65 "

static struct iw_conversation c;

/* ---- ULPDU_Length ---- */

static void reports_a_ulpdu_that_is_too_long(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fill(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000", 64751);
    iw_conversation_expect(&c, "RFC5044-3-05", BY_INITIATOR, .frame = 3, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = "at most 64768", .actual = "64769");
    iw_conversation_end(&c);
}

static void takes_the_longest_ulpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fill(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000", 64750);
    iw_conversation_end(&c);
}

static void expect_too_short(const char *ulpdu, const char *expected, const char *actual) {
    uint64_t at;

    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, ulpdu);
    iw_conversation_expect(&c, "RFC5044-4.1-04", BY_INITIATOR, .frame = 3, .offset = at, .octets = 2,
        .field = "mpa.ulpdu_length", .expected = expected, .actual = actual);
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

static void reports_a_ulpdu_without_a_whole_header(void **state) {
    (void)state;
    expect_too_short("4143 00000000 00000000 00000001 000000", "at least 18", "17");
    expect_too_short("c140 00000001 00000000 000000", "at least 14", "13");
    expect_too_short("", "at least 14", "0");
}

static void takes_the_shortest_ulpdus(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_say(&c, IW_SIDE_A, "F02");
    iw_conversation_end(&c);
}

/* ---- PAD ---- */

/* F07 has its three PAD octets at 25. */
static void reports_a_pad_octet_that_is_not_zero(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_change(&c, IW_SIDE_A, "F07", 26, "0102");
    iw_conversation_expect(&c, "RFC5044-4.1-02", BY_INITIATOR, .frame = 3, .offset = at + 26, .octets = 1,
        .expected = "0", .actual = "1");
    iw_conversation_end(&c);
}

/* Payload octets of any value stand where PAD would. */
static void takes_pad_of_every_length(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000001 00000000 ff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000002 00000000 ffff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000003 00000000 ffffff");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000004 00000000 ffffffff");
    iw_conversation_end(&c);
}

/* ---- Markers: M10 asks the initiator for them ---- */

static void reports_the_reserved_half_of_a_marker(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K03", 512, "8000");
    iw_conversation_expect(&c, "RFC5044-4.2-02", BY_INITIATOR, .frame = 3, .offset = at + 512, .octets = 2,
        .field = "mpa.marker.reserved", .expected = "0x0000", .actual = "0x8000");
    iw_conversation_end(&c);
}

static void reports_the_low_bits_of_fpduptr(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K03", 514, "01fd");
    iw_conversation_expect(&c, "RFC5044-4.2-03", BY_INITIATOR, .frame = 3, .offset = at + 514, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "508", .actual = "509");
    iw_conversation_end(&c);
}

static void reports_an_fpduptr_to_another_place(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K03", 514, "0200");
    iw_conversation_expect(&c, "RFC5044-4.3-03", BY_INITIATOR, .frame = 3, .offset = at + 514, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "508", .actual = "512");
    iw_conversation_end(&c);
}

static void reports_the_fpduptr_of_a_marker_between_two_fpdus(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K01", 2, "0004");
    iw_conversation_expect(&c, "RFC5044-4.3-05", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "0", .actual = "4");
    iw_conversation_end(&c);
}

/* Every Marker of K03 8 too far: 8, 516 and, left as it was, 1020. */
static void reports_one_marker_of_an_fpdu(void **state) {
    char octets[2 * 516 + 1];
    uint64_t at;

    (void)state;
    memset(octets, '0', sizeof octets - 1);
    octets[sizeof octets - 1] = 0;
    memcpy(octets, "0000000803f6c140112233440000000100002000", 40);
    memcpy(octets + 2 * 512, "00000204", 8);
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K03", 0, octets);
    iw_conversation_expect(&c, "RFC5044-4.3-05", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "0", .actual = "8");
    iw_conversation_end(&c);
}

/* K01 stands at 0 of the stream, K03 too. */
/* K01 has one, M01 and M03 ask for none. What follows is read with Markers. */
static void reports_markers_that_nobody_asked_for_once(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "K01");
    iw_conversation_expect(&c, "RFC5044-7.1.1-05", BY_INITIATOR, .frame = 3, .offset = at, .octets = 4,
        .field = "mpa.marker.fpduptr", .expected = "none, for the other side's M is 0", .actual = "there",
        .context = {2});
    iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00020000 0000");
    assert_int_equal(c.events[IW_MPA_FPDU], 2);
    iw_conversation_end(&c);
}

static void reports_markers_that_were_asked_for_in_vain_once(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00010000 0000");
    iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00020000 0000");
    iw_conversation_expect(&c, "RFC5044-7.1.1-06", BY_INITIATOR, .frame = 3, .offset = at, .octets = 0,
        .expected = "there, for the other side's M is 1", .actual = "missing", .context = {2});
    assert_int_equal(c.events[IW_MPA_FPDU], 2);
    iw_conversation_end(&c);
}

static void takes_markers_in_their_places(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M02", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K03");
    iw_conversation_say(&c, IW_SIDE_B, "K01");
    iw_conversation_end(&c);
}

/* ---- CRC ---- */

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
    iw_conversation_end(&c);
}

/* M10 asks for Markers: their want is told once, and the CRC is summed over the FPDU as it was sent. */
static void reports_a_wrong_crc_where_markers_were_asked_for_in_vain(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    iw_conversation_expect(&c, "RFC5044-7.1.1-06", BY_INITIATOR, .frame = 3, .offset = at, .octets = 0,
        .expected = "there, for the other side's M is 1", .actual = "missing", .context = {2});
    expect_bad_crc(3, at + 28, "0xb990b10c", "0xb990b10d");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    assert_int_equal(c.events[IW_MPA_FPDU], 2);
    iw_conversation_end(&c);
}

/* K01 with one CRC bit flipped, in a stream for which nobody has asked for Markers. */
static void reports_a_wrong_crc_among_markers_that_nobody_asked_for(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A,
        "00000000 002a4143 00000000 00000000 00000001 00000000 00000000 00000000 00000000 00000000 00000000"
        "00000000 52239982");
    iw_conversation_expect(&c, "RFC5044-7.1.1-05", BY_INITIATOR, .frame = 3, .offset = at, .octets = 4,
        .field = "mpa.marker.fpduptr", .expected = "none, for the other side's M is 0", .actual = "there",
        .context = {2});
    expect_bad_crc(3, at + 48, "0x52239983", "0x52239982");
    iw_conversation_end(&c);
}

/* One wish is enough (RFC 5044 7.1.1). */
static void reports_a_wrong_crc_if_one_side_wants_it(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", REPLY "00010000");
    at = iw_conversation_say(&c, IW_SIDE_A, "F37");
    expect_bad_crc(3, at + 28, "0xb990b10c", "0xb990b10d");
    iw_conversation_end(&c);
}

static void takes_any_crc_where_it_is_not_in_use(void **state) {
    (void)state;
    iw_conversation_open(&c, REQUEST "00010000", REPLY "00010000");
    iw_conversation_say(&c, IW_SIDE_A, "F36");
    iw_conversation_say(&c, IW_SIDE_A, "F09"); /* one that is right */
    iw_conversation_say(&c, IW_SIDE_B, "F37");
    iw_conversation_end(&c);
}

/* F07 with MSN 9, STag of the Invalidate field, DV 0 and RV 2, and the CRC it had before: what is said in
 * it, and what follows from that, is nothing to judge. */
static void judges_nothing_else_of_an_fpdu_with_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(
        &c, IW_SIDE_A, "00174083 11111111 00000000 00000009 00000000 68656c6c 6f00ff00 b990b10c");
    assert_int_equal(c.finding_count, 1);
    assert_string_equal(c.findings[0].requirement->id, "RFC5044-4.4-11");
    c.expected_count = 1;
    iw_conversation_say(&c, IW_SIDE_A, "F09");
    assert_int_equal(iw_conversation_unjudged(&c, IW_UNJUDGED_SEQUENCE), 1);
    iw_conversation_end(&c);
}

/* It looks like a Terminate. */
static void takes_what_follows_a_terminate_with_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "00164147 00000000 00000002 00000001 00000000 20020000 7fe42584");
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_end(&c);
}

/* F03 with another Data Sink STag: its answer has the right one. */
static void takes_the_answer_to_a_request_with_a_wrong_crc(void **state) {
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

/* ULPDU_Length was what is wrong: what seems to be the next FPDU is none. Zeros have DV 0. */
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

static void reports_no_broken_end_behind_a_wrong_crc(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F37 ffffffff ffff");
    assert_int_equal(c.finding_count, 1);
    c.expected_count = 1;
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* The startup was not captured: in the place of the payload there may be a Marker, and zeros are no FPDU. */
static void takes_what_may_be_a_marker(void **state) {
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

/* ---- the end ---- */

static void reports_a_fin_inside_an_fpdu(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5041-6.2.1-01", BY_INITIATOR, .frame = 4, .offset = at + 32, .octets = 0,
        .expected = "whole", .actual = "8 octets of it");
    iw_conversation_end(&c);
}

/* L=0: the message of the last segment goes on (RFC 5041 4.1). */
static void expect_open_message(uint64_t at, uint64_t begun) {
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_expect(&c, "RFC5041-6.2.1-01", BY_INITIATOR, .frame = c.frame, .offset = at, .octets = 0,
        .expected = "sent to its last segment", .actual = "open", .context = {begun});
    iw_conversation_end(&c);
}

static void reports_a_fin_inside_a_message(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "0143 00000000 00000000 00000001 00000000 61626364");
    expect_open_message(at + 28, 3);
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_fpdu(&c, IW_SIDE_A, "8140 00000001 0000000000000000 61626364");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "8140 00000001 0000000000000004 61626364");
    expect_open_message(at + 24, 3);
}

static void takes_a_fin_inside_a_message_that_nobody_can_see(void **state) {
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

static void takes_a_fin_between_fpdus(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F07");
    iw_conversation_say(&c, IW_SIDE_B, "F07");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    assert_int_equal(c.events[IW_MPA_CLOSE], 2);
    iw_conversation_end(&c);
}

/* An abortive end cuts anything off (RFC 5040 6.2). */
static void takes_a_reset_inside_an_fpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    iw_conversation_rst(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* Who has sent or received a Terminate may stop where it is (RFC 5040 6.2.1). */
static void takes_a_fin_inside_an_fpdu_behind_a_terminate(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08");
    iw_conversation_say(&c, IW_SIDE_A, "00174143 00000000");
    iw_conversation_say(&c, IW_SIDE_B, "F12");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_fin(&c, IW_SIDE_B);
    iw_conversation_end(&c);
}

/* What it has received and the capture does not hold may be a Terminate. */
static void takes_a_fin_inside_an_fpdu_behind_what_was_not_captured(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    c.unseen = true;
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_end(&c);
}

/* The capture ends where it ends. */
static void takes_the_end_of_the_capture_inside_an_fpdu(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    iw_conversation_say(&c, IW_SIDE_A, "F08 00174143 00000000");
    iw_conversation_finish(&c);
    assert_int_equal(c.events[IW_MPA_CLOSE], 2);
    iw_conversation_end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_a_ulpdu_that_is_too_long),
        cmocka_unit_test(takes_the_longest_ulpdu),
        cmocka_unit_test(reports_a_ulpdu_without_a_whole_header),
        cmocka_unit_test(takes_the_shortest_ulpdus),
        cmocka_unit_test(reports_a_pad_octet_that_is_not_zero),
        cmocka_unit_test(takes_pad_of_every_length),
        cmocka_unit_test(reports_the_reserved_half_of_a_marker),
        cmocka_unit_test(reports_the_low_bits_of_fpduptr),
        cmocka_unit_test(reports_an_fpduptr_to_another_place),
        cmocka_unit_test(reports_the_fpduptr_of_a_marker_between_two_fpdus),
        cmocka_unit_test(reports_one_marker_of_an_fpdu),
        cmocka_unit_test(reports_markers_that_nobody_asked_for_once),
        cmocka_unit_test(reports_markers_that_were_asked_for_in_vain_once),
        cmocka_unit_test(takes_markers_in_their_places),
        cmocka_unit_test(reports_a_wrong_crc),
        cmocka_unit_test(reports_every_wrong_crc),
        cmocka_unit_test(reports_a_wrong_crc_if_one_side_wants_it),
        cmocka_unit_test(reports_a_wrong_crc_where_markers_were_asked_for_in_vain),
        cmocka_unit_test(reports_a_wrong_crc_among_markers_that_nobody_asked_for),
        cmocka_unit_test(takes_any_crc_where_it_is_not_in_use),
        cmocka_unit_test(judges_nothing_else_of_an_fpdu_with_a_wrong_crc),
        cmocka_unit_test(takes_what_follows_a_terminate_with_a_wrong_crc),
        cmocka_unit_test(takes_the_answer_to_a_request_with_a_wrong_crc),
        cmocka_unit_test(reports_no_wrong_crc_of_octets_that_are_no_fpdu),
        cmocka_unit_test(reports_no_broken_end_behind_a_wrong_crc),
        cmocka_unit_test(takes_what_may_be_a_marker),
        cmocka_unit_test(reports_a_fin_inside_an_fpdu),
        cmocka_unit_test(reports_a_fin_inside_a_message),
        cmocka_unit_test(takes_a_fin_inside_a_message_that_nobody_can_see),
        cmocka_unit_test(takes_a_fin_between_fpdus),
        cmocka_unit_test(takes_a_reset_inside_an_fpdu),
        cmocka_unit_test(takes_a_fin_inside_an_fpdu_behind_a_terminate),
        cmocka_unit_test(takes_a_fin_inside_an_fpdu_behind_what_was_not_captured),
        cmocka_unit_test(takes_the_end_of_the_capture_inside_an_fpdu),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
