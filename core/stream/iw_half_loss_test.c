#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_half.h"
#include "iw_stream_fixture.h"

/* One side alone, with missing octets. */

#define A IW_SIDE_A

static struct iw_half half;
static struct iw_stream_fixture fixture;

static int begin(void **state) {
    (void)state;
    iw_stream_fixture_init_alone(&fixture, &half);
    fixture.log.frames = true;
    return 0;
}

static int end(void **state) {
    (void)state;
    iw_stream_fixture_dispose(&fixture);
    return 0;
}

/* Frame 1 is the Request; full operation begins at offset 20. */
static void begin_full_operation(bool markers, enum iw_crc_use crc) {
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_half_begin_operation(&half, markers, crc);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 request rev 1 C pd 0\n");
}

/* ---- in full operation ---- */

static void a_gap_inside_an_fpdu_is_no_loss(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_part(&fixture, A, "F07", 0, 20);
    iw_stream_fixture_gap(&fixture, A, 4, false);
    iw_stream_fixture_part(&fixture, A, "F07 F08", 24, 56);
    iw_stream_fixture_expect(&fixture, "A fpdu 20+32 f2-4 ulpdu 23 crc not captured captured 20 of 32\n"
                                       "A fpdu 52+24 f4-4 ulpdu 18 crc good\n");
}

static void cut_packets_of_one_fpdu_each_are_no_loss(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    for (unsigned i = 0; i < 2; i++) {
        iw_stream_fixture_part(&fixture, A, "F38", 0, 100);
        iw_stream_fixture_gap(&fixture, A, 1348, true);
    }
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_expect(&fixture,
        "A fpdu 20+1448 f2-3 ulpdu 1442 crc not captured captured 100 of 1448\n"
        "A fpdu 1468+1448 f4-5 ulpdu 1442 crc not captured captured 100 of 1448\n"
        "A fpdu 2916+32 f6-6 ulpdu 23 crc good\n");
}

/* F07 F09 F08 without octets 20 to 50, of which the first 12 belong to F07; F09 ends at 64. */
static void a_gap_over_a_boundary_is_a_loss_up_to_the_next_fpdu(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_part(&fixture, A, "F07", 0, 20);
    iw_stream_fixture_gap(&fixture, A, 30, false);
    iw_stream_fixture_part(&fixture, A, "F07 F09 F08", 50, 88);
    iw_stream_fixture_expect(&fixture, "A fpdu 20+32 f2-3 ulpdu 23 crc not captured captured 20 of 32\n"
                                       "A loss 52+32 f3-4 missing 18\n"
                                       "A fpdu 84+24 f4-4 ulpdu 18 crc good\n");
}

static void a_gap_of_whole_fpdus_loses_only_them(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_gap(&fixture, A, 52, true);
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_send(&fixture, A, "F09");
    iw_stream_fixture_expect(&fixture, "A fpdu 20+32 f2-2 ulpdu 23 crc good\n"
                                       "A loss 52+52 f3-3 missing 52 cut\n"
                                       "A fpdu 104+24 f4-4 ulpdu 18 crc good\n"
                                       "A fpdu 128+32 f5-5 ulpdu 23 crc good\n");
}

/* ULPDU_Length is incomplete: only its first octet came. */
static void a_gap_in_ulpdu_length_loses_the_fpdu(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_part(&fixture, A, "F07", 0, 1);
    iw_stream_fixture_gap(&fixture, A, 1, false);
    iw_stream_fixture_part(&fixture, A, "F07 F08", 2, 56);
    iw_stream_fixture_expect(&fixture, "A loss 20+32 f2-4 missing 1\nA fpdu 52+24 f4-4 ulpdu 18 crc good\n");
}

static void several_gaps_are_one_loss(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_gap(&fixture, A, 40, false);
    iw_stream_fixture_part(&fixture, A, "F38", 100, 200);
    iw_stream_fixture_gap(&fixture, A, 8, true);
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(
        &fixture, "A loss 20+148 f2-4 missing 48 cut\nA fpdu 168+24 f5-5 ulpdu 18 crc good\n");
}

