#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_cursor.h"
#include "iw_sctp.h"
#include "iw_segment.h"
#include "iw_vector.h"

/* S01 to S06. */

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

/* S03 is the only DDP Segment Chunk and has a test of its own. */
static const struct row {
    const char *id;
    uint16_t ssn;
    uint16_t function;
    bool enhanced;
    struct iw_mpa_enhanced enhanced_data;
    const char *private_data;
} rows[] = {
    {.id = "S01", .ssn = 0, .function = 1, .private_data = "hi"},
    {.id = "S02", .ssn = 0, .function = 2, .private_data = ""},
    {.id = "S04",
        .ssn = 0,
        .function = 5,
        .enhanced = true,
        .enhanced_data = {.a = 1, .b = 1, .ird = 4, .c = 1, .d = 1, .ord = 4},
        .private_data = ""},
    {.id = "S05",
        .ssn = 0,
        .function = 7,
        .enhanced = true,
        .enhanced_data = {.ird = 4, .ord = 32},
        .private_data = ""},
    {.id = "S06", .ssn = 9, .function = 4, .private_data = ""},
};

enum { ROWS = sizeof rows / sizeof *rows };

static int load(void **state) {
    static struct iw_vector_set set;

    *state = &set;
    return iw_vector_set_init(&set, VECTORS) ? 0 : -1;
}

static int unload(void **state) {
    iw_vector_set_dispose(*state);
    return 0;
}

static void every_sctp_vector_has_a_row(void **state) {
    assert_int_equal(iw_vector_count(*state, 'S'), ROWS + 1);
    assert_non_null(iw_vector_find(*state, "S03"));
    for (size_t i = 0; i < ROWS; i++) {
        assert_non_null(iw_vector_find(*state, rows[i].id));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[i].id, rows[j].id);
    }
}

static void session_control_decodes_to_the_stated_values(void **state) {
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct iw_vector *vector = iw_vector_find(*state, row->id);
        struct iw_sctp_session session;

        print_message("%s\n", row->id);
        assert_non_null(vector);
        assert_true(iw_sctp_session_decode(vector->octets, vector->length, &session));
        assert_int_equal(session.header.ssn, row->ssn);
        assert_int_equal(session.header.function, row->function);
        assert_int_equal(session.enhanced, row->enhanced);
        assert_int_equal(session.enhanced_data.a, row->enhanced_data.a);
        assert_int_equal(session.enhanced_data.b, row->enhanced_data.b);
        assert_int_equal(session.enhanced_data.ird, row->enhanced_data.ird);
        assert_int_equal(session.enhanced_data.c, row->enhanced_data.c);
        assert_int_equal(session.enhanced_data.d, row->enhanced_data.d);
        assert_int_equal(session.enhanced_data.ord, row->enhanced_data.ord);
        assert_int_equal(session.private_octets, strlen(row->private_data));
        assert_memory_equal(session.private_data, row->private_data, session.private_octets);
    }
}

static void session_control_encodes_to_the_stated_octets(void **state) {
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct iw_vector *vector = iw_vector_find(*state, row->id);
        const struct iw_sctp_control header = {.ssn = row->ssn, .function = row->function};
        uint8_t octets[16];
        struct iw_output output = iw_output_into(octets, sizeof octets);

        print_message("%s\n", row->id);
        assert_non_null(vector);
        memset(octets, 0xA5, sizeof octets);
        iw_sctp_control_encode(&header, iw_output_reserve(&output, iw_sctp_control_octets));
        if (row->enhanced)
            iw_mpa_enhanced_encode(&row->enhanced_data, iw_output_reserve(&output, iw_mpa_enhanced_octets));
        iw_output_octets(&output, (const uint8_t *)row->private_data, strlen(row->private_data));
        assert_int_equal(output.length, vector->length);
        assert_memory_equal(octets, vector->octets, vector->length);
    }
}

/* DDP-SSN 1, then the Send "hello" of F07 without length, pad and CRC (RFC 5043 5.2.2). */
static void segment_chunk_decodes_to_the_stated_values(void **state) {
    const struct iw_vector *vector = iw_vector_find(*state, "S03");
    struct iw_sctp_segment chunk;
    struct iw_segment segment;

    assert_non_null(vector);
    assert_int_equal(vector->length, 25);
    iw_sctp_segment_decode(vector->octets, &chunk);
    assert_int_equal(chunk.ssn, 1);
    assert_true(iw_segment_decode(vector->octets + 2, 23, 23, IW_EXT_BASE, &segment));
    assert_false(segment.tagged);
    assert_true(segment.last);
    assert_int_equal(segment.dv, 1);
    assert_int_equal(segment.rv, 1);
    assert_int_equal(segment.opcode, 3);
    assert_int_equal(segment.invalidate_stag, 0);
    assert_int_equal(segment.qn, 0);
    assert_int_equal(segment.msn, 1);
    assert_int_equal(segment.mo, 0);
    assert_int_equal(segment.payload_octets, 5);
    assert_memory_equal(segment.payload, "hello", 5);
}

static void segment_chunk_encodes_to_the_stated_octets(void **state) {
    const struct iw_vector *vector = iw_vector_find(*state, "S03");
    const struct iw_sctp_segment chunk = {.ssn = 1};
    const struct iw_segment segment = {.last = true, .dv = 1, .control = 0x43, .msn = 1};
    uint8_t octets[25];

    assert_non_null(vector);
    memset(octets, 0xA5, sizeof octets);
    iw_sctp_segment_encode(&chunk, octets);
    assert_int_equal(iw_segment_encode_ddp(&segment, octets + 2), 18);
    memcpy(octets + 20, "hello", 5);
    assert_int_equal(vector->length, sizeof octets);
    assert_memory_equal(octets, vector->octets, sizeof octets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sctp_vector_has_a_row),
        cmocka_unit_test(session_control_decodes_to_the_stated_values),
        cmocka_unit_test(session_control_encodes_to_the_stated_octets),
        cmocka_unit_test(segment_chunk_decodes_to_the_stated_values),
        cmocka_unit_test(segment_chunk_encodes_to_the_stated_octets),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
