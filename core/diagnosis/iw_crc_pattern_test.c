#include "iw_crc_pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "iw_crc32c.h"

/* The FPDU of a Send of "123456789": ULPDU_Length 9, no headers, a PAD of one octet. CRCs were computed with
 * Python: zlib.crc32 and a bitwise CRC-32C, both checked by 0xCBF43926 and 0xE3069283 for "123456789". */
static const uint8_t octets[] = {0, 9, '1', '2', '3', '4', '5', '6', '7', '8', '9', 0};

static uint8_t image[sizeof octets + 4];
static struct iw_fpdu fpdu;

static void with_crc(uint32_t crc) {
    fpdu = (struct iw_fpdu){.wire = image,
        .image = image,
        .image_octets = sizeof image,
        .image_captured = sizeof image,
        .wire_octets = sizeof image,
        .ulpdu_length = 9,
        .pad_octets = 1,
        .crc = IW_CRC_BAD,
        .crc_received = crc,
        .crc_computed = iw_crc32c(image, sizeof octets)};
}

static int reset(void **state) {
    (void)state;
    memcpy(image, octets, sizeof octets);
    return 0;
}

static enum iw_crc_pattern found(uint32_t crc) {
    with_crc(crc);
    return iw_crc_pattern_find(&fpdu).pattern;
}

static void knows_the_right_value(void **state) {
    (void)state;
    with_crc(0);
    assert_int_equal(fpdu.crc_computed, 0x744ACA30);
}

static void finds_algorithms(void **state) {
    (void)state;
    assert_int_equal(found(0), IW_CRC_PATTERN_ZERO);
    assert_int_equal(found(0x30CA4A74), IW_CRC_PATTERN_BYTE_ORDER);
    assert_int_equal(found(0xE3D60ED5), IW_CRC_PATTERN_CRC32);
    assert_int_equal(found(0xD50ED6E3), IW_CRC_PATTERN_CRC32);
    assert_int_equal(found(0xD60055E4), IW_CRC_PATTERN_INIT);
    assert_int_equal(found(0x8BB535CF), IW_CRC_PATTERN_XOROUT);
    assert_int_equal(found(0x4F9D38C3), IW_CRC_PATTERN_NO_LENGTH);
    assert_int_equal(found(0x73DCBE7F), IW_CRC_PATTERN_NO_PAD);
}

static void finds_a_pad_that_is_not_covered(void **state) {
    struct iw_crc_trace trace;

    (void)state;
    image[11] = 0x5a;
    with_crc(0x744ACA30);
    trace = iw_crc_pattern_find(&fpdu);
    assert_int_equal(trace.pattern, IW_CRC_PATTERN_STALE_PAD);
    assert_int_equal(trace.at, 11);
    assert_int_equal(trace.flips, 0x5a);
}

/* FPDUs with a PAD of 0, whose CRC was computed over other octets: of the PAD below, by the same Python. */
static void finds_a_crc_over_another_pad(void **state) {
    struct iw_crc_trace trace;

    (void)state;
    with_crc(0x9FB80D0A); /* 5a */
    trace = iw_crc_pattern_find(&fpdu);
    assert_int_equal(trace.pattern, IW_CRC_PATTERN_OTHER_PAD);
    assert_int_equal(trace.at, 11);
    assert_int_equal(trace.flips, 0x5a);
    assert_int_equal(trace.pad, 1);
    image[1] = 8;
    image[10] = 0;
    with_crc(0x3E30E296); /* 34 12 */
    fpdu.pad_octets = 2;
    trace = iw_crc_pattern_find(&fpdu);
    assert_int_equal(trace.pattern, IW_CRC_PATTERN_OTHER_PAD);
    assert_int_equal(trace.flips, 0);
    assert_int_equal(trace.pad, 2);
    with_crc(0x61432698); /* 00 12 */
    fpdu.pad_octets = 2;
    trace = iw_crc_pattern_find(&fpdu);
    assert_int_equal(trace.pattern, IW_CRC_PATTERN_OTHER_PAD);
    assert_int_equal(trace.at, 11);
    assert_int_equal(trace.flips, 0x12);
    image[1] = 7;
    image[9] = 0;
    with_crc(0x5E24FF17); /* 01 02 03 */
    fpdu.pad_octets = 3;
    assert_int_equal(iw_crc_pattern_find(&fpdu).pattern, IW_CRC_PATTERN_OTHER_PAD);
    image[9] = 4; /* the PAD is not 0 */
    with_crc(0x5E24FF17);
    fpdu.pad_octets = 3;
    assert_int_not_equal(iw_crc_pattern_find(&fpdu).pattern, IW_CRC_PATTERN_OTHER_PAD);
}

