#include "iw_side_name.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void names_the_role_if_known(void **state) {
    (void)state;
    assert_string_equal(iw_side_name(IW_ROLE_INITIATOR, IW_SIDE_B), "the initiator");
    assert_string_equal(iw_side_name(IW_ROLE_RESPONDER, IW_SIDE_A), "the responder");
    assert_string_equal(iw_side_name(IW_ROLE_UNKNOWN, IW_SIDE_A), "side A");
    assert_string_equal(iw_side_name(IW_ROLE_UNKNOWN, IW_SIDE_B), "side B");
}

/* Programs rely on these keys. */
static void keys_stay(void **state) {
    (void)state;
    assert_string_equal(iw_side_key(IW_ROLE_INITIATOR, IW_SIDE_B), "initiator");
    assert_string_equal(iw_side_key(IW_ROLE_RESPONDER, IW_SIDE_A), "responder");
    assert_string_equal(iw_side_key(IW_ROLE_UNKNOWN, IW_SIDE_A), "side_a");
    assert_string_equal(iw_side_key(IW_ROLE_UNKNOWN, IW_SIDE_B), "side_b");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_the_role_if_known),
        cmocka_unit_test(keys_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
