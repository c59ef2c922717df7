#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bench.h"

/* What a responder answers to FPDUs of a peer that is a bare port, octet by octet. F and M numbers are those
 * of the golden vectors. */

#define M01 "4d504120 49442052 65712046 72616d65 40010000 "
#define M03 "4d504120 49442052 65702046 72616d65 40010000 "
#define F01 "0016c140 11223344 00000001 00002000 a0a1a2a3 a4a5a6a7 81bdd342 "
#define F02 "000ec140 00000001 00000000 00000000 ebd34c5f "
#define F03                                                                                                  \
    "002e4141 00000000 00000001 00000001 00000000 00001234 00000000 00001000 00001000 00005678 00000000 "    \
    "00002000 03173a1e "
#define F04                                                                                                  \
    "002e4141 00000000 00000001 00000001 00000000 00000001 00000000 00000000 00000000 00000001 00000000 "    \
    "00000000 27dbd7e7 "
#define F06 "000ec142 00000001 00000000 00000000 21a3e83e "
#define F07 "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c "
#define F09 "00174144 11223344 00000000 00000002 00000000 68656c6c 6f000000 bb922b26 "
#define F12 "00164147 00000000 00000002 00000001 00000000 20020000 7fe42585 "
#define F17                                                                                                  \
    "00464147 00000000 00000002 00000001 00000000 0102e000 002e4141 00000000 00000001 00000001 00000000 "    \
    "00001234 00000000 00001000 00001000 00005678 00000000 00002000 f673e775 "
#define F18                                                                                                  \
    "002a4147 00000000 00000002 00000001 00000000 0109c000 00174144 11223344 00000000 00000002 00000000 "    \
    "02b852e9 "
#define F19                                                                                                  \
    "002a4147 00000000 00000002 00000001 00000000 0206c000 0012414c 00000000 00000001 00000001 00000000 "    \
    "56bdb1f7 "
#define F20                                                                                                  \
    "00264147 00000000 00000002 00000001 00000000 1101c000 0016c140 11223344 00000001 00002000 8844f55b "
#define F21                                                                                                  \
    "002a4147 00000000 00000002 00000001 00000000 1202c000 00174143 00000000 00000000 00000001 00000000 "    \
    "9b27256c "
#define F37 "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10d "
#define F41 "00174043 00000000 00000000 00000001 00000000 68656c6c 6f000000 b6141f21 "
#define F42 "00174183 00000000 00000000 00000001 00000000 68656c6c 6f000000 25baf3fd "
#define F43 "00174143 00000000 00000007 00000001 00000000 68656c6c 6f000000 d5f3e396 "
#define F44 "0016c140 11223344 ffffffff fffffffc a0a1a2a3 a4a5a6a7 b37c391c "

static struct iw_bench bench;

static int set_up(void **state) {
    (void)state;
    iw_bench_init(&bench, IW_LOOP_VIRTUAL);
    bench.responder.config.memory = iw_memory_new();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    iw_memory_free(bench.responder.config.memory);
    return 0;
}

static void start(void) {
    iw_bench_connect_from_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, M01);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, M03);
}

/* The peer sends `fpdus`; the responder must send `answer`, and FIN if the log ends with an error. */
static void converse(const char *fpdus, const char *answer, const char *log) {
    start();
    iw_bench_say(&bench, fpdus);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, answer);
    assert_string_equal(bench.responder.log, log);
    assert_int_equal(bench.raw.end, strchr(log, '!') != NULL ? 'F' : 0);
}

#define BEGUN "connected request:0 established "

static void a_send_is_delivered(void **state) {
    (void)state;
    converse(F07, "", BEGUN "message:3:1:5 ");
    assert_memory_equal(bench.responder.message, "hello", 5);
}

static void a_wrong_crc_is_answered_by_terminate(void **state) {
    (void)state;
    converse(F37, F12, BEGUN "error:2002! ");
}

static void nothing_after_an_error_is_processed(void **state) {
    (void)state;
    converse(F37 F07 F42, F12, BEGUN "error:2002! ");
}

