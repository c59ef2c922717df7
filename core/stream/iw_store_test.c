#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_store.h"

static struct iw_chunk chunk_of(const char *octets, uint32_t length, uint64_t frame) {
    return (struct iw_chunk){.kind = IW_CHUNK_DATA,
        .length = length,
        .octets = (const uint8_t *)octets,
        .frame = frame,
        .time_ns = 1000 * frame};
}

static void append(
    struct iw_store *store, const char *octets, uint32_t from, uint32_t count, uint64_t frame) {
    struct iw_chunk chunk = chunk_of(octets, from + count, frame);

    assert_true(iw_store_append(store, &chunk, from, count));
}

static void keeps_octets_in_order_with_their_frames(void **state) {
    struct iw_store store;

    (void)state;
    store = (struct iw_store){0};
    iw_store_clear(&store, 700);
    append(&store, "xxabc", 2, 3, 5);
    append(&store, "d", 0, 1, 6);
    append(&store, "efgh", 0, 4, 9);

    assert_int_equal(store.offset, 700);
    assert_int_equal(store.length, 8);
    assert_memory_equal(store.octets, "abcdefgh", 8);
    assert_int_equal(store.piece_count, 3);
    assert_int_equal(store.pieces[2].at, 4);
    assert_int_equal(store.pieces[2].octets, 4);
    assert_int_equal(store.pieces[2].offset, 704);
    assert_int_equal(store.pieces[2].frame, 9);
    assert_int_equal(store.pieces[2].time_ns, 9000);
    iw_store_dispose(&store);
}

static void finds_the_piece_of_every_octet(void **state) {
    static const uint64_t frames[] = {5, 5, 5, 6, 9, 9, 9, 9};
    struct iw_store store;

    (void)state;
    store = (struct iw_store){0};
    append(&store, "abc", 0, 3, 5);
    append(&store, "d", 0, 1, 6);
    append(&store, "efgh", 0, 4, 9);
    for (uint32_t at = 0; at < 8; at++)
        assert_int_equal(iw_store_piece(&store, at)->frame, frames[at]);
    iw_store_dispose(&store);
}

static void octets_of_one_frame_are_one_piece(void **state) {
    struct iw_store store;

    (void)state;
    store = (struct iw_store){0};
    append(&store, "abcd", 0, 2, 5);
    append(&store, "abcd", 2, 2, 5);
    append(&store, "e", 0, 1, 6);
    assert_int_equal(store.piece_count, 2);
    assert_int_equal(store.pieces[0].octets, 4);
    assert_int_equal(store.pieces[1].at, 4);
    assert_memory_equal(store.octets, "abcde", 5);
    iw_store_dispose(&store);
}

static void appending_nothing_leaves_no_piece(void **state) {
    struct iw_store store;

    (void)state;
    store = (struct iw_store){0};
    append(&store, "abc", 3, 0, 1);
    assert_int_equal(store.length, 0);
    assert_int_equal(store.piece_count, 0);
    iw_store_dispose(&store);
}

static void append_alphabet(struct iw_store *store) {
    iw_store_clear(store, 700);
    append(store, "abc", 0, 3, 5);
    append(store, "d", 0, 1, 6);
    append(store, "efgh", 0, 4, 9);
}

static void trimming_keeps_the_rest(void **state) {
    static const uint64_t frames[] = {5, 5, 5, 6, 9, 9, 9, 9};
    struct iw_store store;

    (void)state;
    for (uint32_t count = 0; count <= 8; count++) {
        store = (struct iw_store){0};
        append_alphabet(&store);
        iw_store_trim(&store, count);
        assert_int_equal(store.offset, 700 + count);
        assert_int_equal(store.length, 8 - count);
        assert_memory_equal(store.octets, &"abcdefgh"[count], 8 - count);
        for (uint32_t at = 0; at < store.length; at++) {
            const struct iw_span *piece = iw_store_piece(&store, at);

            assert_int_equal(piece->frame, frames[count + at]);
            assert_int_equal(piece->offset - piece->at, 700 + count);
            assert_true(piece->at <= at && at < piece->at + piece->octets);
        }
        if (count == 8)
            assert_int_equal(store.piece_count, 0);
        iw_store_dispose(&store);
    }
}

