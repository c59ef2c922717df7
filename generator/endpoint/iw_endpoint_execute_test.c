#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_target.h"

/* How a responder executes requests on queue 1, its responses octet by octet, and the requests that it
 * rejects. The peer is a bare port. */

/* STag 11223344h, TO 3000h: FetchAdd of 5 to 7; CmpSwap of the low octet, 12 to 17; and so on. */
#define F04                                                                                                  \
    "002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 "    \
    "00000000 27dbd7e7 "
#define F06 "000ec142 00000001 00000000 00000000 21a3e83e "
#define ADD                                                                                                  \
    "0046414a 00000000 00000001 00000002 00000000 00000000 cafe0001 11223344 00000000 00003000 00000000 "    \
    "00000005 00000000 00000000 00000000 00000000 ffffffff ffffffff 78c23343 "
#define ADDED "001e414b 00000000 00000003 00000001 00000000 cafe0001 00000000 00000007 ca9130b5 "
#define SWAP_IF                                                                                              \
    "0046414a 00000000 00000001 00000003 00000000 00000002 cafe0002 11223344 00000000 00003000 00000000 "    \
    "00000011 00000000 000000ff 00000000 0000000c 00000000 000000ff f7a581c4 "
#define SWAPPED "001e414b 00000000 00000003 00000002 00000000 cafe0002 00000000 0000000c 39523bd5 "
#define FLUSH                                                                                                \
    "0026414c 00000000 00000001 00000004 00000000 11223344 00000010 00000000 00003000 00000003 bb73d5fb "
#define FLUSHED "0012414d 00000000 00000003 00000003 00000000 00182d9c "
#define VERIFY "0022414e 00000000 00000001 00000005 00000000 11223344 00000008 00000000 00003000 c38ac43a "
#define VERIFIED "0016414f 00000000 00000003 00000004 00000000 19c66241 36934024 "
#define MARK                                                                                                 \
    "002a4150 00000000 00000001 00000006 00000000 11223344 00000008 00000000 00003008 01020304 05060708 "    \
    "d6dcbf81 "
#define MARKED "00124151 00000000 00000003 00000005 00000000 ba19db6e "

/* The pipeline: Write, Flush, Verify, Atomic Write. */
#define WRITE8 "0016c140 11223344 00000000 00003000 31323334 35363738 032d38c1 "
#define FLUSH1                                                                                               \
    "0026414c 00000000 00000001 00000001 00000000 11223344 00000008 00000000 00003000 00000001 3f4e630c "
#define FLUSHED1 "0012414d 00000000 00000003 00000001 00000000 58c70fec "
#define VERIFY2                                                                                              \
    "0026414e 00000000 00000001 00000002 00000000 11223344 00000008 00000000 00003000 9a808760 d6ebdbee "
#define VERIFIED2 "0016414f 00000000 00000003 00000002 00000000 9a808760 2596e9c5 "
#define VERIFY2_WRONG                                                                                        \
    "0026414e 00000000 00000001 00000002 00000000 11223344 00000008 00000000 00003000 9b808760 6e419e33 "
#define VERIFY2_REFUSED                                                                                      \
    "002a4147 00000000 00000002 00000001 00000000 0207c000 0026414e 00000000 00000001 00000002 00000000 "    \
    "96ca6548 "
#define MARK3                                                                                                \
    "002a4150 00000000 00000001 00000003 00000000 11223344 00000008 00000000 00003008 00000000 00000001 "    \
    "7c8ef59f "
#define MARKED3 "00124151 00000000 00000003 00000003 00000000 5278bcfe "
#define FLUSH1_REFUSED                                                                                       \
    "002a4147 00000000 00000002 00000001 00000000 0102c000 0026414c 00000000 00000001 00000001 00000000 "    \
    "96b5d3d3 "
#define FLUSH1_FAILED                                                                                        \
    "002a4147 00000000 00000002 00000001 00000000 0207c000 0026414c 00000000 00000001 00000001 00000000 "    \
    "dcc29fbf "
#define MARK1_ODD                                                                                            \
    "002a4150 00000000 00000001 00000001 00000000 11223344 00000008 00000000 00003004 00000000 00000001 "    \
    "635e1213 "
#define MARK1_REFUSED                                                                                        \
    "002a4147 00000000 00000002 00000001 00000000 0207c000 002a4150 00000000 00000001 00000001 00000000 "    \
    "fdb6bce9 "

#define SWAP1                                                                                                \
    "0046414a 00000000 00000001 00000001 00000000 00000001 cafe0003 11223344 00000000 00003000 00000000 "    \
    "00000022 00000000 00000000 00000000 00000000 ffffffff ffffffff f71ea4cc "
#define SWAPPED1 "001e414b 00000000 00000003 00000001 00000000 cafe0003 00000000 00000007 ab4ba158 "
#define INVALIDATING                                                                                         \
    "0026414c 00000022 00000001 00000001 00000000 11223344 00000008 00000000 00003000 00000001 1a5163de "

