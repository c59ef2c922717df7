#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"
#include "iw_mpa.h"
#include "iw_mpa_fixture.h"

/* Connections without a captured beginning, or with one captured direction. Sends of 600 octets of payload
 * have 624 octets, without Markers. */

static struct iw_test_stream stream;

static void send(enum iw_side side, bool markers, uint64_t origin, unsigned count, uint32_t payload_octets) {
    iw_test_stream_clear(&stream, fixture.offset[side], markers, origin);
    for (unsigned i = 0; i < count; i++)
        iw_test_stream_send(&stream, (uint8_t)(i + 1), payload_octets);
    iw_stream_fixture_octets(&fixture, side, stream.octets, stream.length);
}

/* ---- each direction by itself ---- */

static void one_direction_with_markers_the_other_without(void **state) {
    (void)state;
    send(A, true, 200, 2, 600);
    send(B, false, 0, 2, 600);
    iw_stream_fixture_expect(&fixture, "A fpdu 0+628 ulpdu 618 crc good marker 200\n"
                                       "A fpdu 628+632 ulpdu 618 crc good marker 84 marker 596\n"
                                       "B fpdu 0+624 ulpdu 618 crc good\n"
                                       "B fpdu 624+624 ulpdu 618 crc good\n");
    assert_true(iw_mpa_recognised(&fixture.mpa));
    assert_false(fixture.mpa.terms.markers[A]); /* no FPDU has proven that there are Markers */
    assert_false(fixture.mpa.terms.markers[B]);
}

static void both_directions_with_markers_at_other_places(void **state) {
    (void)state;
    send(A, true, 100, 2, 600);
    send(B, true, 36, 2, 600);
    iw_stream_fixture_expect(&fixture, "A fpdu 0+632 ulpdu 618 crc good marker 100 marker 612\n"
                                       "A fpdu 632+628 ulpdu 618 crc good marker 492\n"
                                       "B fpdu 0+632 ulpdu 618 crc good marker 36 marker 548\n"
                                       "B fpdu 632+628 ulpdu 618 crc good marker 428\n");
}

/* ---- the Reply and no Request ---- */

/* M of the Reply, M10, asks the initiator for Markers; the first octets show those of the responder. */
static void the_reply_gives_the_terms_of_the_initiator(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, B, "M10");
    send(A, true, 300, 2, 600);
    iw_stream_fixture_send(&fixture, B, "F07");
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 M pd 0\n"
                                       "A fpdu 0+628 ulpdu 618 crc good marker 300\n"
                                       "A fpdu 628+628 ulpdu 618 crc good marker 184\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n");
    assert_true(fixture.mpa.terms.initiator_known);
    assert_int_equal(fixture.mpa.terms.initiator, A);
    assert_true(fixture.mpa.terms.markers[A]);
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_UNKNOWN); /* C=0 of one side does not settle it */
    assert_false(fixture.mpa.terms.settled);
}

/* The initiator sends no Markers all the same: two CRCs show it. */
static void the_initiator_may_send_none(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, B, "M10");
    send(A, false, 0, 2, 600);
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 M pd 0\n"
                                       "A fpdu 0+624 ulpdu 618 crc good\n"
                                       "A fpdu 624+624 ulpdu 618 crc good\n");
    assert_true(fixture.mpa.terms.markers[A]); /* no FPDU has proven the contrary */
}

static void the_enhanced_data_of_a_reply_alone(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, B, "M06 F07");
    iw_stream_fixture_expect(
        &fixture, "B startup 0+24 reply rev 2 C S pd 4\nB fpdu 24+32 ulpdu 23 crc good\n");
    assert_true(fixture.mpa.terms.frame[B].enhanced);
    assert_int_equal(fixture.mpa.terms.frame[B].enhanced_data.ird, 8);
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_ON);
}

/* The capture has early octets of the initiator before the Reply. */
static void fpdus_before_the_reply_of_the_other_side(void **state) {
    (void)state;
    send(A, false, 0, 2, 600);
    iw_stream_fixture_send(&fixture, B, "M03 F07");
    send(A, false, 0, 1, 600);
    iw_stream_fixture_expect(&fixture, "A fpdu 0+624 ulpdu 618 crc good\n"
                                       "A fpdu 624+624 ulpdu 618 crc good\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n"
                                       "A fpdu 1248+624 ulpdu 618 crc good\n");
}

