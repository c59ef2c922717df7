#include "iw_upper_test.h"

/* Findings for which there is no memory. */

static bool scarce; /* allocations fail; the linker replaces calloc and realloc by the functions below */

void *__real_calloc(size_t count, size_t octets);
void *__wrap_calloc(size_t count, size_t octets);
void *__real_realloc(void *block, size_t octets);
void *__wrap_realloc(void *block, size_t octets);

void *__wrap_calloc(size_t count, size_t octets) {
    return scarce ? NULL : __real_calloc(count, octets);
}

void *__wrap_realloc(void *block, size_t octets) {
    return scarce ? NULL : __real_realloc(block, octets);
}

static void test_finding_without_memory(void **state) {
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 8, test.sent[IW_SIDE_A]);
    assert_int_equal(upper_test_findings(&test), 1);
    assert_true(iw_upper_complete(test.upper));
    scarce = true;
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 8, test.sent[IW_SIDE_A]);
    scarce = false;
    assert_int_equal(upper_test_findings(&test), 1);
    assert_int_equal(iw_upper_counts(test.upper)->findings[IW_SEVERITY_ERROR], 2);
    assert_true(iw_upper_no_memory(test.upper));
    assert_false(iw_upper_complete(test.upper));
    iw_upper_free(test.upper);
}

/* The finding waits for a later message of the other side. */
static void test_pending_finding_without_memory(void **state) {
    struct upper_test test;

    (void)state;
    upper_test_begin(&test, private_rpc, sizeof private_rpc);
    scarce = true;
    upper_test_write_octets(&test, IW_SIDE_B, STAG, 0x1000, 8, test.sent[IW_SIDE_A] + 1);
    scarce = false;
    assert_int_equal(upper_test_findings(&test), 0);
    assert_true(iw_upper_no_memory(test.upper));
    assert_false(iw_upper_complete(test.upper));
    iw_upper_free(test.upper);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_finding_without_memory),
        cmocka_unit_test(test_pending_finding_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