static void a_skipped_crc_check_accepts_a_wrong_crc(void **state) {
    (void)state;
    bench.responder.config.policy.omitted_checks = IW_POLICY_CHECK_SET(CRC);
    converse(F37, "", BEGUN "message:3:1:5 ");
}

static void a_write_is_placed(void **state) {
    struct iw_region *region =
        iw_memory_register(bench.responder.config.memory, 0x11223344, 0x100002000, 8, IW_RIGHT_WRITE);

    (void)state;
    converse(F01, "", BEGUN "write:11223344:100002000:8 ");
    assert_memory_equal(region->octets, "\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7", 8);
}

static void a_write_out_of_bounds_leaves_the_memory(void **state) {
    struct iw_region *region =
        iw_memory_register(bench.responder.config.memory, 0x11223344, 0x100002000, 7, IW_RIGHT_WRITE);

    (void)state;
    converse(F01, F20, BEGUN "error:1101! ");
    assert_memory_equal(region->octets, "\0\0\0\0\0\0\0", 7);
}

static void a_write_that_wraps_is_rejected(void **state) {
    (void)state;
    iw_memory_register(bench.responder.config.memory, 0x11223344, 0, 8, IW_RIGHT_WRITE);
    converse(F44,
        "00264147 00000000 00000002 00000001 00000000 1103c000 0016c140 11223344 ffffffff fffffffc a02deabc",
        BEGUN "error:1103! ");
}

static void a_write_to_an_unknown_stag_is_rejected(void **state) {
    (void)state;
    converse(F01,
        "00264147 00000000 00000002 00000001 00000000 1100c000 0016c140 11223344 00000001 00002000 6f08cee2",
        BEGUN "error:1100! ");
}

static void an_empty_write_is_not_checked(void **state) {
    (void)state;
    converse(F02, "", BEGUN "write:1:0:0 ");
}

static void a_send_without_buffer_is_rejected(void **state) {
    (void)state;
    bench.responder.config.receives.count = 0;
    converse(F07, F21, BEGUN "error:1202! ");
}

static void a_send_longer_than_its_buffer_is_rejected(void **state) {
    (void)state;
    bench.responder.config.receives.count = 1;
    bench.responder.config.receives.octets = 4;
    converse(F07,
        "002a4147 00000000 00000002 00000001 00000000 1205c000 00174143 00000000 00000000 00000001 00000000 "
        "c281f220",
        BEGUN "error:1205! ");
}

static void a_send_that_cannot_invalidate_causes_a_terminate(void **state) {
    (void)state;
    converse(F07 F09, F18, BEGUN "message:3:1:5 message:4:2:5 error:0109! ");
}

static void note_invalidated(struct iw_bench_side *side, const struct iw_event *event) {
    if (event->kind == IW_EVENT_MESSAGE)
        *(uint32_t *)side->user = event->invalidate_stag;
}

static void a_send_with_invalidate_invalidates_the_stag(void **state) {
    struct iw_region *region =
        iw_memory_register(bench.responder.config.memory, 0x11223344, 0, 8, IW_RIGHT_READ);
    uint32_t told = 0;

    (void)state;
    bench.responder.react = note_invalidated;
    bench.responder.user = &told;
    converse(F07 F09, "", BEGUN "message:3:1:5 message:4:2:5 ");
    assert_false(region->valid);
    assert_int_equal(told, 0x11223344);
}

/* The field is ignored in a Send that invalidates nothing (RFC 5040 4.1). */
static void a_plain_send_that_names_an_stag_is_accepted(void **state) {
    struct iw_region *region =
        iw_memory_register(bench.responder.config.memory, 0x11223344, 0, 8, IW_RIGHT_READ);
    uint32_t told = 1;

    (void)state;
    bench.responder.react = note_invalidated;
    bench.responder.user = &told;
    converse("00174143 11223344 00000000 00000001 00000000 68656c6c 6f000000 c7a8d3bd", "",
        BEGUN "message:3:1:5 ");
    assert_true(region->valid);
    assert_int_equal(told, 0);
}

static void a_read_without_the_right_is_rejected(void **state) {
    (void)state;
    iw_memory_register(bench.responder.config.memory, 0x5678, 0x2000, 4096, IW_RIGHT_WRITE);
    converse(F03, F17, BEGUN "read:4096 error:0102! ");
}

