#include "iw_reasons.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void each_reason_is_printed_once(void **state) {
    struct iw_reasons reasons = {0};
    char *text = NULL;
    size_t octets = 0;
    FILE *out = open_memstream(&text, &octets);

    (void)state;
    iw_reasons_print(out, &reasons);
    assert_true(
        iw_reasons_add(&reasons, IW_VERDICT_NOT_TESTED, "needs an agent on the device (--agent)", "a"));
    assert_true(
        iw_reasons_add(&reasons, IW_VERDICT_NOT_APPLICABLE, "the device does not claim markers", "b"));
    assert_true(
        iw_reasons_add(&reasons, IW_VERDICT_NOT_TESTED, "needs an agent on the device (--agent)", "c"));
    iw_reasons_print(out, &reasons);
    assert_string_equal(reasons.list[0].first, "a");
    fclose(out);
    assert_string_equal(text, "untested  2 cases: needs an agent on the device (--agent)\n"
                              "n/a       1 case: the device does not claim markers\n");
    free(text);
    iw_reasons_dispose(&reasons);
    assert_int_equal(reasons.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_reason_is_printed_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
