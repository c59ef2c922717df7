#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "iw_mulpdu.h"

/* RFC 5044 4.5, calculated by hand. */
static const struct {
    uint32_t emss;
    uint16_t plain;
    uint16_t marked;
} rows[] = {
    {536, 530, 522},                     /* 536 - 6; and 2 markers */
    {1448, 1442, 1430},                  /* 3 markers */
    {1460, 1454, 1442},                  /* 3 markers */
    {8960, 8954, 8882},                  /* 18 markers */
    {1024, 1018, 1010},                  /* exactly 2 intervals: 2 markers */
    {1025, 1018, 1006},                  /* 3 markers, 1 octet that fills no word */
    {1027, 1018, 1006},                  /* 3 markers, 3 octets that fill no word */
    {1028, 1022, 1010}, {512, 506, 502}, /* 1 marker */
    {513, 506, 498},                     /* 2 markers, 1 octet that fills no word */
};

static void mulpdu_follows_the_formula_of_the_rfc(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_int_equal(iw_mulpdu(rows[i].emss, false), rows[i].plain);
        assert_int_equal(iw_mulpdu(rows[i].emss, true), rows[i].marked);
    }
}

static void a_small_emss_gives_128(void **state) {
    (void)state;
    assert_int_equal(iw_mulpdu(0, false), 128);
    assert_int_equal(iw_mulpdu(0, true), 128);
    assert_int_equal(iw_mulpdu(9, true), 128);
    assert_int_equal(iw_mulpdu(128, false), 128);
    assert_int_equal(iw_mulpdu(132, false), 128); /* 126 by the formula */
    assert_int_equal(iw_mulpdu(136, false), 130);
    assert_int_equal(iw_mulpdu(136, true), 128); /* 126 by the formula */
    assert_int_equal(iw_mulpdu(140, true), 130);
}

static void a_large_emss_gives_64768(void **state) {
    (void)state;
    assert_int_equal(iw_mulpdu(64772, false), 64766);
    assert_int_equal(iw_mulpdu(64776, false), 64768); /* 64770 by the formula */
    assert_int_equal(iw_mulpdu(65284, true), 64766);  /* 128 markers */
    assert_int_equal(iw_mulpdu(65288, true), 64768);  /* 64770 by the formula */
    assert_int_equal(iw_mulpdu(65535, false), 64768);
    assert_int_equal(iw_mulpdu(UINT32_MAX, false), 64768);
    assert_int_equal(iw_mulpdu(UINT32_MAX, true), 64768);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mulpdu_follows_the_formula_of_the_rfc),
        cmocka_unit_test(a_small_emss_gives_128),
        cmocka_unit_test(a_large_emss_gives_64768),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
