#include "iw_ddp_association.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "iw_endpoint.h"
#include "iw_memory.h"
#include "iw_name.h"
#include "iw_sctp_wait_test.h"

/* A listener whose sessions get endpoints, and an association on which endpoints or the test itself begin
 * sessions. */

enum { ENDPOINTS_MAX = 8, HEARD_MAX = 512 };

struct bench;

struct user {
    struct bench *bench;
    struct iw_endpoint *endpoint;
    bool established;
    bool rejected;
    bool closed;
    enum iw_end end;
    unsigned messages;
    char message[64];
    unsigned read_done;
    bool terminated; /* a Terminate has come */
};

struct bench {
    struct sctp_wait wait;
    struct iw_sctp_stack *stack;
    struct iw_ddp_listener *listener;
    struct iw_ddp_association *association;
    struct iw_memory *memory;
    struct iw_endpoint_config responder;
    bool hold; /* ports get no endpoint: the ULP does not decide */
    struct iw_port *ports[ENDPOINTS_MAX];
    unsigned port_count;
    struct user responders[ENDPOINTS_MAX];
    unsigned responder_count;
    struct user initiator;
    bool opened;
    bool ended;
    enum iw_sctp_link_end end;
    bool by_emit;          /* the test takes all messages, sessions get none */
    char heard[HEARD_MAX]; /* "0:accept 1:segment " ... by stream */
};

static void look(struct bench *bench) {
    sctp_wait_look(&bench->wait, bench);
}

static void on_event(void *context, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct user *user = context;

    user->endpoint = endpoint;
    switch (event->kind) {
    case IW_EVENT_ESTABLISHED:
        user->established = true;
        break;
    case IW_EVENT_REJECTED:
        user->rejected = true;
        break;
    case IW_EVENT_MESSAGE:
        user->messages++;
        memcpy(user->message, event->octets, event->octet_count < 63 ? event->octet_count : 63);
        break;
    case IW_EVENT_READ_DONE:
        user->read_done++;
        break;
    case IW_EVENT_TERMINATE:
        user->terminated = true;
        break;
    case IW_EVENT_CLOSED:
        user->closed = true;
        user->end = event->end;
        break;
    default:
        break;
    }
    look(user->bench);
}

static void on_session(
    void *context, struct iw_ddp_association *association, uint16_t stream, struct iw_port *port) {
    struct bench *bench = context;
    struct user *user = &bench->responders[bench->responder_count];

    (void)association;
    (void)stream;
    if (bench->hold) {
        bench->ports[bench->port_count++] = port;
        look(bench);
        return;
    }
    user->bench = bench;
    bench->responder_count++;
    bench->responder.memory = bench->memory;
    iw_ddp_association_configure(&bench->responder);
    user->endpoint = iw_endpoint_accept(port, &bench->responder, on_event, user);
    assert_non_null(user->endpoint);
}

static void on_opened(void *context, struct iw_ddp_association *association) {
    struct bench *bench = context;

    (void)association;
    bench->opened = true;
    look(bench);
}

static bool on_message(
    void *context, struct iw_ddp_association *association, const struct iw_sctp_message *message) {
    static const char *const names[] = {"?", "initiate", "accept", "reject", "terminate", "enhanced-initiate",
        "enhanced-accept", "enhanced-reject"};
    struct bench *bench = context;
    size_t length = strlen(bench->heard);
    unsigned function = message->octets[3];

    (void)association;
    snprintf(bench->heard + length, sizeof bench->heard - length, "%u:%s ", message->stream,
        message->ppid == IW_SCTP_PPID_SEGMENT ? "segment" : names[function < 8 ? function : 0]);
    look(bench);
    return bench->by_emit;
}

static void on_ended(
    void *context, struct iw_ddp_association *association, enum iw_sctp_link_end end, const char *text) {
    struct bench *bench = context;

    (void)association;
    (void)text;
    bench->ended = true;
    bench->end = end;
    look(bench);
}

static void run_until(struct bench *bench, bool (*done)(const struct bench *bench)) {
    sctp_wait_until(&bench->wait, bench, done);
}

static bool is_opened(const struct bench *bench) {
    return bench->opened || bench->ended;
}