/* A complete FPDU between two gaps is found by its CRC, although no octet after it confirms it. */
static void an_fpdu_between_two_gaps_is_found(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_UNKNOWN);
    iw_stream_fixture_gap(&fixture, A, 40, false);
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_gap(&fixture, A, 24, false);
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(&fixture, "A loss 20+40 f2-2 missing 40\nA fpdu 60+32 f3-3 ulpdu 23 crc good\n");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A loss 92+24 f4-4 missing 24\n"
                                       "A fpdu 116+24 f5-5 ulpdu 18 crc good\n"
                                       "A close 140+0 f6-6 fin pending 0\n");
}

static void a_gap_after_the_found_fpdu_may_lie_in_the_next(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_UNKNOWN);
    iw_stream_fixture_gap(&fixture, A, 40, false);
    iw_stream_fixture_part(&fixture, A, "F07 F09 F08", 0, 52);
    iw_stream_fixture_gap(&fixture, A, 12, true);
    iw_stream_fixture_part(&fixture, A, "F07 F09 F08", 64, 88);
    iw_stream_fixture_expect(&fixture, "A loss 20+40 f2-2 missing 40\n"
                                       "A fpdu 60+32 f3-3 ulpdu 23 crc good\n"
                                       "A fpdu 92+32 f3-4 ulpdu 23 crc not captured captured 20 of 32\n"
                                       "A fpdu 124+24 f5-5 ulpdu 18 crc good\n");
}

/* If payload contains FPDUs, two octets that are not a ULPDU_Length may lead from one of them to another. The
 * octets between them were not captured, and prove nothing. */
static void a_hole_proves_nothing(void **state) {
    static const uint8_t header[16] = {0xff, 0xf0, 0x81, 0x40}; /* header of an FPDU of 65,528 octets */
    enum { WIRE = 65528 };
    uint8_t octets[20 * 32 + sizeof header];
    const struct iw_vector *small = iw_stream_fixture_vector("F07");

    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_gap(&fixture, A, 1000, false);
    for (size_t i = 0; i < 20; i++)
        memcpy(octets + i * 32, small->octets, 32);
    memcpy(octets + 20 * 32, header, sizeof header);
    iw_stream_fixture_octets(&fixture, A, octets, sizeof octets);
    iw_stream_fixture_gap(&fixture, A, WIRE - sizeof header, false);
    iw_stream_fixture_send(&fixture, A, "F07");
    assert_int_equal(half.phase, IW_HALF_FPDU);
    assert_true(half.unproven);
}

static void without_crc_two_headers_in_a_row_are_the_proof(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_OFF);
    iw_stream_fixture_gap(&fixture, A, 32, false);
    iw_stream_fixture_send(&fixture, A, "F36");
    iw_stream_fixture_expect(&fixture, "");
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(&fixture, "A loss 20+32 f2-2 missing 32\n"
                                       "A fpdu 52+32 f3-3 ulpdu 23 crc unchecked\n"
                                       "A fpdu 84+24 f4-4 ulpdu 18 crc unchecked\n");
}

static void among_markers_the_origin_is_still_known(void **state) {
    (void)state;
    begin_full_operation(true, IW_CRC_ON);
    iw_stream_fixture_send(&fixture, A, "K01");
    iw_stream_fixture_gap(&fixture, A, 440, false);
    iw_stream_fixture_send(&fixture, A, "K02");
    iw_stream_fixture_expect(&fixture, "A fpdu 20+52 f2-2 ulpdu 42 crc good marker 0\n"
                                       "A loss 72+440 f3-3 missing 440\n"
                                       "A fpdu 512+52 f4-4 ulpdu 42 crc good marker 20\n");
}

/* The captured half of the Marker, read as ULPDU_Length, is 0, which no FPDU has (RFC 5044 3). */
static void unsettled_half_of_the_first_marker_shows_markers(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M03");
    iw_stream_fixture_part(&fixture, A, "K01", 0, 2);
    iw_stream_fixture_gap(&fixture, A, 2, false);
    iw_stream_fixture_part(&fixture, A, "K01", 4, 52);
    iw_stream_fixture_gap(&fixture, A, 440, false);
    iw_stream_fixture_send(&fixture, A, "K02");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 reply rev 1 C pd 0\n"
                                       "A loss 20+492 f2-5 missing 442\n"
                                       "A fpdu 512+52 f6-6 ulpdu 42 crc good marker 20\n"
                                       "A close 564+0 f7-7 fin pending 0\n");
}

