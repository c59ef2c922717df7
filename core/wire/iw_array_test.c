#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_array.h"

static void growth_keeps_the_items_and_doubles_the_capacity(void **state) {
    uint64_t *items = NULL;
    uint32_t capacity = 0, moves = 0;

    (void)state;
    assert_true(iw_array_reserve(&items, &capacity, 0, sizeof(uint64_t)));
    assert_null(items);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t before = capacity;

        assert_true(iw_array_reserve(&items, &capacity, i + 1, sizeof(uint64_t)));
        assert_true(capacity > i);
        moves += capacity != before;
        items[i] = 7 * i;
    }
    assert_int_equal(moves, 10); /* 2 to 1024 */
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], 7 * i);
    free(items);
}

static void an_array_without_capacity_grows_by_one_then_doubles(void **state) {
    uint64_t *items = NULL;

    (void)state;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(iw_array_grow(&items, i, sizeof *items));
        items[i] = 7 * i;
    }
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(items[i], 7 * i);
    free(items);
}

static void rejects_more_than_the_maximum(void **state) {
    void *items = NULL;
    uint32_t capacity = 0;

    (void)state;
    assert_true(iw_array_reserve(&items, &capacity, 3, 1));
    assert_false(iw_array_reserve(&items, &capacity, (size_t)UINT32_MAX + 1, 1));
    assert_false(iw_array_reserve(&items, &capacity, SIZE_MAX, 1));
    assert_int_equal(capacity, 64);
    assert_non_null(items);
    free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_keeps_the_items_and_doubles_the_capacity),
        cmocka_unit_test(an_array_without_capacity_grows_by_one_then_doubles),
        cmocka_unit_test(rejects_more_than_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
