#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_opcode.h"
#include "iw_resync.h"
#include "iw_test_stream.h"
#include "iw_vector.h"

#define VECTORS WARPCHECK_SOURCE_DIR "/core/wire/testdata/vectors.json"

static struct iw_vector_set vectors;
static struct iw_test_stream stream;

static int load(void **state) {
    (void)state;
    return iw_vector_set_init(&vectors, VECTORS) ? 0 : -1;
}

static int unload(void **state) {
    (void)state;
    iw_vector_set_dispose(&vectors);
    return 0;
}

static void add_vector(const char *id) {
    const struct iw_vector *vector = iw_vector_find(&vectors, id);

    assert_non_null(vector);
    iw_test_stream_add(&stream, vector->octets, vector->length);
}

static void add_garbage(uint32_t count) {
    uint32_t seed = 2463534242;

    for (uint32_t i = 0; i < count; i++) {
        uint8_t octet = (uint8_t)iw_test_random(&seed);

        iw_test_stream_add(&stream, &octet, 1);
    }
}

/* Parameters for a capture that begins in mid-stream: nothing is known. */
static const struct iw_resync midstream = {.crc = IW_CRC_UNKNOWN, .proofs = 2, .extensions = IW_EXT_ALL};

/* The same parameters for these octets. */
static struct iw_resync in(
    const struct iw_resync *resync, const uint8_t *octets, uint32_t length, uint64_t offset) {
    struct iw_resync search = *resync;

    search.octets = octets;
    search.length = length;
    search.offset = offset;
    return search;
}

/* Searches octets from stream offset 0 on for FPDUs with Markers at unknown places. */
static enum iw_resync_outcome find_marked(const uint8_t *octets, uint32_t length, bool ended,
    struct iw_resync_progress *progress, uint64_t *origin, uint32_t *start) {
    const struct iw_resync search = in(&midstream, octets, length, 0);

    return iw_resync_find_marked(&search, ended, progress, origin, start);
}

/* Searches the first `length` octets of the stream. */
static enum iw_resync_outcome find(
    const struct iw_resync *resync, uint32_t length, bool ended, struct iw_resync_progress *progress) {
    const struct iw_resync search = in(resync, stream.octets, length, stream.offset);

    return iw_resync_find(&search, ended, progress);
}

static void expect_found(const struct iw_resync *resync, bool ended, uint32_t at) {
    struct iw_resync_progress progress = {0};

    assert_int_equal(find(resync, stream.length, ended, &progress), IW_RESYNC_FOUND);
    assert_int_equal(progress.tried, at);
}

static void finds_the_start_after_garbage(void **state) {
    (void)state;
    for (uint32_t garbage = 0; garbage < 70; garbage++) {
        iw_test_stream_clear(&stream, 0, false, 0);
        add_garbage(garbage);
        add_vector("F07");
        add_vector("F03");
        expect_found(&midstream, false, garbage);
    }
}

static void finds_it_one_octet_at_a_time(void **state) {
    struct iw_resync_progress progress = {0};
    uint32_t length = 0;

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_garbage(500);
    add_vector("F38");
    add_vector("F39");
    while (find(&midstream, ++length, false, &progress) == IW_RESYNC_MORE)
        assert_true(length < stream.length);
    assert_int_equal(progress.tried, 500);
    assert_int_equal(length, stream.length);
    assert_int_equal(progress.summed, 1448 + 200); /* each once */
}

/* An FPDU at a multiple of 4 octets from the origin is accepted; the same octets elsewhere are not. */
static void a_known_origin_leaves_one_place_in_four(void **state) {
    struct iw_resync known = midstream;
    struct iw_resync_progress progress = {0};

    (void)state;
    known.aligned = true;
    known.crc = IW_CRC_ON;
    known.proofs = 1;
    iw_test_stream_clear(&stream, 1000, false, 0);
    add_garbage(10);
    add_vector("F07");
    known.origin = 2;
    expect_found(&known, false, 10);
    known.origin = 3;
    assert_int_equal(find(&known, stream.length, true, &progress), IW_RESYNC_MORE);
    assert_int_equal(progress.tried, stream.length);
}

