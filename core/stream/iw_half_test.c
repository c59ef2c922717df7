#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_half.h"
#include "iw_half_part.h"
#include "iw_stream_fixture.h"

/* One side alone: startup, hold, full operation, close. Gaps are in iw_half_loss_test.c. */

#define A IW_SIDE_A

static struct iw_half half;
static struct iw_stream_fixture fixture;

static int begin(void **state) {
    (void)state;
    iw_stream_fixture_init_alone(&fixture, &half);
    return 0;
}

static int end(void **state) {
    (void)state;
    iw_stream_fixture_dispose(&fixture);
    return 0;
}

/* ---- startup ---- */

static void a_request_is_a_startup_event(void **state) {
    (void)state;
    fixture.log.frames = true;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 request rev 1 C pd 0\n");
    assert_int_equal(half.phase, IW_HALF_HOLD);
    assert_int_equal(half.framing.origin, 20);
}

static void a_request_may_be_cut_anywhere(void **state) {
    (void)state;
    for (size_t at = 1; at < 28; at++) {
        iw_stream_fixture_dispose(&fixture);
        iw_stream_fixture_init_alone(&fixture, &half);
        fixture.log.frames = true;
        iw_stream_fixture_start(&fixture, A);
        iw_stream_fixture_part(&fixture, A, "M05", 0, at);
        iw_stream_fixture_expect(&fixture, "");
        iw_stream_fixture_part(&fixture, A, "M05", at, 28);
        iw_stream_fixture_expect(&fixture, "A startup 0+28 f1-2 request rev 2 C S pd 8\n");
    }
}

static void a_request_one_octet_at_a_time(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    for (size_t at = 0; at < 25; at++)
        iw_stream_fixture_part(&fixture, A, "M02", at, at + 1);
    iw_stream_fixture_expect(&fixture, "A startup 0+25 request rev 1 M C pd 5\n");
}

static struct iw_startup seen;
static uint8_t seen_private[512];

static void keep_startup(void *user, const struct iw_llp_event *event) {
    (void)user;
    if (event->kind != IW_LLP_STARTUP)
        return;
    seen = *event->startup;
    memcpy(seen_private, event->startup->private_data, event->startup->private_octets);
    assert_int_equal(event->image_captured, event->octets);
}

static void the_event_has_the_frame_decoded(void **state) {
    (void)state;
    half.sink = keep_startup;
    iw_stream_fixture_send(&fixture, A, "M05");
    assert_int_equal(seen.key, IW_STARTUP_REQUEST);
    assert_true(seen.enhanced);
    assert_int_equal(seen.enhanced_data.ird, 16);
    assert_int_equal(seen.enhanced_data.ord, 8);
    assert_int_equal(seen.private_octets, 4);
    assert_memory_equal(seen_private, "abcd", 4);
}

/* With PD_Length above 512, the end of the frame is unknown (RFC 5044 7.1.1). */
static void pd_length_513_ends_the_reading(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_send(&fixture, A, "M12 F07");
    iw_stream_fixture_expect(
        &fixture, "A startup 0+20 request rev 1 C pd 513\nA loss 20+32 missing 0 open\n");
    assert_int_equal(half.phase, IW_HALF_OTHER);
}

static void the_most_private_data_is_512_octets(void **state) {
    uint8_t frame[20 + 512];

    (void)state;
    memcpy(frame, iw_stream_fixture_vector("M12")->octets, 20);
    memset(frame + 20, 'p', 512);
    frame[19] = 0; /* PD_Length 0200h */
    iw_stream_fixture_octets(&fixture, A, frame, 531);
    iw_stream_fixture_expect(&fixture, "");
    iw_stream_fixture_octets(&fixture, A, frame + 531, 1);
    iw_stream_fixture_expect(&fixture, "A startup 0+532 request rev 1 C pd 512\n");
}

static void a_nearly_valid_key_is_a_startup_event(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    /* RFC 5044 7.1.1 has "Frame" */
    iw_stream_fixture_octets(&fixture, A, "MPA ID Req frame\x40\x01\x00\x00", 20);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 unknown rev 1 C pd 0\n");
    assert_int_equal(half.phase, IW_HALF_OTHER);
}

static void any_octets_count_as_an_expected_startup_frame(void **state) {
    (void)state;
    half.terms.expected = true;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_octets(&fixture, A, "GET / HTTP/1.1\r\n", 16);
    iw_stream_fixture_expect(&fixture, "");
    iw_stream_fixture_octets(&fixture, A, "Host", 4);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 unknown rev 111 C pd 29556\n");
}

