#include "iw_tcp_pending.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz";

/* The letters from `offset` on, as a piece of a stream that is the alphabet. */
static struct iw_tcp_piece letters(uint64_t offset, uint32_t length) {
    return (struct iw_tcp_piece){
        .offset = offset, .length = length, .octets = (const uint8_t *)alphabet + offset, .frame = 1};
}

static void expect_first(
    struct iw_tcp_pending *pending, struct iw_tcp_pool *pool, uint64_t offset, const char *octets) {
    const struct iw_tcp_piece *first = iw_tcp_pending_first(pending);
    assert_non_null(first);
    assert_int_equal(first->offset, offset);
    assert_int_equal(first->length, strlen(octets));
    assert_memory_equal(first->octets, octets, first->length);
    iw_tcp_pending_drop_first(pending, pool);
}

static void pieces_come_out_sorted_without_overlap(void **state) {
    (void)state;
    struct iw_tcp_pool pool = {1000, 100, 100000, 0};
    struct iw_tcp_pending pending = {0};
    static const struct {
        uint64_t offset;
        uint32_t length;
    } in[] = {{8, 2}, {2, 2}, {20, 1}, {5, 1}, {0, 12}, {3, 5}};
    uint32_t differing = 0;
    for (size_t i = 0; i < sizeof in / sizeof in[0]; i++) {
        struct iw_tcp_piece piece = letters(in[i].offset, in[i].length);
        assert_true(iw_tcp_pending_add(&pending, &pool, &piece, &differing));
        assert_int_equal(piece.length, 0);
    }
    assert_int_equal(pending.octets, 13);
    assert_int_equal(iw_tcp_pending_last(&pending)->offset, 20);
    expect_first(&pending, &pool, 0, "ab");
    expect_first(&pending, &pool, 2, "cd");
    expect_first(&pending, &pool, 4, "e");
    expect_first(&pending, &pool, 5, "f");
    expect_first(&pending, &pool, 6, "gh");
    expect_first(&pending, &pool, 8, "ij");
    expect_first(&pending, &pool, 10, "kl");
    expect_first(&pending, &pool, 20, "u");
    assert_null(iw_tcp_pending_first(&pending));
    assert_null(iw_tcp_pending_last(&pending));
    assert_int_equal(pool.used, 0);
    assert_int_equal(differing, 0);
    iw_tcp_pending_clear(&pending, &pool);
}

static void returns_the_rest_at_a_limit(void **state) {
    (void)state;
    struct iw_tcp_pool pool = {1000, 2, 100000, 0};
    struct iw_tcp_pending pending = {0};
    uint32_t differing = 0;
    struct iw_tcp_piece one = letters(4, 2), all = letters(2, 10);
    assert_true(iw_tcp_pending_add(&pending, &pool, &one, &differing));
    assert_false(iw_tcp_pending_add(&pending, &pool, &all, &differing));
    assert_int_equal(all.offset, 6);
    assert_int_equal(all.length, 6);
    assert_ptr_equal(all.octets, alphabet + 6);
    expect_first(&pending, &pool, 2, "cd");
    expect_first(&pending, &pool, 4, "ef");
    iw_tcp_pending_clear(&pending, &pool);
}

static void pool_limits_all_streams_together(void **state) {
    (void)state;
    struct iw_tcp_pool pool = {1000, 100, 200, 0};
    struct iw_tcp_pending pending[2] = {{0}, {0}};
    uint32_t differing = 0;
    unsigned kept = 0;
    for (unsigned i = 0; i < 20; i++) {
        struct iw_tcp_piece piece = letters(i, 1);
        kept += iw_tcp_pending_add(&pending[i % 2], &pool, &piece, &differing);
    }
    assert_in_range(kept, 1, 5);
    assert_true(pool.used <= 200);
    iw_tcp_pending_clear(&pending[0], &pool);
    iw_tcp_pending_clear(&pending[1], &pool);
    assert_int_equal(pool.used, 0);
}

static void truncated_octets_count_as_seen_without_memory(void **state) {
    (void)state;
    struct iw_tcp_pool pool = {5, 100, 100000, 0};
    struct iw_tcp_pending pending = {0};
    uint32_t differing = 0;
    struct iw_tcp_piece cut = {.offset = 3, .length = 1000}, over = letters(1, 5);
    assert_true(iw_tcp_pending_add(&pending, &pool, &cut, &differing));
    assert_true(iw_tcp_pending_add(&pending, &pool, &over, &differing));
    assert_int_equal(pending.octets, 2);
    assert_int_equal(differing, 0);
    expect_first(&pending, &pool, 1, "bc");
    assert_null(iw_tcp_pending_first(&pending)->octets);
    assert_int_equal(iw_tcp_pending_first(&pending)->length, 1000);
    iw_tcp_pending_clear(&pending, &pool);
}

static void differing_octets_are_counted(void **state) {
    (void)state;
    struct iw_tcp_pool pool = {1000, 100, 100000, 0};
    struct iw_tcp_pending pending = {0};
    uint32_t differing = 0;
    struct iw_tcp_piece one = letters(2, 4);
    struct iw_tcp_piece other = {.offset = 1, .length = 6, .octets = (const uint8_t *)"bcXeYg"};
    assert_true(iw_tcp_pending_add(&pending, &pool, &one, &differing));
    assert_true(iw_tcp_pending_add(&pending, &pool, &other, &differing));
    assert_int_equal(differing, 2);
    expect_first(&pending, &pool, 1, "b");
    expect_first(&pending, &pool, 2, "cdef");
    expect_first(&pending, &pool, 6, "g");
    iw_tcp_pending_clear(&pending, &pool);
}

/* Used as a queue, it reuses the memory at the front. */
static void memory_does_not_grow_with_removed_pieces(void **state) {
    (void)state;
    struct iw_tcp_pool pool = {1000, 100, 100000, 0};
    struct iw_tcp_pending pending = {0};
    uint32_t differing = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        struct iw_tcp_piece piece = letters(0, 1);
        piece.offset = i * 2;
        assert_true(iw_tcp_pending_add(&pending, &pool, &piece, &differing));
        if (i >= 10)
            iw_tcp_pending_drop_first(&pending, &pool);
    }
    assert_int_equal(pending.count, 10);
    assert_true(pending.capacity <= 64);
    iw_tcp_pending_clear(&pending, &pool);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_out_sorted_without_overlap),
        cmocka_unit_test(returns_the_rest_at_a_limit),
        cmocka_unit_test(pool_limits_all_streams_together),
        cmocka_unit_test(truncated_octets_count_as_seen_without_memory),
        cmocka_unit_test(differing_octets_are_counted),
        cmocka_unit_test(memory_does_not_grow_with_removed_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
