#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_stream_fixture.h"

/* However TCP segments and interleaves the two directions, each side gives the same events. Any input gives
 * events in order. */

static struct iw_test_stream streams[2];
static struct {
    uint32_t at;
    uint32_t octets;
} gaps[2]; /* in the stream of the side, if `octets` is not 0 */

static void add(enum iw_side side, const char *id) {
    const struct iw_vector *vector = iw_stream_fixture_vector(id);

    iw_test_stream_add(&streams[side], vector->octets, vector->length);
}

/* Both sides begin with a startup frame; full operation counts from its end. */
static void begin_conversation(const char *a, bool a_markers, const char *b, bool b_markers) {
    memset(gaps, 0, sizeof gaps);
    iw_test_stream_clear(&streams[IW_SIDE_A], 0, a_markers, iw_stream_fixture_vector(a)->length);
    iw_test_stream_clear(&streams[IW_SIDE_B], 0, b_markers, iw_stream_fixture_vector(b)->length);
    add(IW_SIDE_A, a);
    add(IW_SIDE_B, b);
}

/* With `sound`, omits F36 and F37, whose CRC is wrong: after a gap, the TCP segments decide whether they
 * are read. */
static void add_fpdus(enum iw_side side, bool sound) {
    char id[8];

    for (unsigned i = 1; i <= 44; i++) {
        if (sound && (i == 36 || i == 37))
            continue;
        snprintf(id, sizeof id, "F%02u", i);
        add(side, id);
    }
}

static void add_all_fpdus(enum iw_side side) {
    add_fpdus(side, false);
}

/* Writes the events of each side to a log of its own, because their order between the sides depends on the
 * cuts. */
static void sink_by_side(void *user, const struct iw_llp_event *event) {
    struct iw_event_log *logs = user;

    iw_event_log_sink(&logs[event->side], event);
}

static uint32_t feed_some(
    struct iw_mpa *mpa, enum iw_side side, uint32_t at, uint32_t count, uint64_t frame) {
    struct iw_chunk chunk;

    if (gaps[side].octets > 0 && at < gaps[side].at && at + count > gaps[side].at)
        count = gaps[side].at - at;
    if (gaps[side].octets > 0 && at == gaps[side].at)
        count = gaps[side].octets;
    chunk = iw_test_stream_chunk(&streams[side], side, at, count, frame);
    if (gaps[side].octets > 0 && at == gaps[side].at) {
        chunk.kind = IW_CHUNK_GAP;
        chunk.octets = NULL;
    }
    iw_mpa_feed(mpa, &chunk);
    return count;
}

/* With `turns`, the sides alternate at random; without, A's startup frame comes first, then all of B, then
 * the rest of A. */
static void converse(struct iw_cut cut, bool turns, struct iw_event_log logs[2]) {
    struct iw_mpa mpa;
    uint32_t at[2] = {0, 0};
    uint32_t seed = cut.seed + 77;
    uint64_t frame = 1;

    iw_mpa_init(&mpa, &(struct iw_mpa_config){.forced = false}, sink_by_side, logs);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        const struct iw_chunk syn = {.kind = IW_CHUNK_START, .side = side};

        iw_mpa_feed(&mpa, &syn);
        logs[side].streams[side] = gaps[side].octets > 0 ? NULL : &streams[side];
    }
    while (at[IW_SIDE_A] < streams[IW_SIDE_A].length || at[IW_SIDE_B] < streams[IW_SIDE_B].length) {
        bool begun = at[IW_SIDE_A] >= streams[IW_SIDE_A].origin;
        enum iw_side side = begun && (!turns || iw_test_random(&seed) % 2 == 0) ? IW_SIDE_B : IW_SIDE_A;
        uint32_t left;

        if (at[side] == streams[side].length)
            side = iw_side_other(side);
        left = (begun ? streams[side].length : (uint32_t)streams[side].origin) - at[side];
        at[side] += feed_some(&mpa, side, at[side], iw_cut_next(&cut, left), frame++);
    }
    iw_mpa_finish(&mpa);
    iw_mpa_dispose(&mpa);
}