static void a_gap_up_to_the_end_stays_open(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_gap(&fixture, A, 100, false);
    iw_stream_fixture_part(&fixture, A, "F07", 3, 32);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A fpdu 20+32 f2-2 ulpdu 23 crc good\n"
                                       "A loss 52+129 f3-4 missing 100 open\n"
                                       "A close 181+0 f5-5 fin pending 0\n");
}

static void unreadable_octets_are_given_up_at_the_limit(void **state) {
    (void)state;
    begin_full_operation(false, IW_CRC_ON);
    iw_stream_fixture_gap(&fixture, A, 10, false);
    for (uint32_t fed = 0; fed <= IW_HALF_SEARCH_MAX; fed += 1024)
        iw_stream_fixture_zeros(&fixture, A, 1024);
    assert_int_equal(half.phase, IW_HALF_OTHER);
    assert_int_equal(half.store.capacity, 0);
    assert_int_equal(fixture.log.count[IW_LLP_LOSS], 1);
    iw_stream_fixture_send(&fixture, A, "F07");
    assert_int_equal(fixture.log.count[IW_LLP_SEGMENT], 0);
    iw_event_log_clear(&fixture.log);
    iw_stream_fixture_gap(&fixture, A, 100, false);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A loss 263198+132 f260-261 missing 100 given up 32 open\n"
                                       "A close 263330+0 f262-262 fin pending 0\n");
}

/* ---- in the startup ---- */

static void a_gap_in_the_frame_header_loses_the_frame(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_part(&fixture, A, "M01", 0, 15);
    iw_stream_fixture_gap(&fixture, A, 5, false);
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A loss 0+20 f1-2 missing 5\n"
                                       "A fpdu 20+32 f3-3 ulpdu 23 crc good\n"
                                       "A fpdu 52+24 f3-3 ulpdu 18 crc good\n");
}

static void truncated_private_data_keep_the_frame(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_part(&fixture, A, "M05", 0, 24);
    iw_stream_fixture_gap(&fixture, A, 4, true);
    iw_stream_fixture_expect(&fixture, "A startup 0+28 f1-2 request rev 2 C S pd 8 captured 24\n");
    iw_half_begin_operation(&half, false, IW_CRC_ON);
    iw_stream_fixture_send(&fixture, A, "F02");
    iw_stream_fixture_expect(&fixture, "A fpdu 28+20 f3-3 ulpdu 14 crc good\n");
}

static void private_data_with_a_hole_keep_the_frame(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_part(&fixture, A, "M05", 0, 22);
    iw_stream_fixture_gap(&fixture, A, 2, true);
    iw_stream_fixture_part(&fixture, A, "M05", 24, 26);
    iw_stream_fixture_expect(&fixture, "");
    iw_stream_fixture_part(&fixture, A, "M05 F02", 26, 48);
    iw_stream_fixture_expect(&fixture, "A startup 0+28 f1-4 request rev 2 C S pd 8 captured 22\n");
    iw_half_begin_operation(&half, false, IW_CRC_ON);
    iw_stream_fixture_expect(&fixture, "A fpdu 28+20 f4-4 ulpdu 14 crc good\n");
}

static void a_gap_over_the_end_of_the_frame_keeps_the_frame(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_part(&fixture, A, "M05", 0, 21);
    iw_stream_fixture_gap(&fixture, A, 27, true); /* the last 7 of M05, and F02 */
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_expect(&fixture, "A startup 0+28 f1-2 request rev 2 C S pd 8 captured 21\n");
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(&fixture, "A loss 28+20 f2-2 missing 20 cut\n"
                                       "A fpdu 48+32 f3-3 ulpdu 23 crc good\n"
                                       "A fpdu 80+24 f4-4 ulpdu 18 crc good\n");
}

