#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_cover.h"

/* Whether a row has these levels of these three factors. */
static bool meet(
    const struct iw_cover_row *rows, size_t count, const size_t factors[3], const uint8_t values[3]) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].levels[factors[0]] == values[0] && rows[i].levels[factors[1]] == values[1] &&
            rows[i].levels[factors[2]] == values[2])
            return true;
    return false;
}

static void any_three_factors_are_combined(void **state) {
    static const uint8_t levels[] = {6, 4, 2, 2, 4, 4, 4, 4, 3, 5};
    const size_t n = sizeof levels;
    struct iw_cover_row *rows;
    size_t count;

    (void)state;
    assert_int_equal(iw_cover(levels, n, 3, 7, &rows, &count), IW_OK);
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            for (size_t c = b + 1; c < n; c++)
                for (unsigned i = 0; i < levels[a] * levels[b] * levels[c]; i++) {
                    const uint8_t values[] = {(uint8_t)(i % levels[a]), (uint8_t)(i / levels[a] % levels[b]),
                        (uint8_t)(i / levels[a] / levels[b])};

                    assert_true(meet(rows, count, (size_t[]){a, b, c}, values));
                }
    /* at least the combinations of the three factors with the most levels, and at most three times as many */
    assert_in_range(count, 6 * 5 * 4, 3 * 6 * 5 * 4);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < n; j++)
            assert_true(rows[i].levels[j] < levels[j]);
    free(rows);
}

static void full_strength_gives_every_combination(void **state) {
    static const uint8_t levels[] = {2, 3, 2};
    struct iw_cover_row *rows;
    size_t count;

    (void)state;
    assert_int_equal(iw_cover(levels, 3, 6, 1, &rows, &count), IW_OK);
    assert_int_equal(count, 12);
    assert_memory_equal(rows[0].levels, "\0\0\0", 3);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            assert_memory_not_equal(rows[i].levels, rows[j].levels, 3);
    free(rows);
}

static void same_seed_gives_same_rows(void **state) {
    static const uint8_t levels[] = {4, 4, 4, 4, 4};
    struct iw_cover_row *rows[3];
    size_t counts[3];

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(iw_cover(levels, 5, 2, i == 2 ? 6 : 5, &rows[i], &counts[i]), IW_OK);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(rows[0], rows[1], counts[0] * sizeof **rows);
    assert_true(counts[0] != counts[2] || memcmp(rows[0], rows[2], counts[0] * sizeof **rows) != 0);
    for (size_t i = 0; i < 3; i++)
        free(rows[i]);
}

static void single_level_gives_one_row(void **state) {
    static const uint8_t levels[] = {1, 1};
    struct iw_cover_row *rows;
    size_t count;

    (void)state;
    assert_int_equal(iw_cover(levels, 2, 2, 0x9E3779B97F4A7C15ULL, &rows, &count), IW_OK);
    assert_int_equal(count, 1);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_three_factors_are_combined),
        cmocka_unit_test(full_strength_gives_every_combination),
        cmocka_unit_test(same_seed_gives_same_rows),
        cmocka_unit_test(single_level_gives_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
