#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_fpdu_reader.h"
#include "iw_stream_fixture.h"

static struct iw_test_stream stream;

enum { FPDU_VECTORS = 44 };

/* F01 to F44. */
static const struct iw_vector *fpdu_vector(unsigned number) {
    char id[8];

    snprintf(id, sizeof id, "F%02u", number);
    return iw_stream_fixture_vector(id);
}

/* ---- vectors ---- */

static void a_marker_vector_is_read_at_its_position(void **state) {
    (void)state;
    for (unsigned i = 0; i < IW_MARKED_COUNT; i++) {
        const struct iw_marked *row = &iw_marked[i];
        const struct iw_vector *vector = iw_stream_fixture_vector(row->id);
        struct iw_fpdu_reader reader;
        struct iw_fpdu fpdu;

        print_message("%s\n", row->id);
        iw_test_stream_clear(&stream, 9000 + row->position, true, 9000);
        iw_test_stream_add(&stream, vector->octets, vector->length);
        iw_fpdu_reader_init(&reader, true, IW_CRC_ON, 9000, 9000 + row->position);
        iw_test_stream_feed(&stream, &reader, 0, stream.length, 3);

        assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
        iw_test_stream_check(&stream, &fpdu);
        assert_int_equal(fpdu.side, IW_SIDE_B);
        assert_int_equal(fpdu.wire_octets, vector->length);
        assert_int_equal(fpdu.ulpdu_length, row->ulpdu_octets);
        assert_int_equal(fpdu.crc, IW_CRC_GOOD);
        for (unsigned k = 0; k < 4; k++)
            assert_int_equal(fpdu.crc_received >> (24 - 8 * k) & 0xFF, row->crc[k]);
        assert_int_equal(fpdu.marker_count, row->marker_count);
        for (unsigned k = 0; k < row->marker_count; k++) {
            assert_int_equal(fpdu.markers[k].offset, stream.offset + row->markers[k].at);
            assert_int_equal(fpdu.markers[k].fpduptr, row->markers[k].fpduptr);
            assert_int_equal(fpdu.markers[k].expected, row->markers[k].fpduptr);
            assert_int_equal(fpdu.markers[k].reserved, 0);
        }
        assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
        assert_int_equal(iw_fpdu_reader_pending(&reader), 0);
        iw_fpdu_reader_dispose(&reader);
    }
}

static void a_vector_without_markers_is_delivered_in_place(void **state) {
    (void)state;
    for (unsigned i = 1; i <= FPDU_VECTORS; i++) {
        const struct iw_vector *vector = fpdu_vector(i);
        bool bad = strcmp(vector->id, "F36") == 0 || strcmp(vector->id, "F37") == 0;
        struct iw_fpdu_reader reader;
        struct iw_fpdu fpdu;

        print_message("%s\n", vector->id);
        iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
        iw_test_stream_add(&stream, vector->octets, vector->length);
        iw_test_stream_feed(&stream, &reader, 0, stream.length, 8);

        assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
        iw_test_stream_check(&stream, &fpdu);
        assert_ptr_equal(fpdu.image, stream.octets);
        assert_int_equal(fpdu.wire_octets, vector->length);
        assert_int_equal(fpdu.ulpdu_length, vector->octets[0] << 8 | vector->octets[1]);
        assert_int_equal(fpdu.pad_octets, vector->length - 6 - fpdu.ulpdu_length);
        assert_ptr_equal(iw_fpdu_ulpdu(&fpdu), stream.octets + 2);
        assert_int_equal(iw_fpdu_ulpdu_captured(&fpdu), fpdu.ulpdu_length);
        assert_int_equal(fpdu.crc, bad ? IW_CRC_BAD : IW_CRC_GOOD);
        iw_fpdu_reader_dispose(&reader);
    }
}

/* ---- any segmentation by TCP ---- */

/* Reads the whole stream cut by `cut`; every FPDU is checked against the stream octet by octet. */
static void read_all(struct iw_cut cut, enum iw_crc_use crc, struct iw_event_log *log) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;
    uint64_t frame = 1;
    enum iw_read outcome;

    iw_fpdu_reader_init(&reader, stream.markers, crc, stream.origin, stream.offset);
    for (uint32_t at = 0, count; at < stream.length; at += count) {
        count = iw_cut_next(&cut, stream.length - at);
        iw_test_stream_feed(&stream, &reader, at, count, frame++);
        while ((outcome = iw_fpdu_reader_next(&reader, &fpdu)) == IW_READ_DONE) {
            fprintf(log->file, "%u+%u", (unsigned)fpdu.offset, fpdu.wire_octets);
            iw_event_log_fpdu(log, &fpdu);
            fputc('\n', log->file);
            iw_test_stream_check(&stream, &fpdu);
        }
        assert_int_equal(outcome, IW_READ_MORE);
    }
    assert_int_equal(iw_fpdu_reader_pending(&reader), 0);
    iw_fpdu_reader_dispose(&reader);
}

