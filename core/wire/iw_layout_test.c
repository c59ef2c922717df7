#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bits.h"
#include "iw_layout.h"

/* The fields of every layout follow one another without hole or overlap and fill the header exactly. */
static void fields_tile_every_layout(void **state) {
    (void)state;
    for (unsigned l = 0; l < IW_LAYOUT_COUNT; l++) {
        const struct iw_layout *layout = &iw_layouts[l];
        unsigned next_bit = 0;

        assert_true(layout->field_count > 0);
        for (unsigned i = 0; i < layout->field_count; i++) {
            const struct iw_field *field = &iw_fields[layout->first_field + i];

            assert_int_equal(field->layout, l);
            assert_int_equal(field->bit, next_bit);
            assert_true(field->bits > 0);
            next_bit = field->bit + field->bits;
        }
        assert_int_equal(next_bit, 8 * layout->octets);
    }
}

static void every_field_belongs_to_one_layout(void **state) {
    unsigned fields = 0;

    (void)state;
    for (unsigned l = 0; l < IW_LAYOUT_COUNT; l++) {
        assert_int_equal(iw_layouts[l].first_field, fields);
        fields += iw_layouts[l].field_count;
    }
    assert_int_equal(fields, IW_FIELD_COUNT);
}

static void field_is_found_by_name_in_its_layout_only(void **state) {
    (void)state;
    assert_ptr_equal(iw_field_find(iw_layout_ddp_untagged, "msn"), &iw_fields[iw_field_ddp_untagged_msn]);
    assert_null(iw_field_find(iw_layout_ddp_tagged, "msn"));
    assert_null(iw_field_find(iw_layout_ddp_tagged, ""));
}

/* The octets in bits: 1010 1100 | 0011 0101 | 1111 0000 */
static void bits_are_counted_from_the_most_significant(void **state) {
    const uint8_t octets[3] = {0xAC, 0x35, 0xF0};

    (void)state;
    assert_int_equal(iw_bits_get(octets, 0, 1), 1);
    assert_int_equal(iw_bits_get(octets, 1, 1), 0);
    assert_int_equal(iw_bits_get(octets, 4, 8), 0xC3);
    assert_int_equal(iw_bits_get(octets, 2, 14), 0x2C35);
    assert_int_equal(iw_bits_get(octets, 19, 5), 0x10);
    assert_int_equal(iw_bits_get(octets, 0, 24), 0xAC35F0);
}

static void put_changes_only_its_field(void **state) {
    uint8_t octets[4] = {0xFF, 0xFF, 0xFF, 0xFF};
    const uint8_t zeroed[4] = {0xFF, 0xFF, 0xE0, 0x00};
    const uint8_t nibble[4] = {0xFF, 0xF5, 0xE0, 0x00};

    (void)state;
    iw_bits_put(octets, 19, 13, 0);
    assert_memory_equal(octets, zeroed, 4);
    iw_bits_put(octets, 12, 4, 0xA5); /* the bits above the width are dropped */
    assert_memory_equal(octets, nibble, 4);
}

static void sixty_four_bits_round_trip(void **state) {
    uint8_t octets[10] = {0};
    const uint8_t expected[10] = {0, 0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0};

    (void)state;
    iw_bits_put(octets, 8, 64, UINT64_C(0x0123456789ABCDEF));
    assert_memory_equal(octets, expected, 10);
    assert_true(iw_bits_get(octets, 8, 64) == UINT64_C(0x0123456789ABCDEF));
}

/* RFC 5044 4.2 */
static void marker_is_decoded_and_encoded(void **state) {
    const uint8_t octets[4] = {0x12, 0x34, 0x01, 0xFC};
    struct iw_mpa_marker marker;
    uint8_t written[4];

    (void)state;
    iw_mpa_marker_decode(octets, &marker);
    assert_int_equal(marker.reserved, 0x1234);
    assert_int_equal(marker.fpduptr, 508);
    iw_mpa_marker_encode(&marker, written);
    assert_memory_equal(written, octets, 4);
}

/* The vectors have 0 in every reserved field: this test sets the first and the last bit of each. */
static void reserved_bits_leave_other_fields_alone(void **state) {
    const uint8_t atomic[52] = {0x80, 0, 0, 0x12};
    const uint8_t flush[20] = {[16] = 0x80, [19] = 0x06};
    const uint8_t terminate[4] = {0, 0, 0x30, 0x01};
    struct iw_atomic_request atomic_request;
    struct iw_flush_request flush_request;
    struct iw_terminate header;

    (void)state;
    iw_atomic_request_decode(atomic, &atomic_request);
    assert_int_equal(atomic_request.reserved, 0x8000001);
    assert_int_equal(atomic_request.aopcode, 2);
    iw_flush_request_decode(flush, &flush_request);
    assert_int_equal(flush_request.reserved, 0x20000001);
    assert_int_equal(flush_request.g, 1);
    assert_int_equal(flush_request.p, 0);
    iw_terminate_decode(terminate, &header);
    assert_int_equal(header.d, 0);
    assert_int_equal(header.r, 1);
    assert_int_equal(header.reserved, 0x1001);
}

/* Scripts set fields with iw_field_put: it writes the same octets as the struct's encoder. */
static void fields_set_by_name_match_the_encoder(void **state) {
    uint8_t octets[4] = {0};
    const uint8_t expected[4] = {0xC0, 0x10, 0x80, 0x08}; /* A=1 B=1 IRD=16, C=1 D=0 ORD=8 */

    (void)state;
    iw_field_put(&iw_fields[iw_field_mpa_enhanced_a], octets, 1);
    iw_field_put(&iw_fields[iw_field_mpa_enhanced_b], octets, 1);
    iw_field_put(&iw_fields[iw_field_mpa_enhanced_ird], octets, 16);
    iw_field_put(&iw_fields[iw_field_mpa_enhanced_c], octets, 1);
    iw_field_put(&iw_fields[iw_field_mpa_enhanced_ord], octets, 8);
    assert_memory_equal(octets, expected, 4);
    assert_int_equal(iw_field_get(&iw_fields[iw_field_mpa_enhanced_ird], octets), 16);
    assert_int_equal(iw_field_get(&iw_fields[iw_field_mpa_enhanced_d], octets), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_tile_every_layout),
        cmocka_unit_test(every_field_belongs_to_one_layout),
        cmocka_unit_test(field_is_found_by_name_in_its_layout_only),
        cmocka_unit_test(bits_are_counted_from_the_most_significant),
        cmocka_unit_test(put_changes_only_its_field),
        cmocka_unit_test(sixty_four_bits_round_trip),
        cmocka_unit_test(marker_is_decoded_and_encoded),
        cmocka_unit_test(reserved_bits_leave_other_fields_alone),
        cmocka_unit_test(fields_set_by_name_match_the_encoder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
