#include "iw_json_member.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void a_text_is_found(void **state) {
    json_t *object = json_loads("{\"text\":\"Send\",\"number\":7,\"none\":null,\"empty\":\"\"}", 0, NULL);

    (void)state;
    assert_string_equal(iw_json_member_text(object, "text"), "Send");
    assert_string_equal(iw_json_member_text(object, "empty"), "");
    assert_string_equal(iw_json_member_text(object, "number"), "");
    assert_string_equal(iw_json_member_text(object, "none"), "");
    assert_string_equal(iw_json_member_text(object, "missing"), "");
    json_decref(object);
}

static void other_values_have_no_text(void **state) {
    json_t *array = json_loads("[\"text\"]", 0, NULL);

    (void)state;
    assert_string_equal(iw_json_member_text(array, "text"), "");
    assert_string_equal(iw_json_member_text(NULL, "text"), "");
    json_decref(array);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_found),
        cmocka_unit_test(other_values_have_no_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