static struct iw_endpoint_config endpoint_config(bool initiator) {
    struct iw_endpoint_config config = iw_endpoint_config_default(initiator);

    config.no_crc = true;
    config.receives.count = IW_RECEIVES_ENDLESS;
    config.receives.octets = 65536;
    return config;
}

static void begin(struct bench *bench, enum iw_loop_kind kind, unsigned unusual,
    const struct iw_ddp_association_config *own) {
    static const struct iw_ddp_association_handlers passive = {.session = on_session};
    static const struct iw_ddp_association_handlers active = {
        .opened = on_opened, .message = on_message, .ended = on_ended};
    struct iw_sctp_where where = {.host = "127.0.0.1", .tunnelled = true};
    const struct iw_ddp_association_config config = {.policy.unusual_checks = unusual, .pending = 2};
    char text[IW_SCTP_LINK_TEXT_OCTETS] = "";

    memset(bench, 0, sizeof *bench);
    bench->wait.loop = iw_loop_new(kind);
    bench->stack = iw_sctp_stack_new(bench->wait.loop);
    bench->memory = iw_memory_new();
    bench->responder = endpoint_config(false);
    bench->initiator.bench = bench;
    bench->listener = iw_ddp_listener_new(bench->stack, &where, &config, &passive, bench, text);
    assert_non_null(bench->listener);
    where = iw_ddp_listener_where(bench->listener);
    where.host = "127.0.0.1";
    bench->association = iw_ddp_association_connect(bench->stack, &where, own, &active, bench, text);
    assert_non_null(bench->association);
    run_until(bench, is_opened);
}

static void end_bench(struct bench *bench) {
    iw_endpoint_free(bench->initiator.endpoint);
    for (unsigned i = 0; i < bench->responder_count; i++)
        iw_endpoint_free(bench->responders[i].endpoint);
    for (unsigned i = 0; i < bench->port_count; i++)
        iw_port_free(bench->ports[i]);
    iw_ddp_association_free(bench->association);
    iw_ddp_listener_free(bench->listener);
    iw_sctp_stack_free(bench->stack);
    iw_memory_free(bench->memory);
    iw_loop_free(bench->wait.loop);
}

static const struct iw_ddp_association_config plain;

/* ---- endpoints on both sides ---- */

static void initiate(struct bench *bench, uint16_t stream, const struct iw_endpoint_config *config) {
    struct iw_port *port = iw_ddp_association_session(bench->association, stream);
    struct iw_endpoint_config own = *config;

    assert_non_null(port);
    iw_ddp_association_configure(&own);
    bench->initiator.endpoint = iw_endpoint_accept(port, &own, on_event, &bench->initiator);
    assert_non_null(bench->initiator.endpoint);
}

static bool both_established(const struct bench *bench) {
    return bench->initiator.established && bench->responder_count > 0 && bench->responders[0].established;
}

static bool has_message(const struct bench *bench) {
    return bench->responders[0].messages > 0;
}

static bool has_read(const struct bench *bench) {
    return bench->initiator.read_done > 0;
}

static bool both_closed(const struct bench *bench) {
    return bench->initiator.closed && bench->responders[0].closed;
}

static bool has_ended(const struct bench *bench) {
    return bench->ended;
}

static void read_much(struct bench *bench) {
    static uint8_t octets[100000];
    const struct iw_registration source = {.size = sizeof octets, .rights = IW_RIGHT_READ | IW_RIGHT_WRITE};
    enum iw_refusal refusal;
    struct iw_region *from = iw_memory_offer(bench->memory, &source, &refusal);
    struct iw_region *to = iw_memory_offer(bench->memory, &source, &refusal);

    assert_non_null(from);
    assert_non_null(to);
    iw_region_fill(from, (const uint8_t *)"abc", 3);

    const struct iw_post post = {.opcode = IW_RDMAP_OP_READ_REQUEST,
        .read = {.sink_stag = to->stag,
            .sink_to = to->base,
            .size = sizeof octets,
            .source_stag = from->stag,
            .source_to = from->base}};

    assert_int_equal(iw_endpoint_post(bench->initiator.endpoint, &post), IW_OK);
    run_until(bench, has_read);
    assert_memory_equal(to->octets, from->octets, sizeof octets);
}

