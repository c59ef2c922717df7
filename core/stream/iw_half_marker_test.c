#include "iw_framing_fixture.h"

#include "iw_crc32c.h"

/* Markers that are unknown so far, or not as requested. */

/* ---- Markers in mid-stream ---- */

static void markers_are_found_by_what_they_point_to(void **state) {
    (void)state;
    begin_late(true, 300);
    add_garbage(40);
    sends(4, 600);
    expect("A loss 0+40 missing 0\n"
           "A fpdu 40+628 ulpdu 618 crc good marker 260\n"
           "A fpdu 668+628 ulpdu 618 crc good marker 144\n"
           "A fpdu 1296+632 ulpdu 618 crc good marker 28 marker 540\n"
           "A fpdu 1928+628 ulpdu 618 crc good marker 420\n"
           "A close 2556+0 input pending 0\n");
}

/* The first FPDU begins before the capture, and so does what its Marker points to. */
static void a_marker_that_points_before_the_capture(void **state) {
    (void)state;
    begin_late(true, 100);
    add_garbage(100);
    iw_test_stream_add(&stream, (const uint8_t[4]){0, 0, 0, 200}, 4);
    add_garbage(40);
    sends(2, 600);
    expect("A loss 0+144 missing 0\n"
           "A fpdu 144+628 ulpdu 618 crc good marker 468\n"
           "A fpdu 772+628 ulpdu 618 crc good marker 352\n"
           "A close 1400+0 input pending 0\n");
}

/* FPDUs that fit between Markers look like FPDUs without Markers. */
static void small_fpdus_before_the_first_marker_are_read(void **state) {
    (void)state;
    begin_late(true, 156);
    sends(6, 40);
    expect("A fpdu 0+64 ulpdu 58 crc good\n"
           "A fpdu 64+64 ulpdu 58 crc good\n"
           "A fpdu 128+68 ulpdu 58 crc good marker 28\n"
           "A fpdu 196+64 ulpdu 58 crc good\n"
           "A fpdu 260+64 ulpdu 58 crc good\n"
           "A fpdu 324+64 ulpdu 58 crc good\n"
           "A close 388+0 input pending 0\n");
}

/* A chain of small FPDUs that TCP segments do not prove ends at a Marker. */
static void a_marker_between_small_fpdus(void **state) {
    (void)state;
    begin_late(true, 128);
    sends(5, 40);
    expect_uncut("A fpdu 0+64 ulpdu 58 crc good\n"
                 "A fpdu 64+64 ulpdu 58 crc good\n"
                 "A fpdu 128+68 ulpdu 58 crc good marker 0\n"
                 "A fpdu 196+64 ulpdu 58 crc good\n"
                 "A fpdu 260+64 ulpdu 58 crc good\n"
                 "A close 324+0 input pending 0\n");
}

static void a_marker_after_ulpdu_length(void **state) {
    (void)state;
    begin_late(true, 132);
    sends(4, 40);
    expect("A fpdu 0+64 ulpdu 58 crc good\n"
           "A fpdu 64+64 ulpdu 58 crc good\n"
           "A fpdu 128+68 ulpdu 58 crc good marker 4\n"
           "A fpdu 196+64 ulpdu 58 crc good\n"
           "A close 260+0 input pending 0\n");
}

/* The MSN looks like a Marker that points to ULPDU_Length, and the CRC is correct with either of them
 * removed. */
static void an_msn_that_looks_like_a_marker(void **state) {
    (void)state;
    begin_late(true, 156);
    sends(2, 40);
    iw_test_stream_send(&stream, 12, 40);
    sends(8, 40);
    expect("A fpdu 0+64 ulpdu 58 crc good\n"
           "A fpdu 64+64 ulpdu 58 crc good\n"
           "A loss 128+68 missing 0\n"
           "A fpdu 196+64 ulpdu 58 crc good\n"
           "A fpdu 260+64 ulpdu 58 crc good\n"
           "A fpdu 324+64 ulpdu 58 crc good\n"
           "A fpdu 388+64 ulpdu 58 crc good\n"
           "A fpdu 452+64 ulpdu 58 crc good\n"
           "A fpdu 516+64 ulpdu 58 crc good\n"
           "A fpdu 580+64 ulpdu 58 crc good\n"
           "A fpdu 644+68 ulpdu 58 crc good marker 24\n"
           "A close 712+0 input pending 0\n");
}

