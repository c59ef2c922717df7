#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_mpa_fixture.h"

/* Connections captured from their SYN that begin with octets other than a startup frame, with octets
 * missing: another protocol, whose payload contains two FPDUs, or streaming mode (RFC 5044 7.1) before MPA.
 * F07, F08 and F05 have 32, 24 and 28 octets. */

/* The SYN of B was not captured. */
static int begin_without_answer(void **state) {
    (void)state;
    iw_stream_fixture_init(&fixture, false);
    iw_stream_fixture_start(&fixture, A);
    return 0;
}

static void get(void) {
    iw_stream_fixture_octets(&fixture, A, "GET /x HTTP/1.1\r\n\r\n", 19);
}

static void ok(void) {
    iw_stream_fixture_octets(&fixture, B, "HTTP/1.1 200 OK\r\n\r\n", 19);
}

static void expect_nothing(void) {
    iw_stream_fixture_expect(&fixture, "");
    assert_false(iw_mpa_recognised(&fixture.mpa));
}

/* ---- octets in place of the Request ---- */

/* They are reported in their own frame. An answer to a Request is reported where it is. */
static void first_octets_after_which_a_reply_and_an_fpdu_come(void **state) {
    (void)state;
    get();
    iw_stream_fixture_octets(&fixture, A, "x", 1);
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_part(&fixture, A, "F07", 0, 1);
    iw_stream_fixture_part(&fixture, A, "F07", 1, 32);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 C pd 0\n"
                                       "A startup 0+20 unknown rev 13 pd 2680\n"
                                       "A loss 20+32 missing 0 open\n"
                                       "A close 52+0 fin pending 0\n");
    assert_int_equal(iw_mpa_startup(&fixture.mpa, A)->received.frame, 2);
}

static void first_octets_before_a_request_and_its_answer(void **state) {
    (void)state;
    ok();
    iw_stream_fixture_octets(&fixture, B, "xxxxxxxxxxxxxxxxxxxx", 20);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_octets(&fixture, B, "yyyyyyyyyyyyyyyyyyyy", 20);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "B startup 39+20 unknown rev 121 C R S pd 31097\n");
}

/* A Request in the middle of a TCP segment, or of two, is not read, but may be the one that is answered. */
static void octets_with_a_request_among_them(void **state) {
    (void)state;
    get();
    assert_true(iw_mpa_unstarted(&fixture.mpa, A));
    iw_stream_fixture_octets(&fixture, A, "start MMPA ID", 13);
    assert_true(iw_mpa_unstarted(&fixture.mpa, A));
    iw_stream_fixture_octets(&fixture, A, " Req Frame", 10);
    assert_false(iw_mpa_unstarted(&fixture.mpa, A));
    iw_stream_fixture_octets(&fixture, A, "more", 4);
    assert_false(iw_mpa_unstarted(&fixture.mpa, A));
}

/* ---- another protocol ---- */

static void fpdus_in_a_response_after_a_gap(void **state) {
    (void)state;
    get();
    ok();
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    expect_nothing();
}

static void fpdus_in_an_upload_after_a_gap(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "POST /x HTTP/1.1\r\n\r\n", 20);
    iw_stream_fixture_gap(&fixture, A, 1000, false);
    iw_stream_fixture_send(&fixture, A, "F07 F08 F05");
    expect_nothing();
}

static void fpdus_in_truncated_packets(void **state) {
    (void)state;
    get();
    ok();
    for (unsigned i = 0; i < 3; i++) {
        iw_stream_fixture_gap(&fixture, B, 1352, true);
        iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    }
    expect_nothing();
}

/* The request shows that the response is not MPA, even if its beginning is missing. */
static void the_beginning_of_the_response_is_missing(void **state) {
    (void)state;
    get();
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    expect_nothing();
}

static void the_syn_of_the_response_is_missing(void **state) {
    (void)state;
    get();
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    expect_nothing();
}

/* The search for FPDUs had already begun. */
static void a_greeting_is_missing(void **state) {
    (void)state;
    iw_stream_fixture_gap(&fixture, B, 100, false);
    iw_stream_fixture_octets(&fixture, B, "220 ready\r\n", 11);
    iw_stream_fixture_send(&fixture, B, "F07");
    iw_stream_fixture_octets(&fixture, A, "RETR x\r\n", 8);
    iw_stream_fixture_send(&fixture, B, "F08 F05");
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    expect_nothing();
    iw_mpa_finish(&fixture.mpa);
    iw_stream_fixture_expect(&fixture, "A close 8+0 input pending 0\nB close 279+0 input pending 0\n");
}