static void check_exchange(enum iw_loop_kind kind) {
    struct bench bench;
    struct iw_endpoint_config config = endpoint_config(true);
    const struct iw_post post = {
        .opcode = IW_RDMAP_OP_SEND, .payload = (const uint8_t *)"hello", .payload_octets = 5};

    begin(&bench, kind, 0, &plain);
    assert_true(bench.opened);
    config.revision = 2;
    config.enhanced = true;
    config.peer_to_peer = true;
    config.memory = bench.memory;
    initiate(&bench, 5, &config);
    run_until(&bench, both_established);
    assert_string_equal(bench.heard, "5:enhanced-accept ");
    iw_endpoint_post(bench.initiator.endpoint, &post);
    run_until(&bench, has_message);
    assert_memory_equal(bench.responders[0].message, "hello", 5);
    read_much(&bench);
    bench.heard[0] = 0;
    iw_endpoint_close(bench.initiator.endpoint);
    run_until(&bench, both_closed);
    assert_int_equal(bench.initiator.end, IW_END_FIN);
    assert_int_equal(bench.responders[0].end, IW_END_FIN);
    assert_non_null(strstr(bench.heard, "5:terminate "));
    iw_ddp_association_close(bench.association);
    run_until(&bench, has_ended);
    assert_int_equal(bench.end, IW_SCTP_LINK_SHUTDOWN);
    end_bench(&bench);
}

static void test_exchange_in_memory(void **state) {
    (void)state;
    check_exchange(IW_LOOP_VIRTUAL);
}

static void test_exchange_in_udp(void **state) {
    (void)state;
    check_exchange(IW_LOOP_REAL);
}

static bool is_rejected(const struct bench *bench) {
    return bench->initiator.rejected;
}

static void test_reject(void **state) {
    struct bench bench;
    struct iw_endpoint_config config = endpoint_config(true);

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, 0, &plain);
    bench.responder.reject = true;
    initiate(&bench, 0, &config);
    run_until(&bench, is_rejected);
    assert_string_equal(bench.heard, "0:reject ");
    end_bench(&bench);
}

/* ---- chunks made by the test ---- */

static void put(struct bench *bench, uint16_t stream, uint32_t ppid, const char *octets, size_t length) {
    assert_int_equal(
        iw_ddp_association_put(bench->association, stream, ppid, (const uint8_t *)octets, length), IW_OK);
}

static void put_at(
    struct bench *bench, uint16_t ssn, uint16_t stream, uint32_t ppid, const char *octets, size_t length) {
    iw_ddp_association_set_ssn(bench->association, stream, ssn);
    put(bench, stream, ppid, octets, length);
}

#define INITIATE "\x00\x01"
#define TERMINATE "\x00\x04"
/* Send with MSN 1 of "hi". */
#define SEND "\x41\x43\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\0hi"

static void begin_by_hand(struct bench *bench, unsigned unusual) {
    begin(bench, IW_LOOP_VIRTUAL, unusual, &plain);
    bench->by_emit = true;
}

static bool hears_accept(const struct bench *bench) {
    return strstr(bench->heard, "accept") != NULL;
}

static bool hears_terminate(const struct bench *bench) {
    return strstr(bench->heard, "terminate") != NULL;
}

static void test_order(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put_at(&bench, 2, 1, 17, TERMINATE, 2);
    put_at(&bench, 1, 1, 16, SEND, 20);
    run_until(&bench, has_message);
    run_until(&bench, hears_terminate);
    assert_string_equal(bench.heard, "1:accept 1:terminate ");
    assert_true(bench.responders[0].closed);
    assert_int_equal(bench.responders[0].end, IW_END_FIN);
    end_bench(&bench);
}

/* The same stream again, once the session is over. */
static void test_again(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put(&bench, 1, 17, TERMINATE, 2);
    run_until(&bench, hears_terminate);
    bench.heard[0] = '\0';
    put_at(&bench, 0, 1, 17, INITIATE "again", 7);
    run_until(&bench, hears_accept);
    assert_int_equal(bench.responder_count, 2);
    end_bench(&bench);
}

static bool has_closed(const struct bench *bench) {
    return bench->responder_count > 0 && bench->responders[0].closed;
}

