#include "iw_tcp_mss.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* RFC 9293 3.2: kind 2, 4 octets; End is 0, No-Operation 1, and others say their length. */
static void finds_the_mss_behind_other_options(void **state) {
    static const uint8_t first[] = {2, 4, 0x05, 0xb4, 4, 2};
    static const uint8_t later[] = {1, 3, 3, 7, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 2, 4, 0xff, 0xd7};

    (void)state;
    assert_int_equal(iw_tcp_mss(first, sizeof first), 1460);
    assert_int_equal(iw_tcp_mss(later, sizeof later), 65495);
}

static void finds_none_where_none_is_whole(void **state) {
    static const uint8_t ended[] = {0, 2, 4, 0x05, 0xb4};
    static const uint8_t endless[] = {3, 0, 2, 4, 0x05, 0xb4};
    static const uint8_t wrong[] = {2, 3, 0x05, 2};
    static const uint8_t cut[] = {1, 2, 4, 0x05};
    static const uint8_t far[] = {8, 10, 2, 4, 0x05, 0xb4};

    (void)state;
    assert_int_equal(iw_tcp_mss(ended, 0), 0);
    assert_int_equal(iw_tcp_mss(ended, sizeof ended), 0);
    assert_int_equal(iw_tcp_mss(endless, sizeof endless), 0);
    assert_int_equal(iw_tcp_mss(wrong, sizeof wrong), 0);
    assert_int_equal(iw_tcp_mss(cut, sizeof cut), 0);
    assert_int_equal(iw_tcp_mss(far, sizeof far), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_mss_behind_other_options),
        cmocka_unit_test(finds_none_where_none_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
