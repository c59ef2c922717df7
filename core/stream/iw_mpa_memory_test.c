#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa.h"
#include "iw_test_memory.h"
#include "iw_test_stream.h"

/* Each allocation fails in turn. Events must then report all octets of both sides, as startup frame, FPDU or
 * loss; otherwise iw_mpa_failed must be true. */

enum { PARTS_MAX = 64, LENGTH_MAX = 65536 };

/* The octets that one side sends, and the chunk size. */
struct side {
    struct iw_test_stream stream;
    uint32_t fed;
    uint64_t reported; /* stream offset after all reported octets */
    uint64_t read;     /* octets of startup frames and FPDUs */
    uint64_t given_up;
    bool hole; /* events have skipped some octets */
};

static struct side sides[2];
static uint64_t frame;

static void take_event(void *user, const struct iw_llp_event *event) {
    struct side *side = &sides[event->side];

    (void)user;
    if (event->kind == IW_LLP_CLOSE) {
        side->hole |= side->reported + event->pending.octets != event->offset;
        return;
    }
    side->hole |= event->offset != side->reported;
    side->reported = event->offset + event->octets;
    if (event->kind != IW_LLP_LOSS)
        side->read += event->octets;
    side->given_up += event->loss.given_up;
}

static void feed(struct iw_mpa *mpa, enum iw_side side, uint32_t octets, enum iw_chunk_kind kind) {
    struct side *of = &sides[side];
    struct iw_chunk chunk;

    if (octets > of->stream.length - of->fed)
        octets = of->stream.length - of->fed;
    chunk = iw_test_stream_chunk(&of->stream, side, of->fed, octets, ++frame);
    chunk.kind = kind;
    if (kind != IW_CHUNK_DATA)
        chunk.octets = NULL;
    iw_mpa_feed(mpa, &chunk);
    of->fed += octets;
}

static void feed_all(struct iw_mpa *mpa, enum iw_side side, uint32_t octets) {
    while (sides[side].fed < sides[side].stream.length)
        feed(mpa, side, octets, IW_CHUNK_DATA);
}

static const uint8_t request[] = "MPA ID Req Frame\xc0\x01\x00\x04pdpd"; /* M=1 C=1 */
static const uint8_t reply[] = "MPA ID Rep Frame\xc0\x01\x00\x00";

static void add_sends(struct iw_test_stream *stream, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        iw_test_stream_send(stream, (uint8_t)(i + 1), 60 + 200 * (i % 3));
}

static void make_streams(bool wrong_crc) {
    memset(sides, 0, sizeof sides);
    frame = 0;
    iw_test_stream_clear(&sides[IW_SIDE_A].stream, 0, true, 24);
    iw_test_stream_add(&sides[IW_SIDE_A].stream, request, 24);
    add_sends(&sides[IW_SIDE_A].stream, 12);
    iw_test_stream_clear(&sides[IW_SIDE_B].stream, 0, true, 20);
    iw_test_stream_add(&sides[IW_SIDE_B].stream, reply, 20);
    add_sends(&sides[IW_SIDE_B].stream, 3);
    if (wrong_crc)
        sides[IW_SIDE_A].stream.octets[24 + 40] ^= 0x40;
}

/* Splits the startup into pieces and the FPDUs over chunks, with a hole of `gap` octets in between. */
static void converse(struct iw_mpa *mpa, uint32_t piece, uint32_t gap) {
    static const struct iw_mpa_config config = {0};

    iw_mpa_init(mpa, &config, take_event, NULL);
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++) {
        frame++;
        iw_mpa_feed(mpa, &(struct iw_chunk){.kind = IW_CHUNK_START, .side = side, .frame = frame});
    }
    for (unsigned i = 0; i < 6; i++)
        feed(mpa, IW_SIDE_A, 5, IW_CHUNK_DATA);
    for (unsigned i = 0; i < 5; i++)
        feed(mpa, IW_SIDE_B, 4, IW_CHUNK_DATA);
    for (unsigned i = 0; i < 4; i++)
        feed(mpa, IW_SIDE_A, piece, IW_CHUNK_DATA);
    if (gap > 0)
        feed(mpa, IW_SIDE_A, gap, IW_CHUNK_GAP);
    feed_all(mpa, IW_SIDE_A, piece);
    feed_all(mpa, IW_SIDE_B, piece);
    feed(mpa, IW_SIDE_A, 0, IW_CHUNK_FIN);
    iw_mpa_finish(mpa);
}

static void check_sides(const struct iw_mpa *mpa, unsigned long nth) {
    bool recognised = iw_mpa_recognised(mpa);

    if (!recognised && !iw_mpa_failed(mpa))
        fail_msg("allocation %lu: not recognised, and not said to have failed", nth);
    for (enum iw_side side = IW_SIDE_A; recognised && side <= IW_SIDE_B; side++)
        if (sides[side].hole || sides[side].reported > sides[side].stream.length)
            fail_msg("allocation %lu: side %u: octets are missing among its events", nth, side);
}

/* Returns how many octets were given up. */
static uint64_t run(uint32_t piece, uint32_t gap, bool wrong_crc, unsigned long nth, bool onward,
    unsigned long *allocations) {
    struct iw_mpa mpa;
    uint64_t given_up;

    make_streams(wrong_crc);
    iw_test_memory_fail(nth, onward);
    converse(&mpa, piece, gap);
    *allocations = iw_test_memory_restore();
    check_sides(&mpa, nth);
    given_up = sides[IW_SIDE_A].given_up + sides[IW_SIDE_B].given_up;
    assert_true(given_up == 0 || iw_mpa_failed(&mpa));
    iw_mpa_dispose(&mpa);
    return given_up;
}

static void try_all(uint32_t piece, uint32_t gap, bool wrong_crc) {
    unsigned long allocations, ignored;
    uint64_t given_up = 0;

    assert_int_equal(run(piece, gap, wrong_crc, 0, false, &allocations), 0);
    assert_true(allocations > 4);
    for (unsigned long nth = 1; nth <= allocations; nth++) {
        given_up += run(piece, gap, wrong_crc, nth, false, &ignored);
        run(piece, gap, wrong_crc, nth, true, &ignored);
    }
    assert_true(given_up > 0);
}

static void in_order(void **state) {
    (void)state;
    try_all(70, 0, false);
    try_all(1000, 0, false);
}

static void with_a_gap(void **state) {
    (void)state;
    try_all(70, 300, false);
    try_all(700, 20, false);
}

static void with_a_wrong_crc(void **state) {
    (void)state;
    try_all(70, 0, true);
    try_all(2000, 0, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(with_a_gap),
        cmocka_unit_test(with_a_wrong_crc),
    };

    return cmocka_run_group_tests_name("iw_mpa_memory", tests, NULL, NULL);
}
