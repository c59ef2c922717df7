/* Payload gathered by position. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "iw_stat_gather.h"

static const struct iw_stat_gather_limits small = {.gap = 64, .gaps = 100, .moves = 1000, .ranges = 4};
static const struct iw_stat_gather_key key = {.tagged = true, .id = 0x1234};

static struct iw_stat_gather_object *place(
    struct iw_stat_gather *gather, const struct iw_stat_gather_key *of, uint64_t position, const char *text) {
    return iw_stat_gather_place(gather, of, position, (const uint8_t *)text, (uint32_t)strlen(text));
}

/* `octets` are those of the object, from its first one on. */
static void assert_holds(
    const struct iw_stat_gather_object *object, uint64_t position, const void *octets, uint64_t count) {
    assert_non_null(object);
    assert_int_equal(object->position, position);
    assert_int_equal(object->length, count);
    assert_memory_equal(object->octets, octets, count);
}

/* These four pieces give the same object in any order. */
static void test_order_does_not_matter(void **state) {
    static const char *const pieces[] = {"abcd", "ef", "ghijk", "l"};
    static const uint64_t positions[] = {100, 104, 106, 111};
    static const unsigned orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}, {1, 3, 0, 2}};

    (void)state;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        struct iw_stat_gather *gather = iw_stat_gather_new(&small);
        struct iw_stat_gather_object *object = NULL;

        for (unsigned k = 0; k < 4; k++)
            object = place(gather, &key, positions[orders[i][k]], pieces[orders[i][k]]);
        assert_holds(object, 100, "abcdefghijkl", 12);
        assert_int_equal(object->missing, 0);
        assert_int_equal(object->gaps, 0);
        g_free(object->octets);
        iw_stat_gather_free(gather);
    }
}

static void test_gaps_are_counted_and_filled(void **state) {
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *object;

    (void)state;
    place(gather, &key, 10, "ab");
    place(gather, &key, 15, "cd");
    object = place(gather, &key, 20, "e");
    assert_holds(object, 10, "ab\0\0\0cd\0\0\0e", 11);
    assert_int_equal(object->missing, 6);
    assert_int_equal(object->gaps, 2);
    object = place(gather, &key, 11, "BCDEFGHI");
    assert_holds(object, 10, "aBCDEFGHI\0e", 11);
    assert_int_equal(object->missing, 1);
    assert_int_equal(object->gaps, 1);
    g_free(object->octets);
    iw_stat_gather_free(gather);
}

static void test_a_write_replaces_what_was_there(void **state) {
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *object;

    (void)state;
    place(gather, &key, 0, "first");
    object = place(gather, &key, 1, "IRS");
    assert_holds(object, 0, "fIRSt", 5);
    assert_int_equal(object->missing, 0);
    g_free(object->octets);
    iw_stat_gather_free(gather);
}

static void test_a_send_with_octets_already_present_is_another(void **state) {
    static const struct iw_stat_gather_key send = {.id = 1};
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *first = place(gather, &send, 0, "first");
    struct iw_stat_gather_object *second = place(gather, &send, 0, "second");

    (void)state;
    assert_ptr_not_equal(first, second);
    assert_ptr_equal(place(gather, &send, 6, "!"), second);
    assert_holds(first, 0, "first", 5);
    assert_holds(second, 0, "second!", 7);
    g_free(first->octets);
    g_free(second->octets);
    iw_stat_gather_free(gather);
}

static void test_each_part_of_the_key_distinguishes_objects(void **state) {
    static const struct iw_stat_gather_key keys[] = {
        {.id = 1}, {.id = 2}, {.id = 1, .stream = 1}, {.id = 1, .side = 1}, {.id = 1, .tagged = true}};
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *objects[5];

    (void)state;
    for (size_t i = 0; i < 5; i++)
        objects[i] = place(gather, &keys[i], i, "x");
    for (size_t i = 0; i < 5; i++) {
        assert_holds(objects[i], i, "x", 1);
        g_free(objects[i]->octets);
    }
    iw_stat_gather_free(gather);
}

/* The limit of a gap is 64 octets. */
static void test_a_distant_position_begins_another_object(void **state) {
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *near = place(gather, &key, 0, "a");
    struct iw_stat_gather_object *far;

    (void)state;
    assert_ptr_equal(place(gather, &key, 65, "b"), near);
    far = place(gather, &key, 131, "c");
    assert_ptr_not_equal(far, near);
    assert_holds(far, 131, "c", 1);
    assert_ptr_not_equal(place(gather, &key, UINT64_C(1) << 63, "d"), far);
    assert_int_equal(near->length, 66);
    iw_stat_gather_free(gather);
}

