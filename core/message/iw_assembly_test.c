#include "iw_assembly.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { LIMIT = 32 };

static struct iw_assembly assembly;
static const uint8_t *octets;
static size_t length;

static int set_up(void **state) {
    (void)state;
    iw_assembly_init(&assembly, LIMIT);
    octets = NULL;
    length = 0;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_assembly_dispose(&assembly);
    return 0;
}

static enum iw_assembled take_segment(uint32_t msn, uint32_t mo, bool last, const char *text) {
    struct iw_segment segment = {.last = last,
        .msn = msn,
        .mo = mo,
        .ddp_octets = 18,
        .length = (uint16_t)(18 + strlen(text)),
        .payload = (const uint8_t *)text,
        .payload_octets = (uint16_t)strlen(text),
        .payload_captured = (uint16_t)strlen(text)};

    return iw_assembly_segment(&assembly, &segment, &octets, &length);
}

static void expect_text(const char *text) {
    assert_int_equal(length, strlen(text));
    assert_memory_equal(octets, text, length);
}

static void returns_one_segment_in_place(void **state) {
    static const char text[] = "hello";

    (void)state;
    assert_int_equal(take_segment(1, 0, true, text), IW_ASSEMBLY_WHOLE);
    assert_ptr_equal(octets, text);
    assert_int_equal(length, 5);
    assert_null(assembly.octets);
}

static void returns_a_message_without_payload(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 0, true, ""), IW_ASSEMBLY_WHOLE);
    assert_int_equal(length, 0);
}

static void reassembles_segments(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 0, false, "one "), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 4, false, "message"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 11, true, " of three"), IW_ASSEMBLY_WHOLE);
    expect_text("one message of three");
    assert_int_equal(take_segment(2, 0, false, "and "), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(2, 4, true, "the next"), IW_ASSEMBLY_WHOLE);
    expect_text("and the next");
}

static void reassembles_segments_without_payload(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 0, false, ""), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 0, false, "all"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 3, true, ""), IW_ASSEMBLY_WHOLE);
    expect_text("all");
}

static void rejects_a_message_with_a_hole(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 0, false, "one"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 4, false, "two"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 7, true, "three"), IW_ASSEMBLY_BROKEN);
    assert_int_equal(take_segment(2, 0, true, "four"), IW_ASSEMBLY_WHOLE);
    expect_text("four");
}

static void rejects_a_message_without_its_beginning(void **state) {
    (void)state;
    assert_int_equal(take_segment(7, 16, false, "one"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(7, 19, true, "two"), IW_ASSEMBLY_BROKEN);
}

static void places_segments_in_any_order(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 4, false, "message"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 0, false, "one "), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 11, true, " of three"), IW_ASSEMBLY_WHOLE);
    expect_text("one message of three");
    assert_int_equal(take_segment(2, 0, false, "and "), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(2, 8, false, "next"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(2, 4, false, "the "), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(2, 12, true, ""), IW_ASSEMBLY_WHOLE);
    expect_text("and the next");
}

static void rejects_duplicate_octets(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 0, false, "one"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 2, false, "two"), IW_ASSEMBLY_BROKEN);
    assert_int_equal(take_segment(1, 5, true, "three"), IW_ASSEMBLY_BROKEN);
}

static void rejects_too_many_holes(void **state) {
    (void)state;
    for (uint32_t i = 0; i < IW_EXTENT_RUNS_MAX; i++)
        assert_int_equal(take_segment(1, 3 * i + 1, false, "x"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 3 * IW_EXTENT_RUNS_MAX + 1, false, "x"), IW_ASSEMBLY_BROKEN);
}

static void keeps_two_messages_apart(void **state) {
    (void)state;
    assert_int_equal(take_segment(1, 0, false, "one"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(2, 3, true, "two"), IW_ASSEMBLY_BROKEN);
    assert_int_equal(take_segment(3, 0, false, "six"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(4, 0, false, "ten"), IW_ASSEMBLY_PART); /* message 3 never ends */
    assert_int_equal(take_segment(4, 3, true, "fold"), IW_ASSEMBLY_WHOLE);
    expect_text("tenfold");
}

static void rejects_a_truncated_message(void **state) {
    struct iw_segment segment = {.last = true,
        .msn = 1,
        .ddp_octets = 18,
        .length = 26,
        .payload = (const uint8_t *)"cut",
        .payload_octets = 8,
        .payload_captured = 3};

    (void)state;
    assert_int_equal(iw_assembly_segment(&assembly, &segment, &octets, &length), IW_ASSEMBLY_BROKEN);
    assert_int_equal(take_segment(2, 0, false, "one"), IW_ASSEMBLY_PART);
    segment.msn = 2;
    segment.mo = 3;
    assert_int_equal(iw_assembly_segment(&assembly, &segment, &octets, &length), IW_ASSEMBLY_BROKEN);
}

static void rejects_a_message_above_the_limit(void **state) {
    uint32_t capacity;

    (void)state;
    assert_int_equal(take_segment(1, 0, false, "0123456789abcdef"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 16, true, "0123456789abcdef"), IW_ASSEMBLY_WHOLE);
    assert_int_equal(length, LIMIT);
    capacity = assembly.capacity;
    assert_int_equal(take_segment(2, 0, false, "0123456789abcdef"), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(2, 16, false, "0123456789abcdef0"), IW_ASSEMBLY_BROKEN);
    assert_int_equal(take_segment(2, 33, false, "0"), IW_ASSEMBLY_BROKEN);
    assert_int_equal(take_segment(2, 1 << 20, true, "0"), IW_ASSEMBLY_BROKEN);
    assert_int_equal(assembly.capacity, capacity);
}

/* MO counts the RDMAP header of the first segment. */
static void leaves_out_the_rdmap_header(void **state) {
    struct iw_segment segment = {.msn = 1,
        .ddp_octets = 18,
        .header_octets = 16,
        .length = 18 + 16 + 3,
        .payload = (const uint8_t *)"one",
        .payload_octets = 3,
        .payload_captured = 3};

    (void)state;
    assert_int_equal(iw_assembly_segment(&assembly, &segment, &octets, &length), IW_ASSEMBLY_PART);
    assert_int_equal(take_segment(1, 19, true, "two"), IW_ASSEMBLY_WHOLE);
    expect_text("onetwo");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(returns_one_segment_in_place, set_up, tear_down),
        cmocka_unit_test_setup_teardown(returns_a_message_without_payload, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reassembles_segments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reassembles_segments_without_payload, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejects_a_message_with_a_hole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(places_segments_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejects_duplicate_octets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejects_too_many_holes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejects_a_message_without_its_beginning, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_two_messages_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejects_a_truncated_message, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rejects_a_message_above_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(leaves_out_the_rdmap_header, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