/* One octet at a time, other even cuts and 20 random ones give the same as all octets at once. */
static void expect_any_cut_to_read_the_same(enum iw_crc_use crc, unsigned fpdus) {
    static const uint32_t evenly[] = {1, 2, 3, 4, 7, 20, 511, 512, 513, 1460};
    struct iw_event_log whole;
    struct iw_event_log parts;
    unsigned lines = 0;

    iw_event_log_init(&whole);
    iw_event_log_init(&parts);
    read_all((struct iw_cut){.size = UINT32_MAX}, crc, &whole);
    for (const char *at = iw_event_log_text(&whole); *at != '\0'; at++)
        lines += *at == '\n';
    assert_int_equal(lines, fpdus);
    for (size_t i = 0; i < sizeof evenly / sizeof *evenly; i++) {
        iw_event_log_clear(&parts);
        read_all((struct iw_cut){.size = evenly[i]}, crc, &parts);
        assert_string_equal(iw_event_log_text(&parts), iw_event_log_text(&whole));
    }
    for (uint32_t seed = 1; seed <= 20; seed++) {
        iw_event_log_clear(&parts);
        read_all((struct iw_cut){.seed = seed}, crc, &parts);
        assert_string_equal(iw_event_log_text(&parts), iw_event_log_text(&whole));
    }
    iw_event_log_dispose(&whole);
    iw_event_log_dispose(&parts);
}

static void any_cut_reads_the_vectors_without_markers(void **state) {
    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    for (unsigned i = 1; i <= FPDU_VECTORS; i++)
        iw_test_stream_add(&stream, fpdu_vector(i)->octets, fpdu_vector(i)->length);
    expect_any_cut_to_read_the_same(IW_CRC_ON, FPDU_VECTORS);
}

static void any_cut_reads_the_vectors_with_markers(void **state) {
    (void)state;
    for (unsigned i = 0; i < IW_MARKED_COUNT; i++) {
        print_message("%s\n", iw_marked[i].id);
        iw_test_stream_clear(&stream, 25, true, 25);
        if (iw_marked[i].position > 0)
            iw_test_stream_fill(&stream, iw_marked[i].position);
        iw_stream_fixture_add_vector(&stream, iw_marked[i].id);
        expect_any_cut_to_read_the_same(IW_CRC_ON, iw_marked[i].position > 0 ? 2 : 1);
    }
}

/* FPDUs of every size that is a multiple of 4, so that markers fall everywhere. */
static void any_cut_reads_a_long_stream_with_markers(void **state) {
    unsigned fpdus = 1;

    (void)state;
    iw_test_stream_clear(&stream, 25, true, 25);
    iw_stream_fixture_add_vector(&stream, "K01");
    for (uint32_t wire = 20; wire <= 900; wire += 4) {
        if ((stream.length + wire) % 512 == 4)
            continue; /* such an FPDU is impossible: its last word would be a Marker */
        iw_test_stream_fill(&stream, wire);
        fpdus++;
    }
    expect_any_cut_to_read_the_same(IW_CRC_ON, fpdus);
}

/* ---- CRC ---- */

static enum iw_crc_status status_of(const char *id, enum iw_crc_use crc) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    iw_test_stream_start(&stream, &reader, false, crc);
    iw_stream_fixture_add_vector(&stream, id);
    iw_test_stream_feed(&stream, &reader, 0, stream.length, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    iw_fpdu_reader_dispose(&reader);
    return fpdu.crc;
}

static void crc_status_depends_on_the_use_of_crcs(void **state) {
    (void)state;
    assert_int_equal(status_of("F07", IW_CRC_ON), IW_CRC_GOOD);
    assert_int_equal(status_of("F07", IW_CRC_UNKNOWN), IW_CRC_GOOD);
    assert_int_equal(status_of("F07", IW_CRC_OFF), IW_CRC_UNCHECKED);
    assert_int_equal(status_of("F37", IW_CRC_ON), IW_CRC_BAD);
    assert_int_equal(status_of("F37", IW_CRC_UNKNOWN), IW_CRC_UNPROVEN);
    assert_int_equal(status_of("F37", IW_CRC_OFF), IW_CRC_UNCHECKED);
    assert_int_equal(status_of("F36", IW_CRC_OFF), IW_CRC_UNCHECKED);
    assert_int_equal(status_of("F36", IW_CRC_UNKNOWN), IW_CRC_UNPROVEN);
}

