#include "iw_payload_sum.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* CRC-32C of "123456789": e3069283h, on the wire 83 92 06 e3 (RFC 5044 4.4, RFC 3720 B.4). */
static const uint8_t digits[] = "123456789";

static struct iw_segment piece(uint32_t mo, uint16_t octets, bool last) {
    return (struct iw_segment){
        .mo = mo, .last = last, .payload = digits + mo, .payload_octets = octets, .payload_captured = octets};
}

static void sums_each_split_alike(void **state) {
    (void)state;
    for (uint16_t cut = 0; cut <= 9; cut++) {
        struct iw_segment first = piece(0, cut, false), rest = piece(cut, (uint16_t)(9 - cut), true);
        struct iw_payload_sum sum;

        iw_payload_sum_begin(&sum, &first);
        assert_false(iw_payload_sum_whole(&sum));
        iw_payload_sum_add(&sum, &rest, 0);
        assert_true(iw_payload_sum_whole(&sum));
        assert_true(sum.captured);
        assert_int_equal(sum.octets, 9);
        assert_int_equal(sum.first, 0x31323334);
        assert_int_equal(iw_payload_sum_crc(&sum), 0x839206e3);
    }
}

/* After 16 octets of an RDMAP header, the payload "12" ends at MO 18. */
static void expects_the_payload_after_the_header(void **state) {
    struct iw_segment first = piece(0, 2, false), rest = piece(2, 7, true);
    struct iw_payload_sum sum;

    (void)state;
    rest.mo = 18;
    iw_payload_sum_begin(&sum, &first);
    iw_payload_sum_add(&sum, &rest, 16);
    assert_true(iw_payload_sum_whole(&sum));
    assert_int_equal(iw_payload_sum_crc(&sum), 0x839206e3);
}

static void is_not_whole_out_of_order(void **state) {
    struct iw_segment first = piece(0, 2, false), later = piece(4, 5, true), missing = piece(2, 2, false);
    struct iw_payload_sum sum = {0};

    (void)state;
    iw_payload_sum_add(&sum, &later, 0); /* without the first segment */
    assert_false(iw_payload_sum_whole(&sum));
    iw_payload_sum_begin(&sum, &first);
    iw_payload_sum_add(&sum, &later, 0);
    assert_false(iw_payload_sum_whole(&sum));
    iw_payload_sum_add(&sum, &missing, 0);
    assert_false(iw_payload_sum_whole(&sum));
}

static void needs_captured_octets(void **state) {
    struct iw_segment first = piece(0, 9, true);
    struct iw_payload_sum sum;

    (void)state;
    first.payload_captured = 3;
    iw_payload_sum_begin(&sum, &first);
    assert_true(iw_payload_sum_whole(&sum));
    assert_false(sum.captured);
    assert_int_equal(sum.octets, 9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_each_split_alike),
        cmocka_unit_test(expects_the_payload_after_the_header),
        cmocka_unit_test(is_not_whole_out_of_order),
        cmocka_unit_test(needs_captured_octets),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
