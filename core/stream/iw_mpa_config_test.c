#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_stream_fixture.h"

/* Conversations of which more is known than their octets say. */

#define A IW_SIDE_A
#define B IW_SIDE_B

static struct iw_stream_fixture talk;

/* M01 and M03 ask for CRCs and for no Markers. */
static void begin(const struct iw_mpa_config *config, bool from_start) {
    iw_stream_fixture_init_config(&talk, config);
    if (from_start) {
        iw_stream_fixture_start(&talk, A);
        iw_stream_fixture_start(&talk, B);
    }
}

static void crc_off(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.crc = IW_MPA_OFF}, true);
    iw_stream_fixture_say(&talk, A, "M01");
    iw_stream_fixture_say(&talk, B, "M03 F08");
    iw_stream_fixture_say(&talk, A, "F07");
    iw_stream_fixture_expect(&talk, "A startup 0+20 request rev 1 C pd 0\n"
                                    "B startup 0+20 reply rev 1 C pd 0\n"
                                    "B fpdu 20+24 ulpdu 18 crc unchecked\n"
                                    "A fpdu 20+32 ulpdu 23 crc unchecked\n");
    assert_int_equal(talk.mpa.terms.crc, IW_CRC_OFF);
    iw_stream_fixture_dispose(&talk);
}

/* Of F37 the CRC is wrong. */
static void crc_on_though_nobody_asked(void **state) {
    uint8_t request[20];

    (void)state;
    begin(&(struct iw_mpa_config){.crc = IW_MPA_ON}, true);
    for (unsigned i = 0; i < 20; i++)
        request[i] = iw_stream_fixture_vector("M01")->octets[i];
    request[16] = 0;
    iw_stream_fixture_octets(&talk, A, request, 20);
    iw_stream_fixture_say(&talk, B, "M10 F07 F37 F08");
    iw_stream_fixture_expect(&talk, "A startup 0+20 request rev 1 pd 0\n"
                                    "B startup 0+20 reply rev 1 M pd 0\n"
                                    "B fpdu 20+32 ulpdu 23 crc good\n"
                                    "B fpdu 52+32 ulpdu 23 crc bad\n"
                                    "B fpdu 84+24 ulpdu 18 crc good\n");
    assert_int_equal(talk.mpa.terms.crc, IW_CRC_ON);
    iw_stream_fixture_dispose(&talk);
}

/* K01 begins with the Marker at position 0. */
static void markers_of_the_responder_on(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.markers = {IW_MPA_NEGOTIATED, IW_MPA_ON}}, true);
    iw_stream_fixture_say(&talk, A, "M01 F07");
    iw_stream_fixture_say(&talk, B, "M03 K01");
    iw_stream_fixture_expect(&talk, "A startup 0+20 request rev 1 C pd 0\n"
                                    "B startup 0+20 reply rev 1 C pd 0\n"
                                    "A fpdu 20+32 ulpdu 23 crc good\n"
                                    "B fpdu 20+52 ulpdu 42 crc good marker 0\n");
    assert_false(talk.mpa.terms.markers[A]);
    assert_true(talk.mpa.terms.markers[B]);
    iw_stream_fixture_dispose(&talk);
}

/* M02 asks for Markers of the responder. */
static void markers_of_the_responder_off(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.markers = {IW_MPA_ON, IW_MPA_OFF}}, true);
    iw_stream_fixture_say(&talk, A, "M02 K01");
    iw_stream_fixture_say(&talk, B, "M03 F07");
    iw_stream_fixture_expect(&talk, "A startup 0+25 request rev 1 M C pd 5\n"
                                    "B startup 0+20 reply rev 1 C pd 0\n"
                                    "A fpdu 25+52 ulpdu 42 crc good marker 0\n"
                                    "B fpdu 20+32 ulpdu 23 crc good\n");
    iw_stream_fixture_dispose(&talk);
}

static void without_resynchronisation_a_gap_ends_the_reading(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.resynchronise_off = true}, true);
    iw_stream_fixture_say(&talk, A, "M01");
    iw_stream_fixture_say(&talk, B, "M03");
    iw_stream_fixture_say(&talk, A, "F07");
    iw_stream_fixture_gap(&talk, A, 32, false);
    iw_stream_fixture_say(&talk, A, "F07 F08 F09");
    iw_stream_fixture_fin(&talk, A);
    iw_stream_fixture_expect(&talk, "A startup 0+20 request rev 1 C pd 0\n"
                                    "B startup 0+20 reply rev 1 C pd 0\n"
                                    "A fpdu 20+32 ulpdu 23 crc good\n"
                                    "A loss 52+32 missing 32 open\n"
                                    "A loss 84+88 missing 0 open\n"
                                    "A close 172+0 fin pending 0\n");
    iw_stream_fixture_dispose(&talk);
}

static void without_resynchronisation_nothing_is_taken_up(void **state) {
    (void)state;
    begin(&(struct iw_mpa_config){.resynchronise_off = true}, false);
    iw_stream_fixture_say(&talk, A, "F07 F08 F09");
    assert_false(iw_mpa_recognised(&talk.mpa));
    iw_stream_fixture_dispose(&talk);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_off),
        cmocka_unit_test(crc_on_though_nobody_asked),
        cmocka_unit_test(markers_of_the_responder_on),
        cmocka_unit_test(markers_of_the_responder_off),
        cmocka_unit_test(without_resynchronisation_a_gap_ends_the_reading),
        cmocka_unit_test(without_resynchronisation_nothing_is_taken_up),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
