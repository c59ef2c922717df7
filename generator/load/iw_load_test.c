#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_endpoint.h"
#include "iw_load.h"

/* A load and a responder on one loop, over TCP. The responder echoes Sends and can be made to answer
 * wrongly. */

enum { REGION_STAG = 0x500, GUESTS_MAX = 8 };

static const uint64_t region_to = 0x10000;

static struct iw_loop *loop;
static struct iw_memory *memory;
static struct iw_region *region;
static struct iw_listener *listener;
static struct iw_endpoint *guests[GUESTS_MAX];
static unsigned guest_count;
static struct iw_load_config config;
static struct iw_load_result result;

static bool wrong_echo, wrong_write, keep_writes, silent, forgets, spoils;
static enum iw_hash hash;    /* of the region */
static unsigned right_reads; /* correct responses before wrong ones; 0: all are correct */
static unsigned reset_after; /* messages; 0: never */

static size_t allocations;

void *__real_malloc(size_t octets);
void *__real_calloc(size_t count, size_t octets);
void *__real_realloc(void *memory, size_t octets);
void *__wrap_malloc(size_t octets);
void *__wrap_calloc(size_t count, size_t octets);
void *__wrap_realloc(void *memory, size_t octets);

void *__wrap_malloc(size_t octets) {
    allocations++;
    return __real_malloc(octets);
}

void *__wrap_calloc(size_t count, size_t octets) {
    allocations++;
    return __real_calloc(count, octets);
}

void *__wrap_realloc(void *old, size_t octets) {
    allocations++;
    return __real_realloc(old, octets);
}

static void echo(struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = event->octets, .payload_octets = event->octet_count};
    uint8_t changed[65536];

    if (wrong_echo) {
        memcpy(changed, event->octets, event->octet_count);
        changed[event->octet_count - 1] ^= 1;
        post.payload = changed;
    }
    assert_int_equal(iw_endpoint_post(endpoint, &post), IW_OK);
}

static void take_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    (void)user;
    if (event->kind == IW_EVENT_MESSAGE && !silent) {
        if (reset_after > 0 && --reset_after == 0)
            iw_endpoint_reset(endpoint);
        else
            echo(endpoint, event);
    }
    if (event->kind == IW_EVENT_TAGGED && wrong_write)
        region->octets[event->to - region->base] ^= 0x80;
    if (event->kind == IW_EVENT_TAGGED && keep_writes)
        memset(region->octets, 0x55, (size_t)region->size);
    if (event->kind == IW_EVENT_EXECUTED && forgets)
        memset(region->octets, 0, (size_t)region->size);
    if (event->kind == IW_EVENT_EXECUTED && spoils)
        memset(region->backing->kept, 0, (size_t)region->size);
    if (event->kind == IW_EVENT_READ && right_reads > 0 && --right_reads == 0)
        memset(region->octets, 0, (size_t)region->size);
}

static void take_port(void *user, struct iw_port *port) {
    struct iw_endpoint_config responder = iw_endpoint_config_default(false);

    (void)user;
    assert_true(guest_count < GUESTS_MAX);
    responder.memory = memory;
    responder.receives.count = IW_RECEIVES_ENDLESS;
    responder.receives.octets = 65536;
    responder.extensions = IW_EXT_ALL;
    responder.joined = true;
    guests[guest_count] = iw_endpoint_accept(port, &responder, take_event, NULL);
    assert_non_null(guests[guest_count]);
    guest_count++;
}

static int set_up(void **state) {
    char text[IW_PORT_TEXT_OCTETS];

    (void)state;
    wrong_echo = wrong_write = keep_writes = silent = forgets = spoils = false;
    right_reads = reset_after = 0;
    hash = IW_HASH_SHA256;
    loop = iw_loop_new(IW_LOOP_REAL);
    memory = iw_memory_new();
    listener = iw_listener_new(loop, "127.0.0.1", 0, take_port, NULL, text);
    assert_non_null(listener);
    config = (struct iw_load_config){.loop = loop,
        .host = "127.0.0.1",
        .port = iw_listener_port(listener),
        .stag = REGION_STAG,
        .to = region_to,
        .mix = {.weights = {[IW_LOAD_WRITE] = 5, [IW_LOAD_READ] = 3, [IW_LOAD_SEND] = 2}},
        .sizes = {64, 3000, 0},
        .size_count = 3,
        .connections = 2,
        .depth = 4,
        .count = 3000,
        .verify_every = 16,
        .revision = 2,
        .ord = 4,
        .timeout_ms = 20000};
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    while (guest_count > 0)
        iw_endpoint_free(guests[--guest_count]);
    iw_listener_free(listener);
    iw_memory_free(memory);
    iw_loop_free(loop);
    return 0;
}