/* `fpdus_a`, `fpdus_b`: the number of FPDUs of each side. */
static void expect_same_events_for_any_cut(unsigned fpdus_a, unsigned fpdus_b) {
    static const uint32_t evenly[] = {1, 2, 3, 19, 20, 21, 512, 1460};
    struct iw_event_log whole[2];
    struct iw_event_log parts[2];

    for (unsigned side = 0; side < 2; side++) {
        iw_event_log_init(&whole[side]);
        iw_event_log_init(&parts[side]);
    }
    converse((struct iw_cut){.size = UINT32_MAX}, false, whole);
    assert_int_equal(whole[IW_SIDE_A].count[IW_LLP_SEGMENT], fpdus_a);
    assert_int_equal(whole[IW_SIDE_B].count[IW_LLP_SEGMENT], fpdus_b);
    for (uint32_t run = 0; run < 20; run++) {
        bool even = run < sizeof evenly / sizeof *evenly;

        converse((struct iw_cut){.size = even ? evenly[run] : 0, .seed = run + 1}, true, parts);
        for (unsigned side = 0; side < 2; side++) {
            assert_string_equal(iw_event_log_text(&parts[side]), iw_event_log_text(&whole[side]));
            iw_event_log_clear(&parts[side]);
        }
    }
    for (unsigned side = 0; side < 2; side++) {
        iw_event_log_dispose(&whole[side]);
        iw_event_log_dispose(&parts[side]);
    }
}

static void all_fpdus_of_both_sides(void **state) {
    (void)state;
    begin_conversation("M01", false, "M03", false);
    add_all_fpdus(IW_SIDE_A);
    add_all_fpdus(IW_SIDE_B);
    expect_same_events_for_any_cut(44, 44);
}

static void every_startup_frame(void **state) {
    static const char *const requests[] = {"M01", "M02", "M05", "M07", "M09", "M11"};
    static const char *const replies[] = {"M03", "M06"};

    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        print_message("%s\n", requests[i]);
        begin_conversation(requests[i], false, replies[i % 2], strchr("14", '0' + (char)i) != NULL);
        add(IW_SIDE_A, "F02");
        add(IW_SIDE_A, "F07");
        if (streams[IW_SIDE_B].markers)
            add(IW_SIDE_B, "K01");
        else
            add(IW_SIDE_B, "F38");
        expect_same_events_for_any_cut(2, 1);
    }
}

static void frames_that_end_the_reading(void **state) {
    static const char *const replies[] = {"M04", "M08"};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        begin_conversation("M01", false, replies[i], false);
        add(IW_SIDE_A, "F07");
        add(IW_SIDE_B, "F07");
        expect_same_events_for_any_cut(0, 0);
    }
    begin_conversation("M12", false, "M03", false);
    add(IW_SIDE_A, "F07");
    add(IW_SIDE_B, "F07");
    expect_same_events_for_any_cut(0, 1);
}

static void markers_of_both_sides(void **state) {
    unsigned fpdus[2] = {2, 2};

    (void)state;
    begin_conversation("M02", true, "M10", true);
    add(IW_SIDE_A, "K01");
    add(IW_SIDE_B, "K05");
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        for (uint32_t wire = 20 + 4 * side; wire <= 700; wire += 24) {
            if ((streams[side].length - streams[side].origin + wire) % 512 == 4)
                continue; /* such an FPDU is impossible: its last word would be a Marker */
            iw_test_stream_fill(&streams[side], wire);
            fpdus[side]++;
        }
        iw_test_stream_fill(&streams[side], 2000);
    }
    expect_same_events_for_any_cut(fpdus[IW_SIDE_A], fpdus[IW_SIDE_B]);
}

/* A gap over FPDU boundaries, one inside an FPDU, one over ULPDU_Length, one up to the end. */
static void gaps_anywhere(void **state) {
    static const uint32_t at[] = {21, 60, 100, 500, 1999};

    (void)state;
    for (unsigned i = 0; i < sizeof at / sizeof *at; i++) {
        struct iw_event_log logs[2];
        unsigned fpdus;

        begin_conversation("M01", false, "M03", false);
        add_fpdus(IW_SIDE_A, true);
        add_fpdus(IW_SIDE_B, true);
        gaps[IW_SIDE_A].at = at[i];
        gaps[IW_SIDE_A].octets = 3 + 50 * i;
        iw_event_log_init(&logs[IW_SIDE_A]);
        iw_event_log_init(&logs[IW_SIDE_B]);
        converse((struct iw_cut){.size = UINT32_MAX}, false, logs);
        fpdus = logs[IW_SIDE_A].count[IW_LLP_SEGMENT];
        iw_event_log_dispose(&logs[IW_SIDE_A]);
        iw_event_log_dispose(&logs[IW_SIDE_B]);
        assert_in_range(fpdus, 35, 42);
        expect_same_events_for_any_cut(fpdus, 42);
    }
}

