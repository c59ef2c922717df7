#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_check_octets.h"

/* An FPDU of 100 octets, the octet at index I with value I, in two spans: after 50 octets the stream has a
 * Marker. */
static uint8_t image[100];
static const struct iw_span spans[] = {{0, 50, 1000, 1, 0}, {50, 50, 1054, 1, 0}};
static const struct iw_marker marker = {
    .offset = 1050, .reserved = 0, .fpduptr = 0x0135, .expected = 52, .frame = 1};
static struct iw_fpdu fpdu;
static struct iw_llp_event llp;
static struct iw_monitor_event event;
static struct iw_finding finding;

static int set_up(void **state) {
    (void)state;
    for (unsigned i = 0; i < sizeof image; i++)
        image[i] = (uint8_t)i;
    fpdu = (struct iw_fpdu){.offset = 1000,
        .wire_octets = 104,
        .image = image,
        .image_octets = 100,
        .image_captured = 100,
        .spans = spans,
        .span_count = 2,
        .markers = &marker,
        .marker_count = 1};
    llp = iw_llp_event_of_fpdu(&fpdu);
    event = (struct iw_monitor_event){.llp = &llp};
    finding = (struct iw_finding){.field = &iw_fields[iw_field_ddp_untagged_mo], .octets = 4};
    return 0;
}

static void expect(const struct iw_check_octets *octets, const char *line, int column, int columns) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    int found_columns, found = iw_check_octets_print(octets, out, &found_columns);

    fclose(out);
    assert_string_equal(text, line);
    assert_int_equal(found, column);
    assert_int_equal(found_columns, columns);
    free(text);
}

static void octets_around_the_field_are_shown(void **state) {
    struct iw_check_octets octets;

    (void)state;
    finding.offset = 1060; /* octet 56 of the image */
    iw_check_octets_around(&octets, &event, &finding);
    expect(&octets,
        "... 2a 2b 2c 2d 2e 2f 30 31 32 33 34 35 36 37 38 39 3a 3b 3c 3d 3e 3f 40 41 42 43 44 45 46 47 48 49 "
        "...",
        4 + 14 * 3, 11);
    assert_int_equal(octets.before, 42);
    assert_int_equal(octets.after, 26);
}

static void a_field_at_either_end_has_octets_on_one_side(void **state) {
    struct iw_check_octets octets;

    (void)state;
    finding.offset = 1002;
    finding.octets = 1;
    iw_check_octets_around(&octets, &event, &finding);
    expect(&octets,
        "00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 15 16 17 18 19 1a 1b 1c 1d 1e 1f ...",
        6, 2);
    finding.offset = 1100; /* octet 96 of the image: the last four octets */
    finding.octets = 4;
    iw_check_octets_around(&octets, &event, &finding);
    assert_int_equal(octets.before, 68);
    assert_int_equal(octets.after, 0);
    assert_int_equal(octets.mark, 28);
    assert_int_equal(octets.marks, 4);
}

static void a_truncated_frame_shows_its_captured_octets(void **state) {
    struct iw_check_octets octets;

    (void)state;
    fpdu.image_captured = llp.image_captured = 4;
    finding.offset = 1002;
    finding.octets = 4; /* of which two were captured */
    iw_check_octets_around(&octets, &event, &finding);
    expect(&octets, "00 01 02 03 ...", 6, 5);
    finding.offset = 1004;
    iw_check_octets_around(&octets, &event, &finding);
    expect(&octets, "00 01 02 03 ...", 0, 0); /* the field itself was not captured */
    fpdu.image_captured = llp.image_captured = 0;
    iw_check_octets_around(&octets, &event, &finding);
    assert_int_equal(octets.count, 0);
}

/* PAD is not a field of a layout, but a finding may be about an octet of PAD. */
static void octets_without_a_field_are_marked(void **state) {
    struct iw_check_octets octets;

    (void)state;
    finding.field = NULL;
    finding.offset = 1103; /* octet 99 of the image */
    finding.octets = 1;
    iw_check_octets_around(&octets, &event, &finding);
    assert_int_equal(octets.before, 68);
    assert_int_equal(octets.mark, 31);
    assert_int_equal(octets.marks, 1);
}

static void without_an_offset_no_octet_is_marked(void **state) {
    struct iw_check_octets octets;

    (void)state;
    finding.field = NULL;
    finding.offset = 1000;
    finding.octets = 104;
    iw_check_octets_around(&octets, &event, &finding);
    assert_int_equal(octets.marks, 0);
    assert_int_equal(octets.before, 0);
    assert_int_equal(octets.count, IW_CHECK_OCTETS_MAX);
}

static void a_marker_is_shown_alone(void **state) {
    struct iw_check_octets octets;

    (void)state;
    finding.field = &iw_fields[iw_field_mpa_marker_fpduptr];
    finding.offset = 1052;
    finding.octets = 2;
    iw_check_octets_around(&octets, &event, &finding);
    expect(&octets, "00 00 01 35", 6, 5);
}

static void a_startup_frame_and_a_close(void **state) {
    static const uint8_t request[] = "MPA ID Req Frame\x40\x01\x00\x00";
    struct iw_check_octets octets;

    (void)state;
    llp = (struct iw_llp_event){.kind = IW_LLP_STARTUP,
        .offset = 5,
        .octets = 24,
        .image = request,
        .image_octets = 24,
        .image_captured = 20};
    finding.field = &iw_fields[iw_field_mpa_startup_rev];
    finding.offset = 22;
    finding.octets = 1;
    iw_check_octets_around(&octets, &event, &finding);
    expect(&octets, "4d 50 41 20 49 44 20 52 65 71 20 46 72 61 6d 65 40 01 00 00 ...", 51, 2);
    llp = (struct iw_llp_event){.kind = IW_LLP_CLOSE};
    iw_check_octets_around(&octets, &event, &finding);
    assert_int_equal(octets.count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(octets_around_the_field_are_shown, set_up),
        cmocka_unit_test_setup(a_field_at_either_end_has_octets_on_one_side, set_up),
        cmocka_unit_test_setup(a_truncated_frame_shows_its_captured_octets, set_up),
        cmocka_unit_test_setup(octets_without_a_field_are_marked, set_up),
        cmocka_unit_test_setup(without_an_offset_no_octet_is_marked, set_up),
        cmocka_unit_test_setup(a_marker_is_shown_alone, set_up),
        cmocka_unit_test_setup(a_startup_frame_and_a_close, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
