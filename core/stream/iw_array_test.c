#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_array.h"

static void growth_keeps_the_items_and_doubles_the_capacity(void **state) {
    void *items = NULL;
    uint32_t capacity = 0, moves = 0;

    (void)state;
    assert_true(iw_array_reserve(&items, &capacity, 0, sizeof(uint64_t)));
    assert_null(items);
    for (uint32_t i = 0; i < 1000; i++) {
        uint32_t before = capacity;

        assert_true(iw_array_reserve(&items, &capacity, i + 1, sizeof(uint64_t)));
        assert_true(capacity > i);
        moves += capacity != before;
        ((uint64_t *)items)[i] = 7 * i;
    }
    assert_int_equal(moves, 10); /* 2 to 1024 */
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(((uint64_t *)items)[i], 7 * i);
    free(items);
}

static void rejects_more_than_the_maximum(void **state) {
    void *items = NULL;
    uint32_t capacity = 0;

    (void)state;
    assert_true(iw_array_reserve(&items, &capacity, 3, 1));
    assert_false(iw_array_reserve(&items, &capacity, IW_ARRAY_MAX + 1u, 1));
    assert_false(iw_array_reserve(&items, &capacity, UINT32_MAX, 1));
    assert_int_equal(capacity, 64);
    assert_non_null(items);
    free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_keeps_the_items_and_doubles_the_capacity),
        cmocka_unit_test(rejects_more_than_the_maximum),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
