#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bench.h"

/* The messages that two endpoints send each other, and the octets that one endpoint sends to a bare port. */

#define M03 "4d504120 49442052 65702046 72616d65 40010000 "
#define F05 "0016c142 00001234 00000000 00001000 a0a1a2a3 a4a5a6a7 8effd2c9 "
#define F03                                                                                                  \
    "002e4141 00000000 00000001 00000001 00000000 00001234 00000000 00001000 00001000 00005678 00000000 "    \
    "00002000 03173a1e "
#define F16 "00164147 00000000 00000002 00000001 00000000 00000000 f9a26f1d "

enum { LONGEST = 100 * 1024, MULPDU = 1442 /* 1448 octets of EMSS, no markers */ };

static struct iw_bench bench;
static uint8_t pattern[LONGEST];
static struct iw_memory *memory[2];

static int set_up(void **state) {
    (void)state;
    iw_bench_init(&bench, IW_LOOP_VIRTUAL);
    bench.initiator.config.memory = memory[0] = iw_memory_new();
    bench.responder.config.memory = memory[1] = iw_memory_new();
    for (size_t i = 0; i < sizeof pattern; i++)
        pattern[i] = (uint8_t)(i * 7 + i / 256);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    iw_memory_free(memory[0]);
    iw_memory_free(memory[1]);
    return 0;
}

static void again(void) {
    tear_down(NULL);
    set_up(NULL);
}

static struct iw_post send_of(size_t octets, uint64_t id) {
    return (struct iw_post){
        .opcode = IW_RDMAP_OP_SEND, .payload = pattern, .payload_octets = octets, .id = id};
}

static void post(struct iw_bench_side *side, struct iw_post message) {
    assert_int_equal(iw_endpoint_post(side->endpoint, &message), IW_OK);
}

/* Each message in both directions, of sizes around the edges of a segment. */
static void every_size_arrives(bool atomic_writes_to_responder, bool atomic_writes_to_initiator, bool crc) {
    static const size_t sizes[] = {0, 1, MULPDU - 19, MULPDU - 18, MULPDU - 17, 2 * (MULPDU - 18),
        2 * (MULPDU - 18) + 1, 400, 490, 491, 492, LONGEST};

    bench.initiator.config.markers = atomic_writes_to_initiator;
    bench.responder.config.markers = atomic_writes_to_responder;
    bench.initiator.config.no_crc = bench.responder.config.no_crc = !crc;
    bench.initiator.config.receives.count = IW_RECEIVES_ENDLESS;
    bench.initiator.config.receives.octets = LONGEST;
    iw_bench_connect(&bench);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        post(&bench.initiator, send_of(sizes[i], i));
        iw_bench_run(&bench);
        assert_int_equal(bench.responder.message_octets, sizes[i]);
        assert_memory_equal(bench.responder.message, pattern, sizes[i]);
        post(&bench.responder, send_of(sizes[i], i));
        iw_bench_run(&bench);
        assert_int_equal(bench.initiator.message_octets, sizes[i]);
        assert_memory_equal(bench.initiator.message, pattern, sizes[i]);
    }
    assert_null(strstr(bench.initiator.log, "error"));
    assert_null(strstr(bench.responder.log, "error"));
    assert_int_equal(bench.initiator.terms.crc, crc);
    assert_int_equal(bench.initiator.terms.markers_out, atomic_writes_to_responder);
    assert_int_equal(bench.initiator.terms.markers_in, atomic_writes_to_initiator);
}

static void every_size_arrives_whatever_the_framing(void **state) {
    (void)state;
    for (unsigned framing = 0; framing < 8; framing++) {
        every_size_arrives(framing & 1, framing & 2, framing & 4);
        again();
    }
}

