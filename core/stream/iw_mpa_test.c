#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_mpa_fixture.h"

/* Both sides of complete connections: the startup and what it settles. */

/* ---- startup ---- */

static void a_conversation_of_revision_1(void **state) {
    (void)state;
    fixture.log.frames = true;
    iw_stream_fixture_send(&fixture, A, "M01");
    assert_true(iw_mpa_recognised(&fixture.mpa));
    assert_false(fixture.mpa.terms.settled);
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_send(&fixture, B, "F08 F05");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_fin(&fixture, B);
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 request rev 1 C pd 0\n"
                                       "B startup 0+20 f2-2 reply rev 1 C pd 0\n"
                                       "A fpdu 20+32 f3-3 ulpdu 23 crc good\n"
                                       "B fpdu 20+24 f4-4 ulpdu 18 crc good\n"
                                       "B fpdu 44+28 f4-4 ulpdu 22 crc good\n"
                                       "A close 52+0 f5-5 fin pending 0\n"
                                       "B close 72+0 f6-6 fin pending 0\n");
    assert_true(fixture.mpa.terms.settled);
    assert_true(fixture.mpa.terms.initiator_known);
    assert_int_equal(fixture.mpa.terms.initiator, A);
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_ON);
    assert_false(fixture.mpa.terms.markers[A]);
    assert_false(fixture.mpa.terms.markers[B]);
}

static void a_conversation_of_revision_2(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M05");
    iw_stream_fixture_send(&fixture, B, "M06");
    iw_stream_fixture_send(&fixture, A, "F02");
    iw_stream_fixture_expect(&fixture, "A startup 0+28 request rev 2 C S pd 8\n"
                                       "B startup 0+24 reply rev 2 C S pd 4\n"
                                       "A fpdu 28+20 ulpdu 14 crc good\n");
    assert_int_equal(fixture.mpa.terms.frame[A].enhanced_data.ird, 16);
    assert_int_equal(fixture.mpa.terms.frame[B].enhanced_data.ird, 8);
    assert_null(fixture.mpa.terms.frame[A].private_data);
}

/* M05 names all RTR types, M06 Write and Read. */
static void both_sides_name_the_rtr_types(void **state) {
    struct iw_mpa_terms *terms = &fixture.mpa.terms;
    unsigned rtr = 0;

    (void)state;
    iw_stream_fixture_send(&fixture, A, "M05");
    assert_false(iw_mpa_peer_to_peer(terms, &rtr));
    iw_stream_fixture_send(&fixture, B, "M06");
    assert_true(iw_mpa_peer_to_peer(terms, &rtr));
    assert_int_equal(rtr, IW_RTR_WRITE | IW_RTR_READ);
    terms->frame[A].enhanced_data.c = 0;
    assert_true(iw_mpa_peer_to_peer(terms, &rtr));
    assert_int_equal(rtr, IW_RTR_READ);
    terms->frame[B].enhanced_data.a = 0;
    assert_false(iw_mpa_peer_to_peer(terms, &rtr));
}

/* The initiator is the side that sends the Request, even if the other side opened the TCP connection (RFC
 * 5044 7.1). */
static void the_listening_side_may_be_the_initiator(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, B, "M01");
    iw_stream_fixture_send(&fixture, A, "M03");
    iw_stream_fixture_send(&fixture, B, "F07");
    assert_int_equal(fixture.mpa.terms.initiator, B);
    assert_int_equal(fixture.log.count[IW_LLP_SEGMENT], 1);
}

static void an_fpdu_may_come_in_the_chunk_of_the_reply(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M03 F07");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n");
}

static void an_fpdu_before_the_reply_waits_for_it(void **state) {
    (void)state;
    fixture.log.frames = true;
    iw_stream_fixture_send(&fixture, A, "M01 F07");
    iw_stream_fixture_part(&fixture, A, "F08", 0, 7);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 request rev 1 C pd 0\n");
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_part(&fixture, A, "F08", 7, 24);
    iw_stream_fixture_expect(&fixture, "B startup 0+20 f3-3 reply rev 1 C pd 0\n"
                                       "A fpdu 20+32 f1-1 ulpdu 23 crc good\n"
                                       "A fpdu 52+24 f2-4 ulpdu 18 crc good\n");
}

