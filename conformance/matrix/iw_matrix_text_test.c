#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_matrix_text.h"

static const struct iw_matrix_value values[] = {
    {"host", "127.0.0.1"}, {"port", "20100"}, {"here", "/a b/it's"}, {"agent", NULL}};

static void assert_filled(const char *text, const char *expected) {
    char *filled = iw_matrix_text_fill(text, values, sizeof values / sizeof *values);

    if (expected == NULL)
        assert_null(filled);
    else
        assert_string_equal(filled, expected);
    free(filled);
}

static void placeholders_get_their_values(void **state) {
    (void)state;
    assert_filled("rping -c -a {host} -p {port}", "rping -c -a 127.0.0.1 -p 20100");
    assert_filled("{port}{port}", "2010020100");
    assert_filled("", "");
}

static void values_are_quoted_for_the_shell(void **state) {
    (void)state;
    assert_filled("{here}/peer.py", "'/a b/it'\\''s'/peer.py");
}

static void braces_of_the_shell_stay(void **state) {
    (void)state;
    assert_filled("echo ${host} {} {0} { host; }", "echo ${host} {} {0} { host; }");
}

static void a_missing_value_gives_no_command(void **state) {
    (void)state;
    assert_filled("talk {agent}", NULL);
}

static void unknown_placeholders_are_named(void **state) {
    char name[8];

    (void)state;
    assert_false(iw_matrix_text_unknown("{host}:{port} ${hose}", values, 2, name, sizeof name));
    assert_true(iw_matrix_text_unknown("{host}:{hose}", values, 2, name, sizeof name));
    assert_string_equal(name, "hose");
    assert_true(iw_matrix_text_unknown("{placeholder}", values, 2, name, sizeof name));
    assert_string_equal(name, "placeho");
}

static void placeholders_are_found(void **state) {
    (void)state;
    assert_true(iw_matrix_text_has("a {host} {port}", "port"));
    assert_false(iw_matrix_text_has("a ${port} {ports}", "port"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placeholders_get_their_values),
        cmocka_unit_test(values_are_quoted_for_the_shell),
        cmocka_unit_test(braces_of_the_shell_stay),
        cmocka_unit_test(a_missing_value_gives_no_command),
        cmocka_unit_test(unknown_placeholders_are_named),
        cmocka_unit_test(placeholders_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