static void write_and_read(size_t size) {
    struct iw_region *source = iw_memory_register(memory[0], 0x11, 0, LONGEST, 0);
    struct iw_region *middle =
        iw_memory_register(memory[1], 0x22, 0x7000, LONGEST, IW_RIGHT_READ | IW_RIGHT_WRITE);
    struct iw_post write = {.opcode = IW_RDMAP_OP_RDMA_WRITE,
        .payload = pattern,
        .payload_octets = size,
        .stag = 0x22,
        .to = 0x7000,
        .id = 1};
    struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = 0x11, .size = (uint32_t)size, .source_stag = 0x22, .source_to = 0x7000},
        .id = 2};

    iw_bench_connect(&bench);
    post(&bench.initiator, write);
    post(&bench.initiator, read);
    iw_bench_run(&bench);
    assert_memory_equal(middle->octets, pattern, size);
    assert_memory_equal(source->octets, pattern, size);
    assert_non_null(strstr(bench.initiator.log, "sent:1 sent:2 done:2:"));
    assert_null(strstr(bench.responder.log, "error"));
}

static void writes_and_reads_of_every_size(void **state) {
    static const size_t sizes[] = {0, 1, MULPDU - 14, MULPDU - 13, LONGEST};

    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        write_and_read(sizes[i]);
        again();
    }
}

/* More Reads than ORD: the later ones wait, and all are answered in order. */
static void reads_wait_for_ord(void **state) {
    struct iw_post read = {
        .opcode = IW_RDMAP_OP_READ_REQUEST, .read = {.sink_stag = 0x11, .size = 40000, .source_stag = 0x22}};

    (void)state;
    iw_memory_register(memory[0], 0x11, 0, LONGEST, 0);
    iw_memory_register(memory[1], 0x22, 0, LONGEST, IW_RIGHT_READ);
    bench.initiator.config.ord = 2;
    bench.responder.config.ird = 2;
    iw_bench_connect(&bench);
    for (read.id = 1; read.id <= 5; read.id++)
        post(&bench.initiator, read);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log,
        "connected reply:0 established sent:1 sent:2 done:1:40000 sent:3 done:2:40000 sent:4 done:3:40000 "
        "sent:5 done:4:40000 done:5:40000 ");
}

static void post_when_established(struct iw_bench_side *side, const struct iw_event *event) {
    if (event->kind == IW_EVENT_ESTABLISHED)
        post(side, send_of(5000, 9));
}

/* A long response delays the responder's own message only until the response is complete. */
static void a_response_and_a_send_are_not_interleaved(void **state) {
    struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = 0x11, .size = LONGEST, .source_stag = 0x22},
        .id = 1};

    (void)state;
    iw_memory_register(memory[0], 0x11, 0, LONGEST, 0);
    iw_memory_register(memory[1], 0x22, 0, LONGEST, IW_RIGHT_READ);
    bench.initiator.config.receives.count = 1;
    bench.initiator.config.receives.octets = LONGEST;
    iw_bench_connect(&bench);
    post(&bench.initiator, read);
    read.id = 2;
    post(&bench.initiator, read);
    bench.responder.react = post_when_established;
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log,
        "connected reply:0 established sent:1 sent:2 done:1:102400 message:3:1:5000 done:2:102400 ");
}

/* ---- octets ---- */

static void connect_to_raw(void) {
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, M03);
    iw_bench_run(&bench);
    bench.raw.length = 0;
}

static void the_four_sends(void **state) {
    (void)state;
    connect_to_raw();
    for (uint8_t opcode = IW_RDMAP_OP_SEND; opcode <= IW_RDMAP_OP_SEND_SE_INV; opcode++) {
        struct iw_post message = {
            .opcode = opcode, .payload = (const uint8_t *)"hello", .payload_octets = 5, .id = opcode};

        if (opcode == IW_RDMAP_OP_SEND_INV)
            message.invalidate_stag = 0x11223344;
        if (opcode == IW_RDMAP_OP_SEND_SE_INV)
            message.invalidate_stag = 0x55667788;
        post(&bench.initiator, message);
    }
    iw_bench_run(&bench);
    iw_bench_expect(&bench, /* F07, F09, F10, F11 */
        "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c "
        "00174144 11223344 00000000 00000002 00000000 68656c6c 6f000000 bb922b26 "
        "00174145 00000000 00000000 00000003 00000000 68656c6c 6f000000 3d59af89 "
        "00174146 55667788 00000000 00000004 00000000 68656c6c 6f000000 78349f5c ");
}

