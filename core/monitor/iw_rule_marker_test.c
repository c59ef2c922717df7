#include "iw_conversation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <cmocka.h>

static struct iw_conversation c;

/* M10 asks the initiator for Markers. */

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
    iw_conversation_expect(&c, "RFC5044-4.3-08", BY_INITIATOR, .frame = 3, .offset = at + 514, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "508", .actual = "512");
    iw_conversation_end(&c);
}

/* K03 with both Markers inside it 4 too far. */
static void reports_every_fpduptr_to_another_place(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K03", 512, "00000200 *508 00000400");
    iw_conversation_expect(&c, "RFC5044-4.3-03", BY_INITIATOR, .frame = 3, .offset = at + 514, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "508", .actual = "512");
    iw_conversation_end(&c);
}

/* K01 has 52 octets; the Marker at 512 is 460 after the ULPDU_Length of the next FPDU. */
static void expect_in_second_fpdu(const char *marker, const char *id, const char *actual) {
    char text[80];
    uint64_t at;

    snprintf(text, sizeof text, "01ce 4143 00000000 00000000 00000002 00000000 *440 %s *4", marker);
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    at = iw_conversation_sum(&c, IW_SIDE_A, text);
    if (id != NULL)
        iw_conversation_expect(&c, id, BY_INITIATOR, .frame = 4, .offset = at + 462, .octets = 2,
            .field = "mpa.marker.fpduptr", .expected = "460", .actual = actual);
    iw_conversation_end(&c);
}

static void reports_the_fpduptr_of_a_marker_after_a_small_fpdu(void **state) {
    (void)state;
    expect_in_second_fpdu("000001cc", NULL, NULL);
    expect_in_second_fpdu("00000200", "RFC5044-4.3-09", "512"); /* to K01 */
    expect_in_second_fpdu("00000000", "RFC5044-4.3-09", "0");
}

/* The second FPDU ends at 512. */
static void reports_the_fpduptr_of_a_later_marker_between_two_fpdus(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    iw_conversation_sum(&c, IW_SIDE_A, "01c6 4143 00000000 00000000 00000002 00000000 *436");
    at = iw_conversation_sum(&c, IW_SIDE_A, "00000008 00124143 00000000 00000000 00000003 00000000");
    iw_conversation_expect(&c, "RFC5044-4.3-05", BY_INITIATOR, .frame = 5, .offset = at + 2, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "0", .actual = "8");
    iw_conversation_end(&c);
}

static void reports_a_first_marker_that_is_not_all_zero(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(&c, IW_SIDE_A, "K01", 2, "0004");
    iw_conversation_expect(&c, "RFC5044-7.1.2-19", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "0", .actual = "4");
    iw_conversation_end(&c);
}

/* FPDUPTR of the first two Markers of K03 is 8 too high: 8 and 516. Only the first one is reported. */
static void reports_one_marker_of_an_fpdu(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_change(
        &c, IW_SIDE_A, "K03", 0, "00000008 03f6 c140 11223344 0000000100002000 *492 00000204");
    iw_conversation_expect(&c, "RFC5044-7.1.2-19", BY_INITIATOR, .frame = 3, .offset = at + 2, .octets = 2,
        .field = "mpa.marker.fpduptr", .expected = "0", .actual = "8");
    iw_conversation_end(&c);
}

/* The Marker of every FPDU is four octets late: one fault. A correct Marker ends it. */
static void folds_markers_that_are_wrong_one_after_the_other(void **state) {
    static const char fpdu[] = "01ce 4143 00000000 00000000 00000002 00000000 *440 00000200 *4";

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_change(&c, IW_SIDE_A, "K01", 2, "0004");
    iw_conversation_found(&c, "RFC5044-7.1.2-19");
    iw_conversation_sum(&c, IW_SIDE_A, fpdu);
    iw_conversation_found(&c, "RFC5044-4.3-09");
    assert_int_equal(c.findings[1].cause, c.findings[0].number);
    assert_int_equal(c.findings[1].cause_frame, 3);
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    iw_conversation_sum(&c, IW_SIDE_A, fpdu);
    iw_conversation_found(&c, "RFC5044-4.3-09");
    assert_int_equal(c.findings[0].cause, 0);
    iw_conversation_end(&c);
}

