#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_cursor.h"

static void reads_octets_in_order(void **state) {
    const uint8_t octets[5] = {1, 2, 3, 4, 5};
    struct iw_cursor cursor = iw_cursor_over(octets, sizeof octets);

    (void)state;
    assert_int_equal(iw_cursor_left(&cursor), 5);
    assert_ptr_equal(iw_cursor_take(&cursor, 2), octets);
    assert_int_equal(iw_cursor_left(&cursor), 3);
    assert_ptr_equal(iw_cursor_take(&cursor, 0), octets + 2);
    assert_ptr_equal(iw_cursor_take(&cursor, 3), octets + 2);
    assert_int_equal(iw_cursor_left(&cursor), 0);
    assert_ptr_equal(iw_cursor_take(&cursor, 0), octets + 5);
    assert_false(cursor.failed);
}

static void a_read_beyond_the_end_fails_and_sticks(void **state) {
    const uint8_t octets[5] = {1, 2, 3, 4, 5};
    struct iw_cursor cursor = iw_cursor_over(octets, sizeof octets);

    (void)state;
    assert_non_null(iw_cursor_take(&cursor, 2));
    assert_null(iw_cursor_take(&cursor, 4));
    assert_true(cursor.failed);
    assert_int_equal(cursor.at, 2);
    assert_null(iw_cursor_take(&cursor, 1)); /* an octet is left, but the error sticks */
    assert_null(iw_cursor_take(&cursor, 0));
    assert_int_equal(cursor.at, 2);
}

static void a_huge_count_does_not_wrap(void **state) {
    const uint8_t octets[5] = {1, 2, 3, 4, 5};
    struct iw_cursor cursor = iw_cursor_over(octets, sizeof octets);

    (void)state;
    assert_non_null(iw_cursor_take(&cursor, 1));
    assert_null(iw_cursor_take(&cursor, SIZE_MAX));
    assert_true(cursor.failed);
}

static void only_zero_octets_can_be_read_from_null(void **state) {
    struct iw_cursor cursor = iw_cursor_over(NULL, 0);

    (void)state;
    iw_cursor_take(&cursor, 0);
    assert_false(cursor.failed);
    assert_null(iw_cursor_take(&cursor, 1));
    assert_true(cursor.failed);
}

static void writes_octets_in_order(void **state) {
    uint8_t octets[8] = {0};
    const uint8_t pair[2] = {0xAA, 0xBB};
    const uint8_t expected[8] = {0xAA, 0xBB, 0x11, 0x00, 0x00, 0xAA, 0xBB, 0x77};
    struct iw_output output = iw_output_into(octets, 7);
    uint8_t *room;

    (void)state;
    octets[3] = octets[4] = 0x77;
    octets[7] = 0x77;
    iw_output_octets(&output, pair, 2);
    room = iw_output_reserve(&output, 1);
    assert_ptr_equal(room, octets + 2);
    *room = 0x11;
    iw_output_zeros(&output, 2);
    iw_output_octets(&output, NULL, 0);
    iw_output_zeros(&output, 0);
    iw_output_octets(&output, pair, 2);
    assert_false(output.failed);
    assert_int_equal(output.length, 7);
    assert_memory_equal(octets, expected, 8);
}

static void a_write_that_does_not_fit_fails_and_sticks(void **state) {
    uint8_t octets[4] = {9, 9, 9, 9};
    const uint8_t triple[3] = {1, 2, 3};
    const uint8_t expected[4] = {1, 2, 3, 9};
    struct iw_output output = iw_output_into(octets, 4);

    (void)state;
    iw_output_octets(&output, triple, 3);
    iw_output_octets(&output, triple, 3);
    assert_true(output.failed);
    iw_output_zeros(&output, 1); /* fits, but the error sticks */
    assert_null(iw_output_reserve(&output, 0));
    assert_int_equal(output.length, 3);
    assert_memory_equal(octets, expected, 4);
}

static void a_huge_reservation_does_not_wrap(void **state) {
    uint8_t octets[4];
    struct iw_output output = iw_output_into(octets, 4);

    (void)state;
    assert_non_null(iw_output_reserve(&output, 1));
    assert_null(iw_output_reserve(&output, SIZE_MAX));
    assert_true(output.failed);
}

static void output_into_null_accepts_no_octets(void **state) {
    struct iw_output output = iw_output_into(NULL, 0);

    (void)state;
    iw_output_zeros(&output, 0);
    iw_output_octets(&output, NULL, 0);
    assert_false(output.failed);
    iw_output_zeros(&output, 1);
    assert_true(output.failed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_octets_in_order),
        cmocka_unit_test(a_read_beyond_the_end_fails_and_sticks),
        cmocka_unit_test(a_huge_count_does_not_wrap),
        cmocka_unit_test(only_zero_octets_can_be_read_from_null),
        cmocka_unit_test(writes_octets_in_order),
        cmocka_unit_test(a_write_that_does_not_fit_fails_and_sticks),
        cmocka_unit_test(a_huge_reservation_does_not_wrap),
        cmocka_unit_test(output_into_null_accepts_no_octets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