static void a_read_request_and_its_answer(void **state) {
    struct iw_region *sink = iw_memory_register(memory[0], 0x1234, 0x1000, 8, 0);
    struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = 0x1234,
            .sink_to = 0x1000,
            .size = 4096,
            .source_stag = 0x5678,
            .source_to = 0x2000},
        .id = 1};

    (void)state;
    connect_to_raw();
    post(&bench.initiator, read);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, F03);
    iw_bench_say(&bench, F05); /* ends after 8 of 4096 octets */
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, "connected reply:0 established sent:1 error:0207! flushed:1 ");
    assert_memory_equal(sink->octets, "\0\0\0\0\0\0\0\0", 8);
}

static void an_error_of_the_ulp_sends_a_terminate_without_headers(void **state) {
    (void)state;
    connect_to_raw();
    iw_endpoint_terminate(bench.initiator.endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, F16);
    assert_int_equal(bench.raw.end, 'F');
}

static void close_waits_for_posts(void **state) {
    (void)state;
    iw_bench_connect(&bench);
    post(&bench.initiator, send_of(LONGEST, 1));
    iw_endpoint_close(bench.initiator.endpoint);
    post(&bench.initiator, send_of(1, 2)); /* too late */
    iw_bench_run(&bench);
    assert_string_equal(
        bench.responder.log, "connected request:0 established message:3:1:102400 closed:fin ");
    assert_string_equal(bench.initiator.log, "flushed:2 connected reply:0 established sent:1 closed:fin ");
}

static void a_reset_is_seen_and_flushes(void **state) {
    (void)state;
    iw_bench_connect(&bench);
    iw_bench_run(&bench);
    post(&bench.responder, send_of(1, 3));
    iw_endpoint_reset(bench.initiator.endpoint);
    iw_bench_run(&bench);
    assert_string_equal(bench.responder.log, "connected request:0 established closed:rst flushed:3 ");
}

/* `user` is the kind of the event in which the endpoint is freed. */
static void free_at(struct iw_bench_side *side, const struct iw_event *event) {
    enum iw_event_kind *kind = side->user;

    if (event->kind != *kind)
        return;
    iw_endpoint_free(side->endpoint);
    side->endpoint = NULL;
    strcat(side->log, "gone ");
}

static void converse_until_freed(struct iw_bench_side *side, enum iw_event_kind kind) {
    struct iw_post read = {
        .opcode = IW_RDMAP_OP_READ_REQUEST, .read = {.sink_stag = 0x11, .size = 4, .source_stag = 0x22}};
    struct iw_post write = {
        .opcode = IW_RDMAP_OP_RDMA_WRITE, .payload = pattern, .payload_octets = 4, .stag = 0x22};

    iw_memory_register(memory[0], 0x11, 0, 4, 0);
    iw_memory_register(memory[1], 0x22, 0, 4, IW_RIGHT_READ | IW_RIGHT_WRITE);
    bench.initiator.config.revision = 2;
    bench.initiator.config.enhanced = true;
    bench.initiator.config.peer_to_peer = true;
    side->react = free_at;
    side->user = &kind;
    iw_bench_connect(&bench);
    post(&bench.initiator, send_of(4, 1));
    post(&bench.initiator, write);
    post(&bench.initiator, read);
    write.stag = 0x33; /* an unknown STag: the peer sends a Terminate */
    post(&bench.initiator, write);
    iw_bench_run(&bench);
    assert_null(side->endpoint);
    assert_string_equal(side->log + strlen(side->log) - 5, "gone ");
}

static void an_endpoint_may_be_freed_in_any_event(void **state) {
    static const enum iw_event_kind initiator[] = {IW_EVENT_CONNECTED, IW_EVENT_STARTUP, IW_EVENT_ESTABLISHED,
        IW_EVENT_FPDU, IW_EVENT_SENT, IW_EVENT_READ_DONE, IW_EVENT_TERMINATE, IW_EVENT_CLOSED};
    static const enum iw_event_kind responder[] = {IW_EVENT_CONNECTED, IW_EVENT_STARTUP, IW_EVENT_ESTABLISHED,
        IW_EVENT_FPDU, IW_EVENT_RTR, IW_EVENT_MESSAGE, IW_EVENT_TAGGED, IW_EVENT_READ, IW_EVENT_ERROR,
        IW_EVENT_CLOSED};

    (void)state;
    for (size_t i = 0; i < sizeof initiator / sizeof *initiator; i++) {
        converse_until_freed(&bench.initiator, initiator[i]);
        again();
    }
    for (size_t i = 0; i < sizeof responder / sizeof *responder; i++) {
        converse_until_freed(&bench.responder, responder[i]);
        again();
    }
}

