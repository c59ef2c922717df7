#include "iw_range.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

enum { CAPACITY = 4 };

static struct iw_range ranges[CAPACITY];
static uint32_t count;

static int set_up(void **state) {
    (void)state;
    count = 0;
    return 0;
}

static uint64_t add_range(uint64_t from, uint64_t to) {
    return iw_range_add(ranges, &count, CAPACITY, from, to);
}

static void assert_range(uint32_t at, uint64_t from, uint64_t to) {
    assert_true(at < count);
    assert_int_equal(ranges[at].from, from);
    assert_int_equal(ranges[at].to, to);
}

static void joins_adjacent_ranges(void **state) {
    (void)state;
    assert_int_equal(add_range(10, 20), 10);
    assert_int_equal(add_range(30, 40), 10);
    assert_int_equal(count, 2);
    assert_int_equal(add_range(5, 10), 5);
    assert_range(0, 5, 20);
    assert_int_equal(add_range(20, 25), 5);
    assert_range(0, 5, 25);
    assert_int_equal(add_range(25, 30), 5);
    assert_int_equal(count, 1);
    assert_range(0, 5, 40);
}

static void counts_only_new_octets(void **state) {
    (void)state;
    add_range(0, 10);
    add_range(20, 30);
    add_range(40, 50);
    assert_int_equal(add_range(2, 8), 0);
    assert_int_equal(add_range(20, 30), 0);
    assert_int_equal(add_range(5, 45), 20);
    assert_int_equal(count, 1);
    assert_range(0, 0, 50);
}

static void full_array_stays_unchanged(void **state) {
    (void)state;
    for (uint64_t i = 0; i < CAPACITY; i++)
        assert_int_equal(add_range(20 * i, 20 * i + 10), 10);
    assert_true(add_range(1000, 1001) == IW_RANGE_FULL);
    assert_true(add_range(12, 13) == IW_RANGE_FULL);
    assert_int_equal(count, CAPACITY);
    assert_range(0, 0, 10);
    assert_range(3, 60, 70);
    assert_int_equal(add_range(9, 12), 2); /* it extends a range */
    assert_int_equal(add_range(12, 20), 8);
    assert_int_equal(add_range(1000, 1001), 1);
}

static void accepts_the_last_octet(void **state) {
    (void)state;
    assert_int_equal(add_range(UINT64_MAX - 1, UINT64_MAX), 1);
    assert_int_equal(add_range(UINT64_MAX - 3, UINT64_MAX - 1), 2);
    assert_range(0, UINT64_MAX - 3, UINT64_MAX);
    assert_int_equal(add_range(0, UINT64_MAX) + 3, UINT64_MAX);
    assert_int_equal(count, 1);
}

static void empty_range_meets_only_inside_another(void **state) {
    (void)state;
    add_range(10, 20);
    assert_false(iw_range_meets(ranges, count, 10, 10));
    assert_true(iw_range_meets(ranges, count, 11, 11));
    assert_false(iw_range_meets(ranges, count, 20, 20));
    assert_int_equal(add_range(15, 15), 0);
    assert_int_equal(count, 1);
    assert_int_equal(add_range(30, 30), 0); /* an empty range */
    assert_range(1, 30, 30);
    assert_int_equal(add_range(25, 30), 5);
    assert_range(1, 25, 30);
}

/* Compares the ranges with a map that has one flag for each octet. */
static void agrees_with_a_map_of_octets(void **state) {
    (void)state;
    srand(11);
    for (unsigned round = 0; round < 2000; round++) {
        struct iw_range many[32];
        uint32_t many_count = 0;
        bool came[64] = {false};

        for (unsigned i = 0; i < 12; i++) {
            unsigned from = (unsigned)rand() % 60, to = from + 1 + (unsigned)rand() % 4;
            unsigned fresh = 0, runs = 0;

            for (unsigned at = from; at < to; at++) {
                fresh += !came[at];
                came[at] = true;
            }
            assert_int_equal(iw_range_meets(many, many_count, from, to), fresh < to - from);
            assert_int_equal(iw_range_add(many, &many_count, 32, from, to), fresh);
            for (unsigned at = 0; at < 64; at++) {
                assert_int_equal(iw_range_meets(many, many_count, at, at + 1), came[at]);
                runs += came[at] && (at == 0 || !came[at - 1]);
            }
            assert_int_equal(many_count, runs);
        }
    }
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(joins_adjacent_ranges),
        TEST(counts_only_new_octets),
        TEST(full_array_stays_unchanged),
        TEST(accepts_the_last_octet),
        TEST(empty_range_meets_only_inside_another),
        TEST(agrees_with_a_map_of_octets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
