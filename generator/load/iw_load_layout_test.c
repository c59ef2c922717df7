#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_load_state.h"

static void each_operation_has_a_slot(void **state) {
    const struct iw_load_config config = {.sizes = {100, 3000},
        .size_count = 2,
        .connections = 2,
        .depth = 4,
        .to = 0x1003,
        .mix.weights = {1, 1, 1, 1, 1, 1, 1}};
    struct iw_load_layout layout = iw_load_layout_of(&config);

    (void)state;
    assert_int_equal(layout.largest, 3000);
    assert_int_equal(layout.area, 3000 + 4096);
    assert_int_equal(layout.counters_to, 35200); /* 4099 + 7096 + 8 * 3000, and 5 to align */
    assert_int_equal(layout.atomic_writes_to, 35200 + 8 * 8);
    assert_int_equal(layout.region, 7096 + 8 * 3000 + 2 * 8 * 8 + 7);
    assert_int_equal(layout.slot_octets, 3000);
    assert_int_equal(layout.local_octets, 7096 + 8 * 3000);
    assert_int_equal(iw_load_region_octets(&config), layout.region);
}

static void unused_operations_need_no_memory(void **state) {
    struct iw_load_config config = {.sizes = {4}, .size_count = 1, .connections = 1, .depth = 2};
    struct iw_load_layout layout;

    (void)state;
    config.mix.weights[IW_LOAD_SEND] = 1;
    layout = iw_load_layout_of(&config);
    assert_int_equal(layout.region, 0);
    assert_int_equal(layout.local_octets, 0);
    config.mix.weights[IW_LOAD_FLUSH] = 1;
    layout = iw_load_layout_of(&config);
    assert_int_equal(layout.region, 2 * 4);
    assert_int_equal(layout.local_octets, 0);
    config.mix.weights[IW_LOAD_ATOMIC_WRITE] = 1;
    layout = iw_load_layout_of(&config);
    assert_int_equal(layout.atomic_writes_to, 2 * 4);
    assert_int_equal(layout.region, 2 * 4 + 2 * 8 + 7);
    assert_int_equal(layout.slot_octets, 8); /* for reading back */
    assert_int_equal(layout.local_octets, 2 * 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_has_a_slot),
        cmocka_unit_test(unused_operations_need_no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