static void requests_are_executed_and_answered_in_order(void **state) {
    (void)state;
    iw_target_say(F04 ADD SWAP_IF FLUSH VERIFY MARK);
    iw_bench_expect(&iw_target_bench, F06 ADDED SWAPPED FLUSHED VERIFIED MARKED);
    assert_string_equal(iw_target_log(),
        "read:0 executed:a:11223344:3000:8 executed:a:11223344:3000:8 executed:c:11223344:3000:16 "
        "executed:e:11223344:3000:8 executed:10:11223344:3008:8 ");
    assert_int_equal(iw_target_bench.raw.end, 0);
    assert_true(iw_target_atom(0) == 0x11);
    assert_true(iw_target_atom(8) == 0x0102030405060708);
}

static void one_octet_at_a_time_is_the_same(void **state) {
    uint8_t octets[1024];
    size_t length = iw_bench_hex(ADD SWAP_IF FLUSH VERIFY MARK, octets, sizeof octets);

    (void)state;
    iw_target_say(F04);
    for (size_t i = 0; i < length; i++)
        iw_port_write(iw_target_bench.raw.port, octets + i, 1);
    iw_bench_run(&iw_target_bench);
    iw_bench_expect(&iw_target_bench, F06 ADDED SWAPPED FLUSHED VERIFIED MARKED);
}

/* ---- the pipeline (draft-talpey-rdma-commit-01 2.3) ---- */

static void a_pipeline_places_its_marker(void **state) {
    uint8_t kept[8];

    (void)state;
    iw_target_say(WRITE8 FLUSH1 VERIFY2 MARK3);
    iw_bench_expect(&iw_target_bench, FLUSHED1 VERIFIED2 MARKED3);
    iw_backing_read(iw_target->backing, 0, kept, 8);
    assert_memory_equal(kept, "12345678", 8);
    assert_true(iw_target_atom(8) == 1);
}

static void a_wrong_hash_stops_the_pipeline(void **state) {
    (void)state;
    iw_target_say(WRITE8 FLUSH1 VERIFY2_WRONG MARK3);
    iw_bench_expect(&iw_target_bench, FLUSHED1 VERIFY2_REFUSED);
    assert_int_equal(iw_target_bench.raw.end, 'F');
    assert_true(iw_target_atom(8) == 0);
}

static void a_flush_without_the_right_stops_the_pipeline(void **state) {
    (void)state;
    iw_target->rights &= ~(unsigned)IW_RIGHT_PERSIST;
    iw_target_say(WRITE8 FLUSH1 VERIFY2 MARK3);
    iw_bench_expect(&iw_target_bench, FLUSH1_REFUSED);
    assert_true(iw_target_atom(8) == 0);
}

/* The medium of the region can no longer be written. */
static void a_failed_flush_stops_the_pipeline(void **state) {
    (void)state;
    iw_target->backing->medium = IW_MEDIUM_NONE;
    iw_target_say(WRITE8 FLUSH1 VERIFY2 MARK3);
    iw_bench_expect(&iw_target_bench, FLUSH1_FAILED);
    assert_true(iw_target_atom(8) == 0);
    assert_string_equal(iw_target_log(), "write:11223344:3000:8 error:0207! ");
}

static void a_verify_before_the_flush_sees_the_old_octets(void **state) {
    (void)state;
    iw_target_bench.responder.config.policy.omitted_accesses = IW_MEMORY_PERSIST;
    iw_target_say(WRITE8 FLUSH1 VERIFY2 MARK3);
    assert_string_equal(iw_target_log(), "write:11223344:3000:8 executed:c:11223344:3000:8 error:0207! ");
    assert_true(iw_target_atom(8) == 0);
}

static void a_misaligned_marker_is_not_placed(void **state) {
    (void)state;
    iw_target_say(MARK1_ODD);
    iw_bench_expect(&iw_target_bench, MARK1_REFUSED);
    assert_true(iw_target_atom(0) == 7 && iw_target_atom(8) == 0);
}

static void swap_needs_the_storm_draft(void **state) {
    (void)state;
    iw_target_say(SWAP1);
    iw_bench_expect(&iw_target_bench, SWAPPED1);
    assert_true(iw_target_atom(0) == 0x22);
}

static void a_flush_may_invalidate(void **state) {
    (void)state;
    iw_target_say(INVALIDATING);
    iw_bench_expect(&iw_target_bench, FLUSHED1);
    assert_false(iw_memory_find(iw_target_bench.responder.config.memory, 0x22)->valid);
}

static void responses_sent_by_hand_do_not_answer_requests(void **state) {
    (void)state;
    iw_target_bench.responder.config.automatic.responses = false;
    iw_target_say(F04 ADD SWAP_IF FLUSH VERIFY MARK);
    iw_bench_expect(&iw_target_bench, "");
    assert_string_equal(iw_target_log(), "read:0 ");
    assert_true(iw_target_atom(0) == 7);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, iw_target_set_up, iw_target_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(requests_are_executed_and_answered_in_order),
        TEST(one_octet_at_a_time_is_the_same),
        TEST(a_pipeline_places_its_marker),
        TEST(a_wrong_hash_stops_the_pipeline),
        TEST(a_flush_without_the_right_stops_the_pipeline),
        TEST(a_failed_flush_stops_the_pipeline),
        TEST(a_verify_before_the_flush_sees_the_old_octets),
        TEST(a_misaligned_marker_is_not_placed),
        TEST(swap_needs_the_storm_draft),
        TEST(a_flush_may_invalidate),
        TEST(responses_sent_by_hand_do_not_answer_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