/* The CRC is right without the Marker before the FPDU, so the rest was read as an FPDU of its own. */
static void finds_a_marker_that_the_crc_does_not_cover(void **state) {
    const struct iw_marker marker = {.offset = 40};

    (void)state;
    with_crc(0x744ACA30);
    fpdu.offset = 40;
    fpdu.wire_octets = 4;
    fpdu.image_captured = 0;
    fpdu.markers = &marker;
    fpdu.marker_count = 1;
    assert_true(iw_crc_pattern_is_marker_alone(&fpdu));
    assert_int_equal(iw_crc_pattern_find(&fpdu).pattern, IW_CRC_PATTERN_NO_MARKERS);
    fpdu.wire_octets = 8;
    assert_false(iw_crc_pattern_is_marker_alone(&fpdu));
}

static void finds_the_octet_that_changed(void **state) {
    struct iw_crc_trace trace;

    (void)state;
    image[5] ^= 0x81;
    with_crc(0x744ACA30);
    trace = iw_crc_pattern_find(&fpdu);
    assert_int_equal(trace.pattern, IW_CRC_PATTERN_ONE_OCTET);
    assert_int_equal(trace.at, 5);
    assert_int_equal(trace.flips, 0x81);
}

static void finds_an_octet_of_the_field_itself(void **state) {
    struct iw_crc_trace trace;

    (void)state;
    with_crc(0);
    with_crc(fpdu.crc_computed ^ 0x00400000);
    trace = iw_crc_pattern_find(&fpdu);
    assert_int_equal(trace.pattern, IW_CRC_PATTERN_ONE_OCTET);
    assert_int_equal(trace.at, 13);
    assert_int_equal(trace.flips, 0x40);
}

static void says_nothing_about_anything_else(void **state) {
    (void)state;
    image[3] ^= 1;
    image[9] ^= 0x40;
    assert_int_equal(found(0x744ACA30), IW_CRC_PATTERN_UNKNOWN);
    assert_int_equal(found(0x12345678), IW_CRC_PATTERN_UNKNOWN);
}

static void needs_the_whole_fpdu(void **state) {
    (void)state;
    with_crc(0);
    fpdu.image_captured--;
    assert_int_equal(iw_crc_pattern_find(&fpdu).pattern, IW_CRC_PATTERN_UNKNOWN);
    with_crc(0);
    fpdu.crc = IW_CRC_GOOD;
    assert_int_equal(iw_crc_pattern_find(&fpdu).pattern, IW_CRC_PATTERN_UNKNOWN);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup(name, reset)
    const struct CMUnitTest tests[] = {
        TEST(knows_the_right_value),
        TEST(finds_algorithms),
        TEST(finds_a_pad_that_is_not_covered),
        TEST(finds_a_crc_over_another_pad),
        TEST(finds_a_marker_that_the_crc_does_not_cover),
        TEST(finds_the_octet_that_changed),
        TEST(finds_an_octet_of_the_field_itself),
        TEST(says_nothing_about_anything_else),
        TEST(needs_the_whole_fpdu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
