#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa_fixture.h"

/* Rev 129: erdma's startup frames have 8 more octets than PD_Length counts. A startup frame may also have
 * that Rev by mistake, and ends after its private data (RFC 5044 7.1.1). */

enum { REV = 17, PD = 20, EXTENSION = 8 };

/* The octets of M01 or M03, which have no private data, with Rev 129; and the octets after them. */
static const uint8_t *dialect_frame(const char *vector) {
    static uint8_t octets[PD + EXTENSION] = {[PD] = 0x12, 0x34, 0x56, 0x78, 0, 0, 0, 2};

    memcpy(octets, iw_stream_fixture_vector(vector)->octets, PD);
    octets[REV] = 129;
    return octets;
}

/* Sends octets of `side`, which has received the octets of the other side before offset `acked`. */
static void send_acked(enum iw_side side, const uint8_t *octets, uint32_t count, uint64_t acked) {
    const struct iw_chunk chunk = {.kind = IW_CHUNK_DATA,
        .side = side,
        .octets = octets,
        .length = count,
        .offset = fixture.offset[side],
        .acked_known = true,
        .acked = acked,
        .frame = ++fixture.frame,
        .time_ns = 1000 * fixture.frame};

    iw_mpa_feed(&fixture.mpa, &chunk);
    fixture.offset[side] += count;
}

static void send_vector(enum iw_side side, const char *id, uint64_t acked) {
    const struct iw_vector *vector = iw_stream_fixture_vector(id);

    send_acked(side, vector->octets, (uint32_t)vector->length, acked);
}

static void octets_before_the_answer_are_the_extension(void **state) {
    (void)state;
    for (uint32_t first = 1; first <= PD + EXTENSION; first++) {
        iw_stream_fixture_dispose(&fixture);
        iw_stream_fixture_init(&fixture, false);
        send_acked(A, dialect_frame("M01"), first, 0);
        if (first < PD + EXTENSION)
            send_acked(A, dialect_frame("M01") + first, PD + EXTENSION - first, 0);
        iw_stream_fixture_expect(&fixture, "A startup 0+28 request rev 129 C pd 0\n");
        assert_true(fixture.mpa.terms.frame[A].erdma);
        assert_int_equal(fixture.mpa.terms.frame[A].erdma_data.cookie, 0x12345678);
        assert_int_equal(iw_mpa_startup(&fixture.mpa, A)->end, PD);
        send_vector(B, "M03", PD + EXTENSION);
        assert_false(iw_mpa_is_defined(&fixture.mpa.terms)); /* the extension may have been an FPDU */
    }
}

static void a_frame_answered_without_more_has_no_extension(void **state) {
    (void)state;
    send_acked(A, dialect_frame("M01"), PD, 0);
    iw_stream_fixture_expect(&fixture, "");
    send_vector(B, "M03", PD);
    send_vector(A, "F07", PD);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 129 C pd 0\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n"
                                       "A fpdu 20+32 ulpdu 23 crc good\n");
    assert_false(fixture.mpa.terms.frame[A].erdma);
    assert_int_equal(iw_mpa_startup(&fixture.mpa, A)->received.frame, 1);
    assert_true(iw_mpa_is_defined(&fixture.mpa.terms));
}

/* Neither octets sent before the frame came, nor octets that answer more of it than was captured, show its
 * end. */
static void other_octets_do_not_show_the_end(void **state) {
    (void)state;
    send_acked(A, dialect_frame("M01"), PD, 0);
    send_vector(B, "M03", PD - 1);
    send_vector(B, "F07", PD + EXTENSION);
    iw_stream_fixture_expect(&fixture, "B startup 0+20 reply rev 1 C pd 0\n");
    send_acked(A, dialect_frame("M01") + PD, EXTENSION, 0);
    iw_stream_fixture_expect(&fixture, "A startup 0+28 request rev 129 C pd 0\n"
                                       "B fpdu 20+32 ulpdu 23 crc good\n");
}

static void a_frame_may_end_with_the_stream(void **state) {
    (void)state;
    send_acked(A, dialect_frame("M01"), PD, 0);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 129 C pd 0\nA close 20+0 fin pending 0\n");
}

static void a_hole_after_the_frame_may_hide_the_extension(void **state) {
    (void)state;
    send_acked(A, dialect_frame("M01"), PD, 0);
    iw_stream_fixture_gap(&fixture, A, EXTENSION, false);
    iw_stream_fixture_expect(&fixture, "A startup 0+28 request rev 129 C pd 0 captured 20\n");
    assert_false(fixture.mpa.terms.frame[A].erdma);
    assert_false(iw_mpa_is_defined(&fixture.mpa.terms));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(octets_before_the_answer_are_the_extension),
        TEST(a_frame_answered_without_more_has_no_extension),
        TEST(other_octets_do_not_show_the_end),
        TEST(a_frame_may_end_with_the_stream),
        TEST(a_hole_after_the_frame_may_hide_the_extension),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