/* K01 has a Marker; M01 and M03 do not ask for Markers. The next octets are read with Markers. */
static void reports_markers_that_was_not_requested_once(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M03");
    at = iw_conversation_say(&c, IW_SIDE_A, "K01");
    iw_conversation_expect(&c, "RFC5044-7.1.1-05", BY_INITIATOR, .frame = 3, .offset = at, .octets = 4,
        .field = "mpa.marker.fpduptr", .expected = "none, because the other side's M is 0",
        .actual = "present", .context = {2});
    iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00020000 0000");
    assert_int_equal(c.events[IW_LLP_SEGMENT], 2);
    iw_conversation_end(&c);
}

static void reports_markers_that_were_asked_for_in_vain_once(void **state) {
    uint64_t at;

    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    at = iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00010000 0000");
    iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00020000 0000");
    iw_conversation_expect(&c, "RFC5044-7.1.1-06", BY_INITIATOR, .frame = 3, .offset = at, .octets = 0,
        .expected = "present, because the other side's M is 1", .actual = "missing", .context = {2});
    assert_int_equal(c.events[IW_LLP_SEGMENT], 2);
    iw_conversation_end(&c);
}

/* The capture truncates the first FPDU. The captured part of its header still shows whether there are
 * Markers, because it is invalid if read as negotiated. The finding about Markers is the only one. */
static void reports_unexpected_markers_of_a_first_fpdu_that_is_truncated(void **state) {
    static const char marked[] = "000000000012414300000000000000000000000100000000";

    (void)state;
    for (uint32_t count = 6; count < 20; count++) {
        uint64_t at;

        iw_conversation_open(&c, "M01", "M10");
        at = iw_conversation_cut(&c, IW_SIDE_A, "41430000 00000000 00000000 00010000 0000", count, true);
        iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00020000 0000");
        iw_conversation_expect(&c, "RFC5044-7.1.1-06", BY_INITIATOR, .frame = 4, .offset = at, .octets = 0,
            .expected = "present, because the other side's M is 1", .actual = "missing", .context = {2});
        iw_conversation_end(&c);

        iw_conversation_open(&c, "M01", "M03");
        at = iw_conversation_say_cut(&c, IW_SIDE_A, marked, count + iw_mpa_marker_octets, 28);
        iw_conversation_fpdu(&c, IW_SIDE_A, "41430000 00000000 00000000 00020000 0000");
        iw_conversation_expect(&c, "RFC5044-7.1.1-05", BY_INITIATOR, .frame = 4, .offset = at, .octets = 4,
            .field = "mpa.marker.fpduptr", .expected = "none, because the other side's M is 0",
            .actual = "present", .context = {2});
        iw_conversation_end(&c);
    }
}

static void accepts_markers_in_their_places(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K01");
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M02", "M10");
    iw_conversation_say(&c, IW_SIDE_A, "K03");
    iw_conversation_say(&c, IW_SIDE_B, "K01");
    iw_conversation_end(&c);
}

/* Only the first Marker is missing: the one at 512 is present, 468 octets into the second FPDU or 512 into
 * the first, and the later ones. The present Markers were requested. */
static void reports_once_that_the_first_marker_alone_is_missing(void **state) {
    (void)state;
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_fpdu(&c, IW_SIDE_A,
        "4143 00000000 00000000 00000001 00000000 61626364 65666768 696a6b6c 6d6e6f70 71727374");
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000002 00000000 *448 000001d4 *52");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000003 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000004 00000000 6f6b");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_found(&c, "RFC5044-7.1.1-06");
    iw_conversation_found(&c, "RFC5044-4.4-11");
    assert_int_equal(c.findings[1].cause, 1);
    iw_conversation_end(&c);
    iw_conversation_open(&c, "M01", "M10");
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000001 00000000 *492 00000200 *8");
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000002 00000000 *476 000001f0 *24");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000003 00000000 6f6b");
    iw_conversation_fpdu(&c, IW_SIDE_A, "4143 00000000 00000000 00000004 00000000 6f6b");
    iw_conversation_fin(&c, IW_SIDE_A);
    iw_conversation_found(&c, "RFC5044-7.1.1-06");
    iw_conversation_found(&c, "RFC5044-4.4-11");
    assert_int_equal(c.findings[1].cause, 1);
    iw_conversation_end(&c);
}

/* The capture lacks 20 octets of the initiator, and of both sides if `both`. Its FPDUs have Markers at 512
 * and 1024 octets after the Request. */