static unsigned invalidate_after_first(void *user, struct iw_emit *emit) {
    struct iw_region *region = user;

    if (emit->cause == IW_EMIT_BY_RESPONSE)
        region->valid = false;
    return 1;
}

/* 114 of 4096 octets are served; the Terminate shows what is left of the request (RFC 5040 4.8). */
static void a_read_of_memory_that_becomes_invalid_is_rejected(void **state) {
    uint8_t expected[136 + 76 + 4];
    uint8_t *end = expected + iw_bench_hex("00808142 00001234 00000000 00001000", expected, 17);

    (void)state;
    memset(end, 0, 116); /* the payload, and PAD */
    iw_bench_hex("0ea60175", end + 116, 5);
    iw_bench_hex("00464147 00000000 00000002 00000001 00000000 0100e000 002e4141 00000000 00000001 00000001 "
                 "00000000 00001234 00000000 00001072 00000f8e 00005678 00000000 00002072 3cc16fce",
        end + 120, 80);
    bench.responder.config.mulpdu = 128;
    bench.responder.config.policy.send = invalidate_after_first;
    bench.responder.config.policy.user =
        iw_memory_register(bench.responder.config.memory, 0x5678, 0x2000, 4096, IW_RIGHT_READ);
    start();
    iw_bench_say(&bench, F03);
    iw_bench_run(&bench);
    assert_string_equal(bench.responder.log, BEGUN "read:4096 error:0100! ");
    assert_int_equal(bench.raw.length, 136 + 76);
    assert_memory_equal(bench.raw.octets, expected, 136 + 76);
}

static void an_empty_read_is_answered(void **state) {
    (void)state;
    converse(F04, F06, BEGUN "read:0 ");
}

static void a_read_beyond_ird_is_rejected(void **state) {
    (void)state;
    bench.responder.config.ird = 0;
    converse(F04,
        "002a4147 00000000 00000002 00000001 00000000 1202c000 002e4141 00000000 00000001 00000001 00000000 "
        "4b9ea697",
        BEGUN "error:1202! ");
}

static void the_first_failed_check_determines_the_error(void **state) {
    static const struct {
        const char *fpdu;
        const char *answer;
        const char *log;
    } cases[] = {
        {F41,
            "002a4147 00000000 00000002 00000001 00000000 1206c000 00174043 00000000 00000000 00000001 "
            "00000000 a193efb1",
            BEGUN "error:1206! "},
        {"0016c040 11223344 00000001 00002000 a0a1a2a3 a4a5a6a7 3553c61e", /* DV 0, tagged */
            "00264147 00000000 00000002 00000001 00000000 1104c000 0016c040 11223344 00000001 00002000 "
            "5783fc59",
            BEGUN "error:1104! "},
        {F42,
            "002a4147 00000000 00000002 00000001 00000000 0205c000 00174183 00000000 00000000 00000001 "
            "00000000 41bb2a62",
            BEGUN "error:0205! "},
        {"0012414c 00000000 00000001 00000001 00000000 66c17a5e", F19, BEGUN "error:0206! "},
        {"0016c142 00001234 00000000 00001000 a0a1a2a3 a4a5a6a7 8effd2c9", /* F05: unsolicited */
            "00264147 00000000 00000002 00000001 00000000 0206c000 0016c142 00001234 00000000 00001000 "
            "cd0f2c63",
            BEGUN "error:0206! "},
        {F43,
            "002a4147 00000000 00000002 00000001 00000000 1201c000 00174143 00000000 00000007 00000001 "
            "00000000 c9f93135",
            BEGUN "error:1201! "},
        {"00174143 00000000 00000000 00000003 00000000 68656c6c 6f000000 73e0156d", /* MSN 3 */
            "002a4147 00000000 00000002 00000001 00000000 1203c000 00174143 00000000 00000000 00000003 "
            "00000000 fb08d469",
            BEGUN "error:1203! "},
        {"00174143 00000000 00000000 00000001 00000004 68656c6c 6f000000 8a527ed2", /* MO 4 */
            "002a4147 00000000 00000002 00000001 00000000 1204c000 00174143 00000000 00000000 00000001 "
            "00000004 e5e6bb92",
            BEGUN "error:1204! "},
        {"000ac140 11223344 00000001 b6c1f985", /* too short for its DDP header */
            "00164147 00000000 00000002 00000001 00000000 20030000 01766420", BEGUN "error:2003! "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        converse(cases[i].fpdu, cases[i].answer, cases[i].log);
        tear_down(state);
        set_up(state);
    }
}

static void a_terminate_is_not_answered(void **state) {
    (void)state;
    start();
    iw_bench_say(&bench, F12 F07);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    assert_string_equal(bench.responder.log, BEGUN "terminate:2/0/02 ");
    assert_int_equal(bench.raw.end, 'F');
}

/* A Terminate with a wrong queue, MSN or MO is not answered, either, even within a Send. At MO 4 there is no
 * Terminate Control, so the event has no error. */
static void an_invalid_terminate_ends_the_stream(void **state) {
    (void)state;
    start();
    iw_bench_say(&bench, "00160143 00000000 00000000 00000001 00000000 61626364 b6e674d0 "
                         "00164147 00000000 00000000 00000001 00000004 20020000 052ac404");
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    assert_string_equal(bench.responder.log, BEGUN "terminate ");
    assert_int_equal(bench.raw.end, 'F');
}

static void one_octet_at_a_time_is_the_same(void **state) {
    uint8_t octets[128];
    size_t length = iw_bench_hex(F07 F09, octets, sizeof octets);

    (void)state;
    start();
    for (size_t i = 0; i < length; i++)
        iw_port_write(bench.raw.port, octets + i, 1);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, F18);
    assert_string_equal(bench.responder.log, BEGUN "message:3:1:5 message:4:2:5 error:0109! ");
}