/* Two gaps of 60 octets exceed the limit of 100 for all gaps. */
static void test_gaps_of_all_objects_are_bounded(void **state) {
    static const struct iw_stat_gather_key others[] = {
        {.tagged = true, .id = 0x5678}, {.tagged = true, .id = 0x9ABC}};
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *first = place(gather, &key, 0, "a");
    struct iw_stat_gather_object *second = place(gather, &others[0], 0, "a");
    struct iw_stat_gather_object *third = place(gather, &others[1], 0, "a");

    (void)state;
    assert_ptr_equal(place(gather, &key, 61, "b"), first);
    assert_ptr_not_equal(place(gather, &others[0], 61, "b"), second);
    /* a filled gap no longer counts */
    for (uint64_t i = 1; i < 61; i++)
        assert_ptr_equal(place(gather, &key, i, "x"), first);
    assert_int_equal(first->missing, 0);
    assert_ptr_equal(place(gather, &others[1], 61, "b"), third);
    iw_stat_gather_free(gather);
}

/* The limit is four ranges for an object; a filled gap no longer counts. */
static void test_gaps_of_an_object_are_bounded(void **state) {
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *object = place(gather, &key, 0, "a");

    (void)state;
    for (uint64_t position = 2; position <= 6; position += 2)
        assert_ptr_equal(place(gather, &key, position, "x"), object);
    assert_ptr_equal(place(gather, &key, 1, "b"), object);
    assert_ptr_equal(place(gather, &key, 8, "c"), object);
    assert_holds(object, 0, "abx\0x\0x\0c", 9);
    assert_int_equal(object->gaps, 3);
    assert_ptr_not_equal(place(gather, &key, 10, "d"), object);
    assert_int_equal(object->length, 9);
    g_free(object->octets);
    iw_stat_gather_free(gather);
}

/* Extending the front moves the octets present: 10,000 steps would move 50 million octets. */
static void test_growing_to_the_front_is_bounded(void **state) {
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *object = place(gather, &key, 10000, "x");
    struct iw_stat_gather_object *first = object;

    (void)state;
    for (uint64_t position = 9999; position > 0; position--)
        object = place(gather, &key, position, "x");
    assert_ptr_not_equal(object, first);
    assert_true(first->length > 40 && first->length < 200);
    iw_stat_gather_free(gather);
}

/* An object that has grown beyond a window (64 MiB) is found in its other windows, too. */
static void test_it_goes_on_across_windows(void **state) {
    const uint64_t border = UINT64_C(1) << 26;
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);
    struct iw_stat_gather_object *object = place(gather, &key, border - 2, "ab");

    (void)state;
    assert_ptr_equal(place(gather, &key, border, "cd"), object);
    assert_ptr_equal(place(gather, &key, border + 2, "e"), object);
    assert_ptr_equal(place(gather, &key, border - 3, "@"), object);
    assert_holds(object, border - 3, "@abcde", 6);
    g_free(object->octets);
    iw_stat_gather_free(gather);
}

static void test_the_end_of_all_positions(void **state) {
    struct iw_stat_gather *gather = iw_stat_gather_new(&small);

    (void)state;
    assert_null(place(gather, &key, UINT64_MAX - 1, "ab"));
    assert_holds(place(gather, &key, UINT64_MAX - 2, "ab"), UINT64_MAX - 2, "ab", 2);
    iw_stat_gather_free(gather);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_does_not_matter),
        cmocka_unit_test(test_gaps_are_counted_and_filled),
        cmocka_unit_test(test_a_write_replaces_what_was_there),
        cmocka_unit_test(test_a_send_with_octets_already_present_is_another),
        cmocka_unit_test(test_each_part_of_the_key_distinguishes_objects),
        cmocka_unit_test(test_a_distant_position_begins_another_object),
        cmocka_unit_test(test_gaps_of_all_objects_are_bounded),
        cmocka_unit_test(test_gaps_of_an_object_are_bounded),
        cmocka_unit_test(test_growing_to_the_front_is_bounded),
        cmocka_unit_test(test_it_goes_on_across_windows),
        cmocka_unit_test(test_the_end_of_all_positions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
