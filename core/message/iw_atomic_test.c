#include "iw_atomic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_name.h"

static uint64_t result_of(struct iw_atomic_request request, uint64_t original) {
    uint64_t result = 0;

    assert_true(iw_atomic_result(&request, original, &result));
    return result;
}

static uint64_t fetch_add(uint64_t original, uint64_t data, uint64_t mask) {
    return result_of(
        (struct iw_atomic_request){.aopcode = IW_AOPCODE_FETCHADD, .data = data, .mask = mask}, original);
}

/* Vector F25 and its response F28: original value 7, added value 5. */
static void test_fetchadd_without_mask_is_one_field(void **state) {
    (void)state;
    assert_int_equal(fetch_add(7, 5, 0), 12);
    assert_int_equal(fetch_add(0x00000000FFFFFFFF, 1, 0), 0x0000000100000000);
    assert_int_equal(fetch_add(UINT64_MAX, 1, 0), 0);
}

static void test_fetchadd_does_not_carry_out_of_a_field(void **state) {
    (void)state;
    /* two fields of 32 bits */
    assert_int_equal(
        fetch_add(0x00000001FFFFFFFF, 0x0000000200000001, 0x8000000080000000), 0x0000000300000000);
    /* the most significant bit of a field takes the carry from below */
    assert_int_equal(
        fetch_add(0x000000007FFFFFFF, 0x0000000000000001, 0x0000000080000000), 0x0000000080000000);
    /* fields of 4 bits: F + 1 in each */
    assert_int_equal(fetch_add(0xFFFFFFFFFFFFFFFF, 0x1111111111111111, 0x8888888888888888), 0);
    /* fields of one bit: an exclusive or */
    assert_int_equal(fetch_add(0xF0F0F0F0F0F0F0F0, 0xFF00FF00FF00FF00, UINT64_MAX), 0x0FF00FF00FF00FF0);
    /* a field of 8 bits under one of 56 */
    assert_int_equal(
        fetch_add(0x00000000000001F0, 0x0000000000000020, 0x0000000000000080), 0x0000000000000110);
}

/* The pseudocode of RFC 7306 5.1.1, bit by bit. */
static uint64_t add_by_pseudocode(uint64_t original, uint64_t data, uint64_t mask) {
    uint64_t value = 0;
    unsigned carry = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned sum = carry + (unsigned)(original >> bit & 1) + (unsigned)(data >> bit & 1);

        carry = (sum & 2) != 0 && (mask >> bit & 1) == 0;
        value |= (uint64_t)(sum & 1) << bit;
    }
    return value;
}

static void test_fetchadd_equals_the_pseudocode(void **state) {
    uint64_t seed = 1;
    uint64_t number[3];

    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        for (unsigned k = 0; k < 3; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            number[k] = seed ^ seed >> 29;
        }
        assert_true(
            fetch_add(number[0], number[1], number[2]) == add_by_pseudocode(number[0], number[1], number[2]));
    }
}

static void test_swap_returns_the_data(void **state) {
    (void)state;
    assert_int_equal(
        result_of((struct iw_atomic_request){.aopcode = IW_AOPCODE_SWAP, .data = 0x0102030405060708}, 7),
        0x0102030405060708);
}

/* Vector F27: compares the low 32 bits with DEADBEEF and replaces them by 22222222. */
static void test_cmpswap_compares_only_masked_bits(void **state) {
    static const struct iw_atomic_request request = {.aopcode = IW_AOPCODE_CMPSWAP,
        .data = 0x1111111122222222,
        .mask = 0x00000000FFFFFFFF,
        .compare_data = 0x00000000DEADBEEF,
        .compare_mask = 0x00000000FFFFFFFF};

    (void)state;
    assert_int_equal(result_of(request, 0x99999999DEADBEEF), 0x9999999922222222);
    assert_int_equal(result_of(request, 0x99999999DEADBEEE), 0x99999999DEADBEEE);
}

static void test_cmpswap_without_compare_mask_always_swaps(void **state) {
    (void)state;
    assert_int_equal(result_of((struct iw_atomic_request){.aopcode = IW_AOPCODE_CMPSWAP,
                                   .data = 0xFFFFFFFFFFFFFFFF,
                                   .mask = 0x00FF000000000000,
                                   .compare_data = 1},
                         0),
        0x00FF000000000000);
}

static void test_unknown_aopcode_returns_false(void **state) {
    struct iw_atomic_request request = {.aopcode = 3};
    uint64_t result = 42;

    (void)state;
    assert_false(iw_atomic_result(&request, 7, &result));
    assert_int_equal(result, 42);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fetchadd_without_mask_is_one_field),
        cmocka_unit_test(test_fetchadd_does_not_carry_out_of_a_field),
        cmocka_unit_test(test_fetchadd_equals_the_pseudocode),
        cmocka_unit_test(test_swap_returns_the_data),
        cmocka_unit_test(test_cmpswap_compares_only_masked_bits),
        cmocka_unit_test(test_cmpswap_without_compare_mask_always_swaps),
        cmocka_unit_test(test_unknown_aopcode_returns_false),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
