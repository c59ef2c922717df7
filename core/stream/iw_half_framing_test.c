#include "iw_framing_fixture.h"

/* Wrong lengths, and headers that are accepted or rejected. */

/* ---- ULPDU_Length that is wrong ---- */

static void ulpdu_length_too_large(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(5, 40);
    change(64 + 1, 58 + 128);
    expect("A fpdu 20+64 ulpdu 58 crc good\n"
           "A fpdu 84+64 ulpdu 186 crc bad captured 64 of 192\n"
           "A fpdu 148+64 ulpdu 58 crc good\n"
           "A fpdu 212+64 ulpdu 58 crc good\n"
           "A fpdu 276+64 ulpdu 58 crc good\n"
           "A close 340+0 input pending 0\n");
}

static void ulpdu_length_too_large_by_less_than_an_fpdu(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(4, 40);
    change(64 + 1, 58 + 32);
    expect("A fpdu 20+64 ulpdu 58 crc good\n"
           "A fpdu 84+96 ulpdu 90 crc bad\n"
           "A loss 180+32 missing 0\n"
           "A fpdu 212+64 ulpdu 58 crc good\n"
           "A close 276+0 input pending 0\n");
}

static void ulpdu_length_larger_than_the_rest(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(4, 40);
    change(64, 0xF0);
    expect("A fpdu 20+64 ulpdu 58 crc good\n"
           "A loss 84+64 missing 0\n"
           "A fpdu 148+64 ulpdu 58 crc good\n"
           "A fpdu 212+64 ulpdu 58 crc good\n"
           "A close 276+0 input pending 0\n");
}

static void ulpdu_length_too_small(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(4, 40);
    change(64 + 1, 58 - 32);
    expect("A fpdu 20+64 ulpdu 58 crc good\n"
           "A fpdu 84+32 ulpdu 26 crc bad\n"
           "A loss 116+32 missing 0\n"
           "A fpdu 148+64 ulpdu 58 crc good\n"
           "A fpdu 212+64 ulpdu 58 crc good\n"
           "A close 276+0 input pending 0\n");
}

static void ulpdu_length_zero(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(3, 40);
    change(1, 0);
    expect("A fpdu 20+8 ulpdu 0 crc bad\n"
           "A loss 28+56 missing 0\n"
           "A fpdu 84+64 ulpdu 58 crc good\n"
           "A fpdu 148+64 ulpdu 58 crc good\n"
           "A close 212+0 input pending 0\n");
}

static void ulpdu_length_too_small_among_markers(void **state) {
    (void)state;
    begin("M01", "M10", true);
    sends(3, 600);
    change(632 + 1, (618 - 256) & 0xFF);
    change(632, (618 - 256) >> 8);
    expect("A fpdu 20+632 ulpdu 618 crc good marker 0 marker 508\n"
           "A fpdu 652+368 ulpdu 362 crc bad\n"
           "A loss 1020+260 missing 0\n"
           "A fpdu 1280+628 ulpdu 618 crc good marker 276\n"
           "A close 1908+0 input pending 0\n");
}

static void ulpdu_length_too_large_among_markers(void **state) {
    (void)state;
    begin("M01", "M10", true);
    sends(6, 40);
    change(68, 1);
    expect("A fpdu 20+68 ulpdu 58 crc good marker 0\n"
           "A fpdu 88+64 ulpdu 314 crc bad captured 64 of 320\n"
           "A fpdu 152+64 ulpdu 58 crc good\n"
           "A fpdu 216+64 ulpdu 58 crc good\n"
           "A fpdu 280+64 ulpdu 58 crc good\n"
           "A fpdu 344+64 ulpdu 58 crc good\n"
           "A close 408+0 input pending 0\n");
}

/* DV is 2: the header is invalid, the length is correct. */
static void a_wrong_header_is_one_bad_fpdu(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(3, 40);
    change(64 + 2, 0x42);
    expect("A fpdu 20+64 ulpdu 58 crc good\n"
           "A fpdu 84+64 ulpdu 58 crc bad\n"
           "A fpdu 148+64 ulpdu 58 crc good\n"
           "A close 212+0 input pending 0\n");
}

static void every_fpdu_bad(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(3, 40);
    for (uint32_t i = 0; i < 3; i++)
        change(64 * i + 30, 0);
    expect("A fpdu 20+64 ulpdu 58 crc bad\n"
           "A fpdu 84+64 ulpdu 58 crc bad\n"
           "A fpdu 148+64 ulpdu 58 crc bad\n"
           "A close 212+0 input pending 0\n");
}