/* During a search for Markers, the next Marker shows which of the two was a Marker. */
static void an_msn_that_looks_like_a_marker_where_markers_are_searched(void **state) {
    (void)state;
    begin_late(true, 68);
    add_garbage(40);
    iw_test_stream_send(&stream, 12, 400);
    sends(2, 40);
    iw_test_stream_send(&stream, 60, 400);
    expect("A loss 0+40 missing 0\n"
           "A fpdu 40+428 ulpdu 418 crc good marker 28\n"
           "A fpdu 468+64 ulpdu 58 crc good\n"
           "A fpdu 532+68 ulpdu 58 crc good marker 48\n"
           "A fpdu 600+424 ulpdu 418 crc good\n"
           "A close 1024+0 input pending 0\n");
}

/* A wrong CRC that no Marker explains is a wrong CRC. */
static void a_wrong_crc_in_a_resynchronised_stream(void **state) {
    (void)state;
    begin_late(false, 0);
    sends(4, 40);
    change(128 + 40, 0xEE);
    expect_uncut("A fpdu 0+64 ulpdu 58 crc good\n"
                 "A fpdu 64+64 ulpdu 58 crc good\n"
                 "A loss 128+64 missing 0\n" /* the chain before it is unproven, and ends here */
                 "A fpdu 192+64 ulpdu 58 crc good\n"
                 "A close 256+0 input pending 0\n");
}

/* One FPDU in each TCP segment; the capture truncates the third segment by `cut` octets. */
static void play_cut(uint32_t first, uint32_t cut, struct iw_event_log *log) {
    uint64_t frame = 3;
    uint32_t octets;
    struct iw_mpa mpa;

    iw_mpa_init(&mpa, &config, iw_event_log_sink, log);
    for (uint32_t at = 0; at < stream.length; at += octets) {
        bool third = at == 2 * first;
        struct iw_chunk chunk;

        octets = third ? first + iw_mpa_marker_octets : first;
        chunk = iw_test_stream_chunk(&stream, IW_SIDE_A, at, octets - (third ? cut : 0), frame);
        iw_mpa_feed(&mpa, &chunk);
        if (third) {
            chunk = (struct iw_chunk){.kind = IW_CHUNK_GAP,
                .side = IW_SIDE_A,
                .cut = true,
                .offset = chunk.offset + chunk.length,
                .length = cut,
                .frame = frame};
            iw_mpa_feed(&mpa, &chunk);
        }
        frame++;
    }
    iw_half_finish(&mpa.half[IW_SIDE_A]);
    iw_mpa_dispose(&mpa);
}

static void expect_cut(uint32_t cut, const char *text) {
    struct iw_event_log log;

    iw_event_log_init(&log);
    play_cut(64, cut, &log);
    assert_string_equal(iw_event_log_text(&log), text);
    iw_event_log_dispose(&log);
}

/* With a Marker, the FPDU ends in the truncated octets; without a Marker, its CRC is wrong. */
static void a_marker_in_an_fpdu_whose_end_was_cut(void **state) {
    (void)state;
    begin_late(true, 156);
    sends(6, 40);
    expect_cut(4, "A fpdu 0+64 ulpdu 58 crc good\n"
                  "A fpdu 64+64 ulpdu 58 crc good\n"
                  "A loss 128+68 missing 4 cut\n"
                  "A fpdu 196+64 ulpdu 58 crc good\n"
                  "A fpdu 260+64 ulpdu 58 crc good\n"
                  "A fpdu 324+64 ulpdu 58 crc good\n"
                  "A close 388+0 input pending 0\n");
}

static void a_marker_in_an_fpdu_of_which_more_was_cut(void **state) {
    (void)state;
    begin_late(true, 156);
    sends(6, 40);
    expect_cut(8, "A fpdu 0+64 ulpdu 58 crc good\n"
                  "A fpdu 64+64 ulpdu 58 crc good\n"
                  "A loss 128+68 missing 8 cut\n"
                  "A fpdu 196+64 ulpdu 58 crc good\n"
                  "A fpdu 260+64 ulpdu 58 crc good\n"
                  "A fpdu 324+64 ulpdu 58 crc good\n"
                  "A close 388+0 input pending 0\n");
}

/* ---- Markers that are not as requested ---- */

static void unrequested_markers(void **state) {
    (void)state;
    begin("M01", "M03", true);
    sends(3, 600);
    expect("A fpdu 20+632 ulpdu 618 crc good marker 0 marker 508 unexpected\n"
           "A fpdu 652+628 ulpdu 618 crc good marker 392\n"
           "A fpdu 1280+628 ulpdu 618 crc good marker 276\n"
           "A close 1908+0 input pending 0\n");
}