static void a_fin_inside_an_fpdu_is_reported(void **state) {
    (void)state;
    start();
    iw_bench_say(&bench, "00174143 00000000");
    iw_port_close(bench.raw.port);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    assert_string_equal(bench.responder.log, BEGUN "closed:fin:pending ");
    assert_int_equal(bench.raw.end, 'F');
}

static void a_peer_that_does_not_close_is_reset(void **state) {
    (void)state;
    bench.responder.config.timeouts.close_ms = 500;
    start();
    iw_bench_say(&bench, F37);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, F12);
    assert_string_equal(bench.responder.log, BEGUN "error:2002! closed:timeout ");
    assert_int_equal(bench.raw.end, 'R');
}

static void errors_are_only_reported_by_hand(void **state) {
    (void)state;
    bench.responder.config.automatic.terminate = false;
    converse(F37 F07, "", BEGUN "error:2002 message:3:1:5 ");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(a_send_is_delivered),
        TEST(a_wrong_crc_is_answered_by_terminate),
        TEST(nothing_after_an_error_is_processed),
        TEST(a_skipped_crc_check_accepts_a_wrong_crc),
        TEST(a_write_is_placed),
        TEST(a_write_out_of_bounds_leaves_the_memory),
        TEST(a_write_that_wraps_is_rejected),
        TEST(a_write_to_an_unknown_stag_is_rejected),
        TEST(an_empty_write_is_not_checked),
        TEST(a_send_without_buffer_is_rejected),
        TEST(a_send_longer_than_its_buffer_is_rejected),
        TEST(a_send_that_cannot_invalidate_causes_a_terminate),
        TEST(a_send_with_invalidate_invalidates_the_stag),
        TEST(a_plain_send_that_names_an_stag_is_accepted),
        TEST(a_read_without_the_right_is_rejected),
        TEST(a_read_of_memory_that_becomes_invalid_is_rejected),
        TEST(an_empty_read_is_answered),
        TEST(a_read_beyond_ird_is_rejected),
        TEST(the_first_failed_check_determines_the_error),
        TEST(a_terminate_is_not_answered),
        TEST(an_invalid_terminate_ends_the_stream),
        TEST(one_octet_at_a_time_is_the_same),
        TEST(a_fin_inside_an_fpdu_is_reported),
        TEST(a_peer_that_does_not_close_is_reset),
        TEST(errors_are_only_reported_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
