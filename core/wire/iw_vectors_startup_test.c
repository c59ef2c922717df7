#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_cursor.h"
#include "iw_startup.h"
#include "iw_vector.h"

/* M01 to M12, and the file of vectors as a whole. */

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

struct row {
    const char *id;
    enum iw_startup_key key;
    uint8_t m, c, r, s, rev;
    uint16_t pd_length;
    struct iw_mpa_enhanced enhanced; /* read if `s` is set */
    const char *private_data;
};

/* In all of them Res is 0. */
static const struct row rows[] = {
    {.id = "M01", .key = IW_STARTUP_REQUEST, .c = 1, .rev = 1, .private_data = ""},
    {.id = "M02",
        .key = IW_STARTUP_REQUEST,
        .m = 1,
        .c = 1,
        .rev = 1,
        .pd_length = 5,
        .private_data = "hello"},
    {.id = "M03", .key = IW_STARTUP_REPLY, .c = 1, .rev = 1, .private_data = ""},
    {.id = "M04", .key = IW_STARTUP_REPLY, .c = 1, .r = 1, .rev = 1, .pd_length = 4, .private_data = "busy"},
    {.id = "M05",
        .key = IW_STARTUP_REQUEST,
        .c = 1,
        .s = 1,
        .rev = 2,
        .pd_length = 8,
        .enhanced = {.a = 1, .b = 1, .ird = 16, .c = 1, .d = 1, .ord = 8},
        .private_data = "abcd"},
    {.id = "M06",
        .key = IW_STARTUP_REPLY,
        .c = 1,
        .s = 1,
        .rev = 2,
        .pd_length = 4,
        .enhanced = {.a = 1, .b = 0, .ird = 8, .c = 1, .d = 1, .ord = 16},
        .private_data = ""},
    {.id = "M07",
        .key = IW_STARTUP_REQUEST,
        .c = 1,
        .s = 1,
        .rev = 2,
        .pd_length = 4,
        .enhanced = {.ird = 0x3FFF, .ord = 0x3FFF},
        .private_data = ""},
    {.id = "M08",
        .key = IW_STARTUP_REPLY,
        .c = 1,
        .r = 1,
        .s = 1,
        .rev = 2,
        .pd_length = 4,
        .enhanced = {.ird = 4, .ord = 32},
        .private_data = ""},
    {.id = "M09", .key = IW_STARTUP_REQUEST, .m = 1, .c = 1, .rev = 0, .private_data = ""},
    {.id = "M10", .key = IW_STARTUP_REPLY, .m = 1, .c = 0, .rev = 1, .private_data = ""},
    {.id = "M11", .key = IW_STARTUP_REQUEST, .c = 1, .rev = 2, .private_data = ""},
    {.id = "M12", .key = IW_STARTUP_REQUEST, .c = 1, .rev = 1, .pd_length = 513, .private_data = ""},
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

static const struct iw_vector *vector_of(void **state, const struct row *row) {
    const struct iw_vector *vector = iw_vector_find(*state, row->id);

    print_message("%s\n", row->id);
    assert_non_null(vector);
    return vector;
}

static void file_has_every_vector_once(void **state) {
    const struct iw_vector_set *set = *state;

    assert_int_equal(set->count, 68);
    assert_int_equal(iw_vector_count(set, 'M'), 12);
    assert_int_equal(iw_vector_count(set, 'F'), 44);
    assert_int_equal(iw_vector_count(set, 'K'), 6);
    assert_int_equal(iw_vector_count(set, 'S'), 6);
    for (size_t i = 0; i < set->count; i++)
        assert_ptr_equal(iw_vector_find(set, set->vectors[i].id), &set->vectors[i]);
}

static void every_startup_vector_has_a_row(void **state) {
    assert_int_equal(iw_vector_count(*state, 'M'), ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        assert_non_null(iw_vector_find(*state, rows[i].id));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(rows[i].id, rows[j].id);
    }
}

static void octets_decode_to_the_stated_values(void **state) {
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct iw_vector *vector = vector_of(state, row);
        struct iw_startup frame;

        iw_startup_decode(vector->octets, vector->length, &frame);
        assert_int_equal(frame.key, row->key);
        assert_int_equal(frame.header.m, row->m);
        assert_int_equal(frame.header.c, row->c);
        assert_int_equal(frame.header.r, row->r);
        assert_int_equal(frame.header.s, row->s);
        assert_int_equal(frame.header.res, 0);
        assert_int_equal(frame.header.rev, row->rev);
        assert_int_equal(frame.header.pd_length, row->pd_length);
        assert_int_equal(frame.enhanced, row->s);
        assert_int_equal(frame.enhanced_data.a, row->enhanced.a);
        assert_int_equal(frame.enhanced_data.b, row->enhanced.b);
        assert_int_equal(frame.enhanced_data.ird, row->enhanced.ird);
        assert_int_equal(frame.enhanced_data.c, row->enhanced.c);
        assert_int_equal(frame.enhanced_data.d, row->enhanced.d);
        assert_int_equal(frame.enhanced_data.ord, row->enhanced.ord);
        assert_int_equal(frame.private_octets, strlen(row->private_data));
        assert_memory_equal(frame.private_data, row->private_data, frame.private_octets);
        assert_int_equal(iw_startup_octets(vector->octets), 20 + row->pd_length);
    }
}

static void values_encode_to_the_stated_octets(void **state) {
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct iw_vector *vector = vector_of(state, row);
        struct iw_mpa_startup header = {
            .m = row->m, .c = row->c, .r = row->r, .s = row->s, .rev = row->rev, .pd_length = row->pd_length};
        uint8_t octets[64];
        struct iw_output output = iw_output_into(octets, sizeof octets);

        memset(octets, 0xA5, sizeof octets);
        memcpy(header.key, row->key == IW_STARTUP_REQUEST ? iw_startup_key_request : iw_startup_key_reply,
            sizeof header.key);
        iw_mpa_startup_encode(&header, iw_output_reserve(&output, iw_mpa_startup_octets));
        if (row->s)
            iw_mpa_enhanced_encode(&row->enhanced, iw_output_reserve(&output, iw_mpa_enhanced_octets));
        iw_output_octets(&output, (const uint8_t *)row->private_data, strlen(row->private_data));

        assert_false(output.failed);
        assert_int_equal(output.length, vector->length);
        assert_memory_equal(octets, vector->octets, vector->length);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_has_every_vector_once),
        cmocka_unit_test(every_startup_vector_has_a_row),
        cmocka_unit_test(octets_decode_to_the_stated_values),
        cmocka_unit_test(values_encode_to_the_stated_octets),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