/* ---- arbitrary input ---- */

/* No event may begin before the previous one of that side ends. Octets may follow a close: sometimes more
 * are fed after a reset. */
static void expect_order(void *user, const struct iw_llp_event *event) {
    uint64_t *reached = user;

    if (event->kind == IW_LLP_CLOSE)
        return;
    assert_true(event->offset >= reached[event->side]);
    assert_true(event->loss.missing <= event->octets);
    if (event->kind == IW_LLP_SEGMENT) {
        assert_true(event->fpdu->image_captured <= event->fpdu->image_octets);
        assert_int_equal(event->fpdu->wire_octets, event->octets);
    }
    reached[event->side] = event->offset + event->octets;
}

static uint32_t below(uint32_t *seed, uint32_t limit) {
    return (iw_test_random(seed) >> 7) % limit;
}

/* Random octets, often with a piece of a vector in them. */
static uint32_t make_octets(uint32_t *seed, uint8_t octets[static 2048]) {
    static const char *const ids[] = {
        "M01", "M02", "M03", "M04", "M05", "M06", "M10", "M12", "F02", "F07", "F36", "F38", "K01", "K05"};
    const struct iw_vector *vector = iw_stream_fixture_vector(ids[below(seed, sizeof ids / sizeof *ids)]);
    uint32_t length = 1 + below(seed, below(seed, 4) == 0 ? 2000 : 30);
    uint32_t count = (uint32_t)vector->length;

    for (uint32_t i = 0; i < length; i++)
        octets[i] = (uint8_t)(iw_test_random(seed) >> 9);
    if (below(seed, 4) > 0) {
        if (below(seed, 4) == 0)
            count = 1 + below(seed, count);
        memcpy(octets, vector->octets, count);
        length = below(seed, 3) > 0 ? count : (length > count ? length : count);
    }
    return length;
}

static void feed_arbitrary_octets(struct iw_mpa *mpa, uint64_t offsets[2], uint32_t *seed) {
    uint8_t octets[2048];
    struct iw_chunk chunk = {.side = below(seed, 2) == 0 ? IW_SIDE_A : IW_SIDE_B};
    uint32_t kind = below(seed, 40);
    uint8_t *lent = NULL;

    chunk.offset = offsets[chunk.side];
    if (kind == 0) {
        chunk.kind = IW_CHUNK_FIN;
    } else if (kind == 1) {
        chunk.kind = IW_CHUNK_RST;
    } else if (kind < 6) {
        chunk.kind = IW_CHUNK_GAP;
        chunk.cut = kind < 4;
        chunk.length = 1 + below(seed, kind == 5 ? UINT32_MAX : 60);
    } else {
        chunk.kind = IW_CHUNK_DATA;
        chunk.length = make_octets(seed, octets);
        lent = malloc(chunk.length);
        assert_non_null(lent);
        memcpy(lent, octets, chunk.length);
        chunk.octets = lent;
    }
    iw_mpa_feed(mpa, &chunk);
    free(lent);
    offsets[chunk.side] += chunk.length;
}

static void arbitrary_input_gives_events_in_order(void **state) {
    uint32_t seed = 314159265;

    (void)state;
    for (unsigned conversation = 0; conversation < 1000; conversation++) {
        uint64_t offsets[2] = {0, 0};
        uint64_t reached[2] = {0, 0};
        struct iw_mpa mpa;

        iw_mpa_init(&mpa, &(struct iw_mpa_config){.expected = below(&seed, 8) == 0}, expect_order, reached);
        for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
            const struct iw_chunk syn = {.kind = IW_CHUNK_START, .side = side};

            if (below(&seed, 3) > 0)
                iw_mpa_feed(&mpa, &syn);
        }
        for (unsigned i = 0; i < 40; i++)
            feed_arbitrary_octets(&mpa, offsets, &seed);
        iw_mpa_finish(&mpa);
        iw_mpa_dispose(&mpa);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fpdus_of_both_sides),
        cmocka_unit_test(every_startup_frame),
        cmocka_unit_test(frames_that_end_the_reading),
        cmocka_unit_test(markers_of_both_sides),
        cmocka_unit_test(gaps_anywhere),
        cmocka_unit_test(arbitrary_input_gives_events_in_order),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