/* ---- streaming mode, other protocols ---- */

static void streaming_data_may_come_before_the_request(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_octets(&fixture, A, "login\r\n", 7);
    iw_stream_fixture_octets(&fixture, A, "swordfish\r\n", 11);
    iw_stream_fixture_expect(&fixture, "");
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_expect(&fixture, "A startup 18+20 request rev 1 C pd 0\n");
}

/* A single "M" could begin the Key; the next octets show that it does not. */
static void a_first_octet_of_the_key_is_not_the_key(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_octets(&fixture, A, "M", 1);
    iw_stream_fixture_octets(&fixture, A, "AIL FROM:<someone@example.org>\r\n", 32);
    iw_stream_fixture_octets(&fixture, A, "MPA I", 5);
    iw_stream_fixture_octets(&fixture, A, "s not what this text is about", 29);
    iw_stream_fixture_expect(&fixture, "");
    assert_int_equal(half.phase, IW_HALF_STARTUP);
    iw_stream_fixture_octets(&fixture, A, "M", 1);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_expect(&fixture, "A startup 68+20 request rev 1 C pd 0\n");
}

static void other_protocols_are_left_after_65536_octets(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_octets(&fixture, A, "\x16\x03\x01\x02", 4); /* TLS ClientHello */
    iw_stream_fixture_zeros(&fixture, A, IW_HALF_STREAMING_MAX - 4);
    assert_int_equal(half.phase, IW_HALF_STARTUP);
    assert_int_equal(half.store.capacity, 0);
    iw_stream_fixture_zeros(&fixture, A, 1);
    assert_int_equal(half.phase, IW_HALF_OTHER);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(
        &fixture, "A loss 65537+20 missing 0 given up 20 open\nA close 65557+0 fin pending 0\n");
}

/* ---- hold and full operation ---- */

static void octets_after_the_frame_wait_for_the_terms(void **state) {
    (void)state;
    fixture.log.frames = true;
    iw_stream_fixture_send(&fixture, A, "M03 F07");
    iw_stream_fixture_part(&fixture, A, "F08", 0, 10);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 reply rev 1 C pd 0\n");
    iw_half_begin_operation(&half, false, IW_CRC_ON);
    iw_stream_fixture_expect(&fixture, "A fpdu 20+32 f1-1 ulpdu 23 crc good\n");
    iw_stream_fixture_part(&fixture, A, "F08", 10, 24);
    iw_stream_fixture_expect(&fixture, "A fpdu 52+24 f2-3 ulpdu 18 crc good\n");
}

static void terms_settle_markers_and_crc(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M03");
    iw_half_begin_operation(&half, true, IW_CRC_OFF);
    iw_stream_fixture_send(&fixture, A, "K03");
    iw_stream_fixture_expect(&fixture,
        "A startup 0+20 reply rev 1 C pd 0\n"
        "A fpdu 20+1032 ulpdu 1014 crc unchecked marker 0 marker 508 marker 1020\n");
}

static void unsettled_a_stream_that_begins_with_a_marker_has_markers(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M03 K01");
    iw_half_begin_unsettled(&half);
    iw_stream_fixture_expect(
        &fixture, "A startup 0+20 reply rev 1 C pd 0\nA fpdu 20+52 ulpdu 42 crc good marker 0\n");
}

static void unsettled_any_other_stream_has_no_markers(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M10 F07 F37");
    iw_half_begin_unsettled(&half);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 reply rev 1 M pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A fpdu 52+32 ulpdu 23 crc unproven\n");
}

static void hold_ends_at_its_limit(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01 F38");
    for (uint32_t held = 1448; held + 1448 <= IW_HALF_HOLD_MAX; held += 1448)
        iw_stream_fixture_send(&fixture, A, "F38");
    assert_int_equal(half.phase, IW_HALF_HOLD);
    assert_int_equal(fixture.log.count[IW_LLP_SEGMENT], 0);
    iw_stream_fixture_send(&fixture, A, "F38");
    assert_int_equal(half.phase, IW_HALF_FPDU);
    assert_int_equal(fixture.log.count[IW_LLP_SEGMENT], IW_HALF_HOLD_MAX / 1448 + 1);
    assert_int_equal(half.store.length, 0);
}

