#include "iw_header_log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* DDP headers by hand (RFC 5041 4.2, 4.3): a Write to STag 11223344, TO 1000h, and a Send with MSN 1. */
static const uint8_t write_header[14] = {0xc1, 0x40, 0x11, 0x22, 0x33, 0x44, [12] = 0x10};
static const uint8_t send_header[18] = {0x41, 0x43, [13] = 1};

static void add_header(
    struct iw_header_log *log, const uint8_t *header, size_t octets, bool alone, uint64_t frame) {
    uint8_t ulpdu[32] = {0};
    struct iw_segment segment;

    memcpy(ulpdu, header, octets);
    assert_true(iw_segment_decode(ulpdu, octets + 2, octets + 2, IW_EXT_DEFAULT, &segment));
    iw_header_log_add(log, &segment, ulpdu, alone, 100 * frame, frame);
}

static void finds_the_segment_of_a_header(void **state) {
    struct iw_header_log log = {0};
    const struct iw_logged_header *found;

    (void)state;
    assert_null(iw_header_log_find(&log, send_header, 18));
    add_header(&log, write_header, 14, true, 3);
    add_header(&log, send_header, 18, true, 4);
    found = iw_header_log_find(&log, send_header, 18);
    assert_non_null(found);
    assert_int_equal(found->frame, 4);
    assert_int_equal(found->length, 20);
    assert_int_equal(iw_header_log_find(&log, write_header, 14)->length, 16);
    add_header(&log, write_header, 14, true, 5);
    assert_null(iw_header_log_find(&log, write_header, 14)); /* two segments have it */
    assert_true(iw_header_log_has(&log, write_header, 14, false, UINT64_MAX));
}

static void rejects_a_header_with_another_octet(void **state) {
    struct iw_header_log log = {0};

    (void)state;
    add_header(&log, write_header, 14, true, 3);
    add_header(&log, send_header, 18, true, 4);
    for (size_t bit = 0; bit < 18 * 8; bit++) {
        uint8_t other[18];

        memcpy(other, send_header, sizeof other);
        other[bit / 8] ^= (uint8_t)(0x80 >> bit % 8);
        if (bit > 0) /* bit 0 is T: the other model */
            assert_false(iw_header_log_has(&log, other, 18, false, UINT64_MAX));
        assert_null(iw_header_log_find(&log, other, 18));
    }
}

/* No RFC says which segment of a longer message the header is from. */
static void accepts_either_l_in_a_message_of_several_segments(void **state) {
    uint8_t first[18];
    struct iw_header_log log = {0};

    (void)state;
    memcpy(first, send_header, sizeof first);
    first[0] = 0x01;
    add_header(&log, first, 18, false, 3);
    assert_true(iw_header_log_has(&log, send_header, 18, false, UINT64_MAX));
    assert_null(iw_header_log_find(&log, send_header, 18));
}

static void accepts_any_mo_if_asked(void **state) {
    uint8_t later[18];
    struct iw_header_log log = {0};

    (void)state;
    memcpy(later, send_header, sizeof later);
    later[17] = 9;
    add_header(&log, send_header, 18, true, 3);
    assert_false(iw_header_log_has(&log, later, 18, false, UINT64_MAX));
    assert_true(iw_header_log_has(&log, later, 18, true, UINT64_MAX));
}

/* Octet 300 is the first of its FPDU. */
static void ignores_a_header_that_has_not_arrived(void **state) {
    struct iw_header_log log = {0};

    (void)state;
    add_header(&log, send_header, 18, true, 3);
    assert_false(iw_header_log_has(&log, send_header, 18, false, 300));
    assert_true(iw_header_log_has(&log, send_header, 18, false, 301));
}

static void keeps_no_headers_above_the_limit(void **state) {
    struct iw_header_log log = {0};
    uint8_t header[18];

    (void)state;
    memcpy(header, send_header, sizeof header);
    for (unsigned i = 1; i <= IW_HEADER_LOG_MAX; i++) {
        header[13] = (uint8_t)i;
        add_header(&log, header, 18, true, i);
        assert_int_equal(log.count, i);
    }
    assert_true(iw_header_log_has(&log, send_header, 18, false, UINT64_MAX));
    add_header(&log, header, 18, true, IW_HEADER_LOG_MAX + 1);
    assert_int_equal(log.count, IW_HEADER_LOG_MAX + 1);
    assert_false(iw_header_log_has(&log, send_header, 18, false, UINT64_MAX));
    assert_null(iw_header_log_find(&log, send_header, 18));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_segment_of_a_header),
        cmocka_unit_test(rejects_a_header_with_another_octet),
        cmocka_unit_test(accepts_either_l_in_a_message_of_several_segments),
        cmocka_unit_test(accepts_any_mo_if_asked),
        cmocka_unit_test(ignores_a_header_that_has_not_arrived),
        cmocka_unit_test(keeps_no_headers_above_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
