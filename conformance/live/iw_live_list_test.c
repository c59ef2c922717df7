#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_live_list.h"

/* Ended rows: serial numbers, addresses, octets a second of side A, and errors. */
static const struct {
    const char *address;
    uint64_t rate, errors;
    bool reset;
} rows[] = {{"10.0.0.3:1", 50, 0, true}, {"10.0.0.1:1", 70, 2, false}, {"10.0.0.2:1", 60, 1, false}};
enum { ROWS = sizeof rows / sizeof *rows };

static struct iw_live_table table;
static struct iw_live_list list;

static int fill(void **state) {
    (void)state;
    iw_live_table_init(&table);
    for (size_t i = 0; i < ROWS; i++) {
        struct iw_live_row *row = calloc(1, sizeof *row);

        row->serial = i + 1;
        row->totals.streams = 1;
        row->totals.findings[IW_SEVERITY_ERROR] = rows[i].errors;
        row->rate[IW_SIDE_A].per_second = rows[i].rate;
        row->reset[IW_SIDE_A] = rows[i].reset;
        snprintf(row->address[IW_SIDE_A], sizeof row->address[0], "%s", rows[i].address);
        snprintf(row->address[IW_SIDE_B], sizeof row->address[0], "10.9.9.9:20049");
        TAILQ_INSERT_TAIL(&table.ended, row, same_list);
    }
    return 0;
}

static int empty(void **state) {
    (void)state;
    iw_live_table_dispose(&table);
    iw_live_list_clear(&list);
    return 0;
}

/* Returns the serial numbers in the list, such as "321". */
static const char *listed(enum iw_live_order order, const char *filter) {
    static char text[ROWS + 1];

    list.order = order;
    snprintf(list.filter, sizeof list.filter, "%s", filter);
    assert_true(iw_live_list_update(&list, &table, 0));
    for (size_t i = 0; i < list.count; i++)
        text[i] = (char)('0' + list.items[i].row->serial);
    text[list.count] = '\0';
    return text;
}

static void sorts(void **state) {
    (void)state;
    assert_string_equal(listed(IW_LIVE_BY_AGE, ""), "321");
    assert_string_equal(listed(IW_LIVE_BY_ADDRESS, ""), "231");
    assert_string_equal(listed(IW_LIVE_BY_STATE, ""), "132"); /* "RST" and twice "cut short" */
    assert_string_equal(listed(IW_LIVE_BY_RATE, ""), "231");
    assert_string_equal(listed(IW_LIVE_BY_FINDINGS, ""), "231");
}

static void filters(void **state) {
    (void)state;
    assert_string_equal(listed(IW_LIVE_BY_AGE, "10.0.0.2"), "3");
    assert_string_equal(listed(IW_LIVE_BY_AGE, "20049"), "321");
    assert_string_equal(listed(IW_LIVE_BY_AGE, "rst"), "1");
    assert_string_equal(listed(IW_LIVE_BY_AGE, "violates"), "32");
    assert_string_equal(listed(IW_LIVE_BY_AGE, "conforms"), "1");
    assert_string_equal(listed(IW_LIVE_BY_AGE, "nothing"), "");
}

static void finds_a_row(void **state) {
    (void)state;
    listed(IW_LIVE_BY_AGE, "");
    assert_int_equal(iw_live_list_find(&list, 1), 2);
    assert_int_equal(iw_live_list_find(&list, 4), ROWS);
}

#define LIST_TEST(function) cmocka_unit_test_setup_teardown(function, fill, empty)

int main(void) {
    const struct CMUnitTest tests[] = {LIST_TEST(sorts), LIST_TEST(filters), LIST_TEST(finds_a_row)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