static void a_correct_crc_proves_an_fpdu_after_a_bad_one(void **state) {
    (void)state;
    begin("M01", "M03", false);
    sends(1, 40);
    change(30, 0);
    iw_stream_fixture_add_vector(&stream, "F41");
    sends(1, 40);
    expect("A fpdu 20+64 ulpdu 58 crc bad\n"
           "A fpdu 84+32 ulpdu 23 crc good\n"
           "A fpdu 116+64 ulpdu 58 crc good\n"
           "A close 180+0 input pending 0\n");
}

/* Alternating wrong lengths: the work stays proportional to the octets. */
static void wrong_lengths_in_turn(void **state) {
    struct iw_event_log log;

    (void)state;
    begin("M01", "M03", false);
    for (uint32_t i = 0; i < 1500; i++) {
        sends(1, 40);
        if (i % 5 == 4)
            change(64 * i + i % 2, (uint8_t)(i % 7 * 40));
    }
    iw_event_log_init(&log);
    play((struct iw_cut){.size = UINT32_MAX}, &log);
    assert_true(log.count[IW_LLP_SEGMENT] > 1400);
    iw_event_log_dispose(&log);
}

/* ---- forced ---- */

static void spoil_crcs(uint32_t fpdu_octets) {
    for (uint32_t end = fpdu_octets; end <= stream.length; end += fpdu_octets)
        change(end - 1, (uint8_t)~stream.octets[end - 1]);
}

static void headers_alone_are_rejected_unless_forced(void **state) {
    (void)state;
    begin_late(false, 0);
    sends(6, 40);
    spoil_crcs(64);
    expect("A loss 0+384 missing 0 open\nA close 384+0 input pending 0\n");
    config.crc = IW_MPA_OFF;
    expect("A loss 0+384 missing 0 open\nA close 384+0 input pending 0\n");
}

static void headers_in_a_row_are_accepted_if_forced(void **state) {
    (void)state;
    begin_late(false, 0);
    config.forced = true;
    add_garbage(7);
    sends(4, 40);
    stream.length -= 7;
    memmove(stream.octets, stream.octets + 7, stream.length);
    spoil_crcs(64);
    memmove(stream.octets + 7, stream.octets, stream.length);
    stream.length += 7;
    expect("A loss 0+7 missing 0\n"
           "A fpdu 7+64 ulpdu 58 crc unproven\n"
           "A fpdu 71+64 ulpdu 58 crc unproven\n"
           "A fpdu 135+64 ulpdu 58 crc unproven\n"
           "A fpdu 199+64 ulpdu 58 crc unproven\n"
           "A close 263+0 input pending 0\n");
    config.crc = IW_MPA_OFF;
    expect("A loss 0+7 missing 0\n"
           "A fpdu 7+64 ulpdu 58 crc unchecked\n"
           "A fpdu 71+64 ulpdu 58 crc unchecked\n"
           "A fpdu 135+64 ulpdu 58 crc unchecked\n"
           "A fpdu 199+64 ulpdu 58 crc unchecked\n"
           "A close 263+0 input pending 0\n");
}

static void one_header_is_enough_if_nothing_follows(void **state) {
    (void)state;
    begin_late(false, 0);
    config.forced = true;
    sends(1, 40);
    spoil_crcs(64);
    expect("A fpdu 0+64 ulpdu 58 crc unproven\nA close 64+0 input pending 0\n");
}

static void headers_among_markers_are_accepted_if_forced(void **state) {
    (void)state;
    begin_late(true, 300);
    config.forced = true;
    sends(3, 600);
    change(627, (uint8_t)~stream.octets[627]);
    change(1255, (uint8_t)~stream.octets[1255]);
    change(1887, (uint8_t)~stream.octets[1887]);
    expect("A fpdu 0+628 ulpdu 618 crc unproven marker 300\n"
           "A fpdu 628+628 ulpdu 618 crc unproven marker 184\n"
           "A fpdu 1256+632 ulpdu 618 crc unproven marker 68 marker 580\n"
           "A close 1888+0 input pending 0\n");
}

/* ---- PD_Length that is too small ---- */

static void fpdus_after_uncounted_private_data_are_found(void **state) {
    (void)state;
    begin("M01", "M03", false);
    add_garbage(3);
    stream.origin += 3;
    sends(2, 40);
    expect("A loss 20+3 missing 0 private data\n"
           "A fpdu 23+64 ulpdu 58 crc good\n"
           "A fpdu 87+64 ulpdu 58 crc good\n"
           "A close 151+0 input pending 0\n");
}

