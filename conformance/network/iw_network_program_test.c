#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_network_program.h"

static char text[IW_NETWORK_TEXT_OCTETS];

static void the_first_line_of_the_output_is_kept(void **state) {
    (void)state;
    assert_true(iw_network_program_run("printf one\\ntwo\\n", -1, text));
    assert_string_equal(text, "one");
    assert_true(iw_network_program_run("true", -1, text));
    assert_string_equal(text, "");
}

static void a_failure_has_the_error_output(void **state) {
    (void)state;
    assert_false(iw_network_program_run("ls /no-such-folder", -1, text));
    assert_non_null(strstr(text, "no-such-folder"));
}

static void an_output_longer_than_the_text_is_cut(void **state) {
    (void)state;
    assert_true(iw_network_program_run("printf %06000d 1", -1, text));
    assert_int_equal(strlen(text), IW_NETWORK_TEXT_OCTETS - 1);
}

static void a_missing_program_says_what_to_install(void **state) {
    (void)state;
    assert_false(iw_network_program_run("warpcheck-no-such-program a b", -1, text));
    assert_string_equal(text, "warpcheck-no-such-program: No such file or directory; install iproute2");
}

static void programs_of_the_administrator_are_found(void **state) {
    char *path = strdup(getenv("PATH"));

    (void)state;
    if (access("/usr/sbin/ldconfig", X_OK) != 0 && access("/sbin/ldconfig", X_OK) != 0)
        skip();
    setenv("PATH", "/no-such-folder", 1);
    assert_true(iw_network_program_run("ldconfig --version", -1, text));
    setenv("PATH", path, 1);
    free(path);
}

static void the_passed_descriptor_is_number_3(void **state) {
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_true(iw_network_program_run("readlink " IW_NETWORK_PROGRAM_NAMESPACE, ends[0], text));
    assert_memory_equal(text, "pipe:", 5);
    close(ends[0]);
    close(ends[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_line_of_the_output_is_kept),
        cmocka_unit_test(a_failure_has_the_error_output),
        cmocka_unit_test(an_output_longer_than_the_text_is_cut),
        cmocka_unit_test(a_missing_program_says_what_to_install),
        cmocka_unit_test(programs_of_the_administrator_are_found),
        cmocka_unit_test(the_passed_descriptor_is_number_3),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
