#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_bench.h"

/* Endpoints that run out of memory. */

static struct iw_bench bench;

/* The largest allocation, in octets, that succeeds; the linker replaces malloc and realloc by the functions
 * below. */
static size_t to_be_had = SIZE_MAX;

void *__real_malloc(size_t octets);
void *__wrap_malloc(size_t octets);
void *__real_realloc(void *block, size_t octets);
void *__wrap_realloc(void *block, size_t octets);

void *__wrap_malloc(size_t octets) {
    return octets > to_be_had ? NULL : __real_malloc(octets);
}

void *__wrap_realloc(void *block, size_t octets) {
    return octets > to_be_had ? NULL : __real_realloc(block, octets);
}

static int set_up(void **state) {
    (void)state;
    iw_bench_init(&bench, IW_LOOP_VIRTUAL);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    return 0;
}

static void send(uint64_t id, size_t octets) {
    static const uint8_t payload[9000];
    const struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = payload, .payload_octets = octets, .id = id};

    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &post), IW_OK);
}

static void run_with(size_t octets) {
    to_be_had = octets;
    iw_bench_run(&bench);
    to_be_had = SIZE_MAX;
}

static void connect(void) {
    iw_bench_connect(&bench);
    iw_bench_run(&bench);
}

/* A message with a gap would be taken for a different message, so only the end of the stream follows. */
static void a_segment_that_cannot_be_sent_ends_the_stream(void **state) {
    (void)state;
    bench.initiator.config.mulpdu = 8000;
    connect();
    send(1, 5);
    send(2, 9000);
    send(3, 5);
    run_with(4096);
    assert_string_equal(bench.initiator.log,
        "connected reply:0 established sent:1 error:0000 flushed:2 flushed:3 closed:fin ");
    assert_string_equal(bench.responder.log, "connected request:0 established message:3:1:5 closed:fin ");
}

static void without_a_startup_frame_nothing_is_established(void **state) {
    static const uint8_t private_data[512];

    (void)state;
    bench.initiator.config.private_data = private_data;
    bench.initiator.config.private_octets = sizeof private_data;
    iw_bench_connect(&bench);
    run_with(512);
    assert_string_equal(bench.initiator.log, "connected error:0000 closed:fin ");
}

static void running_out_of_memory_for_a_message_causes_a_terminate(void **state) {
    (void)state;
    connect();
    send(1, 9000);
    run_with(4096);
    assert_string_equal(bench.responder.log, "connected request:0 established error:0000! closed:fin ");
    assert_string_equal(
        bench.initiator.log, "connected reply:0 established sent:1 terminate:0/0/00 closed:fin ");
}

/* A message that is not delivered is not assembled. */
static bool deliver_nothing(void *user, uint8_t opcode) {
    (void)user;
    assert_int_equal(opcode, IW_RDMAP_OP_SEND);
    return false;
}

static void undelivered_messages_take_no_memory(void **state) {
    (void)state;
    bench.responder.config.policy.handling.delivers = deliver_nothing;
    connect();
    send(1, 9000);
    run_with(4096);
    assert_string_equal(bench.responder.log, "connected request:0 established ");
    assert_int_equal(bench.responder.fpdus, 7); /* of 1424 octets of payload and less */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_segment_that_cannot_be_sent_ends_the_stream, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_startup_frame_nothing_is_established, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            running_out_of_memory_for_a_message_causes_a_terminate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(undelivered_messages_take_no_memory, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
