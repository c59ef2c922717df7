#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "iw_live_column.h"

static const char *number(uint64_t value) {
    static char text[IW_LIVE_NUMBER_OCTETS];

    iw_live_number(value, text);
    return text;
}

static void numbers_take_five_characters(void **state) {
    (void)state;
    assert_string_equal(number(0), "0");
    assert_string_equal(number(9999), "9999");
    assert_string_equal(number(10000), "10.0k");
    assert_string_equal(number(99949), "99.9k");
    assert_string_equal(number(99950), "100k");
    assert_string_equal(number(999499), "999k");
    assert_string_equal(number(999500), "1.00M");
    assert_string_equal(number(1234567890), "1.23G");
    assert_string_equal(number(UINT64_MAX), "18.4E");
}

/* Returns the titles of the columns in a line of `total` characters, and checks that they fit. */
static const char *titles(unsigned total, unsigned address) {
    static char text[512];
    unsigned width[IW_LIVE_COLUMNS], used = 0;

    iw_live_columns_fit(total, address, width);
    text[0] = '\0';
    for (unsigned i = 0; i < IW_LIVE_COLUMNS; i++) {
        if (width[i] == 0)
            continue;
        used += width[i] + (used > 0);
        strcat(strcat(text, iw_live_columns[i].title), ",");
        assert_true(width[i] >= strlen(iw_live_columns[i].title));
    }
    assert_true(used <= total);
    return text;
}

static void columns_adapt_to_the_width(void **state) {
    (void)state;
    assert_string_equal(titles(80, 21), "initiator,responder,state,verdict,err/w/n,octets/s,");
    assert_string_equal(titles(200, 21),
        "initiator,responder,state,verdict,err/w/n,octets/s,out ->,out <-,FPDUs ->,FPDUs <-,octets ->,"
        "octets <-,Rev,Markers,CRC,IRD/ORD,latest finding,");
    assert_string_equal(titles(10, 21), "");
    assert_string_equal(titles(0, 0), "");
}

static void addresses_take_free_space_first(void **state) {
    unsigned width[IW_LIVE_COLUMNS];

    (void)state;
    iw_live_columns_fit(80, 47, width);
    assert_int_equal(width[0], 21); /* all space is taken */
    iw_live_columns_fit(200, 24, width);
    assert_int_equal(width[0], 24);
    assert_int_equal(width[1], 24);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_take_five_characters),
        cmocka_unit_test(columns_adapt_to_the_width),
        cmocka_unit_test(addresses_take_free_space_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
