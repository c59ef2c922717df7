#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"

/* The published checks of CRC-32C (RFC 3720 B.4), octets in wire order. */
static void published_values_are_computed(void **state) {
    uint8_t octets[32];

    (void)state;
    assert_int_equal(iw_crc32c((const uint8_t *)"123456789", 9), 0x839206E3);
    memset(octets, 0x00, sizeof octets);
    assert_int_equal(iw_crc32c(octets, sizeof octets), 0xAA36918A);
    memset(octets, 0xFF, sizeof octets);
    assert_int_equal(iw_crc32c(octets, sizeof octets), 0x43ABA862);
    for (unsigned i = 0; i < 32; i++)
        octets[i] = (uint8_t)i;
    assert_int_equal(iw_crc32c(octets, sizeof octets), 0x4E79DD46);
    for (unsigned i = 0; i < 32; i++)
        octets[i] = (uint8_t)(31 - i);
    assert_int_equal(iw_crc32c(octets, sizeof octets), 0x5CDB3F11);
}

static void portable_code_gives_the_published_value(void **state) {
    uint32_t crc = iw_crc32c_update_portable(iw_crc32c_begin(), (const uint8_t *)"123456789", 9);

    (void)state;
    assert_int_equal(iw_crc32c_end(crc), 0x839206E3);
}

static void no_octets_leave_the_state_unchanged(void **state) {
    (void)state;
    assert_int_equal(iw_crc32c(NULL, 0), 0);
    assert_int_equal(iw_crc32c_update(0x12345678, NULL, 0), 0x12345678);
    assert_int_equal(iw_crc32c_update_portable(0x12345678, NULL, 0), 0x12345678);
}

/* The CRC of any data followed by their own CRC is the integer 48674BC7. */
static void data_and_crc_leave_the_residue(void **state) {
    const uint8_t digits[13] = {'1', '2', '3', '4', '5', '6', '7', '8', '9', 0x83, 0x92, 0x06, 0xE3};
    const uint8_t figure5[4 + 44 + 4] = {[5] = 0x2A, 0x41, 0x43, [19] = 1, [48] = 0x52, 0x23, 0x99, 0x83};

    (void)state;
    assert_int_equal(iw_crc32c(digits, sizeof digits), 0xC74B6748);
    assert_int_equal(iw_crc32c(figure5, sizeof figure5), 0xC74B6748); /* RFC 5044 figure 5 */
}

enum { LONGEST = 300 };

/* The content must be the same in every run. */
static void fill(uint8_t *octets, size_t count) {
    uint32_t seed = 0x5EED;

    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        octets[i] = (uint8_t)(seed >> 24);
    }
}

static void library_and_portable_code_agree_at_every_length(void **state) {
    uint8_t octets[LONGEST + 8];

    (void)state;
    fill(octets, sizeof octets);
    for (size_t length = 0; length <= LONGEST; length++) {
        for (size_t start = 0; start < 8; start++) {
            uint32_t library = iw_crc32c_update(iw_crc32c_begin(), octets + start, length);
            uint32_t portable = iw_crc32c_update_portable(iw_crc32c_begin(), octets + start, length);

            assert_int_equal(library, portable);
        }
    }
}

static void pieces_give_the_same_as_the_whole(void **state) {
    uint8_t octets[LONGEST];

    (void)state;
    fill(octets, sizeof octets);
    for (size_t length = 0; length <= LONGEST; length++) {
        uint32_t whole = iw_crc32c(octets, length);

        for (size_t split = 0; split <= length; split++) {
            uint32_t crc = iw_crc32c_update(iw_crc32c_begin(), octets, split);

            crc = iw_crc32c_update(crc, octets + split, length - split);
            assert_int_equal(iw_crc32c_end(crc), whole);
        }
    }
}

static void one_octet_at_a_time_gives_the_same(void **state) {
    uint8_t octets[LONGEST];
    uint32_t crc = iw_crc32c_begin();

    (void)state;
    fill(octets, sizeof octets);
    for (size_t i = 0; i < LONGEST; i++)
        crc = iw_crc32c_update(crc, octets + i, 1);
    assert_int_equal(iw_crc32c_end(crc), iw_crc32c(octets, LONGEST));
}

/* The allocation has the exact size, so the sanitizer detects a read beyond. */
static void reads_nothing_beyond_the_end(void **state) {
    (void)state;
    for (size_t length = 1; length <= LONGEST; length++) {
        uint8_t *octets = calloc(length, 1);

        assert_non_null(octets);
        assert_int_equal(iw_crc32c_update(iw_crc32c_begin(), octets, length),
            iw_crc32c_update_portable(iw_crc32c_begin(), octets, length));
        free(octets);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_values_are_computed),
        cmocka_unit_test(portable_code_gives_the_published_value),
        cmocka_unit_test(no_octets_leave_the_state_unchanged),
        cmocka_unit_test(data_and_crc_leave_the_residue),
        cmocka_unit_test(library_and_portable_code_agree_at_every_length),
        cmocka_unit_test(pieces_give_the_same_as_the_whole),
        cmocka_unit_test(one_octet_at_a_time_gives_the_same),
        cmocka_unit_test(reads_nothing_beyond_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