static void a_bad_crc_shows_both_values(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "F37");
    iw_test_stream_feed(&stream, &reader, 0, stream.length, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.crc_received, 0xB990B10D);
    assert_int_equal(fpdu.crc_computed, 0xB990B10C);
    iw_fpdu_reader_dispose(&reader);
}

/* The CRC covers Markers (RFC 5044 4.4): one changed bit of a Marker makes it wrong. */
static void the_crc_covers_markers(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, true, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "K05");
    stream.octets[512] ^= 0x80;
    iw_test_stream_feed(&stream, &reader, 0, stream.length, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.crc, IW_CRC_BAD);
    assert_int_equal(fpdu.markers[1].reserved, 0x8000);
    assert_int_equal(fpdu.markers[1].fpduptr, 0x1FC);
    iw_fpdu_reader_dispose(&reader);
}

/* An FPDUPTR that disagrees with ULPDU_Length is reported with the expected value. */
static void a_wrong_fpduptr_is_reported(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, true, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "K03");
    stream.octets[515] = 0xF9;
    iw_test_stream_feed(&stream, &reader, 0, stream.length, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.markers[1].fpduptr, 0x1F9);
    assert_int_equal(fpdu.markers[1].expected, 0x1FC);
    assert_int_equal(fpdu.markers[2].expected, 0x3FC);
    iw_fpdu_reader_dispose(&reader);
}

/* ---- frames and spans ---- */

static void spans_name_offset_and_frame_of_every_piece(void **state) {
    static const struct iw_span spans[] = {
        {0, 10, 492, 4, 4000}, {10, 10, 502, 5, 5000}, {20, 6, 516, 6, 6000}, {26, 22, 522, 7, 7000}};
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_clear(&stream, 492, true, 0);
    iw_stream_fixture_add_vector(&stream, "K02");
    iw_fpdu_reader_init(&reader, true, IW_CRC_ON, 0, 492);
    iw_test_stream_feed(&stream, &reader, 0, 10, 4);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    assert_int_equal(iw_fpdu_reader_pending(&reader), 10);
    iw_test_stream_feed(&stream, &reader, 10, 13, 5); /* up to three octets of the marker */
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    iw_test_stream_feed(&stream, &reader, 23, 7, 6);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    iw_test_stream_feed(&stream, &reader, 30, 22, 7);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);

    assert_int_equal(fpdu.first_frame, 4);
    assert_int_equal(fpdu.frame, 7);
    assert_int_equal(fpdu.markers[0].offset, 512);
    assert_int_equal(fpdu.markers[0].frame, 6);
    assert_int_equal(fpdu.span_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(fpdu.spans[i].at, spans[i].at);
        assert_int_equal(fpdu.spans[i].octets, spans[i].octets);
        assert_int_equal(fpdu.spans[i].offset, spans[i].offset);
        assert_int_equal(fpdu.spans[i].frame, spans[i].frame);
        assert_int_equal(fpdu.spans[i].time_ns, spans[i].time_ns);
    }
    iw_fpdu_reader_dispose(&reader);
}

static void several_fpdus_in_one_chunk_come_one_by_one(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_ON);
    iw_stream_fixture_add_vector(&stream, "F02");
    iw_stream_fixture_add_vector(&stream, "F07");
    iw_stream_fixture_add_vector(&stream, "F08");
    iw_test_stream_feed(&stream, &reader, 0, 60, 1); /* F08 begins with 8 octets */
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.offset, 0);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.offset, 20);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    assert_int_equal(iw_fpdu_reader_pending(&reader), 8);
    iw_test_stream_feed(&stream, &reader, 60, 16, 2);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.offset, 52);
    assert_int_equal(fpdu.first_frame, 1);
    assert_int_equal(fpdu.frame, 2);
    iw_fpdu_reader_dispose(&reader);
}

/* ---- sizes at the edges ---- */

