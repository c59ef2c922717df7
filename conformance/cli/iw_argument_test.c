#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <cmocka.h>

#include "iw_argument.h"

static void the_first_equals_sign_separates_name_and_value(void **state) {
    static struct iw_arguments arguments;

    (void)state;
    assert_true(iw_arguments_add(&arguments, "size=4096"));
    assert_true(iw_arguments_add(&arguments, "text_1=a=b"));
    assert_true(iw_arguments_add(&arguments, "none="));
    assert_int_equal(arguments.count, 3);
    assert_string_equal(arguments.list[0].name, "size");
    assert_string_equal(arguments.list[0].value, "4096");
    assert_string_equal(arguments.list[1].value, "a=b");
    assert_string_equal(arguments.list[2].value, "");
}

static void an_invalid_name_is_rejected(void **state) {
    static const char *const wrong[] = {"", "size", "=1", "1a=2", "a b=2", "a-b=2"};
    static struct iw_arguments arguments;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_arguments_add(&arguments, wrong[i]));
    assert_int_equal(arguments.count, 0);
}

static void the_number_of_arguments_is_limited(void **state) {
    static struct iw_arguments arguments;

    (void)state;
    for (unsigned i = 0; i < IW_ARGUMENTS_MAX; i++)
        assert_true(iw_arguments_add(&arguments, "a=1"));
    assert_false(iw_arguments_add(&arguments, "a=1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_equals_sign_separates_name_and_value),
        cmocka_unit_test(an_invalid_name_is_rejected),
        cmocka_unit_test(the_number_of_arguments_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
