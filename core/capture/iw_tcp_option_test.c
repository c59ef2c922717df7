#include "iw_tcp_option.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* RFC 9293 3.2: kind 2, 4 octets; End is 0, No-Operation is 1; other options state their length. */
static void finds_the_mss_after_other_options(void **state) {
    static const uint8_t first[] = {2, 4, 0x05, 0xb4, 4, 2};
    static const uint8_t later[] = {1, 3, 3, 7, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 2, 4, 0xff, 0xd7};

    (void)state;
    assert_int_equal(iw_tcp_option_mss(first, sizeof first), 1460);
    assert_int_equal(iw_tcp_option_mss(later, sizeof later), 65495);
}

static void ignores_truncated_options(void **state) {
    static const uint8_t ended[] = {0, 2, 4, 0x05, 0xb4};
    static const uint8_t endless[] = {3, 0, 2, 4, 0x05, 0xb4};
    static const uint8_t wrong[] = {2, 3, 0x05, 2};
    static const uint8_t cut[] = {1, 2, 4, 0x05};
    static const uint8_t far[] = {8, 10, 2, 4, 0x05, 0xb4};

    (void)state;
    assert_int_equal(iw_tcp_option_mss(ended, 0), 0);
    assert_int_equal(iw_tcp_option_mss(ended, sizeof ended), 0);
    assert_int_equal(iw_tcp_option_mss(endless, sizeof endless), 0);
    assert_int_equal(iw_tcp_option_mss(wrong, sizeof wrong), 0);
    assert_int_equal(iw_tcp_option_mss(cut, sizeof cut), 0);
    assert_int_equal(iw_tcp_option_mss(far, sizeof far), 0);
}

/* RFC 2018 3: kind 5, pairs of edges. */
static void finds_the_end_of_the_farthest_block(void **state) {
    static const uint8_t two[] = {1, 1, 5, 18, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 2, 0};
    static const uint8_t duplicate[] = {1, 1, 5, 10, 0, 0, 0, 16, 0, 0, 0, 32};
    static const uint8_t wraps[] = {5, 10, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 9};
    static const uint8_t cut[] = {5, 10, 0, 0, 3, 0, 0, 0, 4};
    static const uint8_t odd[] = {5, 9, 0, 0, 3, 0, 0, 0, 4};

    (void)state;
    assert_int_equal(iw_tcp_option_sacked(two, sizeof two, 0x100), 0x300);
    assert_int_equal(iw_tcp_option_sacked(two, sizeof two, 0x400), 0);
    assert_int_equal(iw_tcp_option_sacked(duplicate, sizeof duplicate, 32), 0);
    assert_int_equal(iw_tcp_option_sacked(wraps, sizeof wraps, 0xfffffff0), 25);
    assert_int_equal(iw_tcp_option_sacked(cut, sizeof cut, 0), 0);
    assert_int_equal(iw_tcp_option_sacked(odd, sizeof odd, 0), 0);
    assert_int_equal(iw_tcp_option_sacked(two, 0, 0), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_mss_after_other_options),
        cmocka_unit_test(ignores_truncated_options),
        cmocka_unit_test(finds_the_end_of_the_farthest_block),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
