#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"
#include "iw_fpdu_writer.h"
#include "iw_test_stream.h"
#include "iw_vector.h"

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

static struct iw_vector_set vectors;

static int load(void **state) {
    (void)state;
    return iw_vector_set_init(&vectors, VECTORS) ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    iw_vector_set_dispose(&vectors);
    return 0;
}

static const struct iw_vector *vector_of(const char *id) {
    const struct iw_vector *vector = iw_vector_find(&vectors, id);

    assert_non_null(vector);
    return vector;
}

static void expect_octets(const struct iw_output *output, const uint8_t *octets, size_t count) {
    assert_false(output->failed);
    assert_int_equal(output->length, count);
    assert_memory_equal(output->octets, octets, count);
}

/* ---- vectors ---- */

/* The ULPDU of a marker vector: without ULPDU_Length, Markers, PAD and CRC. */
static void cut_out_ulpdu(const struct iw_marked *row, const struct iw_vector *vector, uint8_t *ulpdu) {
    uint8_t plain[2048];
    uint32_t count = 0;

    for (uint32_t at = 0; at < vector->length; at++) {
        bool marker = false;

        for (unsigned i = 0; i < row->marker_count; i++)
            marker |= at >= row->markers[i].at && at < row->markers[i].at + 4;
        if (!marker)
            plain[count++] = vector->octets[at];
    }
    memcpy(ulpdu, plain + 2, row->ulpdu_octets);
}

static void a_marker_vector_is_written_at_its_position(void **state) {
    (void)state;
    for (unsigned i = 0; i < IW_MARKED_COUNT; i++) {
        const struct iw_marked *row = &iw_marked[i];
        const struct iw_vector *vector = vector_of(row->id);
        uint8_t ulpdu[2048];
        uint8_t octets[2048];
        struct iw_output output = iw_output_into(octets, sizeof octets);
        struct iw_fpdu_writer writer;
        struct iw_fpdu_parts parts = {.headers = ulpdu,
            .header_octets = 14,
            .payload = ulpdu + 14,
            .payload_octets = row->ulpdu_octets - 14u};

        print_message("%s\n", row->id);
        cut_out_ulpdu(row, vector, ulpdu);
        iw_fpdu_writer_init(&writer, true, true);
        writer.position = row->position;
        iw_fpdu_write(&writer, &parts, &output);
        expect_octets(&output, vector->octets, vector->length);
        assert_int_equal(writer.position, row->position + vector->length);
        assert_true(vector->length <= iw_fpdu_write_max(row->ulpdu_octets));
    }
}

/* The split of the ULPDU into headers and payload does not matter. F36 has no CRC, F37 one wrong bit in the
 * CRC. */
static void a_vector_without_markers_is_written(void **state) {
    (void)state;
    for (size_t i = 0; i < vectors.count; i++) {
        const struct iw_vector *vector = &vectors.vectors[i];
        size_t ulpdu_octets = (size_t)(vector->octets[0] << 8 | vector->octets[1]);
        uint8_t octets[2048];
        struct iw_output output = iw_output_into(octets, sizeof octets);
        struct iw_fpdu_writer writer;
        struct iw_fpdu_parts parts = {.headers = vector->octets + 2, .header_octets = i % 15};

        if (vector->id[0] != 'F')
            continue;
        print_message("%s\n", vector->id);
        parts.payload = parts.headers + parts.header_octets;
        parts.payload_octets = ulpdu_octets - parts.header_octets;
        parts.crc_flip = strcmp(vector->id, "F37") == 0 ? 1 : 0;
        iw_fpdu_writer_init(&writer, false, strcmp(vector->id, "F36") != 0);
        iw_fpdu_write(&writer, &parts, &output);
        expect_octets(&output, vector->octets, vector->length);
        assert_int_equal(writer.position, vector->length);
    }
}

/* K02 comes after 492 octets, K06 after 500, K04 after 512 (RFC 5044 4.3: no Marker at the end of an
 * FPDU). */
