#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_bench.h"

/* What a requester sends for an Atomic, a Flush, a Verify and an Atomic Write, and the responses that it
 * accepts. The peer is a bare port that sends the octets given here. */

#define M03 "4d504120 49442052 65702046 72616d65 40010000 "
#define ADD1                                                                                                 \
    "0046414a 00000000 00000001 00000001 00000000 00000000 cafe0001 11223344 00000000 00003000 00000000 "    \
    "00000005 00000000 00000000 00000000 00000000 ffffffff ffffffff d14548c8 "
#define VERIFY1H                                                                                             \
    "0026414e 00000000 00000001 00000001 00000000 11223344 00000008 00000000 00003000 68617368 032e286c "
#define FLUSH1V                                                                                              \
    "0026414c 00000000 00000001 00000001 00000000 11223344 00000008 00000000 00003000 00000002 cbbd331f "
#define MARK1                                                                                                \
    "002a4150 00000000 00000001 00000001 00000000 11223344 00000008 00000000 00003008 01020304 05060708 "    \
    "cf40644d "
#define FLUSHED1 "0012414d 00000000 00000003 00000001 00000000 58c70fec "
#define MARKED1 "00124151 00000000 00000003 00000001 00000000 0aa79e8e "
#define HASHED1 "0016414f 00000000 00000003 00000001 00000000 68617368 7e03e82c "
#define ADDED "001e414b 00000000 00000003 00000001 00000000 cafe0001 00000000 00000007 ca9130b5 "

struct exchange {
    const char *said;
    const char *answer;
};

/* Identifier, MSN, opcode, a Read Response, length. */
static const struct exchange wrong_atomic_answers[] = {
    {"001e414b 00000000 00000003 00000001 00000000 cafe0002 00000000 00000007 e39d9fac",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 001e414b 00000000 00000003 00000001 00000000 "
        "10e013c1"},
    {"001e414b 00000000 00000003 00000002 00000000 cafe0001 00000000 00000007 2bf51d55",
        "002a4147 00000000 00000002 00000001 00000000 1203c000 001e414b 00000000 00000003 00000002 00000000 "
        "8ee228de"},
    {"0012414d 00000000 00000003 00000001 00000000 58c70fec",
        "002a4147 00000000 00000002 00000001 00000000 0206c000 0012414d 00000000 00000003 00000001 00000000 "
        "68bbc445"},
    {"000ec142 00000001 00000000 00000000 21a3e83e",
        "00264147 00000000 00000002 00000001 00000000 0206c000 000ec142 00000001 00000000 00000000 dc9c34a1"},
    {"001f414b 00000000 00000003 00000001 00000000 cafe0001 00000000 00000007 00000000 bae7ea40",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 001f414b 00000000 00000003 00000001 00000000 "
        "f7ac2878"},
};

/* A different hash, a longer one, no hash, a different opcode. */
static const struct exchange wrong_verify_answers[] = {
    {"0016414f 00000000 00000003 00000001 00000000 6861736b 8af0b83f",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 0016414f 00000000 00000003 00000001 00000000 "
        "902deb60"},
    {"0017414f 00000000 00000003 00000001 00000000 68617368 21000000 ab7144da",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 0017414f 00000000 00000003 00000001 00000000 "
        "7761d0d9"},
    {"0012414f 00000000 00000003 00000001 00000000 e67fc653",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 0012414f 00000000 00000003 00000001 00000000 "
        "eef3de8f"},
    {"00124151 00000000 00000003 00000001 00000000 0aa79e8e",
        "002a4147 00000000 00000002 00000001 00000000 0206c000 00124151 00000000 00000003 00000001 00000000 "
        "3adb5527"},
};

/* A payload; without L. */
static const struct exchange wrong_flush_answers[] = {
    {"0013414d 00000000 00000003 00000001 00000000 78000000 b051299b",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 0013414d 00000000 00000003 00000001 00000000 "
        "b7072c89"},
    {"0012014d 00000000 00000003 00000001 00000000 8bd67b38",
        "002a4147 00000000 00000002 00000001 00000000 0207c000 0012014d 00000000 00000003 00000001 00000000 "
        "835a63e4"},
};

static struct iw_bench bench;

static int set_up(void **state) {
    (void)state;
    iw_bench_init(&bench, IW_LOOP_VIRTUAL);
    bench.initiator.config.extensions = bench.responder.config.extensions = IW_EXT_ALL;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_bench_free(&bench);
    return 0;
}