static void absent_requested_markers(void **state) {
    (void)state;
    begin("M01", "M10", false);
    sends(3, 600);
    expect("A fpdu 20+624 ulpdu 618 crc good unexpected\n"
           "A fpdu 644+624 ulpdu 618 crc good\n"
           "A fpdu 1268+624 ulpdu 618 crc good\n"
           "A close 1892+0 input pending 0\n");
}

static void unrequested_markers_without_crc(void **state) {
    (void)state;
    begin("M01", "M03", true);
    config.crc = IW_MPA_OFF;
    sends(3, 600);
    expect("A fpdu 20+632 ulpdu 618 crc unchecked marker 0 marker 508 unexpected\n"
           "A fpdu 652+628 ulpdu 618 crc unchecked marker 392\n"
           "A fpdu 1280+628 ulpdu 618 crc unchecked marker 276\n"
           "A close 1908+0 input pending 0\n");
}

static void absent_requested_markers_without_crc(void **state) {
    (void)state;
    begin("M01", "M10", false);
    config.crc = IW_MPA_OFF;
    sends(2, 600);
    expect("A fpdu 20+624 ulpdu 618 crc unchecked unexpected\n"
           "A fpdu 644+624 ulpdu 618 crc unchecked\n"
           "A close 1268+0 input pending 0\n");
}

static void configured_markers_are_not_doubted(void **state) {
    (void)state;
    begin("M01", "M03", true);
    config.markers[0] = IW_MPA_OFF;
    sends(1, 40);
    expect("A fpdu 20+8 ulpdu 0 crc bad\n"
           "A loss 28+60 missing 0 open\n"
           "A close 88+0 input pending 0\n");
}

/* Read as if there were Markers, the first FPDU claims 16384 octets, from its TO. */
static void absent_requested_markers_and_a_large_claim(void **state) {
    (void)state;
    begin("M01", "M10", false);
    iw_stream_fixture_add_vector(&stream, "F44");
    iw_stream_fixture_add_vector(&stream, "F01");
    expect("A fpdu 20+28 ulpdu 22 crc good unexpected\n"
           "A fpdu 48+28 ulpdu 22 crc good\n"
           "A close 76+0 input pending 0\n");
}

/* Octet 30 is payload of the first FPDU: its CRC is wrong, without Markers and with them. */
static void absent_requested_markers_and_a_wrong_crc(void **state) {
    (void)state;
    begin("M01", "M10", false);
    sends(3, 600);
    change(30, 0xEE);
    expect("A fpdu 20+624 ulpdu 618 crc bad unexpected\n"
           "A fpdu 644+624 ulpdu 618 crc good\n"
           "A fpdu 1268+624 ulpdu 618 crc good\n"
           "A close 1892+0 input pending 0\n");
}

static void absent_requested_markers_and_no_crc_right(void **state) {
    (void)state;
    begin("M01", "M10", false);
    sends(3, 40);
    for (uint32_t i = 0; i < 3; i++)
        change(64 * i + 30, 0xEE);
    expect("A fpdu 20+64 ulpdu 58 crc bad unexpected\n"
           "A fpdu 84+64 ulpdu 58 crc bad\n"
           "A fpdu 148+64 ulpdu 58 crc bad\n"
           "A close 212+0 input pending 0\n");
}

static void absent_requested_markers_in_one_bad_fpdu(void **state) {
    (void)state;
    begin("M01", "M10", false);
    sends(1, 40);
    change(63, (uint8_t)~stream.octets[63]);
    expect("A fpdu 20+64 ulpdu 58 crc bad unexpected\n"
           "A close 84+0 input pending 0\n");
}

/* Read as if there were Markers, the first FPDU claims 16384 octets. */
static void absent_requested_markers_a_large_claim_and_a_wrong_crc(void **state) {
    (void)state;
    begin("M01", "M10", false);
    iw_stream_fixture_add_vector(&stream, "F44");
    change(27, (uint8_t)~stream.octets[27]);
    iw_stream_fixture_add_vector(&stream, "F01");
    expect("A fpdu 20+28 ulpdu 22 crc bad unexpected\n"
           "A fpdu 48+28 ulpdu 22 crc good\n"
           "A close 76+0 input pending 0\n");
}

/* Octet 34 is payload, after the first Marker. */
static void unrequested_markers_and_a_wrong_crc(void **state) {
    (void)state;
    begin("M01", "M03", true);
    sends(3, 600);
    change(34, 0xEE);
    expect("A fpdu 20+632 ulpdu 618 crc bad marker 0 marker 508 unexpected\n"
           "A fpdu 652+628 ulpdu 618 crc good marker 392\n"
           "A fpdu 1280+628 ulpdu 618 crc good marker 276\n"
           "A close 1908+0 input pending 0\n");
}