/* Too few octets of the initiator had come to decide; then the Reply decides. */
static void octets_searched_before_the_reply(void **state) {
    (void)state;
    iw_test_stream_clear(&stream, 0, true, 300);
    iw_test_stream_send(&stream, 1, 600);
    iw_test_stream_send(&stream, 2, 600);
    iw_stream_fixture_octets(&fixture, A, stream.octets, 700);
    iw_stream_fixture_send(&fixture, B, "M10");
    iw_stream_fixture_octets(&fixture, A, stream.octets + 700, stream.length - 700);
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 M pd 0\n"
                                       "A fpdu 0+628 ulpdu 618 crc good marker 300\n"
                                       "A fpdu 628+628 ulpdu 618 crc good marker 184\n");
}

/* ---- one direction alone ---- */

static void the_direction_of_the_initiator_with_markers(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01 K01");
    iw_stream_fixture_fin(&fixture, A);
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A fpdu 20+52 ulpdu 42 crc good marker 0\n"
                                       "A close 72+0 fin pending 0\n"
                                       "B close 0+0 input pending 0\n");
}

static void the_direction_of_the_responder(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, B);
    iw_stream_fixture_send(&fixture, B, "M03 F07 F08");
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 C pd 0\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n"
                                       "B fpdu 52+24 ulpdu 18 crc good\n"
                                       "A close 0+0 input pending 0\n"
                                       "B close 76+0 input pending 0\n");
}

/* ---- revision 0 ---- */

/* Request and Reply have Rev 0: DV and RV are 0 (RFC 5044 C). After the gap, the search relies on that. */
static void revision_0_is_found_after_a_gap(void **state) {
    uint8_t fpdu[28] = {0, 22, 0x40, 0x03, [15] = 1, [20] = 'a', 'b', 'c', 'd'};
    uint8_t request[20], reply[20];
    uint32_t crc;

    (void)state;
    memcpy(request, iw_stream_fixture_vector("M01")->octets, 20);
    memcpy(reply, iw_stream_fixture_vector("M03")->octets, 20);
    request[17] = reply[17] = 0;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_start(&fixture, B);
    iw_stream_fixture_octets(&fixture, A, request, 20);
    iw_stream_fixture_octets(&fixture, B, reply, 20);
    iw_stream_fixture_expect(
        &fixture, "A startup 0+20 request rev 0 C pd 0\nB startup 0+20 reply rev 0 C pd 0\n");
    iw_stream_fixture_gap(&fixture, A, 60, false);
    crc = iw_crc32c(fpdu, 24);
    for (uint32_t i = 0; i < 4; i++)
        fpdu[24 + i] = (uint8_t)(crc >> (24 - 8 * i));
    iw_stream_fixture_octets(&fixture, A, fpdu, sizeof fpdu);
    iw_stream_fixture_expect(&fixture, "A loss 20+60 missing 60\nA fpdu 80+28 ulpdu 22 crc good\n");
}

/* The initiator's Request is missing, and the Reply asks it for Markers. FPDUs without a Marker may lie
 * between two Markers, unless they fill the 512 octets from one to the next: 64 octets are far fewer. */
static void few_octets_without_a_marker_do_not_prove_that_there_are_none(void **state) {
    static const uint8_t reply[] = "MPA ID Rep Frame\xC0\x01\0";
    char text[1024] = "A loss 0+148 missing 148\n";
    int octets = (int)strlen(text);

    (void)state;
    iw_stream_fixture_octets(&fixture, B, reply, sizeof reply);
    iw_stream_fixture_gap(&fixture, A, 148, false);
    for (unsigned i = 0; i < 15; i++)
        iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 M C pd 0\n");
    iw_stream_fixture_send(&fixture, A, "F07");
    for (unsigned i = 0; i < 16; i++)
        octets += snprintf(text + octets, sizeof text - (size_t)octets, "A fpdu %u+32 ulpdu 23 crc good%s\n",
            148 + 32 * i, i == 0 ? " unexpected" : "");
    iw_stream_fixture_expect(&fixture, text);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin_late, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_direction_with_markers_the_other_without),
        TEST(both_directions_with_markers_at_other_places),
        TEST(the_reply_gives_the_terms_of_the_initiator),
        TEST(the_initiator_may_send_none),
        TEST(the_enhanced_data_of_a_reply_alone),
        TEST(fpdus_before_the_reply_of_the_other_side),
        TEST(octets_searched_before_the_reply),
        TEST(the_direction_of_the_initiator_with_markers),
        TEST(the_direction_of_the_responder),
        TEST(revision_0_is_found_after_a_gap),
        TEST(few_octets_without_a_marker_do_not_prove_that_there_are_none),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
