#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_memory.h"

static int write_check(struct iw_memory *memory, uint32_t stag, uint64_t to, uint64_t length) {
    struct iw_access access = {.stag = stag, .to = to, .length = length, .rights = IW_RIGHT_WRITE};

    return iw_memory_check_tagged(memory, &access);
}

static int read_check(struct iw_memory *memory, uint32_t stag, uint64_t to, uint64_t length) {
    struct iw_access access = {.stag = stag, .to = to, .length = length, .rights = IW_RIGHT_READ};

    return iw_memory_check_source(memory, &access);
}

static void chosen_stags_are_alike_in_every_run(void **state) {
    struct iw_memory *memory = iw_memory_new();

    (void)state;
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0x100);
    assert_non_null(iw_memory_register(memory, 0x200, 0, 8, 0));
    assert_int_equal(iw_memory_register(memory, 0, 0, 8, 0)->stag, 0x300);
    assert_null(iw_memory_register(memory, 0x200, 0, 8, 0));
    iw_memory_free(memory);
}

static void a_region_ends_at_two_to_the_64_at_the_latest(void **state) {
    struct iw_memory *memory = iw_memory_new();

    (void)state;
    assert_null(iw_memory_register(memory, 1, UINT64_MAX - 6, 8, IW_RIGHT_WRITE));
    assert_non_null(iw_memory_register(memory, 1, UINT64_MAX - 7, 8, IW_RIGHT_WRITE));
    assert_int_equal(write_check(memory, 1, UINT64_MAX - 7, 8), IW_NO_ERROR);
    assert_int_equal(write_check(memory, 1, UINT64_MAX, 1), IW_NO_ERROR);
    assert_int_equal(write_check(memory, 1, UINT64_MAX, 2), 0x1103);
    iw_memory_free(memory);
}

static void checks_give_the_codes_of_their_layer(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *both = iw_memory_register(memory, 7, 0x1000, 16, IW_RIGHT_READ | IW_RIGHT_WRITE);
    int stream = 0;

    (void)state;
    iw_memory_register(memory, 8, 0, 16, 0);
    assert_int_equal(write_check(memory, 7, 0x1000, 16), IW_NO_ERROR);
    assert_int_equal(read_check(memory, 7, 0x100F, 1), IW_NO_ERROR);
    assert_int_equal(write_check(memory, 9, 0x1000, 1), 0x1100);
    assert_int_equal(read_check(memory, 9, 0x1000, 1), 0x0100);
    assert_int_equal(write_check(memory, 8, 0, 1), 0x1100);
    assert_int_equal(read_check(memory, 8, 0, 1), 0x0102);
    assert_int_equal(write_check(memory, 7, 0x0FFF, 2), 0x1101);
    assert_int_equal(read_check(memory, 7, 0x1001, 16), 0x0101);
    assert_int_equal(write_check(memory, 7, UINT64_MAX - 3, 8), 0x1103);
    assert_int_equal(read_check(memory, 7, UINT64_MAX - 3, 8), 0x0104);
    both->stream = &stream;
    assert_int_equal(write_check(memory, 7, 0x1000, 1), 0x1102);
    assert_int_equal(read_check(memory, 7, 0x1000, 1), 0x0103);
    both->valid = false;
    assert_int_equal(write_check(memory, 7, 0x1000, 1), 0x1100);
    assert_int_equal(read_check(memory, 7, 0x1000, 1), 0x0100);
    iw_memory_free(memory);
}

static void zero_octets_are_not_checked(void **state) {
    (void)state;
    assert_int_equal(write_check(NULL, 1, UINT64_MAX, 0), IW_NO_ERROR);
    assert_int_equal(read_check(NULL, 1, UINT64_MAX, 0), IW_NO_ERROR);
    assert_int_equal(write_check(NULL, 1, 0, 1), 0x1100);
}

static void an_stag_can_be_invalidated_once_and_by_its_stream(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *region = iw_memory_register(memory, 7, 0, 16, IW_RIGHT_READ);
    int mine = 0;
    int other = 0;

    (void)state;
    region->stream = &mine;
    assert_int_equal(iw_memory_check_invalidate(memory, 7, &other), 0x0109);
    assert_int_equal(iw_memory_check_invalidate(memory, 7, &mine), IW_NO_ERROR);
    region->valid = false;
    assert_int_equal(iw_memory_check_invalidate(memory, 7, &mine), 0x0109);
    assert_int_equal(iw_memory_check_invalidate(memory, 6, &mine), 0x0109);
    iw_memory_free(memory);
}

static void a_skipped_check_still_keeps_inside(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *region = iw_memory_register(memory, 7, 0x1000, 4, IW_RIGHT_WRITE);
    struct iw_access access = {
        .stag = 7, .to = 0x0FFE, .length = 8, .rights = IW_RIGHT_WRITE, .skip = IW_MEMORY_BOUNDS};

    (void)state;
    assert_int_equal(iw_memory_check_tagged(memory, &access), IW_NO_ERROR);
    iw_memory_place(memory, 7, 0x0FFE, (const uint8_t *)"abcdefgh", 8);
    assert_memory_equal(region->octets, "cdef", 4);
    iw_memory_place(memory, 7, 0x1003, (const uint8_t *)"XYZ", 3);
    assert_memory_equal(region->octets, "cdeX", 4);
    iw_memory_place(memory, 7, 0x1004, (const uint8_t *)"!", 1);
    iw_memory_place(memory, 7, 0x0FFE, (const uint8_t *)"!!", 2);
    iw_memory_place(memory, 6, 0x1000, (const uint8_t *)"!", 1);
    assert_memory_equal(region->octets, "cdeX", 4);
    assert_ptr_equal(iw_memory_fetch(memory, 7, 0x1001, 3), region->octets + 1);
    assert_null(iw_memory_fetch(memory, 7, 0x1001, 4));
    iw_memory_free(memory);
}

static void deregistering_leaves_the_others(void **state) {
    struct iw_memory *memory = iw_memory_new();
    struct iw_region *first = iw_memory_register(memory, 1, 0, 1, 0);
    struct iw_region *second = iw_memory_register(memory, 2, 0, 0, 0);

    (void)state;
    iw_memory_deregister(memory, first);
    assert_null(iw_memory_find(memory, 1));
    assert_ptr_equal(iw_memory_at(memory, 0), second);
    assert_null(iw_memory_at(memory, 1));
    iw_memory_free(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_stags_are_alike_in_every_run),
        cmocka_unit_test(a_region_ends_at_two_to_the_64_at_the_latest),
        cmocka_unit_test(checks_give_the_codes_of_their_layer),
        cmocka_unit_test(zero_octets_are_not_checked),
        cmocka_unit_test(an_stag_can_be_invalidated_once_and_by_its_stream),
        cmocka_unit_test(a_skipped_check_still_keeps_inside),
        cmocka_unit_test(deregistering_leaves_the_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
