#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_stream_fixture.h"

/* Connections with configured terms. */

#define A IW_SIDE_A
#define B IW_SIDE_B

static struct iw_stream_fixture fixture;

/* M01 and M03 ask for CRCs and for no Markers. */
static void begin(const struct iw_mpa_config *config, bool from_start) {
    iw_stream_fixture_init_config(&fixture, config);
    if (from_start) {
        iw_stream_fixture_start(&fixture, A);
        iw_stream_fixture_start(&fixture, B);
    }
}

static void configured_crc_off_is_not_checked(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.crc = IW_MPA_OFF}, true);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M03 F08");
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "B fpdu 20+24 ulpdu 18 crc unchecked\n"
                                       "A fpdu 20+32 ulpdu 23 crc unchecked\n");
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_OFF);
    iw_stream_fixture_dispose(&fixture);
}

/* The CRC of F37 is wrong. */
static void configured_crc_on_is_checked(void **state) {
    uint8_t request[20];

    (void)state;
    begin(&(struct iw_mpa_config){.crc = IW_MPA_ON}, true);
    for (unsigned i = 0; i < 20; i++)
        request[i] = iw_stream_fixture_vector("M01")->octets[i];
    request[16] = 0;
    iw_stream_fixture_octets(&fixture, A, request, 20);
    iw_stream_fixture_send(&fixture, B, "M10 F07 F37 F08");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 pd 0\n"
                                       "B startup 0+20 reply rev 1 M pd 0\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n"
                                       "B fpdu 52+32 ulpdu 23 crc bad\n"
                                       "B fpdu 84+24 ulpdu 18 crc good\n");
    assert_int_equal(fixture.mpa.terms.crc, IW_CRC_ON);
    iw_stream_fixture_dispose(&fixture);
}

/* K01 begins with the Marker at position 0. */
static void markers_of_the_responder_on(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.markers = {IW_MPA_NEGOTIATED, IW_MPA_ON}}, true);
    iw_stream_fixture_send(&fixture, A, "M01 F07");
    iw_stream_fixture_send(&fixture, B, "M03 K01");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "B fpdu 20+52 ulpdu 42 crc good marker 0\n");
    assert_false(fixture.mpa.terms.markers[A]);
    assert_true(fixture.mpa.terms.markers[B]);
    iw_stream_fixture_dispose(&fixture);
}

/* M02 asks for Markers of the responder. */
static void markers_of_the_responder_off(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.markers = {IW_MPA_ON, IW_MPA_OFF}}, true);
    iw_stream_fixture_send(&fixture, A, "M02 K01");
    iw_stream_fixture_send(&fixture, B, "M03 F07");
    iw_stream_fixture_expect(&fixture, "A startup 0+25 request rev 1 M C pd 5\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "A fpdu 25+52 ulpdu 42 crc good marker 0\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n");
    iw_stream_fixture_dispose(&fixture);
}

static void without_resynchronisation_a_gap_ends_the_reading(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.resynchronise_off = true}, true);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_send(&fixture, A, "F07");
    iw_stream_fixture_gap(&fixture, A, 32, false);
    iw_stream_fixture_send(&fixture, A, "F07 F08 F09");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A loss 52+32 missing 32 open\n"
                                       "A loss 84+88 missing 0 open\n"
                                       "A close 172+0 fin pending 0\n");
    iw_stream_fixture_dispose(&fixture);
}

static void without_resynchronisation_a_late_capture_is_not_read(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.resynchronise_off = true}, false);
    iw_stream_fixture_send(&fixture, A, "F07 F08 F09");
    assert_false(iw_mpa_recognised(&fixture.mpa));
    iw_stream_fixture_dispose(&fixture);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configured_crc_off_is_not_checked),
        cmocka_unit_test(configured_crc_on_is_checked),
        cmocka_unit_test(markers_of_the_responder_on),
        cmocka_unit_test(markers_of_the_responder_off),
        cmocka_unit_test(without_resynchronisation_a_gap_ends_the_reading),
        cmocka_unit_test(without_resynchronisation_a_late_capture_is_not_read),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
