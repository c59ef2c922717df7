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

/* RFC 5044 4.1: octets of a PAD of 3 that give a CRC exist by chance, too. */
static void a_crc_may_cover_old_data_that_the_pad_has_not(void **state) {
    (void)state;
    wrong(1, 3, IW_CRC_PATTERN_OTHER_PAD, 0);
    trouble.crc.trace.pad = 2;
    says("crc-stale-pad", IW_CONFIDENCE_LIKELY, "crc-damage");
    trouble.crc.trace.pad = 3;
    says("crc-stale-pad", IW_CONFIDENCE_POSSIBLE, "crc-damage");
    wrong(2, 3, IW_CRC_PATTERN_OTHER_PAD, 0);
    trouble.crc.trace.pad = 3;
    says("crc-stale-pad", IW_CONFIDENCE_LIKELY, NULL);
    trouble.crc.trace.pad = 2;
    says("crc-stale-pad", IW_CONFIDENCE_CERTAIN, NULL);
    wrong(1, 10, IW_CRC_PATTERN_OTHER_PAD, 0x04); /* one bit, and the others are right */
    trouble.crc.trace.pad = 1;
    says("crc-damage", IW_CONFIDENCE_LIKELY, "crc-stale-pad");
    wrong(2, 3, IW_CRC_PATTERN_OTHER_PAD, 0);
    trouble.crc.examined = 3; /* another wrong CRC has another reason */
    assert_string_not_equal(first(), "crc-stale-pad");
}

/* Without a startup frame, a Terminate of the receiver shows that CRCs are in use. */
static void a_terminate_shows_that_crcs_are_in_use(void **state) {
    static struct iw_history_trouble answer;

    (void)state;
    terms.seen[IW_SIDE_A] = terms.seen[IW_SIDE_B] = terms.settled = terms.initiator_known = false;
    counts.unjudged[IW_UNJUDGED_STARTUP] = 2;
    wrong(3, 3, IW_CRC_PATTERN_CRC32, 0);
    trouble.crc.unproven = 3;
    assert_string_equal(first(), "");
    memset(&answer, 0, sizeof answer);
    answer.terminate = (struct iw_history_terminate){.mark = {10, 2 * SECOND}, .error = IW_ERROR_MPA_CRC};
    history.side[IW_SIDE_A].trouble = &answer;
    says("crc-algorithm", IW_CONFIDENCE_LIKELY, NULL);
    assert_int_equal(diagnosis.truth[IW_SIDE_A], IW_TRUTH_CONFIRMED);
    answer.terminate.error = IW_ERROR_DDP_INVALID_STAG;
    assert_string_not_equal(first(), "crc-algorithm");
}

/* RFC 5044 4.3: the first Marker is missing, and one lies where none is due. */
static void markers_at_other_places_are_no_disagreement(void **state) {
    (void)state;
    trouble.markers_unexpected_frame = 8;
    terms.frame[IW_SIDE_A].header.m = 1;
    terms.markers[IW_SIDE_B] = true; /* as found later */
    says("marker-disagreement", IW_CONFIDENCE_CERTAIN, NULL);
    assert_non_null(strstr(diagnosis.causes[0].detail, "lack Markers"));
    trouble.stray_marker_frame = 9;
    trouble.stray_marker_at = 508;
    says("marker-misplaced", IW_CONFIDENCE_LIKELY, NULL);
    assert_non_null(strstr(diagnosis.causes[0].detail, "at octet 508 "));
    terms.frame[IW_SIDE_A].header.m = 0; /* it asks for none */
    says("marker-disagreement", IW_CONFIDENCE_CERTAIN, NULL);
    assert_non_null(strstr(diagnosis.causes[0].detail, "have Markers"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(one_bit_of_a_pad_is_rather_damage),
        TEST(crc_fields_of_0_are_no_damage),
        TEST(damage_is_of_few_fpdus),
        TEST(both_sides_may_compute_wrongly),
        TEST(a_receiver_that_goes_on_has_not_failed),
        TEST(a_marker_that_points_right_is_no_cause),
        TEST(a_crc_may_cover_old_data_that_the_pad_has_not),
        TEST(a_terminate_shows_that_crcs_are_in_use),
        TEST(markers_at_other_places_are_no_disagreement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