/* The last octets before the gap could begin a Key. */
static void an_m_before_the_gap(void **state) {
    (void)state;
    get();
    ok();
    iw_stream_fixture_octets(&fixture, B, "MPA ID", 6);
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    expect_nothing();
}

static void another_protocol_is_given_up_at_the_limit(void **state) {
    (void)state;
    get();
    iw_stream_fixture_gap(&fixture, A, 1000, false);
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    for (uint32_t fed = 0; fed <= IW_HALF_STREAMING_MAX; fed += 4096) {
        iw_stream_fixture_zeros(&fixture, A, 4096);
        iw_stream_fixture_zeros(&fixture, B, 4096);
    }
    iw_stream_fixture_send(&fixture, B, "F07 F08 F05");
    expect_nothing();
    assert_true(iw_mpa_abandoned(&fixture.mpa));
}

/* ---- MPA after streaming mode ---- */

static void gaps_in_streaming_mode(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_gap(&fixture, A, 100, false);
    iw_stream_fixture_octets(&fixture, A, "over there", 10);
    iw_stream_fixture_gap(&fixture, B, 100, false);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "M03 F07");
    iw_stream_fixture_send(&fixture, A, "F08");
    iw_stream_fixture_expect(&fixture, "A startup 115+20 request rev 1 C pd 0\n"
                                       "B startup 107+20 reply rev 1 C pd 0\n"
                                       "B fpdu 127+32 ulpdu 23 crc good\n"
                                       "A fpdu 135+24 ulpdu 18 crc good\n");
}

static void the_request_after_streaming_mode_is_missing(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_gap(&fixture, A, 20, false);
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_send(&fixture, B, "F05");
    iw_stream_fixture_expect(&fixture, "B startup 7+20 reply rev 1 C pd 0\n"
                                       "A fpdu 25+32 ulpdu 23 crc good\n"
                                       "A fpdu 57+24 ulpdu 18 crc good\n"
                                       "B fpdu 27+28 ulpdu 22 crc good\n");
}

static void the_reply_after_streaming_mode_is_missing(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_gap(&fixture, B, 20, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B loss 7+20 missing 20\n"
                                       "B fpdu 27+32 ulpdu 23 crc good\n"
                                       "B fpdu 59+24 ulpdu 18 crc good\n");
}

/* The gap is known before the Request is read; the octets after it could begin a Key, and do not. */
static void the_gap_comes_before_the_request(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_gap(&fixture, B, 20, false);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_octets(&fixture, B, "MPA", 3);
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B loss 27+3 missing 0\n"
                                       "B fpdu 30+32 ulpdu 23 crc good\n"
                                       "B fpdu 62+24 ulpdu 18 crc good\n");
}

/* Only A was in streaming mode; B's SYN and Reply are missing. */
static void the_beginning_of_the_answer_is_missing(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B fpdu 7+32 ulpdu 23 crc good\n"
                                       "B fpdu 39+24 ulpdu 18 crc good\n");
}

/* ---- startup frames that do not begin with a TCP segment ---- */

/* A retransmission joins the last octet of streaming mode and the first octets of the Reply. The Request
 * acknowledges the former, so it comes after this segment. */
static void the_key_of_the_reply_begins_in_a_segment_of_streaming_mode(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_octets(&fixture, B, "\nMPA ID Rep", 11);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_part(&fixture, B, "M03", 10, 20);
    iw_stream_fixture_send(&fixture, B, "F07");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B startup 8+20 reply rev 1 C pd 0\n"
                                       "B fpdu 28+32 ulpdu 23 crc good\n");
}

static void the_reply_comes_octet_by_octet(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome", 7);
    iw_stream_fixture_octets(&fixture, B, "\nM", 2);
    iw_stream_fixture_octets(&fixture, B, "P", 1);
    iw_stream_fixture_send(&fixture, A, "M01");
    for (uint32_t at = 2; at < 20; at++)
        iw_stream_fixture_part(&fixture, B, "M03", at, at + 1);
    iw_stream_fixture_send(&fixture, B, "F07");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B startup 8+20 reply rev 1 C pd 0\n"
                                       "B fpdu 28+32 ulpdu 23 crc good\n");
}

/* Octets of streaming mode that only could begin a Key do not become a part of the answer. */
static void an_m_before_another_answer_than_a_reply(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome, M", 10);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_octets(&fixture, B, "yyyyyyyyyyyyyyyyyyyy", 20);
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B startup 10+20 unknown rev 121 C R S pd 31097\n");
}