static void one_store_is_appended_to_another(void **state) {
    struct iw_store store;
    struct iw_store other;

    (void)state;
    store = (struct iw_store){0};
    other = (struct iw_store){0};
    iw_store_clear(&store, 698);
    append(&store, "yz", 0, 2, 4);
    append_alphabet(&other);
    assert_true(iw_store_append_store(&store, &other));
    assert_int_equal(store.length, 10);
    assert_memory_equal(store.octets, "yzabcdefgh", 10);
    assert_int_equal(iw_store_piece(&store, 1)->frame, 4);
    assert_int_equal(iw_store_piece(&store, 5)->frame, 6);
    assert_int_equal(iw_store_piece(&store, 9)->time_ns, 9000);
    iw_store_dispose(&store);
    iw_store_dispose(&other);
}

static void clearing_starts_again_elsewhere(void **state) {
    struct iw_store store;

    (void)state;
    store = (struct iw_store){0};
    append(&store, "abc", 0, 3, 1);
    iw_store_clear(&store, 99);
    append(&store, "z", 0, 1, 2);
    assert_int_equal(store.offset, 99);
    assert_int_equal(store.length, 1);
    assert_int_equal(store.octets[0], 'z');
    assert_int_equal(iw_store_piece(&store, 0)->frame, 2);
    iw_store_dispose(&store);
}

static void grows_by_many_small_and_one_large_chunk(void **state) {
    static char large[70000];
    struct iw_store store;

    (void)state;
    store = (struct iw_store){0};
    for (uint32_t i = 0; i < 1000; i++)
        append(&store, "a", 0, 1, i);
    append(&store, large, 0, sizeof large, 5000);
    assert_int_equal(store.length, 71000);
    assert_int_equal(store.octets[999], 'a');
    assert_int_equal(store.octets[1000], 0);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(iw_store_piece(&store, i)->frame, i);
    assert_int_equal(iw_store_piece(&store, 1000)->frame, 5000);
    assert_int_equal(iw_store_piece(&store, 70999)->frame, 5000);
    iw_store_dispose(&store);
    assert_null(store.octets);
}

static void rejects_more_octets_than_the_maximum(void **state) {
    struct iw_store store;
    struct iw_chunk chunk = chunk_of("", 0, 1);

    (void)state;
    store = (struct iw_store){0};
    append(&store, "abc", 0, 3, 1);
    assert_false(iw_store_append(&store, &chunk, 0, UINT32_MAX - 2));
    assert_int_equal(store.length, 3);
    iw_store_dispose(&store);
}

/* Its estimate is never too low, and grows by no more than it states. */
static void estimates_its_memory(void **state) {
    static char octets[3000];
    struct iw_store store;
    size_t before = 0;

    (void)state;
    store = (struct iw_store){0};
    assert_int_equal(iw_store_memory(&store), 0);
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t count = 1 + i * 31 % 3000;
        size_t now;

        append(&store, octets, 0, count, i);
        now = iw_store_memory(&store);
        assert_true(now <= before + 2 * count + IW_STORE_MEMORY_STEP);
        assert_true(now >= store.capacity + store.piece_capacity * sizeof *store.pieces);
        before = now;
    }
    iw_store_trim(&store, store.length - 1);
    assert_true(iw_store_memory(&store) >= store.capacity);
    iw_store_dispose(&store);
    assert_int_equal(iw_store_memory(&store), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_octets_in_order_with_their_frames),
        cmocka_unit_test(finds_the_piece_of_every_octet),
        cmocka_unit_test(octets_of_one_frame_are_one_piece),
        cmocka_unit_test(appending_nothing_leaves_no_piece),
        cmocka_unit_test(trimming_keeps_the_rest),
        cmocka_unit_test(one_store_is_appended_to_another),
        cmocka_unit_test(clearing_starts_again_elsewhere),
        cmocka_unit_test(grows_by_many_small_and_one_large_chunk),
        cmocka_unit_test(rejects_more_octets_than_the_maximum),
        cmocka_unit_test(estimates_its_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