/* ---- the four requests, with identifiers from 1 on ---- */

static const struct iw_atomic_request add = {
    .identifier = 0xCAFE0001, .stag = 0x11223344, .to = 0x3000, .data = 5, .compare_mask = UINT64_MAX};
static const struct iw_flush_request flush = {.stag = 0x11223344, .length = 8, .to = 0x3000, .g = 1};
static const struct iw_verify_request verify = {.stag = 0x11223344, .length = 8, .to = 0x3000};
static const struct iw_atomic_write_request mark = {
    .stag = 0x11223344, .length = 8, .to = 0x3008, .data = 0x0102030405060708};

static void post(uint8_t opcode, uint64_t id) {
    uint8_t header[iw_atomic_request_octets];
    struct iw_post message = {.opcode = opcode, .id = id, .header = header};

    if (opcode == IW_RDMAP_OP_ATOMIC_REQUEST)
        iw_atomic_request_encode(&add, header);
    else if (opcode == IW_RDMAP_OP_FLUSH_REQUEST)
        iw_flush_request_encode(&flush, header);
    else if (opcode == IW_RDMAP_OP_ATOMIC_WRITE_REQUEST)
        iw_atomic_write_request_encode(&mark, header);
    else
        iw_verify_request_encode(&verify, header);
    if (opcode == IW_RDMAP_OP_VERIFY_REQUEST) {
        message.payload = (const uint8_t *)"hash";
        message.payload_octets = 4;
    }
    assert_int_equal(iw_endpoint_post(bench.initiator.endpoint, &message), IW_OK);
}

static void begin(uint8_t opcode, const char *fpdu) {
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    bench.raw.length = 0;
    iw_bench_say(&bench, M03);
    iw_bench_run(&bench);
    post(opcode, 1);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, fpdu);
    bench.initiator.log[0] = '\0';
}

static void ends_with(uint8_t opcode, const char *fpdu, const char *answer, const char *log) {
    begin(opcode, fpdu);
    iw_bench_say(&bench, answer);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, log);
    tear_down(NULL);
    set_up(NULL);
}

static void responses_complete_requests(void **state) {
    (void)state;
    ends_with(IW_RDMAP_OP_ATOMIC_REQUEST, ADD1, ADDED, "answered:1:7:0 ");
    ends_with(IW_RDMAP_OP_VERIFY_REQUEST, VERIFY1H, HASHED1, "answered:1:0:4 ");
    ends_with(IW_RDMAP_OP_FLUSH_REQUEST, FLUSH1V, FLUSHED1, "answered:1:0:0 ");
    ends_with(IW_RDMAP_OP_ATOMIC_WRITE_REQUEST, MARK1, MARKED1, "answered:1:0:0 ");
}

/* The Terminate shows the wrong response; the request gets no other response. */
static void all_end_it(uint8_t opcode, const char *fpdu, const struct exchange *exchanges, size_t count) {
    for (size_t i = 0; i < count; i++) {
        begin(opcode, fpdu);
        iw_bench_say(&bench, exchanges[i].said);
        iw_bench_run(&bench);
        iw_bench_expect(&bench, exchanges[i].answer);
        assert_int_equal(bench.raw.end, 'F');
        assert_non_null(strstr(bench.initiator.log, "flushed:1 "));
        assert_null(strstr(bench.initiator.log, "answered"));
        tear_down(NULL);
        set_up(NULL);
    }
}

#define END_IT(opcode, fpdu, table) all_end_it(opcode, fpdu, table, sizeof table / sizeof *table)

static void a_response_must_match_its_request(void **state) {
    (void)state;
    END_IT(IW_RDMAP_OP_ATOMIC_REQUEST, ADD1, wrong_atomic_answers);
    END_IT(IW_RDMAP_OP_VERIFY_REQUEST, VERIFY1H, wrong_verify_answers);
    END_IT(IW_RDMAP_OP_FLUSH_REQUEST, FLUSH1V, wrong_flush_answers);
}

static void a_skipped_check_accepts_a_wrong_response(void **state) {
    (void)state;
    bench.initiator.config.policy.omitted_checks = IW_POLICY_CHECK_SET(RESPONSE);
    begin(IW_RDMAP_OP_ATOMIC_REQUEST, ADD1);
    iw_bench_say(&bench, FLUSHED1);
    iw_bench_run(&bench);
    assert_string_equal(bench.initiator.log, "");
    assert_int_equal(bench.raw.end, 0);
}