static void begin_region(void) {
    const unsigned *weights = config.mix.weights;
    const struct iw_registration registration = {.stag = REGION_STAG,
        .base = config.to,
        .size = iw_load_region_octets(&config),
        .rights = IW_RIGHT_READ | IW_RIGHT_WRITE | IW_RIGHT_EXPOSE |
                  (weights[IW_LOAD_ATOMIC] > 0 ? (unsigned)IW_RIGHT_ATOMIC : 0u) |
                  (weights[IW_LOAD_VERIFY] > 0 ? IW_RIGHT_VERIFY | IW_RIGHT_PERSIST : 0u),
        .hash = hash,
        .persistent = true};
    enum iw_refusal refusal;

    if (iw_memory_find(memory, REGION_STAG) == NULL)
        region = iw_memory_offer(memory, &registration, &refusal);
    assert_non_null(region);
}

static struct iw_load *begin(void) {
    struct iw_load *load;

    begin_region();
    load = iw_load_new(&config);
    assert_non_null(load);
    return load;
}

static void end(struct iw_load *load) {
    while (iw_load_result(load)->phase != IW_LOAD_OVER)
        assert_true(iw_loop_run(loop));
    result = *iw_load_result(load);
    iw_load_free(load);
}

static void only(enum iw_load_op op) {
    memset(&config.mix, 0, sizeof config.mix);
    config.mix.weights[op] = 1;
}

static void runs_and_verifies_a_mix(void **state) {
    (void)state;
    end(begin());
    assert_int_equal(result.error_count, 0);
    assert_int_equal(result.wrong, 0);
    assert_int_equal(result.abandoned, 0);
    assert_int_equal(result.opened, 2);
    assert_int_equal(result.ops[IW_LOAD_WRITE].count, 1500);
    assert_int_equal(result.ops[IW_LOAD_READ].count, 900);
    assert_int_equal(result.ops[IW_LOAD_SEND].count, 600);
    assert_int_equal(result.ops[IW_LOAD_WRITE].latency_ns.count, 1500);
    assert_int_equal(result.ops[IW_LOAD_READ].verified, 900);
    assert_int_equal(result.ops[IW_LOAD_SEND].verified, 600);
    assert_true(result.ops[IW_LOAD_WRITE].verified >= 1500 / 16);
    assert_true(result.crc);
    assert_true(result.ops[IW_LOAD_WRITE].octets > 1000 * 1000);
}

/* Runs one kind of operation against a responder that does it wrongly. */
static void find_fault(enum iw_load_op op, const char *text) {
    only(op);
    config.count = 64;
    config.size_count = 1;
    end(begin());
    assert_true(result.wrong > 0);
    assert_true(result.error_count >= result.wrong);
    assert_string_equal(result.errors[0].text, text);
}

static void detects_a_wrong_write(void **state) {
    (void)state;
    wrong_write = true;
    find_fault(IW_LOAD_WRITE, "write: wrong payload");
}

static void detects_a_wrong_read(void **state) {
    (void)state;
    right_reads = 10;
    find_fault(IW_LOAD_READ, "read: wrong payload");
    right_reads = 1;
    end(begin());
    assert_string_equal(result.errors[0].text, "octets written before the operations differ when read back");
}

static void detects_a_wrong_echo(void **state) {
    (void)state;
    wrong_echo = true;
    find_fault(IW_LOAD_SEND, "send: wrong payload");
}

static void detects_a_missing_fetch_add(void **state) {
    (void)state;
    forgets = true;
    find_fault(IW_LOAD_ATOMIC, "atomic: wrong payload");
}

