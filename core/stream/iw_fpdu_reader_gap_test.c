#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_fpdu_reader.h"
#include "iw_stream_fixture.h"

/* Octets that are missing. */

static struct iw_test_stream stream;

static void feed_gap(struct iw_fpdu_reader *reader, uint32_t from, uint32_t count, uint64_t frame) {
    struct iw_chunk chunk = {.kind = IW_CHUNK_GAP,
        .side = IW_SIDE_B,
        .cut = true,
        .length = count,
        .offset = stream.offset + from,
        .frame = frame};

    iw_fpdu_reader_feed(reader, &chunk);
}

static void a_gap_inside_an_fpdu_hides_only_octets_of_it(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "F07"); /* 32 octets */
    iw_stream_fixture_add_vector(&stream, "F08");
    iw_test_stream_feed(&stream, &reader, 0, 20, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    feed_gap(&reader, 20, 5, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    assert_int_equal(iw_fpdu_reader_pending(&reader), 25);
    iw_test_stream_feed(&stream, &reader, 25, 31, 2);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.crc, IW_CRC_NOT_CAPTURED);
    assert_int_equal(fpdu.wire_octets, 32);
    assert_int_equal(fpdu.image_octets, 32);
    assert_int_equal(fpdu.image_captured, 20);
    assert_int_equal(iw_fpdu_ulpdu_captured(&fpdu), 18);
    assert_int_equal(fpdu.first_frame, 1);
    assert_int_equal(fpdu.frame, 2);
    assert_int_equal(fpdu.span_count, 1);
    assert_int_equal(fpdu.spans[0].octets, 20);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.offset, 32);
    assert_int_equal(fpdu.crc, IW_CRC_GOOD);
    iw_fpdu_reader_dispose(&reader);
}

static void a_gap_right_after_ulpdu_length_keeps_the_length(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "F07");
    iw_test_stream_feed(&stream, &reader, 0, 2, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    feed_gap(&reader, 2, 30, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.ulpdu_length, 23);
    assert_int_equal(fpdu.image_captured, 2);
    assert_int_equal(iw_fpdu_ulpdu_captured(&fpdu), 0);
    iw_fpdu_reader_dispose(&reader);
}

static void a_gap_that_ends_with_the_fpdu_does_not_break(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "F07");
    iw_stream_fixture_add_vector(&stream, "F08");
    iw_test_stream_feed(&stream, &reader, 0, 20, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    feed_gap(&reader, 20, 12, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.image_captured, 20);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    iw_test_stream_feed(&stream, &reader, 32, 24, 2);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.crc, IW_CRC_GOOD);
    iw_fpdu_reader_dispose(&reader);
}

static void a_gap_over_the_boundary_breaks_after_the_fpdu(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "F07");
    iw_test_stream_feed(&stream, &reader, 0, 20, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    feed_gap(&reader, 20, 13, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_BROKEN);
    assert_false(reader.failed);
    assert_int_equal(reader.start, 32);
    assert_int_equal(reader.used, 12);
    iw_fpdu_reader_dispose(&reader);
}

static void a_gap_before_ulpdu_length_is_read_breaks(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    for (uint32_t there = 0; there < 6; there++) { /* of marker and ULPDU_Length */
        iw_test_stream_start(&stream, &reader, true, IW_CRC_ON);
        iw_stream_fixture_add_vector(&stream, "K01");
        iw_test_stream_feed(&stream, &reader, 0, there, 1);
        assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
        feed_gap(&reader, there, 1, 1);
        assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_BROKEN);
        assert_int_equal(reader.start, 0);
        iw_fpdu_reader_dispose(&reader);
    }
}

static void a_gap_inside_a_marker_omits_the_marker(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, true, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "K05");
    iw_test_stream_feed(&stream, &reader, 0, 514, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    feed_gap(&reader, 514, 6, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.marker_count, 1);
    assert_int_equal(fpdu.image_octets, 512);
    assert_int_equal(fpdu.image_captured, 508);
    assert_int_equal(fpdu.crc, IW_CRC_NOT_CAPTURED);
    iw_fpdu_reader_dispose(&reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_inside_an_fpdu_hides_only_octets_of_it),
        cmocka_unit_test(a_gap_right_after_ulpdu_length_keeps_the_length),
        cmocka_unit_test(a_gap_that_ends_with_the_fpdu_does_not_break),
        cmocka_unit_test(a_gap_over_the_boundary_breaks_after_the_fpdu),
        cmocka_unit_test(a_gap_before_ulpdu_length_is_read_breaks),
        cmocka_unit_test(a_gap_inside_a_marker_omits_the_marker),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