static void a_request_sent_by_hand_is_outstanding(void **state) {
    struct iw_emit emit;

    (void)state;
    iw_bench_connect_to_raw(&bench);
    iw_bench_run(&bench);
    bench.raw.length = 0;
    iw_bench_say(&bench, M03);
    iw_bench_run(&bench);
    iw_endpoint_prepare_fpdu(bench.initiator.endpoint, IW_RDMAP_OP_VERIFY_REQUEST, &emit);
    iw_verify_request_encode(&verify, emit.header);
    emit.payload = (const uint8_t *)"hash";
    emit.payload_octets = 4;
    assert_int_equal(iw_endpoint_emit(bench.initiator.endpoint, &emit), IW_OK);
    iw_bench_run(&bench);
    iw_bench_expect(&bench, VERIFY1H);
    iw_bench_say(&bench, HASHED1);
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.initiator.log, "answered:0:0:4 "));
}

/* ---- two endpoints ---- */

static const uint8_t opcodes[] = {IW_RDMAP_OP_ATOMIC_REQUEST, IW_RDMAP_OP_FLUSH_REQUEST,
    IW_RDMAP_OP_READ_REQUEST, IW_RDMAP_OP_ATOMIC_WRITE_REQUEST};

/* The memory that the requests need at the responder. */
static struct iw_memory *offer(void) {
    struct iw_memory *memory = iw_memory_new();

    iw_memory_register(
        memory, 0x11223344, 0x3000, 16, IW_RIGHT_READ | IW_RIGHT_WRITE | IW_RIGHT_ATOMIC | IW_RIGHT_EXPOSE);
    bench.responder.config.memory = memory;
    return memory;
}

static unsigned waiting, most;

static void count_waiting(struct iw_bench_side *side, const struct iw_event *event) {
    (void)side;
    if (event->kind == IW_EVENT_SENT)
        waiting++;
    else if (event->kind == IW_EVENT_ANSWERED || event->kind == IW_EVENT_READ_DONE)
        waiting--;
    most = waiting > most ? waiting : most;
}

/* Completions come in the order of the posts (RFC 5040 5.5), and at most ORD requests are outstanding. */
static void completions_are_in_order_and_within_ord(void **state) {
    struct iw_memory *memory = offer();
    char expected[2048] = "";

    (void)state;
    waiting = most = 0;
    bench.initiator.config.ord = bench.responder.config.ird = 3;
    bench.initiator.react = count_waiting;
    iw_bench_connect(&bench);
    for (unsigned i = 0; i < 40; i++) {
        uint8_t opcode = opcodes[i * 7 % 4];

        if (opcode == IW_RDMAP_OP_READ_REQUEST)
            iw_endpoint_post(bench.initiator.endpoint,
                &(struct iw_post){.opcode = opcode, .id = i, .read = {.sink_stag = 1, .source_stag = 1}});
        else
            post(opcode, i);
    }
    iw_bench_run(&bench);
    assert_int_equal(waiting, 0);
    assert_int_equal(most, 3);
    for (const char *at = bench.initiator.log; (at = strpbrk(at, "ad")) != NULL; at++)
        if (strncmp(at, "answered:", 9) == 0 || strncmp(at, "done:", 5) == 0)
            strncat(expected, strchr(at, ':'), strcspn(strchr(at, ':') + 1, ":") + 1);
    assert_string_equal(expected,
        ":0:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:16:17:18:19:20:21:22:23:24:25:26:27:28:29:30:31:32:33:34:35:"
        "36:37:38:39");
    iw_memory_free(memory);
}

static void outstanding_requests_are_flushed_at_the_end(void **state) {
    (void)state;
    bench.responder.config.automatic.responses = false;
    iw_bench_connect(&bench);
    post(IW_RDMAP_OP_ATOMIC_REQUEST, 1);
    post(IW_RDMAP_OP_FLUSH_REQUEST, 2);
    iw_bench_run(&bench);
    iw_endpoint_terminate(bench.responder.endpoint, IW_ERROR_RDMAP_LOCAL_CATASTROPHIC);
    iw_bench_run(&bench);
    assert_non_null(strstr(bench.initiator.log, "terminate:0/0/00 flushed:1 flushed:2 closed:fin "));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(responses_complete_requests),
        TEST(a_response_must_match_its_request),
        TEST(a_skipped_check_accepts_a_wrong_response),
        TEST(a_request_sent_by_hand_is_outstanding),
        TEST(completions_are_in_order_and_within_ord),
        TEST(outstanding_requests_are_flushed_at_the_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
