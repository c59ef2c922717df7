#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_until.h"

static void only_a_day_of_the_calendar_is_a_date(void **state) {
    static const char *const wrong[] = {"", "2027", "2027-1-31", "2027-02-30", "2027-13-01", "2027-00-10",
        "2027-01-31 ", "31-01-2027", "2027/01/31", "-027-01-31", "20270-1-31"};

    (void)state;
    assert_true(iw_until_is_date("2027-01-31"));
    assert_true(iw_until_is_date("2028-02-29"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_until_is_date(wrong[i]));
}

static void a_day_of_the_past_is_over(void **state) {
    (void)state;
    assert_true(iw_until_is_over("2001-12-31"));
    assert_false(iw_until_is_over("9999-12-31"));
    assert_false(iw_until_is_over(NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_a_day_of_the_calendar_is_a_date),
        cmocka_unit_test(a_day_of_the_past_is_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