/* DV of F44 is 2. With Markers, which were not asked for, it would claim 4,386 octets: the half does not
 * wait for those. */
static void a_wrong_first_header_is_reported_at_once(void **state) {
    uint8_t fpdu[28];

    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_expect(
        &fixture, "A startup 0+20 request rev 1 C pd 0\nB startup 0+20 reply rev 1 C pd 0\n");
    memcpy(fpdu, iw_stream_fixture_vector("F44")->octets, sizeof fpdu);
    fpdu[2] = 0xC2;
    iw_stream_fixture_octets(&fixture, A, fpdu, sizeof fpdu);
    iw_stream_fixture_expect(&fixture, "A fpdu 20+28 ulpdu 22 crc bad\n");
}

static void streaming_mode_may_come_first(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome, go on", 14);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M03 F07");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B startup 14+20 reply rev 1 C pd 0\n"
                                       "B fpdu 34+32 ulpdu 23 crc good\n");
}

static void a_reject_leaves_mpa(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M04 F07");
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_fin(&fixture, B);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+24 reply rev 1 C R pd 4\n"
                                       "B loss 24+32 missing 0 open\n"
                                       "B close 56+0 fin pending 0\n"
                                       "A loss 20+32 missing 0 open\n"
                                       "A close 52+0 fin pending 0\n");
    assert_true(fixture.mpa.terms.rejected);
    assert_true(iw_mpa_abandoned(&fixture.mpa));
}

static void a_reject_cut_short_leaves_mpa_too(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_part(&fixture, B, "M04", 0, 20);
    iw_stream_fixture_gap(&fixture, B, 60, true);
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+24 reply rev 1 C R pd 4 captured 20\n");
    assert_true(iw_mpa_abandoned(&fixture.mpa));
}

/* ---- what the frames settle ---- */

static void crc_counts_if_one_side_wants_it(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M10"); /* C=0 */
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_ON);
}

static void crc_is_off_if_neither_side_wants_it(void **state) {
    uint8_t request[20];

    (void)state;
    for (unsigned i = 0; i < 20; i++)
        request[i] = iw_stream_fixture_vector("M01")->octets[i];
    request[16] = 0;
    iw_stream_fixture_octets(&fixture, A, request, 20);
    iw_stream_fixture_send(&fixture, B, "M10"); /* M=1: A sends markers */
    iw_stream_fixture_send(&fixture, A, "K05");
    iw_stream_fixture_send(&fixture, B, "F36 F37");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 pd 0\n"
                                       "B startup 0+20 reply rev 1 M pd 0\n"
                                       "A fpdu 20+520 ulpdu 506 crc unchecked marker 0 marker 508\n"
                                       "B fpdu 20+32 ulpdu 23 crc unchecked\n"
                                       "B fpdu 52+32 ulpdu 23 crc unchecked\n");
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_OFF);
}

static void markers_in_one_direction(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M02"); /* M=1: B sends markers */
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_send(&fixture, B, "K03");
    iw_stream_fixture_expect(&fixture,
        "A startup 0+25 request rev 1 M C pd 5\n"
        "B startup 0+20 reply rev 1 C pd 0\n"
        "A fpdu 25+32 ulpdu 23 crc good\n"
        "B fpdu 20+1032 ulpdu 1014 crc good marker 0 marker 508 marker 1020\n");
    assert_false(fixture.mpa.terms.markers[A]);
    assert_true(fixture.mpa.terms.markers[B]);
}

/* Each direction counts from the end of its own startup frame: octet 25 of A, octet 20 of B. */
static void markers_in_both_directions(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M02");
    iw_stream_fixture_send(&fixture, B, "M10 K01");
    iw_stream_fixture_send(&fixture, A, "K01");
    iw_stream_fixture_expect(&fixture, "A startup 0+25 request rev 1 M C pd 5\n"
                                       "B startup 0+20 reply rev 1 M pd 0\n"
                                       "B fpdu 20+52 ulpdu 42 crc good marker 0\n"
                                       "A fpdu 25+52 ulpdu 42 crc good marker 0\n");
}

/* ---- wrong frames ---- */

