#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bench.h"

/* How an endpoint divides its octets into writes to TCP. */

#define HELLO_1 "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c"

enum { HELLO_OCTETS = 32 };

static struct iw_bench bench;
static char writes[256]; /* octets of each write, followed by a space */

static void tap(void *user, const struct iw_chunk *chunk) {
    size_t length = strlen(writes);

    (void)user;
    if (chunk->side == IW_SIDE_A && chunk->kind == IW_CHUNK_DATA)
        snprintf(writes + length, sizeof writes - length, "%u ", chunk->length);
    else if (chunk->side == IW_SIDE_A && chunk->kind == IW_CHUNK_FIN)
        snprintf(writes + length, sizeof writes - length, "FIN ");
}

static int set_up(void **state) {
    const struct iw_terms terms = {.crc = true, .ird = 8, .ord = 8};
    struct iw_emit emit;

    (void)state;
    iw_bench_init(&bench, IW_LOOP_VIRTUAL);
    bench.initiator.config.automatic = (struct iw_automatic){0};
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_endpoint_prepare_startup(bench.initiator.endpoint, &emit);
    iw_endpoint_emit(bench.initiator.endpoint, &emit);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "4d504120 49442052 65712046 72616d65 40010000");
    iw_endpoint_full(bench.initiator.endpoint, &terms);
    iw_port_set_tap(iw_endpoint_port(bench.initiator.endpoint), tap, NULL);
    writes[0] = '\0';
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    return 0;
}

static struct iw_emit hello(bool merge) {
    struct iw_emit emit;

    iw_endpoint_prepare_fpdu(bench.initiator.endpoint, IW_RDMAP_OP_SEND, &emit);
    emit.segment.msn = 1;
    emit.payload = (const uint8_t *)"hello";
    emit.payload_octets = 5;
    emit.merge = merge;
    return emit;
}

static void put(struct iw_emit emit) {
    assert_int_equal(iw_endpoint_emit(bench.initiator.endpoint, &emit), IW_OK);
    iw_bench_run(&bench);
}

static void merged_octets_precede_the_next_write(void **state) {
    (void)state;
    put(hello(true));
    put(hello(true));
    assert_string_equal(writes, "");
    put(hello(false));
    assert_string_equal(writes, "96 ");
    iw_bench_expect(&bench, HELLO_1 HELLO_1 HELLO_1);
    put(hello(false));
    assert_string_equal(writes, "96 32 ");
}

static void split_counts_merged_octets(void **state) {
    struct iw_emit emit = hello(false);

    (void)state;
    put(hello(true));
    emit.split[0] = HELLO_OCTETS + 1;
    emit.split_count = 1;
    put(emit);
    assert_string_equal(writes, "33 31 ");
    iw_bench_expect(&bench, HELLO_1 HELLO_1);
}

/* This allows a script to send octets late. */
static void the_rest_of_a_split_item_can_be_merged(void **state) {
    struct iw_emit emit = hello(true);

    (void)state;
    emit.split[0] = 3;
    emit.split[1] = 4;
    emit.split_count = 2;
    put(emit);
    assert_string_equal(writes, "3 4 ");
    iw_bench_expect(&bench, "00174143 000000");
    assert_int_equal(
        iw_endpoint_emit(bench.initiator.endpoint, &(struct iw_emit){.kind = IW_EMIT_OCTETS}), IW_OK);
    iw_bench_run(&bench);
    assert_string_equal(writes, "3 4 25 ");
    iw_bench_expect(&bench, "00 00000000 00000001 00000000 68656c6c 6f000000 b990b10c");
}

static void a_post_follows_merged_octets(void **state) {
    static const uint8_t tail[] = {0xAA, 0xBB};
    struct iw_emit emit = {.kind = IW_EMIT_OCTETS, .payload = tail, .payload_octets = 2, .merge = true};
    const struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = (const uint8_t *)"hello", .payload_octets = 5};

    (void)state;
    put(emit);
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &post), IW_OK);
    iw_bench_run(&bench);
    assert_string_equal(writes, "34 ");
    iw_bench_expect(&bench, "aabb" HELLO_1);
}

static void a_fin_follows_merged_octets(void **state) {
    (void)state;
    put(hello(true));
    iw_endpoint_close(bench.initiator.endpoint);
    iw_bench_run(&bench);
    assert_string_equal(writes, "32 FIN ");
    iw_bench_expect(&bench, HELLO_1);
}

static void freeing_an_endpoint_sends_merged_octets(void **state) {
    (void)state;
    put(hello(true));
    iw_endpoint_free(bench.initiator.endpoint);
    bench.initiator.endpoint = NULL;
    iw_bench_run(&bench);
    iw_bench_expect(&bench, HELLO_1);
    assert_int_equal(bench.raw.end, 'F');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(merged_octets_precede_the_next_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(split_counts_merged_octets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_rest_of_a_split_item_can_be_merged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_post_follows_merged_octets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_fin_follows_merged_octets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(freeing_an_endpoint_sends_merged_octets, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