static void a_close_in_cut_private_data_counts_what_was_sent(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_part(&fixture, A, "M05", 0, 21);
    iw_stream_fixture_gap(&fixture, A, 5, true);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A close 26+0 f3-3 fin pending 26\n");
}

static void reading_continues_after_a_gap_in_hold(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01 F07");
    iw_stream_fixture_gap(&fixture, A, 24, false);
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(
        &fixture, "A startup 0+20 f1-1 request rev 1 C pd 0\nA fpdu 20+32 f1-1 ulpdu 23 crc good\n");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A loss 52+24 f2-2 missing 24\n"
                                       "A fpdu 76+24 f3-3 ulpdu 18 crc good\n"
                                       "A close 100+0 f4-4 fin pending 0\n");
}

/* ---- without a beginning ---- */

static void a_late_capture_is_read_from_two_correct_crcs_on(void **state) {
    (void)state;
    iw_stream_fixture_part(&fixture, A, "F38", 1000, 1448);
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_expect(&fixture, "");
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(&fixture, "A loss 0+448 f1-1 missing 0\n"
                                       "A fpdu 448+32 f2-2 ulpdu 23 crc good\n"
                                       "A fpdu 480+24 f3-3 ulpdu 18 crc good\n");
    assert_true(half.search.found);
    iw_stream_fixture_send(&fixture, A, "F37");
    iw_stream_fixture_expect(&fixture, "A fpdu 504+32 f4-4 ulpdu 23 crc unproven\n");
}

static void a_capture_that_begins_between_fpdus_loses_nothing(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_expect(
        &fixture, "A fpdu 0+32 f1-1 ulpdu 23 crc good\nA fpdu 32+24 f1-1 ulpdu 18 crc good\n");
}

/* The first octets look like a Key; they are searched like the rest. */
static void octets_that_look_like_a_key_are_searched(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "MP", 2);
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A loss 0+2 f1-1 missing 0\n"
                                       "A fpdu 2+32 f2-2 ulpdu 23 crc good\n"
                                       "A fpdu 34+24 f2-2 ulpdu 18 crc good\n");
}

static void a_stream_that_is_not_mpa_is_given_up(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "HTTP/1.1 200 OK\r\n", 17);
    for (uint32_t fed = 0; fed < IW_HALF_SEARCH_MAX; fed += 4096)
        iw_stream_fixture_zeros(&fixture, A, 4096);
    assert_int_equal(half.phase, IW_HALF_OTHER);
    assert_false(half.search.found);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_gap_inside_an_fpdu_is_no_loss),
        TEST(cut_packets_of_one_fpdu_each_are_no_loss),
        TEST(a_gap_over_a_boundary_is_a_loss_up_to_the_next_fpdu),
        TEST(a_gap_of_whole_fpdus_loses_only_them),
        TEST(a_gap_in_ulpdu_length_loses_the_fpdu),
        TEST(several_gaps_are_one_loss),
        TEST(an_fpdu_between_two_gaps_is_found),
        TEST(a_gap_after_the_found_fpdu_may_lie_in_the_next),
        TEST(a_hole_proves_nothing),
        TEST(without_crc_two_headers_in_a_row_are_the_proof),
        TEST(unsettled_half_of_the_first_marker_shows_markers),
        TEST(among_markers_the_origin_is_still_known),
        TEST(a_gap_up_to_the_end_stays_open),
        TEST(unreadable_octets_are_given_up_at_the_limit),
        TEST(a_gap_in_the_frame_header_loses_the_frame),
        TEST(truncated_private_data_keep_the_frame),
        TEST(private_data_with_a_hole_keep_the_frame),
        TEST(a_gap_over_the_end_of_the_frame_keeps_the_frame),
        TEST(a_close_in_cut_private_data_counts_what_was_sent),
        TEST(reading_continues_after_a_gap_in_hold),
        TEST(a_late_capture_is_read_from_two_correct_crcs_on),
        TEST(a_capture_that_begins_between_fpdus_loses_nothing),
        TEST(octets_that_look_like_a_key_are_searched),
        TEST(a_stream_that_is_not_mpa_is_given_up),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
