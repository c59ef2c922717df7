#include "iw_history_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <cmocka.h>

struct row {
    uint8_t opcode;
    uint64_t seen;
};

/* Rows stay sorted and keep their values, whatever the order of the opcodes. */
static void rows_are_sorted(void **state) {
    static const uint8_t opcodes[] = {3, 1, 7, 0, 3, 7, 2, 3};
    static const struct row expected[] = {{0, 1}, {1, 1}, {2, 1}, {3, 3}, {7, 2}};
    struct row *rows = NULL, *row;
    uint8_t count = 0;

    (void)state;
    for (size_t i = 0; i < sizeof opcodes; i++) {
        row = iw_history_row(&rows, &count, sizeof *rows, opcodes[i]);
        assert_non_null(row);
        row->seen++;
    }
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(rows[i].opcode, expected[i].opcode);
        assert_int_equal(rows[i].seen, expected[i].seen);
    }
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_sorted)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