static void one_proof_is_not_two(void **state) {
    struct iw_resync_progress progress = {0};

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_garbage(9);
    add_vector("F07");
    assert_int_equal(find(&midstream, stream.length, false, &progress), IW_RESYNC_MORE);
    assert_int_equal(progress.tried, 9);
    assert_int_equal(progress.proofs, 1);
    memset(&progress, 0, sizeof progress);
    expect_found(&midstream, true, 9);
    add_garbage(40);
    assert_int_equal(find(&midstream, stream.length, false, &progress), IW_RESYNC_MORE);
    assert_true(progress.tried > 9);
}

static void a_wrong_crc_is_rejected_if_crcs_may_be_in_use(void **state) {
    struct iw_resync resync = midstream;
    struct iw_resync_progress progress = {0};

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_vector("F37"); /* one bit of the CRC is wrong */
    add_vector("F36"); /* CRC 0 */
    add_vector("F08");
    add_vector("F09");
    expect_found(&resync, false, 64);
    resync.crc = IW_CRC_ON;
    expect_found(&resync, false, 64);
    resync.crc = IW_CRC_OFF;
    expect_found(&resync, false, 0);
    resync.crc = IW_CRC_ON;
    assert_int_equal(find(&resync, 64, true, &progress), IW_RESYNC_MORE);
}

static void a_header_that_no_peer_sends_is_rejected(void **state) {
    static const char *const wrong[] = {"F41", "F42", "F43"}; /* DDP version, RDMAP version, QN; CRC right */

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        iw_test_stream_clear(&stream, 0, false, 0);
        add_vector(wrong[i]);
        add_vector("F07");
        add_vector("F08");
        expect_found(&midstream, false, 32);
    }
}

static void an_opcode_counts_by_the_documents_in_force(void **state) {
    struct iw_resync resync = midstream;

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_vector("F34"); /* Atomic Write Request, 48 octets */
    add_vector("F23"); /* Immediate Data, 32 octets */
    add_vector("F07");
    add_vector("F08");
    expect_found(&resync, false, 0);
    resync.extensions = IW_EXT_RFC7306;
    expect_found(&resync, false, 48);
    resync.extensions = IW_EXT_BASE;
    expect_found(&resync, false, 80);
}

/* Every vector that a peer may send is a possible start. */
static void every_valid_vector_is_accepted(void **state) {
    (void)state;
    for (size_t i = 0; i < vectors.count; i++) {
        const char *id = vectors.vectors[i].id;

        if (id[0] != 'F' || strstr("F36 F37 F41 F42 F43", id) != NULL)
            continue;
        print_message("%s\n", id);
        iw_test_stream_clear(&stream, 0, false, 0);
        add_garbage(7);
        add_vector(id);
        add_vector("F02");
        expect_found(&midstream, false, 7);
    }
}

/* ---- markers ---- */

static void finds_the_start_among_markers(void **state) {
    (void)state;
    for (unsigned i = 0; i < IW_MARKED_COUNT; i++) {
        const struct iw_marked *row = &iw_marked[i];
        const struct iw_resync resync = {.markers = true,
            .crc = IW_CRC_ON,
            .aligned = true,
            .origin = 21,
            .proofs = 1,
            .extensions = IW_EXT_ALL};

        print_message("%s\n", row->id);
        iw_test_stream_clear(&stream, 21 + 2048 + row->position - 100, true, 21);
        add_garbage(100);
        add_vector(row->id);
        expect_found(&resync, false, 100);
    }
}

/* The second FPDU is at a place where no Marker is due. */
static void two_in_a_row_among_markers(void **state) {
    static const char *const first[] = {"K01", "K02", "K04", "K06"};
    static const uint32_t positions[] = {0, 492, 512, 500};
    const struct iw_resync resync = {
        .markers = true, .crc = IW_CRC_ON, .aligned = true, .proofs = 2, .extensions = IW_EXT_ALL};

    (void)state;
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        print_message("%s\n", first[i]);
        iw_test_stream_clear(&stream, 1024 + positions[i] - 40, true, 0);
        add_garbage(40);
        add_vector(first[i]);
        add_vector("F07");
        expect_found(&resync, false, 40);
    }
}