/* ---- the backlog ---- */

/* The second Read waits for the first, which gets no response; the Send waits for the second Read. */
static void posts_that_wait_are_counted(void **state) {
    struct iw_post read = {
        .opcode = IW_RDMAP_OP_READ_REQUEST, .read = {.sink_stag = 0x11, .size = 5, .source_stag = 0x22}};

    (void)state;
    bench.initiator.config.ord = 1;
    connect_to_raw();
    assert_int_equal(iw_endpoint_backlog(bench.initiator.endpoint), 0);
    post(&bench.initiator, read);
    post(&bench.initiator, read);
    post(&bench.initiator, send_of(100, 3));
    assert_int_equal(iw_endpoint_backlog(bench.initiator.endpoint), 1 + 1 + 101);
    iw_bench_run(&bench);
    assert_int_equal(iw_endpoint_backlog(bench.initiator.endpoint), 1 + 101);
    iw_endpoint_reset(bench.initiator.endpoint);
    post(&bench.initiator, send_of(100, 4));
    iw_bench_run(&bench);
    assert_int_equal(iw_endpoint_backlog(bench.initiator.endpoint), 0);
}

/* A peer that reads nothing gets 20 octets of startup frame and 182 FPDUs, until the port is full. Each
 * message has 71 FPDUs with 1424 octets of payload (1448 octets), and one with 1296 (1320 octets). */
static void the_backlog_counts_the_rest_of_a_message(void **state) {
    enum { QUEUED = 20 + 2 * (71 * 1448 + 1320) + 38 * 1448, LEFT = LONGEST - 38 * 1424 };

    (void)state;
    bench.raw_holds = true;
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_say(&bench, M03);
    iw_bench_run(&bench);
    for (uint64_t id = 1; id <= 4; id++)
        post(&bench.initiator, send_of(LONGEST, id));
    iw_bench_run(&bench);
    assert_int_equal(iw_port_queued(iw_endpoint_port(bench.initiator.endpoint)), QUEUED);
    assert_int_equal(iw_endpoint_backlog(bench.initiator.endpoint), QUEUED + LEFT + 1 + LONGEST + 1);
}

/* ---- wrong on purpose ---- */

static unsigned flip_crc(void *user, struct iw_emit *emit) {
    unsigned *times = user;

    if (emit->kind != IW_EMIT_FPDU)
        return 1;
    emit->parts.crc_flip = 1;
    return *times;
}

static void a_filter_changes_drops_and_repeats(void **state) {
    unsigned times = 1;

    (void)state;
    bench.initiator.config.policy.send = flip_crc;
    bench.initiator.config.policy.user = &times;
    connect_to_raw();
    for (; times != UINT32_MAX; times = times == 1 ? 0 : times == 0 ? 2 : UINT32_MAX) {
        struct iw_post message = {
            .opcode = IW_RDMAP_OP_SEND, .payload = (const uint8_t *)"hello", .payload_octets = 5};

        post(&bench.initiator, message);
        iw_bench_run(&bench);
        if (times == 1)
            iw_bench_expect(
                &bench, "00174143 00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10d");
        else if (times == 0)
            iw_bench_expect(&bench, "");
        else /* MSN 3: the dropped message has used up MSN 2 */
            iw_bench_expect(&bench,
                "00174143 00000000 00000000 00000003 00000000 68656c6c 6f000000 73e0156c "
                "00174143 00000000 00000000 00000003 00000000 68656c6c 6f000000 73e0156c");
    }
}

static unsigned shift_msn(void *user, struct iw_emit *emit) {
    (void)user;
    emit->segment.msn += 2;
    return 1;
}

static void a_post_is_adjusted(void **state) {
    struct iw_post message = {.opcode = IW_RDMAP_OP_SEND,
        .payload = (const uint8_t *)"hello",
        .payload_octets = 5,
        .adjust = shift_msn};

    (void)state;
    connect_to_raw();
    post(&bench.initiator, message);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "00174143 00000000 00000000 00000003 00000000 68656c6c 6f000000 73e0156d");
}

