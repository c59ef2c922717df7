#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_extent.h"

static struct iw_extent extent;

static int set_up(void **state) {
    (void)state;
    iw_extent_clear(&extent);
    return 0;
}

static void octets_in_order_are_one_run(void **state) {
    (void)state;
    assert_false(iw_extent_whole(&extent));
    assert_int_equal(iw_extent_add(&extent, 0, 10), IW_SEGMENT_IN_ORDER);
    assert_int_equal(iw_extent_add(&extent, 10, 30), IW_SEGMENT_IN_ORDER);
    assert_int_equal(iw_extent_add(&extent, 30, 30), IW_SEGMENT_IN_ORDER);
    assert_true(iw_extent_whole(&extent));
    assert_int_equal(extent.first.from, 0);
    assert_int_equal(extent.first.to, 30);
}

static void a_hole_can_be_filled(void **state) {
    (void)state;
    assert_int_equal(iw_extent_add(&extent, 100, 110), IW_SEGMENT_IN_ORDER);
    assert_int_equal(iw_extent_add(&extent, 120, 130), IW_SEGMENT_AHEAD);
    assert_int_equal(iw_extent_add(&extent, 140, 150), IW_SEGMENT_AHEAD);
    assert_false(iw_extent_whole(&extent));
    assert_int_equal(iw_extent_add(&extent, 112, 118), IW_SEGMENT_FILLS_HOLE);
    assert_int_equal(extent.count, 4);
    assert_int_equal(iw_extent_add(&extent, 110, 112), IW_SEGMENT_FILLS_HOLE);
    assert_int_equal(iw_extent_add(&extent, 118, 120), IW_SEGMENT_FILLS_HOLE);
    assert_int_equal(iw_extent_add(&extent, 132, 140), IW_SEGMENT_FILLS_HOLE);
    assert_int_equal(iw_extent_add(&extent, 90, 95), IW_SEGMENT_FILLS_HOLE);
    assert_int_equal(iw_extent_add(&extent, 130, 132), IW_SEGMENT_FILLS_HOLE);
    assert_int_equal(iw_extent_add(&extent, 95, 100), IW_SEGMENT_FILLS_HOLE);
    assert_true(iw_extent_whole(&extent));
    assert_int_equal(extent.first.from, 90);
    assert_int_equal(extent.first.to, 150);
}

static void reports_duplicate_octets(void **state) {
    (void)state;
    iw_extent_add(&extent, 0, 10);
    iw_extent_add(&extent, 20, 30);
    iw_extent_add(&extent, 40, 50);
    assert_int_equal(iw_extent_add(&extent, 9, 12), IW_SEGMENT_OVERLAPS);
    assert_int_equal(iw_extent_add(&extent, 20, 30), IW_SEGMENT_OVERLAPS);
    assert_int_equal(extent.count, 3);
    assert_int_equal(iw_extent_add(&extent, 5, 45), IW_SEGMENT_OVERLAPS);
    assert_true(iw_extent_whole(&extent));
    assert_int_equal(extent.first.to, 50);
}

static void reports_too_many_holes(void **state) {
    (void)state;
    for (uint64_t i = 0; i < IW_EXTENT_RUNS_MAX; i++)
        assert_int_equal(
            iw_extent_add(&extent, 20 * i, 20 * i + 10), i == 0 ? IW_SEGMENT_IN_ORDER : IW_SEGMENT_AHEAD);
    assert_false(extent.full);
    assert_int_equal(iw_extent_add(&extent, 1000, 1010), IW_SEGMENT_IN_ORDER); /* unknown */
    assert_true(extent.full);
    assert_int_equal(iw_extent_add(&extent, 10, 20), IW_SEGMENT_IN_ORDER);
    assert_true(extent.full);
    assert_false(iw_extent_whole(&extent));
    iw_extent_clear(&extent);
    assert_int_equal(iw_extent_add(&extent, 1000, 1010), IW_SEGMENT_IN_ORDER);
}

/* Compares the extent with a map that has one flag for each octet. */
static void agrees_with_a_map_of_octets(void **state) {
    (void)state;
    srand(7);
    for (unsigned round = 0; round < 2000; round++) {
        bool came[64] = {false};

        iw_extent_clear(&extent);
        for (unsigned i = 0; i < 10 && !extent.full; i++) {
            unsigned from = (unsigned)rand() % 60;
            unsigned to = from + 1 + (unsigned)rand() % 4;
            enum iw_segment_order place = iw_extent_add(&extent, from, to);
            unsigned runs = 0;
            bool over = false;

            for (unsigned at = from; at < to; at++) {
                over |= came[at];
                came[at] = true;
            }
            if (extent.full)
                break;
            assert_int_equal(place == IW_SEGMENT_OVERLAPS, over);
            for (unsigned at = 0; at < 64; at++)
                runs += came[at] && (at == 0 || !came[at - 1]);
            assert_int_equal(extent.count, runs);
        }
    }
}

#define TEST(function) cmocka_unit_test_setup(function, set_up)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(octets_in_order_are_one_run),
        TEST(a_hole_can_be_filled),
        TEST(reports_duplicate_octets),
        TEST(reports_too_many_holes),
        TEST(agrees_with_a_map_of_octets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
