#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_name.h"

static void expect_names(enum iw_field_kind kind, const char *const *names, size_t count) {
    for (size_t value = 0; value < count; value++) {
        const char *name = iw_value_name(kind, value);

        if (names[value] == NULL) {
            assert_null(name);
        } else {
            assert_non_null(name);
            assert_string_equal(name, names[value]);
        }
    }
}

#define EXPECT_NAMES(kind, names) expect_names(kind, names, sizeof(names) / sizeof *(names))

static void opcodes_have_the_names_of_the_specifications(void **state) {
    const char *const names[] = {"RDMA Write", "RDMA Read Request", "RDMA Read Response", "Send",
        "Send with Invalidate", "Send with SE", "Send with SE and Invalidate", "Terminate", "Immediate Data",
        "Immediate Data with SE", "Atomic Request", "Atomic Response", "RDMA Flush Request",
        "RDMA Flush Response", "RDMA Verify Request", "RDMA Verify Response", "Atomic Write Request",
        "Atomic Write Response", NULL, NULL};

    (void)state;
    EXPECT_NAMES(IW_KIND_OPCODE, names);
}

static void atomic_operations_have_names(void **state) {
    const char *const names[] = {"FetchAdd", "Swap", "CmpSwap", NULL, NULL};

    (void)state;
    EXPECT_NAMES(IW_KIND_AOPCODE, names);
    assert_int_equal(IW_AOPCODE_FETCHADD, 0);
    assert_int_equal(IW_AOPCODE_SWAP, 1);
    assert_int_equal(IW_AOPCODE_CMPSWAP, 2);
}

static void function_codes_have_names(void **state) {
    const char *const names[] = {NULL, "DDP Stream Session Initiate", "DDP Stream Session Accept",
        "DDP Stream Session Reject", "DDP Stream Session Terminate", "Enhanced DDP Stream Session Initiate",
        "Enhanced DDP Stream Session Accept", "Enhanced DDP Stream Session Reject", NULL};

    (void)state;
    EXPECT_NAMES(IW_KIND_FUNCTION, names);
    assert_string_equal(iw_value_name(IW_KIND_FUNCTION, 0xFFFF), "Session Control reserved for experiments");
}

static void layers_have_names(void **state) {
    const char *const names[] = {"RDMA", "DDP", "LLP", NULL};

    (void)state;
    EXPECT_NAMES(IW_KIND_LAYER, names);
}

static void values_beyond_the_field_have_no_name(void **state) {
    (void)state;
    assert_null(iw_value_name(IW_KIND_OPCODE, 0x100000001));
    assert_null(iw_value_name(IW_KIND_LAYER, 0x100));
    assert_null(iw_value_name(IW_KIND_AOPCODE, 0x100000000));
    assert_null(iw_value_name(IW_KIND_FUNCTION, UINT64_MAX));
}

/* ETYPE and CODE depend on the fields before them; the other kinds are plain numbers. */
static void other_kinds_have_no_names(void **state) {
    (void)state;
    assert_null(iw_value_name(IW_KIND_ETYPE, 0));
    assert_null(iw_value_name(IW_KIND_CODE, 0));
    assert_null(iw_value_name(IW_KIND_FLAG, 1));
    assert_null(iw_value_name(IW_KIND_DEC, 1));
    assert_null(iw_value_name(IW_KIND_HEX, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opcodes_have_the_names_of_the_specifications),
        cmocka_unit_test(atomic_operations_have_names),
        cmocka_unit_test(function_codes_have_names),
        cmocka_unit_test(layers_have_names),
        cmocka_unit_test(values_beyond_the_field_have_no_name),
        cmocka_unit_test(other_kinds_have_no_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