/* The hash covers the medium, so the test corrupts the medium. */
static void detects_a_wrong_hash(void **state) {
    static const enum iw_hash hashes[] = {IW_HASH_CRC32C, IW_HASH_SHA256, IW_HASH_SHA512};

    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++) {
        only(IW_LOAD_VERIFY);
        config.count = 64;
        hash = hashes[i];
        end(begin());
        assert_int_equal(result.error_count, 0);
        assert_int_equal(result.ops[IW_LOAD_VERIFY].verified, 64);
        tear_down(state);
        set_up(state);
    }
    spoils = true;
    find_fault(IW_LOAD_VERIFY, "verify: wrong payload");
}

static void detects_a_wrong_atomic_write(void **state) {
    (void)state;
    forgets = true;
    find_fault(IW_LOAD_ATOMIC_WRITE, "atomic_write: wrong payload");
}

/* The size of Atomic Writes does not depend on the configured sizes. */
static void reads_back_atomic_writes(void **state) {
    (void)state;
    only(IW_LOAD_ATOMIC_WRITE);
    config.sizes[0] = 0;
    config.size_count = 1;
    end(begin());
    assert_int_equal(result.error_count, 0);
    assert_int_equal(result.ops[IW_LOAD_ATOMIC_WRITE].count, 3000);
    assert_int_equal(result.ops[IW_LOAD_ATOMIC_WRITE].octets, 3000 * 8);
    assert_in_range(result.ops[IW_LOAD_ATOMIC_WRITE].verified, 3000 / 16, 3000 / 16 + 8);
}

/* The final check covers the places of Writes, whatever later used their slots. */
static void each_operation_uses_its_own_slot(void **state) {
    (void)state;
    for (int op = 0; op < IW_LOAD_OP_COUNT; op++)
        config.mix.weights[op] = 2;
    config.mix.weights[IW_LOAD_SEND] = 1;
    config.size_count = 1;
    config.sizes[0] = 77;
    config.count = 1300;
    end(begin());
    assert_int_equal(result.error_count, 0);
    assert_int_equal(result.ops[IW_LOAD_ATOMIC].count, 200);
    assert_int_equal(result.ops[IW_LOAD_ATOMIC].octets, 200 * 8);
    /* the first one of each place only returns the initial value */
    assert_int_equal(result.ops[IW_LOAD_ATOMIC].verified, 200 - 8);
    assert_int_equal(result.ops[IW_LOAD_FLUSH].count, 200);
    assert_int_equal(result.ops[IW_LOAD_READ].verified, 200);
    assert_int_equal(result.ops[IW_LOAD_VERIFY].verified, 200);
    assert_in_range(
        result.ops[IW_LOAD_WRITE].verified + result.ops[IW_LOAD_ATOMIC_WRITE].verified, 400 / 16, 400);
}

/* The memory keeps its earlier octets: the load does not take them for those just written. */
static void detects_a_write_without_placement(void **state) {
    (void)state;
    keep_writes = true;
    find_fault(IW_LOAD_WRITE, "write: wrong payload");
}

static void runs_sends_without_echo(void **state) {
    (void)state;
    only(IW_LOAD_SEND);
    silent = true;
    config.no_echo = true;
    end(begin());
    assert_int_equal(result.error_count, 0);
    assert_int_equal(result.ops[IW_LOAD_SEND].count, 3000);
    assert_int_equal(result.ops[IW_LOAD_SEND].verified, 0);
}

static void times_out_on_a_silent_peer(void **state) {
    (void)state;
    only(IW_LOAD_SEND);
    silent = true;
    config.timeout_ms = 100;
    end(begin());
    assert_int_equal(result.ops[IW_LOAD_SEND].count, 0);
    assert_int_equal(result.abandoned, 8);
    assert_int_equal(result.error_count, 2);
    assert_string_equal(result.errors[0].text, "no echo within 100 ms: use 'serve --echo', or --no-echo");
    assert_int_equal(result.errors[0].count, 2);
}

static void a_lost_connection_leaves_the_others(void **state) {
    (void)state;
    only(IW_LOAD_SEND);
    reset_after = 100;
    end(begin());
    assert_int_equal(result.error_count, 1);
    assert_non_null(strstr(result.errors[0].text, "connection lost: 127.0.0.1:"));
    assert_in_range(result.abandoned, 1, 4);
    assert_int_equal(result.ops[IW_LOAD_SEND].count + result.abandoned, 3000);
}