static void an_fpdu_after_another_continues_at_its_position(void **state) {
    static struct iw_test_stream stream;
    static const uint8_t zeros[512];

    (void)state;
    for (unsigned i = 0; i < IW_MARKED_COUNT; i++) {
        const struct iw_marked *row = &iw_marked[i];
        const struct iw_vector *vector = vector_of(row->id);
        uint8_t ulpdu[2048];
        uint8_t octets[2048];
        struct iw_output output = iw_output_into(octets, sizeof octets);
        struct iw_fpdu_writer writer;
        struct iw_fpdu_parts first = {.payload = zeros, .payload_octets = row->position - 10};
        struct iw_fpdu_parts second = {.headers = ulpdu, .header_octets = row->ulpdu_octets};

        if (row->position == 0)
            continue;
        iw_test_stream_clear(&stream, 0, true, 0);
        iw_test_stream_fill(&stream, row->position);
        iw_test_stream_add(&stream, vector->octets, vector->length);
        cut_out_ulpdu(row, vector, ulpdu);
        iw_fpdu_writer_init(&writer, true, true);
        iw_fpdu_write(&writer, &first, &output);
        assert_int_equal(writer.position, row->position);
        iw_fpdu_write(&writer, &second, &output);
        expect_octets(&output, stream.octets, stream.length);
    }
}

/* ---- overridden values ---- */

static const uint8_t ulpdu_abc[] = {'a', 'b', 'c'};

/* One FPDU of "abc", or of what `parts` has, as the first of a stream. */
static struct iw_output write_one(
    uint8_t octets[static 2048], bool markers, bool crc, struct iw_fpdu_parts parts) {
    struct iw_output output = iw_output_into(octets, 2048);
    struct iw_fpdu_writer writer;

    if (parts.headers == NULL) {
        parts.headers = ulpdu_abc;
        parts.header_octets = sizeof ulpdu_abc;
    }
    iw_fpdu_writer_init(&writer, markers, crc);
    iw_fpdu_write(&writer, &parts, &output);
    assert_int_equal(writer.position, output.length);
    return output;
}

/* The given octets, and their CRC after them. */
static void expect_with_crc(const struct iw_output *output, const uint8_t *octets, size_t count) {
    uint32_t crc = iw_crc32c(octets, count);
    uint8_t wire[64];

    memcpy(wire, octets, count);
    for (unsigned i = 0; i < 4; i++)
        wire[count + i] = (uint8_t)(crc >> (24 - 8 * i));
    expect_octets(output, wire, count + 4);
}

static void ulpdu_length_can_be_overridden(void **state) {
    static const uint8_t wire[] = {0x12, 0x34, 'a', 'b', 'c', 0, 0, 0};
    uint8_t octets[2048];
    struct iw_output output = write_one(
        octets, false, true, (struct iw_fpdu_parts){.overrides = IW_FPDU_SET_LENGTH, .ulpdu_length = 0x1234});

    (void)state;
    expect_with_crc(&output, wire, sizeof wire);
}

static void pad_can_have_any_length_and_value(void **state) {
    static const uint8_t none[] = {0, 3, 'a', 'b', 'c'};
    static const uint8_t five[] = {0, 3, 'a', 'b', 'c', 0xEE, 0xEE, 0xEE, 0xEE, 0xEE};
    static const uint8_t value[] = {0, 3, 'a', 'b', 'c', 0xFF, 0xFF, 0xFF};
    uint8_t octets[2048];
    struct iw_output output;

    (void)state;
    output = write_one(octets, false, true, (struct iw_fpdu_parts){.overrides = IW_FPDU_SET_PAD_OCTETS});
    expect_with_crc(&output, none, sizeof none);
    output = write_one(octets, false, true,
        (struct iw_fpdu_parts){.overrides = IW_FPDU_SET_PAD_OCTETS, .pad_octets = 5, .pad_value = 0xEE});
    expect_with_crc(&output, five, sizeof five);
    output = write_one(octets, false, true, (struct iw_fpdu_parts){.pad_value = 0xFF});
    expect_with_crc(&output, value, sizeof value);
}