/* The whole Key was in a segment of streaming mode: the startup frame is not read, but FPDUs are found. */
static void the_reply_is_among_octets_of_streaming_mode(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "hello", 5);
    iw_stream_fixture_octets(&fixture, B, "welcome\nMPA ID Rep Frame\x40\x01\0\0", 28);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A startup 5+20 request rev 1 C pd 0\n"
                                       "B fpdu 28+32 ulpdu 23 crc good\n"
                                       "B fpdu 60+24 ulpdu 18 crc good\n");
}

static void the_request_is_among_octets_of_streaming_mode(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "start\nMPA ID Req Frame\x40\x01\0\0", 26);
    iw_stream_fixture_send(&fixture, B, "M03");
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 C pd 0\n"
                                       "A fpdu 26+32 ulpdu 23 crc good\n"
                                       "A fpdu 58+24 ulpdu 18 crc good\n");
}

/* ---- connections that may be MPA from their first octet ---- */

static void both_startup_frames_are_missing(void **state) {
    (void)state;
    iw_stream_fixture_gap(&fixture, A, 20, false);
    iw_stream_fixture_gap(&fixture, B, 20, false);
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_send(&fixture, B, "F08 F05");
    iw_stream_fixture_expect(&fixture, "A loss 0+20 missing 20\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A fpdu 52+24 ulpdu 18 crc good\n"
                                       "B loss 0+20 missing 20\n"
                                       "B fpdu 20+24 ulpdu 18 crc good\n"
                                       "B fpdu 44+28 ulpdu 22 crc good\n");
}

static void one_direction_whose_startup_frame_is_missing(void **state) {
    (void)state;
    iw_stream_fixture_gap(&fixture, A, 20, false);
    iw_stream_fixture_send(&fixture, A, "F07 F08");
    iw_stream_fixture_expect(&fixture, "A loss 0+20 missing 20\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A fpdu 52+24 ulpdu 18 crc good\n");
}

/* What comes first in the capture need not have come first in the connection. */
static void the_beginning_of_the_connection_is_unknown(void **state) {
    (void)state;
    get();
    ok();
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "B loss 0+1019 missing 1000\n"
                                       "B fpdu 1019+32 ulpdu 23 crc good\n"
                                       "B fpdu 1051+24 ulpdu 18 crc good\n");
}

/* The configuration says that the connection is iWARP, so its FPDUs are read. */
static void forced_fpdus_are_read(void **state) {
    (void)state;
    iw_stream_fixture_dispose(&fixture);
    iw_stream_fixture_init_config(&fixture, &(struct iw_mpa_config){.forced = true});
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_start(&fixture, B);
    get();
    iw_stream_fixture_gap(&fixture, B, 1000, false);
    iw_stream_fixture_send(&fixture, B, "F07 F08");
    iw_stream_fixture_expect(&fixture, "B loss 0+1000 missing 1000\n"
                                       "B fpdu 1000+32 ulpdu 23 crc good\n"
                                       "B fpdu 1032+24 ulpdu 18 crc good\n");
}

#define TEST(begins, function) cmocka_unit_test_setup_teardown(function, begins, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(begin, first_octets_after_which_a_reply_and_an_fpdu_come),
        TEST(begin, first_octets_before_a_request_and_its_answer),
        TEST(begin, octets_with_a_request_among_them),
        TEST(begin, fpdus_in_a_response_after_a_gap),
        TEST(begin, fpdus_in_an_upload_after_a_gap),
        TEST(begin, fpdus_in_truncated_packets),
        TEST(begin, the_beginning_of_the_response_is_missing),
        TEST(begin_without_answer, the_syn_of_the_response_is_missing),
        TEST(begin, a_greeting_is_missing),
        TEST(begin, an_m_before_the_gap),
        TEST(begin, another_protocol_is_given_up_at_the_limit),
        TEST(begin, gaps_in_streaming_mode),
        TEST(begin, the_request_after_streaming_mode_is_missing),
        TEST(begin, the_reply_after_streaming_mode_is_missing),
        TEST(begin, the_gap_comes_before_the_request),
        TEST(begin_without_answer, the_beginning_of_the_answer_is_missing),
        TEST(begin, the_key_of_the_reply_begins_in_a_segment_of_streaming_mode),
        TEST(begin, the_reply_comes_octet_by_octet),
        TEST(begin, an_m_before_another_answer_than_a_reply),
        TEST(begin, the_reply_is_among_octets_of_streaming_mode),
        TEST(begin, the_request_is_among_octets_of_streaming_mode),
        TEST(begin, both_startup_frames_are_missing),
        TEST(begin, one_direction_whose_startup_frame_is_missing),
        TEST(begin_late, the_beginning_of_the_connection_is_unknown),
        TEST(begin, forced_fpdus_are_read),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