static void reports_a_terminate(void **state) {
    (void)state;
    only(IW_LOAD_WRITE);
    begin_region();
    config.stag++;
    end(begin());
    assert_string_equal(result.errors[0].text, "Terminate from the peer: 1/1/00 Invalid STag");
    assert_int_equal(result.errors[0].count, 2);
}

static void reports_a_refused_connection(void **state) {
    (void)state;
    config.port = 1;
    end(begin());
    assert_int_equal(result.opened, 0);
    assert_string_equal(result.errors[0].text, "not connected: 127.0.0.1:1: connection refused");
}

/* There are never more operations than the rate allows, and the rate is reached. */
static void keeps_the_rate(void **state) {
    (void)state;
    config.rate = 500;
    config.count = 100;
    end(begin());
    assert_int_equal(result.error_count, 0);
    assert_int_equal(result.ops[IW_LOAD_WRITE].count, 50);
    assert_true((double)result.running_ns >= 99 / 500.0 * 1e9);
}

static void stop_now(void *user) {
    iw_load_stop(user);
}

static void stop_finishes_outstanding_operations(void **state) {
    struct iw_timer timer = {0};
    struct iw_load *load;

    (void)state;
    config.count = 0;
    load = begin();
    iw_timer_start(&timer, loop, 50000, stop_now, load);
    end(load);
    assert_int_equal(result.error_count, 0);
    assert_int_equal(result.abandoned, 0);
    assert_true(result.ops[IW_LOAD_WRITE].count > 0);
    assert_int_equal(result.ops[IW_LOAD_SEND].verified, result.ops[IW_LOAD_SEND].count);
}

static void keeps_the_duration(void **state) {
    (void)state;
    config.count = 0;
    config.duration_ms = 100;
    end(begin());
    assert_int_equal(result.error_count, 0);
    assert_true(result.running_ns >= 100000000);
}

/* Counts both sides, which run here. libuv allocates nothing for what TCP accepts immediately. */
static size_t allocations_of(uint64_t count, uint32_t octets) {
    size_t before;
    struct iw_load *load;

    config.count = count;
    config.sizes[0] = octets;
    config.size_count = 1;
    load = begin();
    before = allocations;
    end(load);
    assert_int_equal(result.error_count, 0);
    return allocations - before;
}

static void operations_allocate_no_memory(void **state) {
    for (int op = 0; op < IW_LOAD_OP_COUNT; op++) {
        static const uint32_t sizes[] = {64, 1400, 16384};

        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            bool echoed = op == IW_LOAD_SEND;
            size_t few, many;

            if (echoed && sizes[i] > 64)
                continue; /* the responder of this test copies what it echoes */
            only((enum iw_load_op)op);
            config.connections = 1;
            few = allocations_of(100, sizes[i]);
            many = allocations_of(2100, sizes[i]);
            if (many > few + 2000 / 10)
                fail_msg("%s of %u octets: %zu allocations for 100, %zu for 2100",
                    iw_load_op_name((enum iw_load_op)op), sizes[i], few, many);
            tear_down(state);
            set_up(state);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(runs_and_verifies_a_mix, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_wrong_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_wrong_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_wrong_echo, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_missing_fetch_add, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_wrong_hash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_wrong_atomic_write, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reads_back_atomic_writes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_operation_uses_its_own_slot, set_up, tear_down),
        cmocka_unit_test_setup_teardown(detects_a_write_without_placement, set_up, tear_down),
        cmocka_unit_test_setup_teardown(runs_sends_without_echo, set_up, tear_down),
        cmocka_unit_test_setup_teardown(times_out_on_a_silent_peer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_lost_connection_leaves_the_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_a_terminate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(reports_a_refused_connection, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_the_rate, set_up, tear_down),
        cmocka_unit_test_setup_teardown(stop_finishes_outstanding_operations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(keeps_the_duration, set_up, tear_down),
        cmocka_unit_test_setup_teardown(operations_allocate_no_memory, set_up, tear_down),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
