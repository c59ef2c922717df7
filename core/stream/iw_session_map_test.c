#include "iw_session_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

static char log_of[256];
static char released[256];
static int entries[65536];

static void visit(void *user, void *entry) {
    assert_ptr_equal(user, log_of);
    snprintf(log_of + strlen(log_of), sizeof log_of - strlen(log_of), "%td ", (int *)entry - entries);
}

static void release(void *user, void *entry) {
    assert_ptr_equal(user, released);
    snprintf(released + strlen(released), sizeof released - strlen(released), "%td ", (int *)entry - entries);
}

static const char *swept(struct iw_session_map *map) {
    log_of[0] = '\0';
    iw_session_map_sweep(map, visit, log_of);
    return log_of;
}

static void put(struct iw_session_map *map, uint16_t id) {
    void **place = iw_session_map_place(map, id);

    assert_non_null(place);
    *place = &entries[id];
}

static void sweeps_in_order_what_was_used_since(void **state) {
    static const uint16_t ids[] = {65535, 0, 256, 17, 1, 4096};
    struct iw_session_map map = {0};

    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        put(&map, ids[i]);
    assert_string_equal(swept(&map), "0 1 17 256 4096 65535 ");
    assert_string_equal(swept(&map), "");
    put(&map, 256);
    put(&map, 1);
    assert_string_equal(swept(&map), "1 256 ");
    released[0] = '\0';
    iw_session_map_clear(&map, release, released);
    assert_string_equal(released, "0 1 17 256 4096 65535 ");
}

/* An association may be aborted in every packet after using all streams: a sweep then takes no time. */
static void sweeps_nothing_where_nothing_was_used(void **state) {
    struct iw_session_map map = {0};

    (void)state;
    for (unsigned id = 0; id < 65536; id++)
        put(&map, (uint16_t)id);
    swept(&map);
    assert_int_equal(map.marked, 0);
    put(&map, 0x1234);
    assert_int_equal(map.marked, 1 << 1); /* only its own branch */
    assert_string_equal(swept(&map), "4660 ");
    iw_session_map_clear(&map, release, released);
}

static void finds_what_was_put(void **state) {
    struct iw_session_map map = {0};

    (void)state;
    assert_null(iw_session_map_find(&map, 7));
    for (unsigned id = 0; id < 65536; id += 3)
        put(&map, (uint16_t)id);
    for (unsigned id = 0; id < 65536; id++)
        assert_ptr_equal(iw_session_map_find(&map, (uint16_t)id), id % 3 == 0 ? &entries[id] : NULL);
    iw_session_map_clear(&map, release, released);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweeps_in_order_what_was_used_since),
        cmocka_unit_test(sweeps_nothing_where_nothing_was_used),
        cmocka_unit_test(finds_what_was_put),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