static void crc_can_have_any_value_or_be_omitted(void **state) {
    static const uint8_t set[] = {0, 3, 'a', 'b', 'c', 0, 0, 0, 0xDE, 0xAD, 0xBE, 0xEF};
    static const uint8_t off[] = {0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0, 0};
    static const uint8_t flipped[] = {0, 3, 'a', 'b', 'c', 0, 0, 0, 0x80, 0, 0, 1};
    uint8_t octets[2048];
    struct iw_output output;

    (void)state;
    output = write_one(
        octets, false, true, (struct iw_fpdu_parts){.overrides = IW_FPDU_SET_CRC, .crc = 0xDEADBEEF});
    expect_octets(&output, set, sizeof set);
    output = write_one(octets, false, false, (struct iw_fpdu_parts){0});
    expect_octets(&output, off, sizeof off);
    output = write_one(octets, false, false, (struct iw_fpdu_parts){.crc_flip = 0x80000001});
    expect_octets(&output, flipped, sizeof flipped);
    output = write_one(octets, false, true, (struct iw_fpdu_parts){.overrides = IW_FPDU_NO_CRC});
    expect_octets(&output, off, 8);
}

static void markers_can_have_any_value_or_be_omitted(void **state) {
    static const uint8_t plain[] = {0, 3, 'a', 'b', 'c', 0, 0, 0};
    static const uint8_t set[] = {0xAB, 0xCD, 0x12, 0x34, 0, 3, 'a', 'b', 'c', 0, 0, 0};
    static const uint8_t shifted[] = {0, 0, 0xFF, 0xFC, 0, 3, 'a', 'b', 'c', 0, 0, 0};
    uint8_t octets[2048];
    struct iw_output output;

    (void)state;
    output = write_one(octets, true, true, (struct iw_fpdu_parts){.overrides = IW_FPDU_NO_MARKERS});
    expect_with_crc(&output, plain, sizeof plain);
    output = write_one(octets, true, true,
        (struct iw_fpdu_parts){
            .overrides = IW_FPDU_SET_FPDUPTR, .fpduptr = 0x1234, .marker_reserved = 0xABCD});
    expect_with_crc(&output, set, sizeof set);
    output = write_one(octets, true, true, (struct iw_fpdu_parts){.fpduptr_shift = -4});
    expect_with_crc(&output, shifted, sizeof shifted);
}

static void a_shift_moves_every_fpduptr(void **state) {
    static const uint8_t zeros[1014];
    uint8_t octets[2048];
    struct iw_output output = write_one(octets, true, true,
        (struct iw_fpdu_parts){.headers = zeros, .header_octets = sizeof zeros, .fpduptr_shift = 8});

    (void)state;
    assert_int_equal(output.length, 1032); /* as K03 */
    assert_int_equal(octets[2] << 8 | octets[3], 8);
    assert_int_equal(octets[514] << 8 | octets[515], 0x1FC + 8);
    assert_int_equal(octets[1026] << 8 | octets[1027], 0x3FC + 8);
}

/* After a wrong PAD, words are no longer aligned. Markers still come every 512 octets of the stream (RFC
 * 5044 4.3), even inside ULPDU_Length or CRC. */
static void a_wrong_pad_does_not_shift_the_markers(void **state) {
    static const uint8_t zeros[500];
    uint8_t octets[2048];
    struct iw_output output = iw_output_into(octets, sizeof octets);
    struct iw_fpdu_writer writer;
    struct iw_fpdu_parts parts = {.overrides = IW_FPDU_SET_PAD_OCTETS | IW_FPDU_SET_CRC, .crc = 0x11223344};

    (void)state;
    for (uint32_t count = 494; count <= 500; count++) {
        output = iw_output_into(octets, sizeof octets);
        iw_fpdu_writer_init(&writer, true, true);
        parts.header_octets = count;
        parts.headers = zeros;
        iw_fpdu_write(&writer, &parts, &output); /* 4 + 2 + count + 4 octets */
        parts.header_octets = 3;
        parts.headers = ulpdu_abc;
        iw_fpdu_write(&writer, &parts, &output);
        assert_int_equal(output.length, 10 + count + 9 + 4);
        assert_int_equal(octets[512] << 8 | octets[513], 0);
        assert_in_range(octets[515], 0, 12);
        assert_int_equal(octets[output.length - 1], 0x44);
        assert_int_equal(writer.position, output.length);
    }
}

/* ---- capacity ---- */

