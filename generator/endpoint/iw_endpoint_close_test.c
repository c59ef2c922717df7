#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_target.h"

/* The peer closes its half of TCP while the responder still has something to send (RFC 5041 6.2.1). */

#define bench iw_target_bench

enum { WHOLE = 574 * 136 + 120 }; /* octets of FPDUs that answer READ with a MULPDU of 128 */

/* Reads 65,536 octets of STag 44h, which take many FPDUs. */
#define READ                                                                                                 \
    "002e4141 00000000 00000001 00000001 00000000 00001234 00000000 00001000 00010000 00000044 00000000 "    \
    "00000000 22e320ad "

/* The peer sends a long Read Request, and closes before the whole response can arrive. */
static void ask_and_close(void) {
    bench.responder.config.mulpdu = 128;
    iw_target_say("");
    bench.raw.length = 0;
    iw_bench_say(&bench, READ);
    iw_port_close(bench.raw.port);
}

static void requests_before_the_peers_fin_are_answered(void **state) {
    (void)state;
    ask_and_close();
    iw_bench_run(&bench);
    assert_int_equal(bench.raw.length, WHOLE);
    assert_int_equal(bench.raw.end, 'F');
    assert_string_equal(iw_target_log(), "read:65536 closed:fin ");
}

static unsigned invalidate_at_last(void *user, struct iw_emit *emit) {
    unsigned *left = user;

    if (emit->cause == IW_EMIT_BY_RESPONSE && (*left)-- == 0)
        iw_memory_find(bench.responder.config.memory, 0x44)->valid = false;
    return 1;
}

static void an_unservable_read_after_fin_causes_a_terminate(void **state) {
    unsigned left = 300;

    (void)state;
    bench.responder.config.policy.send = invalidate_at_last;
    bench.responder.config.policy.user = &left;
    ask_and_close();
    iw_bench_run(&bench);
    assert_int_equal(bench.raw.length, 301 * 136 + 76);
    assert_int_equal(bench.raw.end, 'F');
    assert_string_equal(iw_target_log(), "read:65536 error:0100! closed:fin ");
}

/* Posts are sent, too, in order, up to the first request: its response could not arrive. */
static void posts_after_the_peers_fin_are_sent_up_to_a_request(void **state) {
    static const uint8_t octets[65536];
    struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .id = 1, .payload = octets, .payload_octets = sizeof octets};

    (void)state;
    bench.responder.config.mulpdu = 128;
    iw_target_say("");
    iw_endpoint_post(bench.responder.endpoint, &post);
    post.id = 3;
    iw_endpoint_post(
        bench.responder.endpoint, &(struct iw_post){.opcode = IW_RDMAP_OP_READ_REQUEST, .id = 2});
    iw_endpoint_post(bench.responder.endpoint, &post);
    bench.raw.length = 0;
    iw_bench_say(&bench, "000ec140 00000001 00000000 00000000 ebd34c5f"); /* F02: the responder may send */
    iw_port_close(bench.raw.port);
    iw_bench_run(&bench);
    assert_int_equal(bench.raw.length, 595 * 136 + 112);
    assert_int_equal(bench.raw.end, 'F');
    assert_string_equal(iw_target_log(), "write:1:0:0 sent:1 closed:fin flushed:2 flushed:3 ");
}

/* The same over sockets, with a peer that reads nothing: 64 MiB are more than TCP buffers. */
static void ask_for_much_and_close(void) {
    struct iw_memory *memory = bench.responder.config.memory;

    iw_bench_free(&bench);
    iw_bench_init(&bench, IW_LOOP_REAL);
    bench.responder.config.memory = memory;
    bench.responder.config.timeouts.close_ms = 50;
    iw_memory_register(memory, 0x55, 0, 64 << 20, IW_RIGHT_READ);
    iw_bench_connect_from_raw(&bench);
    iw_bench_run_until(&bench, &bench.responder, "connected");
    iw_bench_say(&bench, "4d504120 49442052 65712046 72616d65 40010000");
    iw_bench_run_until(&bench, &bench.responder, "established");
    iw_port_pause(bench.raw.port, true);
    iw_bench_say(&bench, "002e4141 00000000 00000001 00000001 00000000 00001234 00000000 00001000 04000000 "
                         "00000055 00000000 00000000 5ff79f8d");
    iw_port_close(bench.raw.port);
    iw_bench_run_until(&bench, &bench.responder, "read:");
}

/* A peer that does not read cannot keep the connection open for ever. */
static void a_peer_that_does_not_read_is_reset(void **state) {
    (void)state;
    ask_for_much_and_close();
    iw_bench_run_until(&bench, &bench.responder, "closed:");
    assert_string_equal(iw_target_log(), "read:67108864 closed:timeout ");
}

static void a_reset_ends_a_half_closed_stream(void **state) {
    (void)state;
    ask_for_much_and_close();
    iw_port_reset(bench.raw.port);
    iw_bench_run_until(&bench, &bench.responder, "closed:");
    assert_string_equal(iw_target_log(), "read:67108864 closed:rst ");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, iw_target_set_up, iw_target_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(requests_before_the_peers_fin_are_answered),
        TEST(an_unservable_read_after_fin_causes_a_terminate),
        TEST(posts_after_the_peers_fin_are_sent_up_to_a_request),
        TEST(a_peer_that_does_not_read_is_reset),
        TEST(a_reset_ends_a_half_closed_stream),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
