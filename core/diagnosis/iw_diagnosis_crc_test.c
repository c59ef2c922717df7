#include "iw_diagnosis_test.h"

/* Wrong CRCs of side B: `good` of its CRCs are right, the latest one too; the pattern is that of all
 * examined. */
static void wrong(uint64_t bad, uint64_t good, enum iw_crc_pattern pattern, uint8_t flips) {
    uint32_t examined = bad < 4 ? (uint32_t)bad : 4;

    trouble.crc = (struct iw_history_crc){.bad = bad,
        .good_after = good > 0,
        .examined = examined,
        .trace = {.pattern = pattern, .at = 30, .flips = flips},
        .first = {8, SECOND},
        .last = {9, SECOND}};
    trouble.crc.patterns[pattern] = examined;
    history.side[IW_SIDE_B].crc_good = good;
}

static void says(const char *cause, enum iw_confidence confidence, const char *other) {
    assert_string_equal(first(), cause);
    if (cause[0] == '\0')
        return;
    assert_int_equal(diagnosis.causes[0].confidence, confidence);
    assert_int_equal(diagnosis.count, other != NULL ? 2 : 1);
    if (other == NULL)
        return;
    assert_string_equal(diagnosis.causes[1].cause->id, other);
    assert_int_equal(diagnosis.causes[1].confidence, IW_CONFIDENCE_POSSIBLE);
}

/* RFC 5044 4.1: one bit of a PAD may have changed on the way, as well. */
static void one_bit_of_a_pad_is_rather_damage(void **state) {
    (void)state;
    wrong(1, 10, IW_CRC_PATTERN_STALE_PAD, 0x04);
    says("crc-damage", IW_CONFIDENCE_LIKELY, "crc-stale-pad");
    assert_non_null(strstr(diagnosis.causes[0].detail, "if 1 bit of octet 30 of its FPDU differed"));
    wrong(1, 0, IW_CRC_PATTERN_STALE_PAD, 0x04);
    says("crc-damage", IW_CONFIDENCE_POSSIBLE, "crc-stale-pad");
    wrong(1, 10, IW_CRC_PATTERN_STALE_PAD, 0x7a);
    says("crc-stale-pad", IW_CONFIDENCE_LIKELY, "crc-damage");
    wrong(1, 10, IW_CRC_PATTERN_STALE_PAD, 0); /* several octets: a burst may do that too */
    says("crc-stale-pad", IW_CONFIDENCE_LIKELY, "crc-damage");
    wrong(2, 10, IW_CRC_PATTERN_STALE_PAD, 0);
    says("crc-stale-pad", IW_CONFIDENCE_CERTAIN, NULL);
    wrong(2, 10, IW_CRC_PATTERN_STALE_PAD, 0x04);
    says("crc-stale-pad", IW_CONFIDENCE_CERTAIN, NULL);
}

static void crc_fields_of_0_are_no_damage(void **state) {
    (void)state;
    wrong(5, 0, IW_CRC_PATTERN_ZERO, 0);
    says("crc-disagreement", IW_CONFIDENCE_CERTAIN, NULL);
    wrong(1, 0, IW_CRC_PATTERN_ZERO, 0);
    says("crc-disagreement", IW_CONFIDENCE_LIKELY, NULL);
    wrong(5, 6, IW_CRC_PATTERN_ZERO, 0);
    says("crc-disagreement", IW_CONFIDENCE_LIKELY, NULL);
    wrong(1, 10, IW_CRC_PATTERN_ZERO, 0);
    says("crc-disagreement", IW_CONFIDENCE_POSSIBLE, "crc-damage");
}

static void damage_is_of_few_fpdus(void **state) {
    (void)state;
    wrong(1, 10, IW_CRC_PATTERN_UNKNOWN, 0);
    says("crc-damage", IW_CONFIDENCE_LIKELY, NULL);
    wrong(2, 98, IW_CRC_PATTERN_UNKNOWN, 0);
    says("crc-damage", IW_CONFIDENCE_LIKELY, NULL);
    wrong(5, 6, IW_CRC_PATTERN_UNKNOWN, 0);
    says("", 0, NULL);
    wrong(9, 2, IW_CRC_PATTERN_UNKNOWN, 0);
    says("", 0, NULL);
    wrong(2, 9, IW_CRC_PATTERN_ONE_OCTET, 1);
    says("crc-damage", IW_CONFIDENCE_LIKELY, NULL);
    wrong(9, 2, IW_CRC_PATTERN_ONE_OCTET, 1);
    says("crc-damage", IW_CONFIDENCE_POSSIBLE, NULL);
}

static void both_sides_may_compute_wrongly(void **state) {
    static struct iw_history_trouble other;

    (void)state;
    wrong(4, 0, IW_CRC_PATTERN_ZERO, 0);
    other.crc = trouble.crc;
    history.side[IW_SIDE_A].trouble = &other;
    assert_string_equal(first(), "crc-disagreement");
    assert_int_equal(diagnosis.count, 2);
    assert_string_equal(diagnosis.causes[1].cause->id, "crc-disagreement");
    assert_int_equal(diagnosis.causes[0].side, IW_SIDE_A);
    assert_int_equal(diagnosis.causes[1].side, IW_SIDE_B);
}

/* The receiver sends octets after the wrong FPDU, and the connection ends in order. */
static void a_receiver_that_goes_on_has_not_failed(void **state) {
    (void)state;
    wrong(5, 0, IW_CRC_PATTERN_ZERO, 0);
    ends(IW_LLP_CLOSE_GRACEFUL);
    says("crc-disagreement", IW_CONFIDENCE_CERTAIN, NULL);
    life.side[IW_SIDE_A].last_octets_frame = 7; /* before them */
    says("crc-disagreement", IW_CONFIDENCE_CERTAIN, NULL);
    life.side[IW_SIDE_A].last_octets_frame = 10;
    says("", 0, NULL);
    assert_false(diagnosis.failed);
    facts.unanswered[IW_SIDE_B].count = 1; /* the receiver closed without a response */
    says("crc-disagreement", IW_CONFIDENCE_CERTAIN, NULL);
}

/* RFC 5044 4.2: a receiver ignores the reserved half of a Marker; 4.3: not what a Marker points to. */
static void a_marker_that_points_right_is_no_cause(void **state) {
    (void)state;
    finds("RFC5044-4.2-02", IW_SIDE_B, 8);
    finds("RFC5044-4.2-03", IW_SIDE_B, 8);
    assert_string_equal(first(), "");
    finds("RFC5044-4.3-03", IW_SIDE_B, 8);
    assert_string_equal(first(), "marker-misplaced");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_bit_of_a_pad_is_rather_damage),
        TEST(crc_fields_of_0_are_no_damage),
        TEST(damage_is_of_few_fpdus),
        TEST(both_sides_may_compute_wrongly),
        TEST(a_receiver_that_goes_on_has_not_failed),
        TEST(a_marker_that_points_right_is_no_cause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