static void an_fpdu_that_does_not_fit_leaves_the_writer_unchanged(void **state) {
    const struct iw_vector *vector = vector_of("K01");
    uint8_t octets[64];
    struct iw_fpdu_parts parts = {.headers = vector->octets + 6, .header_octets = 42};

    (void)state;
    for (size_t room = 0; room <= 52; room++) {
        struct iw_output output = iw_output_into(octets, room);
        struct iw_fpdu_writer writer;

        iw_fpdu_writer_init(&writer, true, true);
        iw_fpdu_write(&writer, &parts, &output);
        assert_int_equal(output.failed, room < 52);
        assert_int_equal(writer.position, room < 52 ? 0 : 52);
    }
}

static void write_max_is_enough_at_every_position(void **state) {
    static const uint8_t zeros[1100];
    static uint8_t octets[4096];

    (void)state;
    for (uint32_t position = 0; position <= 512; position += 4) {
        for (size_t count = 0; count <= sizeof zeros; count += 11) {
            struct iw_output output = iw_output_into(octets, iw_fpdu_write_max(count));
            struct iw_fpdu_writer writer;
            struct iw_fpdu_parts parts = {.headers = zeros,
                .header_octets = count,
                .overrides = IW_FPDU_SET_PAD_OCTETS,
                .pad_octets = 255};

            iw_fpdu_writer_init(&writer, true, true);
            writer.position = position;
            iw_fpdu_write(&writer, &parts, &output);
            assert_false(output.failed);
        }
    }
}

/* ---- measuring ---- */

static void expect_shape(
    uint64_t position, size_t payload, unsigned overrides, size_t octets, uint32_t pad, uint32_t markers) {
    static const uint8_t zeros[2048];
    static uint8_t room[8192];
    const struct iw_fpdu_parts parts = {
        .payload = zeros, .payload_octets = payload, .overrides = overrides, .pad_octets = 5};
    struct iw_fpdu_writer writer = {.markers = true, .crc = true, .position = position};
    struct iw_output output = iw_output_into(room, sizeof room);
    struct iw_fpdu_shape shape = iw_fpdu_measure(&writer, &parts);

    assert_int_equal(shape.octets, octets);
    assert_int_equal(shape.pad, pad);
    assert_int_equal(shape.markers, markers);
    iw_fpdu_write(&writer, &parts, &output);
    assert_int_equal(output.length, octets);
}

static void measured_sizes_match_the_written_fpdu(void **state) {
    (void)state;
    expect_shape(4, 22, 0, 28, 0, 0);
    expect_shape(4, 23, 0, 32, 3, 0);
    expect_shape(0, 22, 0, 32, 0, 1);
    expect_shape(484, 22, 0, 28, 0, 0);   /* the Marker at 512 belongs to the next FPDU */
    expect_shape(488, 22, 0, 32, 0, 1);   /* the Marker at 512 comes right before the CRC */
    expect_shape(0, 1018, 0, 1036, 0, 3); /* at 0, 512 and 1024 */
    expect_shape(0, 1018, IW_FPDU_NO_MARKERS, 1024, 0, 3);
    expect_shape(488, 22, IW_FPDU_NO_CRC, 24, 0, 0);
    expect_shape(4, 22, IW_FPDU_SET_PAD_OCTETS, 33, 5, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_vector_is_written_at_its_position),
        cmocka_unit_test(a_vector_without_markers_is_written),
        cmocka_unit_test(an_fpdu_after_another_continues_at_its_position),
        cmocka_unit_test(ulpdu_length_can_be_overridden),
        cmocka_unit_test(pad_can_have_any_length_and_value),
        cmocka_unit_test(crc_can_have_any_value_or_be_omitted),
        cmocka_unit_test(markers_can_have_any_value_or_be_omitted),
        cmocka_unit_test(a_shift_moves_every_fpduptr),
        cmocka_unit_test(a_wrong_pad_does_not_shift_the_markers),
        cmocka_unit_test(an_fpdu_that_does_not_fit_leaves_the_writer_unchanged),
        cmocka_unit_test(write_max_is_enough_at_every_position),
        cmocka_unit_test(measured_sizes_match_the_written_fpdu),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