/* Markers count from the first FPDU. */
static void markers_count_from_the_end_of_uncounted_private_data(void **state) {
    (void)state;
    begin("M01", "M10", true);
    add_garbage(3);
    stream.origin += 3;
    sends(2, 600);
    expect("A loss 20+3 missing 0 private data\n"
           "A fpdu 23+632 ulpdu 618 crc good marker 0 marker 508\n"
           "A fpdu 655+628 ulpdu 618 crc good marker 392\n"
           "A close 1283+0 input pending 0\n");
}

/* After three octets of private data that PD_Length does not count come an FPDU without a CRC and the first
 * `octets` octets of another one. */
static void begin_after_uncounted_private_data(unsigned octets) {
    begin("M01", "M03", false);
    config.crc = IW_MPA_OFF;
    add_garbage(3);
    stream.origin += 3;
    sends(2, 40);
    stream.length = 67 + octets;
}

/* Without a CRC two headers are proof, even if the second FPDU is incomplete. */
static void fpdus_after_uncounted_private_data_are_found_without_crc(void **state) {
    (void)state;
    begin_after_uncounted_private_data(63);
    expect_uncut("A loss 20+3 missing 0 private data\n"
                 "A fpdu 23+64 ulpdu 58 crc unchecked\n"
                 "A close 150+0 input pending 63\n");
}

/* One FPDU is proof if only the beginning of another one follows it. */
static void an_fpdu_and_the_beginning_of_another_prove_uncounted_private_data(void **state) {
    (void)state;
    for (unsigned octets = 0; octets <= 20; octets++) {
        char expected[128];

        begin_after_uncounted_private_data(octets);
        snprintf(expected, sizeof expected,
            "A loss 20+3 missing 0 private data\n"
            "A fpdu 23+64 ulpdu 58 crc unchecked\n"
            "A close %u+0 input pending %u\n",
            87 + octets, octets);
        expect_uncut(expected);
    }
}

static void an_fpdu_and_other_octets_prove_no_uncounted_private_data(void **state) {
    (void)state;
    for (unsigned octets = 3; octets <= 20; octets++) {
        char expected[128];

        begin_after_uncounted_private_data(octets);
        change(69, 0xff);
        snprintf(expected, sizeof expected, "A close %u+0 input pending %u\n", 87 + octets, 67 + octets);
        expect_uncut(expected);
    }
}

/* Private data have at most 512 octets: these 516 octets are not private data. */
static void fpdus_after_more_octets_than_private_data(void **state) {
    (void)state;
    begin("M01", "M03", false);
    add_garbage(516);
    stream.origin += 516;
    sends(2, 40);
    expect("A loss 20+516 missing 0\n"
           "A fpdu 536+64 ulpdu 58 crc good\n"
           "A fpdu 600+64 ulpdu 58 crc good\n"
           "A close 664+0 input pending 0\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fpdus_after_uncounted_private_data_are_found),
        cmocka_unit_test(fpdus_after_uncounted_private_data_are_found_without_crc),
        cmocka_unit_test(an_fpdu_and_the_beginning_of_another_prove_uncounted_private_data),
        cmocka_unit_test(an_fpdu_and_other_octets_prove_no_uncounted_private_data),
        cmocka_unit_test(markers_count_from_the_end_of_uncounted_private_data),
        cmocka_unit_test(fpdus_after_more_octets_than_private_data),
        cmocka_unit_test(ulpdu_length_too_large),
        cmocka_unit_test(ulpdu_length_too_large_by_less_than_an_fpdu),
        cmocka_unit_test(ulpdu_length_larger_than_the_rest),
        cmocka_unit_test(ulpdu_length_too_small),
        cmocka_unit_test(ulpdu_length_zero),
        cmocka_unit_test(ulpdu_length_too_small_among_markers),
        cmocka_unit_test(ulpdu_length_too_large_among_markers),
        cmocka_unit_test(a_wrong_header_is_one_bad_fpdu),
        cmocka_unit_test(every_fpdu_bad),
        cmocka_unit_test(a_correct_crc_proves_an_fpdu_after_a_bad_one),
        cmocka_unit_test(wrong_lengths_in_turn),
        cmocka_unit_test(headers_alone_are_rejected_unless_forced),
        cmocka_unit_test(headers_in_a_row_are_accepted_if_forced),
        cmocka_unit_test(one_header_is_enough_if_nothing_follows),
        cmocka_unit_test(headers_among_markers_are_accepted_if_forced),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
