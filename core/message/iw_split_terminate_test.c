#include "iw_split_terminate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* A Terminate about a Read Request, without its DDP header, by hand (RFC 5040 4.8). */
static const uint8_t message[52] = {0x01, 0x02, 0xe0, 0x00, 0x00, 0x2e, 0x41, 0x41, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x12, 0x34, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x56, 0x78, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x20, 0x00};

/* `count` octets from offset `mo`; zeros after the headers. `captured` of them are in the capture. */
static bool take_captured(
    struct iw_split_terminate *split, uint8_t msn, uint8_t mo, uint8_t count, uint8_t captured, bool placed) {
    const uint8_t ddp[18] = {0x01, 0x47, [9] = 2, [13] = msn, [17] = mo};
    uint8_t octets[18 + 255] = {0};
    struct iw_segment segment;

    memcpy(octets, ddp, sizeof ddp);
    for (unsigned i = 0; i < count && mo + i < sizeof message; i++)
        octets[18 + i] = message[mo + i];
    assert_true(iw_segment_decode(octets, 18u + captured, 18u + count, IW_EXT_DEFAULT, &segment));
    return iw_split_terminate_segment(split, &segment, placed);
}

static bool take_part(struct iw_split_terminate *split, uint8_t msn, uint8_t mo, uint8_t count) {
    return take_captured(split, msn, mo, count, count, true);
}

static void joins_two_segments(void **state) {
    (void)state;
    for (uint8_t first = 0; first <= 52; first++) {
        struct iw_split_terminate split = {0};

        assert_true(take_part(&split, 1, 0, first));
        assert_int_equal(split.length, first);
        assert_true(take_part(&split, 1, first, 52 - first));
        assert_int_equal(split.length, 52);
        assert_int_equal(split.have, 52);
        assert_memory_equal(split.octets, message, 52);
    }
}

static void joins_single_octets(void **state) {
    struct iw_split_terminate split = {0};

    (void)state;
    for (uint8_t mo = 0; mo < 52; mo++)
        assert_true(take_part(&split, 1, mo, 1));
    assert_memory_equal(split.octets, message, 52);
}

/* Later octets are only counted. */
static void keeps_the_octets_of_the_longest_terminate(void **state) {
    struct iw_split_terminate split = {0};

    (void)state;
    assert_true(take_part(&split, 1, 0, 40));
    assert_true(take_part(&split, 1, 40, 200));
    assert_true(take_part(&split, 1, 240, 3));
    assert_int_equal(split.have, 52);
    assert_int_equal(split.length, 243);
    assert_memory_equal(split.octets, message, 52);
}

static void joins_nothing_after_a_hole(void **state) {
    struct iw_split_terminate split = {0};

    (void)state;
    assert_true(take_part(&split, 1, 0, 4));
    assert_false(take_part(&split, 1, 6, 4));
    assert_false(take_part(&split, 1, 4, 2));
    assert_false(take_part(&split, 1, 10, 4));
}

static void joins_nothing_without_the_first_segment(void **state) {
    struct iw_split_terminate split = {0};

    (void)state;
    assert_false(take_part(&split, 1, 4, 4));
    assert_false(take_part(&split, 1, 8, 4));
}

static void joins_only_placed_and_captured_segments(void **state) {
    struct iw_split_terminate split = {0};

    (void)state;
    assert_true(take_part(&split, 1, 0, 4));
    assert_false(take_captured(&split, 1, 4, 4, 4, false));
    assert_false(take_part(&split, 1, 8, 4));
    assert_true(take_part(&split, 1, 0, 4));
    assert_false(take_captured(&split, 1, 4, 4, 3, true));
    assert_false(take_part(&split, 1, 8, 4));
}

static void another_message_begins_again(void **state) {
    struct iw_split_terminate split = {0};

    (void)state;
    assert_true(take_part(&split, 1, 0, 4));
    assert_false(take_part(&split, 2, 4, 2));
    assert_true(take_part(&split, 2, 0, 24));
    assert_true(take_part(&split, 2, 24, 28));
    assert_int_equal(split.length, 52);
    assert_memory_equal(split.octets, message, 52);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_two_segments),
        cmocka_unit_test(joins_single_octets),
        cmocka_unit_test(keeps_the_octets_of_the_longest_terminate),
        cmocka_unit_test(joins_nothing_after_a_hole),
        cmocka_unit_test(joins_nothing_without_the_first_segment),
        cmocka_unit_test(joins_only_placed_and_captured_segments),
        cmocka_unit_test(another_message_begins_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