static void say_marked_after_loss(const char *reply, bool both) {
    iw_conversation_open(&c, "M01", reply);
    if (both)
        iw_conversation_gap(&c, IW_SIDE_B, 20, false);
    iw_conversation_gap(&c, IW_SIDE_A, 20, false);
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000001 00000000 *472 000001ec *28");
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000002 00000000 *456 000001dc *44");
}

/* The startup frames of another connection between the same ports may be among the lost octets. */
static void judges_no_unexpected_markers_after_a_loss_of_both_sides(void **state) {
    (void)state;
    say_marked_after_loss("M03", true);
    iw_conversation_end(&c);
    say_marked_after_loss("M03", false);
    iw_conversation_found(&c, "RFC5044-7.1.1-05");
    iw_conversation_end(&c);
}

/* Markers that count from the beginning of another connection: 100 octets after the place where they are due.
 */
static void say_displaced_after_loss(bool both) {
    say_marked_after_loss("M10", both);
    if (both)
        iw_conversation_gap(&c, IW_SIDE_B, 20, false);
    iw_conversation_gap(&c, IW_SIDE_A, 20, false);
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000004 00000000 *492 00000200 *8");
    iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000005 00000000 *476 000001f0 *24");
}

static void judges_no_place_of_markers_after_a_loss_of_both_sides(void **state) {
    (void)state;
    say_displaced_after_loss(true);
    iw_conversation_end(&c);
    say_displaced_after_loss(false);
    iw_conversation_found(&c, "RFC5044-4.3-09");
    iw_conversation_found(&c, "RFC5044-4.3-09");
    iw_conversation_end(&c);
}

/* An FPDU without the Marker that would be due in the connection before the loss, 1024 octets after the
 * Request. The short segments before it prove where FPDUs begin. */
static void judges_no_missing_marker_after_a_loss_of_both_sides(void **state) {
    (void)state;
    for (int both = 1; both >= 0; both--) {
        iw_conversation_open(&c, "M01", "M10");
        iw_conversation_sum(
            &c, IW_SIDE_A, "00000000 0206 4143 00000000 00000000 00000001 00000000 *488 000001fc *12");
        if (both)
            iw_conversation_gap(&c, IW_SIDE_B, 20, false);
        iw_conversation_gap(&c, IW_SIDE_A, 20, false);
        for (int i = 0; i < 16; i++)
            iw_conversation_sum(&c, IW_SIDE_A, "000e c140 00000001 00000000 00000000");
        iw_conversation_sum(&c, IW_SIDE_A, "0206 4143 00000000 00000000 00000002 00000000 *500");
        iw_conversation_sum(&c, IW_SIDE_A, "0012 4143 00000000 00000000 00000003 00000000");
        if (!both)
            iw_conversation_found(&c, "RFC5044-4.3-02");
        iw_conversation_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_the_reserved_half_of_a_marker),
        cmocka_unit_test(reports_the_low_bits_of_fpduptr),
        cmocka_unit_test(reports_an_fpduptr_to_another_place),
        cmocka_unit_test(reports_every_fpduptr_to_another_place),
        cmocka_unit_test(reports_the_fpduptr_of_a_marker_after_a_small_fpdu),
        cmocka_unit_test(reports_the_fpduptr_of_a_later_marker_between_two_fpdus),
        cmocka_unit_test(reports_a_first_marker_that_is_not_all_zero),
        cmocka_unit_test(reports_one_marker_of_an_fpdu),
        cmocka_unit_test(folds_markers_that_are_wrong_one_after_the_other),
        cmocka_unit_test(reports_markers_that_was_not_requested_once),
        cmocka_unit_test(reports_markers_that_were_asked_for_in_vain_once),
        cmocka_unit_test(reports_unexpected_markers_of_a_first_fpdu_that_is_truncated),
        cmocka_unit_test(accepts_markers_in_their_places),
        cmocka_unit_test(reports_once_that_the_first_marker_alone_is_missing),
        cmocka_unit_test(judges_no_unexpected_markers_after_a_loss_of_both_sides),
        cmocka_unit_test(judges_no_place_of_markers_after_a_loss_of_both_sides),
        cmocka_unit_test(judges_no_missing_marker_after_a_loss_of_both_sides),
    };

    return cmocka_run_group_tests(tests, iw_conversation_load, iw_conversation_unload);
}