static void a_wrong_key_in_the_place_of_the_reply(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_octets(&fixture, B, "HTTP/1.1 400 Bad Request\r\n", 26);
    iw_stream_fixture_send(&fixture, A, "F13"); /* a Terminate about that Key, as some devices send */
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 unknown rev 82 R pd 25969\n"
                                       "B loss 20+6 missing 0 open\n"
                                       "A fpdu 20+28 ulpdu 22 crc good\n");
    assert_false(fixture.mpa.terms.seen[B]);
}

/* The same Terminate with a CRC field of 0, as Linux siw sends it. The startup was captured, so the Terminate
 * cannot be payload. */
static void a_wrong_crc_after_a_wrong_key(void **state) {
    static const uint8_t terminate[28] = {
        0, 22, 0x41, 0x47, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0x20, 0x04, 0, 0};

    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_octets(&fixture, B, "HTTP/1.1 400 Bad Request\r\n", 26);
    iw_stream_fixture_octets(&fixture, A, terminate, sizeof terminate);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 unknown rev 82 R pd 25969\n"
                                       "B loss 20+6 missing 0 open\n"
                                       "A fpdu 20+28 ulpdu 22 crc bad\n"
                                       "A close 48+0 fin pending 0\n");
}

static void a_request_answered_by_a_request(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M01");
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 request rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n");
    assert_false(fixture.mpa.terms.settled);
}

static void too_much_private_data_ends_that_side(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M12");
    iw_stream_fixture_zeros(&fixture, A, 513);
    iw_stream_fixture_rst(&fixture, B);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 513\nB close 0+0 rst pending 0\n");
}

static void a_close_in_the_place_of_the_reply_lets_the_rest_be_read(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01 F07");
    iw_stream_fixture_fin(&fixture, B);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B close 0+0 fin pending 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n");
}

/* ---- one side missing ---- */

static void a_reply_alone(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_send(&fixture, B, "F07");
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 C pd 0\nB fpdu 20+32 ulpdu 23 crc good\n");
    assert_int_equal(fixture.mpa.terms.initiator, A);
    assert_int_equal(fixture.mpa.half[B].terms.crc, IW_CRC_ON);
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A fpdu 0+32 ulpdu 23 crc good\nA fpdu 32+24 ulpdu 18 crc good\n");
}

/* The first four octets show whether there are Markers, however they are split. */
static void a_reply_alone_with_markers_one_octet_at_a_time(void **state) {
    (void)state;
    for (size_t at = 0; at < 72; at++)
        iw_stream_fixture_part(&fixture, B, "M03 K01", at, at + 1);
    iw_stream_fixture_expect(
        &fixture, "B startup 0+20 reply rev 1 C pd 0\nB fpdu 20+52 ulpdu 42 crc good marker 0\n");
}

static void a_reject_alone(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, B, "M04 F07");
    iw_stream_fixture_expect(&fixture, "B startup 0+24 reply rev 1 C R pd 4\n");
    assert_true(fixture.mpa.terms.rejected);
}

static void the_direction_of_the_request_alone(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_fin(&fixture, A);
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A fpdu 52+24 ulpdu 18 crc good\n"
                                       "A close 76+0 fin pending 0\n"
                                       "B close 0+0 input pending 0\n");
}

static void a_reply_in_a_gap_lets_the_request_go_on(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01 F07");
    iw_stream_fixture_gap(&fixture, B, 20, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "B loss 0+20 missing 20\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n"
                                       "B fpdu 52+24 ulpdu 18 crc good\n"
                                       "A close 52+0 input pending 0\n"
                                       "B close 76+0 input pending 0\n");
}

/* The terms of both frames count, although the octets right after one frame are missing. */
static void a_gap_after_a_truncated_reply_keeps_its_terms(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M02"); /* M=1 */
    iw_stream_fixture_part(&fixture, B, "M06", 0, 20);
    iw_stream_fixture_gap(&fixture, B, 4 + 492, true);
    iw_stream_fixture_send(&fixture, B, "K02");
    iw_stream_fixture_expect(&fixture, "A startup 0+25 request rev 1 M C pd 5\n"
                                       "B startup 0+24 reply rev 2 C S pd 4 captured 20\n"
                                       "B loss 24+492 missing 492 cut\n"
                                       "B fpdu 516+52 ulpdu 42 crc good marker 20\n");
}