/* ---- hostile octets ---- */

static void random_octets_are_never_accepted(void **state) {
    static const struct iw_resync ways[] = {
        {.crc = IW_CRC_UNKNOWN, .proofs = 2, .extensions = IW_EXT_ALL},
        {.crc = IW_CRC_ON, .aligned = true, .proofs = 1, .extensions = IW_EXT_ALL},
        {.crc = IW_CRC_ON, .markers = true, .aligned = true, .proofs = 1, .extensions = IW_EXT_ALL},
        {.crc = IW_CRC_OFF, .aligned = true, .proofs = 2, .extensions = IW_EXT_ALL},
    };
    enum { OCTETS = 2621440 };
    uint8_t *octets = malloc(OCTETS);
    uint32_t seed = 88172645;

    (void)state;
    assert_non_null(octets);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        struct iw_resync_progress progress = {0};
        struct iw_resync search;

        for (uint32_t i = 0; i < OCTETS; i++)
            octets[i] = (uint8_t)(iw_test_random(&seed) >> 11);
        search = in(&ways[way], octets, OCTETS, 0);
        assert_int_equal(iw_resync_find(&search, true, &progress), IW_RESYNC_MORE);
        assert_int_equal(progress.tried, OCTETS);
    }
    free(octets);
}

/* Every second octet begins a tagged header that claims 49472 octets. */
static void add_hostile(uint32_t count) {
    static const uint8_t pair[] = {0xC1, 0x40};

    for (uint32_t i = 0; i < count; i += 2)
        iw_test_stream_add(&stream, pair, 2);
}

static void octets_full_of_headers_are_given_up(void **state) {
    struct iw_resync_progress progress = {0};

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_hostile(IW_TEST_STREAM_MAX);
    assert_int_equal(find(&midstream, stream.length, false, &progress), IW_RESYNC_NONE);
    assert_true(progress.summed < 16 * progress.tried + 6 * 65536);
}

static void octets_full_of_headers_cost_no_more_one_at_a_time(void **state) {
    struct iw_resync_progress progress = {0};
    enum iw_resync_outcome outcome = IW_RESYNC_MORE;

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_hostile(IW_TEST_STREAM_MAX);
    for (uint32_t length = 1; outcome == IW_RESYNC_MORE; length++) {
        assert_true(length <= stream.length);
        outcome = find(&midstream, length, false, &progress);
    }
    assert_int_equal(outcome, IW_RESYNC_NONE);
    assert_true(progress.summed < 16 * progress.tried + 6 * 65536);
}

/* Every eighth octet begins a Marker right before a tagged header that claims 49472 octets. */
static void add_hostile_markers(uint32_t count) {
    static const uint8_t marked[] = {0, 0, 0, 0, 0xC1, 0x40, 0xC1, 0x40};

    for (uint32_t i = 0; i < count; i += sizeof marked)
        iw_test_stream_add(&stream, marked, sizeof marked);
}

static void octets_full_of_markers_are_given_up(void **state) {
    struct iw_resync_progress progress = {0};
    struct iw_resync_progress slow = {0};
    enum iw_resync_outcome outcome = IW_RESYNC_MORE;
    uint64_t origin;
    uint32_t start;

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_hostile_markers(IW_TEST_STREAM_MAX);
    assert_int_equal(
        find_marked(stream.octets, stream.length, false, &progress, &origin, &start), IW_RESYNC_NONE);
    assert_true(progress.summed < 16 * progress.tried + 6 * 65536);
    for (uint32_t length = 1; outcome == IW_RESYNC_MORE && length <= stream.length; length++)
        outcome = find_marked(stream.octets, length, false, &slow, &origin, &start);
    assert_int_equal(outcome, IW_RESYNC_NONE);
    assert_int_equal(slow.summed, progress.summed);
}