static void the_smallest_fpdu_has_eight_octets(void **state) {
    static const uint8_t empty[] = {0, 0, 0, 0, 1, 2, 3, 4, 0, 1, 9, 0, 5, 6, 7, 8};
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    iw_test_stream_start(&stream, &reader, false, IW_CRC_OFF);
    iw_test_stream_add(&stream, empty, sizeof empty);
    iw_test_stream_feed(&stream, &reader, 0, sizeof empty, 1);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.ulpdu_length, 0);
    assert_int_equal(fpdu.pad_octets, 2);
    assert_int_equal(fpdu.crc_received, 0x01020304);
    assert_int_equal(iw_fpdu_ulpdu_captured(&fpdu), 0);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_DONE);
    assert_int_equal(fpdu.ulpdu_length, 1);
    assert_int_equal(fpdu.pad_octets, 1);
    assert_int_equal(iw_fpdu_ulpdu(&fpdu)[0], 9);
    iw_fpdu_reader_dispose(&reader);
}

enum { LARGEST_WIRE = 66064 }; /* octets of the largest FPDU with Markers */

/* Reads an FPDU with Markers in `octets` octets, which come in two parts; the first has `cut` octets. */
static void read_two_parts(struct iw_fpdu_reader *reader, struct iw_fpdu *fpdu, uint16_t ulpdu_length,
    uint32_t octets, uint32_t cut) {
    static const uint8_t zeros[LARGEST_WIRE];
    const uint8_t begin[] = {0, 0, 0, 0, (uint8_t)(ulpdu_length >> 8), (uint8_t)ulpdu_length};

    iw_test_stream_start(&stream, reader, true, IW_CRC_OFF);
    iw_test_stream_add(&stream, begin, sizeof begin);
    iw_test_stream_add(&stream, zeros, octets - sizeof begin);
    iw_test_stream_feed(&stream, reader, 0, cut, 1);
    assert_int_equal(iw_fpdu_reader_next(reader, fpdu), IW_READ_MORE);
    iw_test_stream_feed(&stream, reader, cut, octets - cut, 2);
    assert_int_equal(iw_fpdu_reader_next(reader, fpdu), IW_READ_DONE);
}

static void the_largest_fpdu_with_markers_is_read(void **state) {
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    read_two_parts(&reader, &fpdu, 0xFFFF, LARGEST_WIRE, LARGEST_WIRE - 1);
    assert_int_equal(fpdu.wire_octets, LARGEST_WIRE);
    assert_int_equal(fpdu.marker_count, 130);
    iw_test_stream_check(&stream, &fpdu);

    /* An idle connection keeps less memory. */
    assert_true(reader.store.capacity > 65536);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    assert_true(reader.store.capacity + reader.image_capacity <= 1024);
    assert_true(reader.store.piece_capacity + reader.span_capacity + reader.found_capacity <= 24);
    iw_fpdu_reader_dispose(&reader);
}

/* The next FPDU has begun, and may stay incomplete for a long time. */
static void a_waiting_reader_keeps_only_the_incomplete_fpdu(void **state) {
    enum { WIRE = 2 + 8192 + 2 + 4 + 17 * 4 }; /* with pad, CRC and 17 Markers */
    struct iw_fpdu_reader reader;
    struct iw_fpdu fpdu;

    (void)state;
    read_two_parts(&reader, &fpdu, 8192, WIRE + 1, 1000);
    assert_true(reader.image_capacity > 8192);
    assert_int_equal(iw_fpdu_reader_next(&reader, &fpdu), IW_READ_MORE);
    assert_int_equal(iw_fpdu_reader_pending(&reader), 1);
    assert_true(reader.image_capacity + reader.span_capacity + reader.found_capacity <= 1024);
    iw_fpdu_reader_dispose(&reader);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_vector_is_read_at_its_position),
        cmocka_unit_test(a_vector_without_markers_is_delivered_in_place),
        cmocka_unit_test(any_cut_reads_the_vectors_without_markers),
        cmocka_unit_test(any_cut_reads_the_vectors_with_markers),
        cmocka_unit_test(any_cut_reads_a_long_stream_with_markers),
        cmocka_unit_test(crc_status_depends_on_the_use_of_crcs),
        cmocka_unit_test(a_bad_crc_shows_both_values),
        cmocka_unit_test(the_crc_covers_markers),
        cmocka_unit_test(a_wrong_fpduptr_is_reported),
        cmocka_unit_test(spans_name_offset_and_frame_of_every_piece),
        cmocka_unit_test(several_fpdus_in_one_chunk_come_one_by_one),
        cmocka_unit_test(the_smallest_fpdu_has_eight_octets),
        cmocka_unit_test(the_largest_fpdu_with_markers_is_read),
        cmocka_unit_test(a_waiting_reader_keeps_only_the_incomplete_fpdu),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
