#include "iw_kernel_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void a_terminate_is_read(void **state) {
    uint16_t terminate = 0;

    (void)state;
    /* siw calls the EType "layer", and the layer "type": 0/1/02 on the wire. */
    assert_true(
        iw_kernel_log_parse("4,339,5140900,-;siw: got TERMINATE. layer 1, type 0, code 2\n", &terminate));
    assert_int_equal(terminate, 0x0102);
    assert_true(iw_kernel_log_parse("4,1,2,-;siw: got TERMINATE. layer 2, type 1, code 255\n", &terminate));
    assert_int_equal(terminate, 0x12FF);
}

static void other_messages_are_skipped(void **state) {
    static const char *const others[] = {"", "6,1,2,-;siw: rx bogus TERM [QN x00000002]\n",
        "4,1,2,-;siw: got TERMINATE. layer x\n", "4,1,2,-;siw: got TERMINATE. layer 16, type 0, code 0\n",
        "4,1,2,-;user: siw: got TERMINATE. layer 1, type 1, code 1\n"};
    uint16_t terminate;

    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(iw_kernel_log_parse(others[i], &terminate));
}

static void the_oldest_terminate_is_taken_first(void **state) {
    struct iw_kernel_log log = {.fd = -1, .terminates = {1, 2}, .count = 2};
    uint16_t terminate;

    (void)state;
    assert_true(iw_kernel_log_take(&log, &terminate));
    assert_int_equal(terminate, 1);
    assert_true(iw_kernel_log_take(&log, &terminate));
    assert_int_equal(terminate, 2);
    assert_false(iw_kernel_log_take(&log, &terminate));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminate_is_read),
        cmocka_unit_test(other_messages_are_skipped),
        cmocka_unit_test(the_oldest_terminate_is_taken_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
