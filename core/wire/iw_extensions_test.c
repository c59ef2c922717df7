#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "iw_extensions.h"

static void names_combine_to_a_set(void **state) {
    unsigned extensions = 99;

    (void)state;
    assert_true(iw_extensions_parse("none", &extensions));
    assert_int_equal(extensions, IW_EXT_BASE);
    assert_true(iw_extensions_parse("7306,storm", &extensions));
    assert_int_equal(extensions, IW_EXT_RFC7306 | IW_EXT_STORM);
    assert_true(iw_extensions_parse("talpey5", &extensions));
    assert_int_equal(extensions, IW_EXT_COMMIT | IW_EXT_OPCODE5);
    assert_true(iw_extensions_parse("all", &extensions));
    assert_int_equal(extensions, IW_EXT_ALL);
    assert_true(iw_extensions_parse("default", &extensions));
    assert_int_equal(extensions, IW_EXT_DEFAULT);
}

static void an_unknown_name_is_rejected_without_change(void **state) {
    static const char *const wrong[] = {"", "7306,", ",7306", "730", "73066", "talpey storm", "All"};
    unsigned extensions = 99;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(iw_extensions_parse(wrong[i], &extensions));
    assert_int_equal(extensions, 99);
}

static void each_document_has_its_name(void **state) {
    (void)state;
    assert_string_equal(iw_extensions_name(IW_EXT_BASE), "none");
    assert_string_equal(iw_extensions_name(IW_EXT_RFC7306), "7306");
    assert_string_equal(iw_extensions_name(IW_EXT_COMMIT), "talpey");
    assert_string_equal(iw_extensions_name(IW_EXT_STORM), "storm");
    assert_null(iw_extensions_name(IW_EXT_OPCODE5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_combine_to_a_set),
        cmocka_unit_test(an_unknown_name_is_rejected_without_change),
        cmocka_unit_test(each_document_has_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