static void both_directions_from_the_middle(void **state) {
    (void)state;
    iw_stream_fixture_part(&fixture, A, "F38", 1300, 1448);
    iw_stream_fixture_send(&fixture, B, "F06 F05");
    assert_true(iw_mpa_recognised(&fixture.mpa));
    iw_stream_fixture_send(&fixture, A, "F39 F07");
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "B fpdu 0+20 ulpdu 14 crc good\n"
                                       "B fpdu 20+28 ulpdu 22 crc good\n"
                                       "A loss 0+148 missing 0\n"
                                       "A fpdu 148+200 ulpdu 194 crc good\n"
                                       "A fpdu 348+32 ulpdu 23 crc good\n"
                                       "A close 380+0 input pending 0\n"
                                       "B close 48+0 input pending 0\n");
    assert_false(fixture.mpa.terms.initiator_known);
}

/* ---- not MPA ---- */

static void another_protocol_is_ignored(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 37);
    iw_stream_fixture_octets(&fixture, B, "HTTP/1.1 200 OK\r\n\r\n", 19);
    iw_stream_fixture_zeros(&fixture, B, IW_HALF_STREAMING_MAX);
    assert_false(iw_mpa_abandoned(&fixture.mpa));
    iw_stream_fixture_zeros(&fixture, A, IW_HALF_STREAMING_MAX);
    iw_stream_fixture_expect(&fixture, "");
    assert_true(iw_mpa_abandoned(&fixture.mpa));
    assert_false(iw_mpa_recognised(&fixture.mpa));
}

static void tls_from_the_middle_is_given_up(void **state) {
    static const uint8_t record[1029] = {0x17, 0x03, 0x03, 0x04, 0x00, 0x81, 0x40};

    (void)state;
    for (unsigned i = 0; i < 2 + IW_HALF_SEARCH_MAX / sizeof record; i++) {
        iw_stream_fixture_octets(&fixture, A, record, sizeof record);
        iw_stream_fixture_octets(&fixture, B, record, sizeof record);
    }
    assert_true(iw_mpa_abandoned(&fixture.mpa));
    assert_false(iw_mpa_recognised(&fixture.mpa));
    assert_int_equal(fixture.log.count[IW_LLP_SEGMENT], 0);
}

static void where_mpa_is_expected_the_first_octets_are_an_event(void **state) {
    (void)state;
    iw_stream_fixture_dispose(&fixture);
    iw_stream_fixture_init(&fixture, true);
    iw_stream_fixture_octets(&fixture, A, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    assert_int_equal(fixture.log.count[IW_LLP_STARTUP], 1);
    assert_false(iw_mpa_recognised(&fixture.mpa));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)
#define LATE(function) cmocka_unit_test_setup_teardown(function, begin_late, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_conversation_of_revision_1),
        TEST(a_conversation_of_revision_2),
        TEST(both_sides_name_the_rtr_types),
        TEST(the_listening_side_may_be_the_initiator),
        TEST(an_fpdu_may_come_in_the_chunk_of_the_reply),
        TEST(an_fpdu_before_the_reply_waits_for_it),
        TEST(a_wrong_first_header_is_reported_at_once),
        TEST(streaming_mode_may_come_first),
        TEST(a_reject_leaves_mpa),
        TEST(a_reject_cut_short_leaves_mpa_too),
        TEST(crc_counts_if_one_side_wants_it),
        TEST(crc_is_off_if_neither_side_wants_it),
        TEST(markers_in_one_direction),
        TEST(markers_in_both_directions),
        TEST(a_wrong_key_in_the_place_of_the_reply),
        TEST(a_wrong_crc_after_a_wrong_key),
        TEST(a_request_answered_by_a_request),
        TEST(too_much_private_data_ends_that_side),
        TEST(a_close_in_the_place_of_the_reply_lets_the_rest_be_read),
        LATE(a_reply_alone),
        LATE(a_reply_alone_with_markers_one_octet_at_a_time),
        LATE(a_reject_alone),
        LATE(the_direction_of_the_request_alone),
        TEST(a_reply_in_a_gap_lets_the_request_go_on),
        TEST(a_gap_after_a_truncated_reply_keeps_its_terms),
        LATE(both_directions_from_the_middle),
        TEST(another_protocol_is_ignored),
        LATE(tls_from_the_middle_is_given_up),
        TEST(where_mpa_is_expected_the_first_octets_are_an_event),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
