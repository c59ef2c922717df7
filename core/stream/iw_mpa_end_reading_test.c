#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_mpa_fixture.h"

/* The octets that a connection keeps, and the end of reading when the caller has no memory for them. */

static size_t kept(enum iw_side side) {
    return iw_mpa_memory(&fixture.mpa, side);
}

static void start_up(void) {
    iw_stream_fixture_octets(&fixture, A, "MPA ID Req Frame\x40\x01\x00\x00", 20);
    iw_stream_fixture_octets(&fixture, B, "MPA ID Rep Frame\x40\x01\x00\x00", 20);
    iw_stream_fixture_expect(
        &fixture, "A startup 0+20 request rev 1 C pd 0\nB startup 0+20 reply rev 1 C pd 0\n");
}

/* An FPDU with ULPDU_Length 4096 begins, and 3000 of its octets come. */
static void begin_fpdu(void) {
    static uint8_t octets[3000] = {0x10, 0x00, 0x41, 0x43};

    for (size_t at = 0; at < sizeof octets; at += 600)
        iw_stream_fixture_octets(&fixture, A, octets + at, 600);
}

static void the_octets_of_an_incomplete_fpdu_are_dropped(void **state) {
    (void)state;
    start_up();
    assert_int_equal(kept(A), 0);
    begin_fpdu();
    assert_in_range(kept(A), 3000, 10000);
    assert_int_equal(kept(B), 0);
    iw_mpa_end_reading(&fixture.mpa, A);
    assert_int_equal(kept(A), 0);
    iw_stream_fixture_expect(&fixture, "A loss 20+3000 missing 0 given up 3000 open\n");
    iw_stream_fixture_zeros(&fixture, A, 50);
    iw_mpa_end_reading(&fixture.mpa, A);
    iw_stream_fixture_fin(&fixture, A);
    iw_stream_fixture_expect(
        &fixture, "A loss 3020+50 missing 0 given up 50 open\nA close 3070+0 fin pending 0\n");
}

static void the_octets_after_a_request_are_dropped(void **state) {
    (void)state;
    iw_stream_fixture_octets(&fixture, A, "MPA ID Req Frame\x40\x01\x00\x00", 20);
    begin_fpdu();
    assert_in_range(kept(A), 3000, 10000);
    iw_mpa_end_reading(&fixture.mpa, A);
    assert_int_equal(kept(A), 0);
    iw_stream_fixture_octets(&fixture, B, "MPA ID Rep Frame\x40\x01\x00\x00", 20);
    iw_stream_fixture_expect(&fixture, "A startup 0+20 request rev 1 C pd 0\n"
                                       "A loss 20+3000 missing 0 given up 3000 open\n"
                                       "B startup 0+20 reply rev 1 C pd 0\n");
}

/* The missing octets are counted as missing, the searched ones as given up. */
static void the_octets_of_a_search_are_dropped(void **state) {
    (void)state;
    start_up();
    iw_stream_fixture_gap(&fixture, A, 100, false);
    begin_fpdu();
    assert_in_range(kept(A), 3000, 10000);
    iw_mpa_end_reading(&fixture.mpa, A);
    assert_int_equal(kept(A), 0);
    iw_stream_fixture_expect(&fixture, "A loss 20+3100 missing 100 given up 3000 open\n");
}

/* What has come of the startup frame shows MPA. */
static void the_octets_of_a_startup_frame_are_dropped(void **state) {
    static const uint8_t request[21] = "MPA ID Req Frame\x40\x01\x01\x00";

    (void)state;
    for (size_t at = 0; at < sizeof request; at++)
        iw_stream_fixture_octets(&fixture, A, request + at, 1);
    iw_mpa_end_reading(&fixture.mpa, A);
    assert_true(iw_mpa_recognised(&fixture.mpa));
    iw_stream_fixture_expect(&fixture, "A loss 0+21 missing 0 given up 21 open\n");
}

/* The caller may rely on the bound that iw_mpa.h states. */
static void kept_octets_grow_by_at_most_twice_the_segment(void **state) {
    size_t before = 0, after;

    (void)state;
    iw_stream_fixture_octets(&fixture, A, "MPA ID Req Frame\x40\x01\x00\x00", 20);
    for (uint32_t i = 0; i < 300; i++, before = after) {
        uint32_t count = 1 + i % 7 * 50;

        iw_stream_fixture_zeros(&fixture, A, count);
        after = kept(A);
        assert_true(after <= before + 2 * count + IW_STORE_MEMORY_STEP);
    }
    iw_stream_fixture_octets(&fixture, B, "MPA ID Rep Frame\x40\x01\x00\x00", 20);
    assert_true(kept(A) <= before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_octets_of_an_incomplete_fpdu_are_dropped),
        TEST(the_octets_after_a_request_are_dropped),
        TEST(the_octets_of_a_search_are_dropped),
        TEST(the_octets_of_a_startup_frame_are_dropped),
        TEST(kept_octets_grow_by_at_most_twice_the_segment),
    };

    return cmocka_run_group_tests(tests, iw_stream_fixture_load, iw_stream_fixture_unload);
}
