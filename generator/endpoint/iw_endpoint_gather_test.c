#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bench.h"

/* The fast path of FPDUs to TCP: the octets of one FPDU, and messages larger than TCP takes at once. */

#define M03 "4d504120 49442052 65702046 72616d65 40010000 "
#define F05 "0016c142 00001234 00000000 00001000 a0a1a2a3 a4a5a6a7 8effd2c9 "

enum { LARGE = 8 << 20 };

static struct iw_bench bench;
static struct iw_memory *memory[2];
static uint8_t *pattern;

static int set_up(void **state) {
    (void)state;
    iw_bench_init(&bench, IW_LOOP_REAL);
    bench.initiator.config.memory = memory[0] = iw_memory_new();
    bench.responder.config.memory = memory[1] = iw_memory_new();
    pattern = malloc(LARGE);
    assert_non_null(pattern);
    for (size_t i = 0; i < LARGE; i++)
        pattern[i] = (uint8_t)(i * 7 + i / 251 + i / 65536);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    iw_memory_free(memory[0]);
    iw_memory_free(memory[1]);
    free(pattern);
    return 0;
}

static struct iw_post write_of(size_t octets, bool borrowed) {
    return (struct iw_post){.opcode = IW_RDMAP_OP_RDMA_WRITE,
        .payload = pattern,
        .payload_octets = octets,
        .borrowed = borrowed,
        .stag = 0x22,
        .to = 0x1000,
        .id = 1};
}

static void stop(void *user) {
    iw_loop_stop(user);
}

static void await_raw(size_t octets) {
    struct iw_timer timer = {0};

    for (int i = 0; i < 20000 && bench.raw.length < octets; i++) {
        iw_timer_start(&timer, bench.loop, 1000, stop, bench.loop);
        iw_loop_run(bench.loop);
    }
    iw_timer_stop(&timer);
}

static void one_fpdu_has_the_octets_of_the_vector(void **state) {
    uint8_t reply[64];
    struct iw_post response = {.opcode = IW_RDMAP_OP_READ_RESPONSE,
        .payload = (const uint8_t *)"\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7",
        .payload_octets = 8,
        .borrowed = true,
        .stag = 0x1234,
        .to = 0x1000};

    (void)state;
    bench.raw.answer = reply;
    bench.raw.answer_octets = iw_bench_hex(M03, reply, sizeof reply);
    iw_bench_connect_to_raw(&bench);
    iw_bench_run_until(&bench, &bench.initiator, "established");
    bench.raw.length = 0;
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &response), IW_OK);
    await_raw(28);
    iw_bench_expect(&bench, F05);
}

/* Writes a message to the peer and reads it back, with that MULPDU. With some sizes, TCP takes only a part of
 * an FPDU. */
static void write_and_read(size_t size, uint16_t mulpdu, bool joined, bool borrowed) {
    struct iw_region *sink = iw_memory_register(memory[0], 0x11, 0, LARGE, 0);
    struct iw_region *middle =
        iw_memory_register(memory[1], 0x22, 0x1000, LARGE, IW_RIGHT_READ | IW_RIGHT_WRITE);
    struct iw_post write = write_of(size, borrowed);
    struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = 0x11, .size = (uint32_t)size, .source_stag = 0x22, .source_to = 0x1000},
        .id = 2};

    bench.initiator.config.mulpdu = bench.responder.config.mulpdu = mulpdu;
    bench.initiator.config.joined = bench.responder.config.joined = joined;
    iw_bench_connect(&bench);
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &write), IW_OK);
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &read), IW_OK);
    iw_bench_run_until(&bench, &bench.initiator, "done:2");
    assert_memory_equal(middle->octets, pattern, size);
    assert_memory_equal(sink->octets, pattern, size);
    assert_null(strstr(bench.responder.log, "error"));
    assert_null(strstr(bench.initiator.log, "error"));
}

static void large_messages_arrive_complete(void **state) {
    static const struct {
        size_t size;
        uint16_t mulpdu;
        bool joined, borrowed;
    } ways[] = {
        {LARGE, 65000, true, true},
        {LARGE - 3, 1442, true, false},
        {LARGE - 5, 1442, false, true},
        {LARGE / 2 - 1, 65535, false, false},
        {100, 10, true, true}, /* the MULPDU is less than the headers: one octet of payload in each FPDU */
        {0, 0, true, true},
    };

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        write_and_read(ways[i].size, ways[i].mulpdu, ways[i].joined, ways[i].borrowed);
        tear_down(state);
        set_up(state);
    }
}

/* The MULPDU is derived from TCP's EMSS, which is larger on the loopback than the default. */
static void mulpdu_follows_the_emss_of_tcp(void **state) {
    struct iw_post send = {.opcode = IW_RDMAP_OP_SEND, .payload = pattern, .payload_octets = 4000};

    (void)state;
    bench.initiator.config.emss_of_tcp = true;
    iw_bench_connect(&bench);
    iw_bench_run_until(&bench, &bench.initiator, "established");
    assert_true(iw_port_emss(iw_endpoint_port(bench.initiator.endpoint)) > 4096);
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &send), IW_OK);
    iw_bench_run_until(&bench, &bench.responder, "message:3:1:4000");
    assert_int_equal(bench.responder.fpdus, 1);
}

/* A filter sees every segment, even where the fast path is allowed. */
static unsigned count_segments(void *user, struct iw_emit *emit) {
    unsigned *segments = user;

    *segments += emit->kind == IW_EMIT_FPDU;
    return 1;
}

static void a_filter_sees_every_segment(void **state) {
    unsigned segments = 0;

    (void)state;
    bench.initiator.config.policy.send = count_segments;
    bench.initiator.config.policy.user = &segments;
    write_and_read(10 * (1442 - 14), 1442, true, true);
    assert_int_equal(segments, 11); /* with the Read Request */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_fpdu_has_the_octets_of_the_vector, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_messages_arrive_complete, set_up, tear_down),
        cmocka_unit_test_setup_teardown(mulpdu_follows_the_emss_of_tcp, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_filter_sees_every_segment, set_up, tear_down),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