static void begin_operation_is_ignored_outside_hold(void **state) {
    (void)state;
    iw_half_begin_operation(&half, true, IW_CRC_OFF);
    iw_half_begin_unsettled(&half);
    assert_int_equal(half.phase, IW_HALF_STARTUP);
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_half_begin_operation(&half, false, IW_CRC_ON);
    iw_half_begin_operation(&half, true, IW_CRC_OFF);
    iw_stream_fixture_send(&fixture, A, "F07");
    assert_int_equal(fixture.log.count[IW_LLP_SEGMENT], 1);
    assert_int_equal(half.terms.crc, IW_CRC_ON);
}

static void leave_on_first_fpdu(void *user, const struct iw_llp_event *event) {
    iw_event_log_sink(user, event);
    if (event->kind == IW_LLP_SEGMENT)
        iw_half_leave(&half);
}

static void a_sink_may_leave_mpa_during_an_event(void **state) {
    (void)state;
    half.sink = leave_on_first_fpdu;
    iw_stream_fixture_send(&fixture, A, "M01 F07 F08");
    iw_half_begin_operation(&half, false, IW_CRC_ON);
    iw_stream_fixture_send(&fixture, A, "F09");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A close 108+0 fin pending 0\n");
}

static void an_empty_chunk_is_ignored(void **state) {
    const struct iw_chunk nothing = {.kind = IW_CHUNK_DATA, .side = A};

    (void)state;
    iw_half_feed(&half, &nothing);
    iw_stream_fixture_send(&fixture, A, "M01");
    assert_int_equal(fixture.log.count[IW_LLP_STARTUP], 1);
}

/* ---- close ---- */

static void closes_between_frames_leave_nothing_pending(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\nA close 20+0 fin pending 0\n");
    iw_half_finish(&half);
    iw_stream_fixture_expect(&fixture, "");
}

static void a_reset_after_the_fin_is_a_second_close(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_rst(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A close 20+0 fin pending 0\n"
                                       "A close 20+0 rst pending 0\n");
}

static void closes_inside_a_startup_frame_count_its_octets(void **state) {
    (void)state;
    iw_stream_fixture_start(&fixture, A);
    iw_stream_fixture_part(&fixture, A, "M05", 0, 27);
    iw_stream_fixture_rst(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A close 27+0 rst pending 27\n");
}

static void closes_inside_an_fpdu_count_its_octets(void **state) {
    (void)state;
    fixture.log.frames = true;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_half_begin_operation(&half, false, IW_CRC_ON);
    iw_stream_fixture_part(&fixture, A, "F07 F08", 0, 45);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 f1-1 request rev 1 C pd 0\n"
                                       "A fpdu 20+32 f2-2 ulpdu 23 crc good\n"
                                       "A close 65+0 f3-3 fin pending 13\n");
}

static void the_end_of_the_input_closes_what_is_open(void **state) {
    (void)state;
    iw_stream_fixture_send(&fixture, A, "M01");
    iw_stream_fixture_part(&fixture, A, "F07 F08", 0, 35);
    iw_half_finish(&half); /* still held: read now as far as possible */
    iw_half_finish(&half);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n"
                                       "A close 55+0 input pending 3\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_request_is_a_startup_event),
        TEST(a_request_may_be_cut_anywhere),
        TEST(a_request_one_octet_at_a_time),
        TEST(the_event_has_the_frame_decoded),
        TEST(pd_length_513_ends_the_reading),
        TEST(the_most_private_data_is_512_octets),
        TEST(a_nearly_valid_key_is_a_startup_event),
        TEST(any_octets_count_as_an_expected_startup_frame),
        TEST(streaming_data_may_come_before_the_request),
        TEST(a_first_octet_of_the_key_is_not_the_key),
        TEST(other_protocols_are_left_after_65536_octets),
        TEST(octets_after_the_frame_wait_for_the_terms),
        TEST(terms_settle_markers_and_crc),
        TEST(unsettled_a_stream_that_begins_with_a_marker_has_markers),
        TEST(unsettled_any_other_stream_has_no_markers),
        TEST(hold_ends_at_its_limit),
        TEST(begin_operation_is_ignored_outside_hold),
        TEST(a_sink_may_leave_mpa_during_an_event),
        TEST(an_empty_chunk_is_ignored),
        TEST(closes_between_frames_leave_nothing_pending),
        TEST(a_reset_after_the_fin_is_a_second_close),
        TEST(closes_inside_a_startup_frame_count_its_octets),
        TEST(closes_inside_an_fpdu_count_its_octets),
        TEST(the_end_of_the_input_closes_what_is_open),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