static void unrequested_markers_in_one_bad_fpdu(void **state) {
    (void)state;
    begin("M01", "M03", true);
    sends(1, 40);
    change(34, 0xEE);
    expect("A fpdu 20+68 ulpdu 58 crc bad marker 0 unexpected\n"
           "A close 88+0 input pending 0\n");
}

/* DV is 2 and the CRC is wrong: whether the Markers are as requested is not in doubt. */
static void a_wrong_header_among_requested_markers(void **state) {
    (void)state;
    begin("M01", "M10", true);
    sends(2, 40);
    change(6, 0x42);
    expect("A fpdu 20+68 ulpdu 58 crc bad marker 0\n"
           "A fpdu 88+64 ulpdu 58 crc good\n"
           "A close 152+0 input pending 0\n");
}

static void a_wrong_header_without_markers(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(2, 40);
    change(2, 0x42);
    expect("A fpdu 20+64 ulpdu 58 crc bad\n"
           "A fpdu 84+64 ulpdu 58 crc good\n"
           "A close 148+0 input pending 0\n");
}

/* Gives the FPDU of `count` octets at `at` the CRC of what it holds. */
static void sum(uint32_t at, uint32_t count) {
    uint32_t crc = iw_crc32c(stream.octets + at, count - 4);

    for (uint32_t i = 0; i < 4; i++)
        change(at + count - 4 + i, (uint8_t)(crc >> (24 - 8 * i)));
}

/* DV is 2, but the CRC shows where the FPDU is. */
static void absent_requested_markers_and_a_wrong_header(void **state) {
    (void)state;
    begin("M01", "M10", false);
    sends(2, 40);
    change(2, 0x42);
    sum(0, 64);
    expect("A fpdu 20+64 ulpdu 58 crc good unexpected\n"
           "A fpdu 84+64 ulpdu 58 crc good\n"
           "A close 148+0 input pending 0\n");
}

static void unrequested_markers_and_a_wrong_header(void **state) {
    (void)state;
    begin("M01", "M03", true);
    sends(2, 40);
    change(6, 0x42);
    sum(0, 68);
    expect("A fpdu 20+68 ulpdu 58 crc good marker 0 unexpected\n"
           "A fpdu 88+64 ulpdu 58 crc good\n"
           "A close 152+0 input pending 0\n");
}

/* The first FPDU is invalid, read with Markers and without. */
static void an_invalid_first_fpdu_is_read_as_negotiated(void **state) {
    (void)state;
    begin("M01", "M03", false);
    add_garbage(60);
    expect("A close 80+0 input pending 60\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_are_found_by_what_they_point_to),
        cmocka_unit_test(a_marker_that_points_before_the_capture),
        cmocka_unit_test(small_fpdus_before_the_first_marker_are_read),
        cmocka_unit_test(a_marker_between_small_fpdus),
        cmocka_unit_test(a_marker_after_ulpdu_length),
        cmocka_unit_test(an_msn_that_looks_like_a_marker),
        cmocka_unit_test(an_msn_that_looks_like_a_marker_where_markers_are_searched),
        cmocka_unit_test(a_wrong_crc_in_a_resynchronised_stream),
        cmocka_unit_test(a_marker_in_an_fpdu_whose_end_was_cut),
        cmocka_unit_test(a_marker_in_an_fpdu_of_which_more_was_cut),
        cmocka_unit_test(unrequested_markers),
        cmocka_unit_test(absent_requested_markers),
        cmocka_unit_test(unrequested_markers_without_crc),
        cmocka_unit_test(absent_requested_markers_without_crc),
        cmocka_unit_test(configured_markers_are_not_doubted),
        cmocka_unit_test(absent_requested_markers_and_a_large_claim),
        cmocka_unit_test(absent_requested_markers_and_a_wrong_crc),
        cmocka_unit_test(absent_requested_markers_and_no_crc_right),
        cmocka_unit_test(absent_requested_markers_in_one_bad_fpdu),
        cmocka_unit_test(absent_requested_markers_a_large_claim_and_a_wrong_crc),
        cmocka_unit_test(unrequested_markers_and_a_wrong_crc),
        cmocka_unit_test(unrequested_markers_in_one_bad_fpdu),
        cmocka_unit_test(absent_requested_markers_and_a_wrong_header),
        cmocka_unit_test(unrequested_markers_and_a_wrong_header),
        cmocka_unit_test(a_wrong_header_among_requested_markers),
        cmocka_unit_test(a_wrong_header_without_markers),
        cmocka_unit_test(an_invalid_first_fpdu_is_read_as_negotiated),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