/* The work of earlier searches reduces the limit. */
static void earlier_crc_work_counts(void **state) {
    struct iw_resync poor = midstream;
    struct iw_resync_progress progress = {0};

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    add_hostile(IW_TEST_STREAM_MAX);
    poor.spent = IW_RESYNC_SUM_ALLOWANCE;
    assert_int_equal(find(&poor, stream.length, false, &progress), IW_RESYNC_NONE);
    assert_true(progress.summed < 65536);
}

static void random_octets_hold_no_markers(void **state) {
    enum { OCTETS = 2621440 };
    uint8_t *octets = malloc(OCTETS);
    struct iw_resync_progress progress = {0};
    uint32_t seed = 57885161;
    uint64_t origin;
    uint32_t start;

    (void)state;
    assert_non_null(octets);
    for (uint32_t i = 0; i < OCTETS; i++)
        octets[i] = (uint8_t)(iw_test_random(&seed) >> 11);
    assert_int_equal(find_marked(octets, OCTETS, true, &progress, &origin, &start), IW_RESYNC_MORE);
    free(octets);
}

/* A Marker whose FPDUPTR makes the FPDU start with another Marker, which would begin before the first
 * octet: the header is at octet 2. */
static void a_marker_does_not_point_before_the_octets(void **state) {
    static const uint8_t header[] = {0x00, 0x28, 0xC1, 0x40}, marker[] = {0x00, 0x00, 0x01, 0xFC};
    struct iw_resync_progress progress = {0};
    uint8_t *octets = calloc(600, 1);
    uint64_t origin;
    uint32_t start;

    (void)state;
    assert_non_null(octets);
    memcpy(octets + 2, header, sizeof header);
    memcpy(octets + 510, marker, sizeof marker);
    assert_int_equal(find_marked(octets, 600, false, &progress, &origin, &start), IW_RESYNC_MORE);
    assert_int_equal(progress.tried, 595); /* a Marker there, and one octet of ULPDU_Length */
    free(octets);
}

/* Two of the largest FPDUs stay within the limit of CRC work. */
static void the_largest_fpdus_are_affordable(void **state) {
    static const uint8_t large[] = {0xFD, 0x00, 0xC1, 0x40}; /* 64768 octets of a tagged segment */
    static const uint8_t rest[64768 - 2 + 2];
    struct iw_resync_progress progress = {0};

    (void)state;
    iw_test_stream_clear(&stream, 0, false, 0);
    iw_test_stream_add(&stream, large, sizeof large);
    iw_test_stream_add(&stream, rest, sizeof rest);
    iw_test_stream_add(&stream, (const uint8_t[4]){0}, 4);
    assert_int_equal(stream.length, 64776);
    add_vector("F07");
    add_vector("F08");
    assert_int_equal(find(&midstream, stream.length, false, &progress), IW_RESYNC_FOUND);
    assert_int_equal(progress.tried, 64776);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_start_after_garbage),
        cmocka_unit_test(finds_it_one_octet_at_a_time),
        cmocka_unit_test(a_known_origin_leaves_one_place_in_four),
        cmocka_unit_test(one_proof_is_not_two),
        cmocka_unit_test(a_wrong_crc_is_rejected_if_crcs_may_be_in_use),
        cmocka_unit_test(a_header_that_no_peer_sends_is_rejected),
        cmocka_unit_test(an_opcode_counts_by_the_documents_in_force),
        cmocka_unit_test(every_valid_vector_is_accepted),
        cmocka_unit_test(finds_the_start_among_markers),
        cmocka_unit_test(two_in_a_row_among_markers),
        cmocka_unit_test(random_octets_are_never_accepted),
        cmocka_unit_test(octets_full_of_headers_are_given_up),
        cmocka_unit_test(octets_full_of_headers_cost_no_more_one_at_a_time),
        cmocka_unit_test(octets_full_of_markers_are_given_up),
        cmocka_unit_test(earlier_crc_work_counts),
        cmocka_unit_test(random_octets_hold_no_markers),
        cmocka_unit_test(a_marker_does_not_point_before_the_octets),
        cmocka_unit_test(the_largest_fpdus_are_affordable),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