static void test_chunks_after_the_end(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    bench.responder.automatic.close = false;
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put(&bench, 1, 17, TERMINATE, 2);
    run_until(&bench, has_closed);
    put(&bench, 1, 16, SEND, 20);
    run_until(&bench, hears_terminate);
    assert_int_equal(bench.responders[0].messages, 0);
    end_bench(&bench);
}

static void check_torn(uint32_t ppid, const char *octets, size_t length, uint16_t ssn, bool initiated) {
    struct bench bench;

    begin_by_hand(&bench, 0);
    if (initiated) {
        put(&bench, 1, 17, INITIATE, 2);
        run_until(&bench, hears_accept);
    }
    put_at(&bench, ssn, 1, ppid, octets, length);
    run_until(&bench, hears_terminate);
    end_bench(&bench);
}

static void test_illegal_sequences(void **state) {
    (void)state;
    check_torn(16, SEND, 20, 0, false);
    check_torn(17, "\x00\x02", 2, 0, false);
    check_torn(17, INITIATE, 2, 1, true);
    check_torn(17, "\x00\x02", 2, 1, true);
    check_torn(17, "\x00\x09", 2, 1, true);
}

static void test_impossible_ssn(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put_at(&bench, 0x9000, 1, 16, SEND, 20);
    put_at(&bench, 1, 1, 16, SEND, 20);
    run_until(&bench, has_message);
    assert_int_equal(bench.responders[0].messages, 1);
    end_bench(&bench);

    begin_by_hand(&bench, IW_DDP_CHECK_SET(SSN_RANGE));
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    put_at(&bench, 0x9000, 1, 16, SEND, 20);
    run_until(&bench, hears_terminate);
    assert_int_equal(bench.responders[0].messages, 0);
    end_bench(&bench);
}

static bool all_have_come(const struct bench *bench) {
    return bench->responders[0].messages == 5000;
}

static void test_chunks_that_wait_for_a_missing_one(void **state) {
    static char much[60000] = "\x41\x43";
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    for (unsigned i = 5000; i > 0; i--) {
        char send[20] = SEND;

        send[12] = (char)(i >> 8);
        send[13] = (char)i;
        put_at(&bench, (uint16_t)i, 1, 16, send, sizeof send);
    }
    run_until(&bench, all_have_come);
    end_bench(&bench);

    begin_by_hand(&bench, 0);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, hears_accept);
    for (unsigned i = 2; i < 200; i++)
        put_at(&bench, (uint16_t)i, 1, 16, much, sizeof much);
    run_until(&bench, hears_terminate);
    end_bench(&bench);
}

static bool two_wait(const struct bench *bench) {
    return bench->port_count == 2;
}

/* RFC 5043 6.4. */
static void test_pending(void **state) {
    struct bench bench;

    (void)state;
    begin_by_hand(&bench, 0);
    bench.hold = true;
    put(&bench, 0, 17, INITIATE, 2);
    put(&bench, 1, 17, INITIATE, 2);
    run_until(&bench, two_wait);
    put(&bench, 2, 17, INITIATE, 2);
    run_until(&bench, hears_terminate);
    assert_string_equal(bench.heard, "2:terminate ");
    end_bench(&bench);
}

static void check_indication(const struct iw_sctp_link_config *link) {
    struct bench bench;
    const struct iw_ddp_association_config own = {.link = *link};

    begin(&bench, IW_LOOP_VIRTUAL, 0, &own);
    run_until(&bench, has_ended);
    assert_int_equal(bench.end, IW_SCTP_LINK_ABORTED);
    end_bench(&bench);
}

static void test_indication(void **state) {
    const struct iw_sctp_link_config none = {.unindicated = true};
    const struct iw_sctp_link_config other = {.indication = 2};

    (void)state;
    check_indication(&none);
    check_indication(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange_in_memory),
        cmocka_unit_test(test_exchange_in_udp),
        cmocka_unit_test(test_reject),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_chunks_after_the_end),
        cmocka_unit_test(test_illegal_sequences),
        cmocka_unit_test(test_impossible_ssn),
        cmocka_unit_test(test_chunks_that_wait_for_a_missing_one),
        cmocka_unit_test(test_pending),
        cmocka_unit_test(test_indication),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
