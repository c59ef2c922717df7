#include "iw_alignment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* RFC 5044 4.1: ULPDU_Length has 16 bits; with PAD, CRC and a Marker every 512 octets, no FPDU is longer. */
static void a_chain_longer_than_any_fpdu_is_a_proof(void **state) {
    (void)state;
    assert_int_equal(iw_alignment_proof_octets(IW_CRC_ON), IW_ALIGNMENT_FPDU_MAX);
    assert_int_equal(iw_alignment_proof_octets(IW_CRC_OFF), 2 * IW_ALIGNMENT_FPDU_MAX);
    assert_true(IW_ALIGNMENT_FPDU_MAX >= 2 + 65535 + 3 + 4 + 4 * (65544 / 512 + 1));
}

static void only_segments_that_are_not_full_count(void **state) {
    (void)state;
    assert_true(iw_alignment_counts(1447, 1448));
    assert_false(iw_alignment_counts(1448, 1448));
    assert_false(iw_alignment_counts(1449, 1448));
    assert_true(iw_alignment_counts(535, 100)); /* every host accepts segments of 536 octets */
    assert_false(iw_alignment_counts(536, 100));
    assert_false(iw_alignment_counts(536, 536));
}

static void without_crc_more_segments_are_needed(void **state) {
    (void)state;
    assert_int_equal(iw_alignment_segments(IW_CRC_ON, true), 1);
    assert_int_equal(iw_alignment_segments(IW_CRC_ON, false), 2);
    assert_int_equal(iw_alignment_segments(IW_CRC_OFF, true), 2);
    assert_int_equal(iw_alignment_segments(IW_CRC_OFF, false), 3);
}

static void every_marker_has_to_point_to_the_fpdu(void **state) {
    struct iw_marker markers[2] = {{.fpduptr = 12, .expected = 12}, {.fpduptr = 524, .expected = 524}};
    struct iw_fpdu fpdu = {.markers = markers};

    (void)state;
    assert_false(iw_alignment_by_markers(&fpdu)); /* an FPDU without Markers is not proven */
    fpdu.marker_count = 2;
    assert_true(iw_alignment_by_markers(&fpdu));
    markers[1].fpduptr = 520;
    assert_false(iw_alignment_by_markers(&fpdu));
    markers[1].fpduptr = 524;
    markers[0].reserved = 1;
    assert_false(iw_alignment_by_markers(&fpdu));
}

/* A Send with two payload octets (RFC 5044 4.1, RFC 5041 4.3, RFC 5040 4.1): ULPDU_Length 20, PAD 2, CRC not
 * in use. */
#define SEND 0, 20, 0x41, 0x43, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 'o', 'k', 0, 0, 0, 0, 0, 0

static const uint8_t sends[84] = {SEND, SEND, SEND};
static const struct iw_resync without_crc = {.crc = IW_CRC_OFF, .aligned = true, .proofs = 2};

/* Feeds the octets in TCP segments of these sizes, from stream offset 1000 on. */
static bool proven(const uint8_t *octets, const uint32_t *segments, struct iw_alignment_view view) {
    struct iw_store store;
    uint32_t at = 0;
    bool found;

    store = (struct iw_store){0};
    iw_store_clear(&store, 1000);
    for (unsigned i = 0; segments[i] > 0; at += segments[i++]) {
        struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
            .offset = 1000 + at,
            .length = segments[i],
            .octets = octets + at,
            .frame = i + 1};

        assert_true(iw_store_append(&store, &chunk, 0, segments[i]));
    }
    found = iw_alignment_proven(&without_crc, &store, 0, &view);
    iw_store_dispose(&store);
    return found;
}

static void segments_that_begin_and_end_with_fpdus_prove_them(void **state) {
    static const uint32_t each[] = {28, 28, 28, 0}, uneven[] = {28, 20, 36, 0}, joined[] = {56, 28, 0};
    const struct iw_alignment_view view = {.whole_from = 1000, .largest = 1448};
    struct iw_alignment_view other = view;

    (void)state;
    assert_true(proven(sends, each, view));
    assert_false(proven(sends, uneven, view)); /* one segment ends within an FPDU */
    assert_false(proven(sends, joined, view)); /* two segments count; without CRC three are needed */
    other.segmented = true;
    /* enough if each segment of the sender has begun with an FPDU */
    assert_true(proven(sends, joined, other));
    other = view;
    other.whole_from = 1001; /* the first octet of the first segment is missing */
    assert_false(proven(sends, each, other));
}

static void octets_that_are_no_fpdu_prove_nothing(void **state) {
    static const uint8_t payload[84] = {SEND, 0xff, 0xff, 0xff, 0xff};
    static const uint32_t each[] = {28, 28, 28, 0};

    (void)state;
    assert_false(proven(payload, each, (struct iw_alignment_view){.whole_from = 1000, .largest = 1448}));
}

/* Without CRCs, an FPDU that contains these FPDUs may end where they end. */
static void without_crc_the_fin_proves_nothing(void **state) {
    static const uint32_t uneven[] = {30, 54, 0};

    (void)state;
    assert_false(
        proven(sends, uneven, (struct iw_alignment_view){.whole_from = 1000, .largest = 1448, .fin = true}));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_longer_than_any_fpdu_is_a_proof),
        cmocka_unit_test(only_segments_that_are_not_full_count),
        cmocka_unit_test(without_crc_more_segments_are_needed),
        cmocka_unit_test(every_marker_has_to_point_to_the_fpdu),
        cmocka_unit_test(segments_that_begin_and_end_with_fpdus_prove_them),
        cmocka_unit_test(octets_that_are_no_fpdu_prove_nothing),
        cmocka_unit_test(without_crc_the_fin_proves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