static void a_connection_works_entirely_by_hand(void **state) {
    const struct iw_emit zeros = {
        .kind = IW_EMIT_OCTETS, .payload = (const uint8_t *)"\0\0\0\0", .payload_octets = 4};
    struct iw_terms terms = {.crc = true, .markers_out = true};
    struct iw_emit emit;

    (void)state;
    bench.initiator.config.automatic = (struct iw_automatic){0};
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "");
    iw_endpoint_prepare_startup(bench.initiator.endpoint, &emit);
    emit.startup.res = 0xF;
    emit.split[0] = 3;
    emit.split_count = 1;
    iw_endpoint_emit(bench.initiator.endpoint, &emit);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "4d504120 49442052 65712046 72616d65 4f010000");
    iw_bench_say(&bench, M03 "00174143");
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, "connected reply:0 ");
    iw_endpoint_full(bench.initiator.endpoint, &terms);
    iw_endpoint_emit(bench.initiator.endpoint, &zeros);
    iw_endpoint_prepare_fpdu(bench.initiator.endpoint, IW_RDMAP_OP_SEND, &emit);
    assert_int_equal(emit.segment.msn, 1);
    iw_endpoint_emit(bench.initiator.endpoint, &emit);
    iw_endpoint_prepare_fpdu(bench.initiator.endpoint, IW_RDMAP_OP_SEND, &emit);
    assert_int_equal(emit.segment.msn, 2);
    iw_bench_say(&bench, "00000000 00000000 00000001 00000000 68656c6c 6f000000 b990b10c");
    iw_bench_run(&bench);
    iw_bench_expect(&bench, "00000000 00124143 00000000 00000000 00000001 00000000 587be8c4"); /* F08 */
    assert_string_equal(bench.initiator.log, "connected reply:0 established message:3:1:5 ");
}

/* ---- the real network ---- */

static void a_connection_works_over_sockets(void **state) {
    struct iw_region *region =
        iw_memory_register(memory[1], 0x22, 0, LONGEST, IW_RIGHT_READ | IW_RIGHT_WRITE);
    struct iw_post read = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = 0x11, .size = LONGEST, .source_stag = 0x22},
        .id = 2};

    (void)state;
    iw_bench_free(&bench);
    iw_bench_init(&bench, IW_LOOP_REAL);
    bench.initiator.config.memory = memory[0];
    bench.responder.config.memory = memory[1];
    bench.responder.config.markers = true;
    iw_memory_register(memory[0], 0x11, 0, LONGEST, 0);
    memcpy(region->octets, pattern, LONGEST);
    iw_bench_connect(&bench);
    post(&bench.initiator, send_of(LONGEST, 1));
    post(&bench.initiator, read);
    iw_bench_run_until(&bench, &bench.initiator, "done:2:102400");
    assert_memory_equal(bench.responder.message, pattern, LONGEST);
    assert_memory_equal(iw_memory_find(memory[0], 0x11)->octets, pattern, LONGEST);
    iw_endpoint_close(bench.initiator.endpoint);
    iw_bench_run_until(&bench, &bench.initiator, "closed:fin");
    assert_string_equal(
        bench.responder.log, "connected request:0 established message:3:1:102400 read:102400 closed:fin ");
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(every_size_arrives_whatever_the_framing),
        TEST(writes_and_reads_of_every_size),
        TEST(reads_wait_for_ord),
        TEST(a_response_and_a_send_are_not_interleaved),
        TEST(the_four_sends),
        TEST(a_read_request_and_its_answer),
        TEST(an_error_of_the_ulp_sends_a_terminate_without_headers),
        TEST(close_waits_for_posts),
        TEST(a_reset_is_seen_and_flushes),
        TEST(an_endpoint_may_be_freed_in_any_event),
        TEST(posts_that_wait_are_counted),
        TEST(the_backlog_counts_the_rest_of_a_message),
        TEST(a_filter_changes_drops_and_repeats),
        TEST(a_post_is_adjusted),
        TEST(a_connection_works_entirely_by_hand),
        TEST(a_connection_works_over_sockets),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
