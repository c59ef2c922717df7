#include "iw_sctp_link.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_bits.h"
#include "iw_sctp_packet.h"
#include "iw_sctp_wait_test.h"

/* Two ends of an association in one program, on a loop of either kind. */

enum { RECEIVED_MAX = 4 };

struct end {
    struct iw_sctp_link *link;
    struct bench *bench;
    bool connected;
    bool ended;
    enum iw_sctp_link_end end;
    char text[IW_SCTP_LINK_TEXT_OCTETS];
    unsigned received;
    struct iw_sctp_message messages[RECEIVED_MAX];
    char octets[RECEIVED_MAX][64];
};

struct bench {
    struct sctp_wait wait;
    struct iw_sctp_stack *stack;
    struct iw_sctp_listener *gate;
    struct end opener;
    struct end listener;
    unsigned packets;
    unsigned aborts;
};

static void look(struct bench *bench) {
    sctp_wait_look(&bench->wait, bench);
}

static void on_connected(void *user) {
    struct end *end = user;

    end->connected = true;
    look(end->bench);
}

static void on_received(void *user, const struct iw_sctp_message *message) {
    struct end *end = user;

    if (end->received < RECEIVED_MAX) {
        end->messages[end->received] = *message;
        memcpy(end->octets[end->received], message->octets,
            message->length < sizeof end->octets[0] ? message->length : sizeof end->octets[0]);
    }
    end->received++;
    look(end->bench);
}

static void on_writable(void *user) {
    const struct end *end = user;

    look(end->bench);
}

static void on_ended(void *user, enum iw_sctp_link_end how, const char *text) {
    struct end *end = user;

    end->ended = true;
    end->end = how;
    strcpy(end->text, text);
    look(end->bench);
}

static const struct iw_sctp_link_handlers handlers = {
    .connected = on_connected, .received = on_received, .writable = on_writable, .ended = on_ended};

static void on_accept(void *user, struct iw_sctp_link *link) {
    struct bench *bench = user;

    assert_null(bench->listener.link);
    bench->listener.link = link;
    iw_sctp_link_handle(link, &handlers, &bench->listener);
}

static void tap(void *user, const struct iw_tcp_segment *packet) {
    struct bench *bench = user;
    struct iw_sctp_chunks chunks = {packet->payload + 12, packet->length - 12, packet->length - 12};
    struct iw_sctp_chunk chunk;

    bench->packets++;
    while (iw_sctp_chunk_next(&chunks, &chunk))
        bench->aborts += chunk.type == IW_SCTP_ABORT;
}

static void run_until(struct bench *bench, bool (*done)(const struct bench *bench)) {
    sctp_wait_until(&bench->wait, bench, done);
}

static struct iw_sctp_where somewhere = {.host = "127.0.0.1", .tunnelled = true};

static struct iw_sctp_where where_of(const struct bench *bench) {
    struct iw_sctp_where where = iw_sctp_listener_where(bench->gate);

    where.host = somewhere.host;
    return where;
}

static void begin(struct bench *bench, enum iw_loop_kind kind, const struct iw_sctp_link_config *opener,
    struct iw_sctp_link_config *listener) {
    char text[IW_SCTP_LINK_TEXT_OCTETS] = "";

    memset(bench, 0, sizeof *bench);
    bench->opener.bench = bench;
    bench->listener.bench = bench;
    bench->wait.loop = iw_loop_new(kind);
    bench->stack = iw_sctp_stack_new(bench->wait.loop);
    listener->tap = tap;
    listener->tap_user = bench;
    bench->gate = iw_sctp_listener_new(bench->stack, &somewhere, listener, on_accept, bench, text);
    assert_string_equal(text, "");

    const struct iw_sctp_where where = where_of(bench);
    bench->opener.link = iw_sctp_link_connect(bench->stack, &where, opener, &handlers, &bench->opener, text);
    assert_string_equal(text, "");
}

static void end_bench(struct bench *bench) {
    iw_sctp_link_free(bench->opener.link);
    iw_sctp_link_free(bench->listener.link);
    iw_sctp_listener_free(bench->gate);
    iw_sctp_stack_free(bench->stack);
    iw_loop_free(bench->wait.loop);
}

static bool both_connected(const struct bench *bench) {
    return bench->opener.connected && bench->listener.connected;
}

static bool both_ended(const struct bench *bench) {
    return bench->opener.ended && bench->listener.ended;
}

static bool listener_ended(const struct bench *bench) {
    return bench->listener.ended;
}

static bool opener_ended(const struct bench *bench) {
    return bench->opener.ended;
}

static bool both_received_two(const struct bench *bench) {
    return bench->opener.received == 2 && bench->listener.received == 2;
}

static void send_both(struct bench *bench) {
    assert_int_equal(iw_sctp_link_send(bench->opener.link, 3, 16, false, (const uint8_t *)"one", 3), IW_OK);
    assert_int_equal(iw_sctp_link_send(bench->opener.link, 0, 17, true, (const uint8_t *)"second", 6), IW_OK);
    assert_int_equal(
        iw_sctp_link_send(bench->listener.link, 15, 16, false, (const uint8_t *)"back", 4), IW_OK);
    assert_int_equal(
        iw_sctp_link_send(bench->listener.link, 15, 16, false, (const uint8_t *)"again", 5), IW_OK);
}

static void check_exchange(enum iw_loop_kind kind) {
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_link_config other = {.indication = 7, .streams = 20};
    struct bench bench;

    begin(&bench, kind, &plain, &other);
    run_until(&bench, both_connected);
    assert_true(iw_sctp_link_peer(bench.opener.link)->indicated);
    assert_int_equal(iw_sctp_link_peer(bench.opener.link)->indication, 7);
    assert_true(iw_sctp_link_peer(bench.listener.link)->indicated);
    assert_int_equal(iw_sctp_link_peer(bench.listener.link)->indication, 1);
    assert_int_equal(iw_sctp_link_peer(bench.listener.link)->outbound, 16);
    assert_int_equal(iw_sctp_link_peer(bench.listener.link)->inbound, 16);
    send_both(&bench);
    assert_int_equal(
        iw_sctp_link_send(bench.opener.link, 16, 16, false, (const uint8_t *)"one", 3), IW_ERR_ARGUMENT);
    run_until(&bench, both_received_two);
    assert_int_equal(bench.listener.messages[0].stream, 3);
    assert_int_equal(bench.listener.messages[0].ppid, 16);
    assert_int_equal(bench.listener.messages[0].length, 3);
    assert_false(bench.listener.messages[0].ordered);
    assert_memory_equal(bench.listener.octets[0], "one", 3);
    assert_true(bench.listener.messages[1].ordered);
    assert_int_equal(bench.listener.messages[1].ppid, 17);
    assert_int_equal(bench.opener.messages[0].stream, 15);
    assert_memory_equal(bench.opener.octets[1], "again", 5);
    iw_sctp_link_close(bench.opener.link);
    run_until(&bench, both_ended);
    assert_int_equal(bench.opener.end, IW_SCTP_LINK_SHUTDOWN);
    assert_int_equal(bench.listener.end, IW_SCTP_LINK_SHUTDOWN);
    assert_true(bench.packets >= 8);
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

/* Needs the right to open raw sockets. */
static void test_exchange_in_ip(void **state) {
    int descriptor = socket(AF_INET, SOCK_RAW, IPPROTO_SCTP);

    (void)state;
    if (descriptor < 0)
        skip();
    close(descriptor);
    somewhere.tunnelled = false;
    check_exchange(IW_LOOP_REAL);
    somewhere.tunnelled = true;
}

static void test_no_indication(void **state) {
    struct iw_sctp_link_config none = {.unindicated = true};
    struct iw_sctp_link_config plain = {0};
    struct bench bench;

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, &none, &plain);
    run_until(&bench, both_connected);
    assert_false(iw_sctp_link_peer(bench.listener.link)->indicated);
    assert_true(iw_sctp_link_peer(bench.opener.link)->indicated);
    end_bench(&bench);
}

static void test_abort(void **state) {
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_link_config listener = {0};
    struct bench bench;

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, &plain, &listener);
    run_until(&bench, both_connected);
    iw_sctp_link_abort(bench.opener.link);
    run_until(&bench, listener_ended);
    assert_int_equal(bench.listener.end, IW_SCTP_LINK_ABORTED);
    assert_non_null(strstr(bench.listener.text, "aborted by peer"));
    assert_false(bench.opener.ended);
    end_bench(&bench);
}

static bool opener_connected(const struct bench *bench) {
    return bench->opener.connected;
}

/* RFC 9260 6.2: DATA without user data is answered by ABORT. */
static void test_inject(void **state) {
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_link_config listener = {0};
    struct bench bench;
    uint8_t chunk[16] = {0, 7, 0, 16, [15] = 16};

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, &plain, &listener);
    run_until(&bench, opener_connected);
    run_until(&bench, both_connected);
    iw_bits_put(chunk, 32, 32, iw_sctp_link_next_tsn(bench.opener.link));
    assert_int_equal(iw_sctp_link_inject(bench.opener.link, chunk, sizeof chunk), IW_OK);
    run_until(&bench, opener_ended);
    assert_int_equal(bench.opener.end, IW_SCTP_LINK_ABORTED);
    assert_int_equal(bench.aborts, 1);
    end_bench(&bench);
}

static void test_no_peer(void **state) {
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_link_config listener = {0};
    struct bench bench;

    (void)state;
    begin(&bench, IW_LOOP_REAL, &plain, &listener);
    run_until(&bench, both_connected);
    iw_sctp_link_free(bench.opener.link);
    run_until(&bench, listener_ended);

    struct iw_sctp_where where = where_of(&bench);
    char text[IW_SCTP_LINK_TEXT_OCTETS] = "";

    iw_sctp_link_free(bench.listener.link);
    iw_sctp_listener_free(bench.gate);
    bench.gate = NULL;
    bench.listener.link = NULL;
    iw_sctp_link_free(NULL);
    bench.opener = (struct end){.bench = &bench};
    bench.opener.link = iw_sctp_link_connect(bench.stack, &where, &plain, &handlers, &bench.opener, text);
    assert_non_null(bench.opener.link);
    run_until(&bench, opener_ended);
    assert_int_equal(bench.opener.end, IW_SCTP_LINK_FAILED);
    assert_non_null(strstr(bench.opener.text, "connection refused"));
    end_bench(&bench);
}

enum { OTHERS = 5, NS_PER_S = 1000000000 };

/* The seconds of the loop's clock until an unanswered association fails, while other stacks of the loop are
 * in use. */
static unsigned seconds_until_failure(unsigned others) {
    const struct iw_sctp_where nowhere = {.host = "127.0.0.1", .port = 7, .tunnel = 7, .tunnelled = true};
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_stack *stacks[OTHERS];
    struct iw_sctp_listener *gates[OTHERS];
    struct bench bench = {.wait.loop = iw_loop_new(IW_LOOP_VIRTUAL)};
    char text[IW_SCTP_LINK_TEXT_OCTETS] = "";
    uint64_t began_ns = iw_loop_time_ns(bench.wait.loop);

    for (unsigned i = 0; i < others; i++) {
        stacks[i] = iw_sctp_stack_new(bench.wait.loop);
        gates[i] = iw_sctp_listener_new(stacks[i], &somewhere, &plain, on_accept, &bench, text);
    }
    bench.stack = iw_sctp_stack_new(bench.wait.loop);
    bench.opener.bench = &bench;
    bench.opener.link = iw_sctp_link_connect(bench.stack, &nowhere, &plain, &handlers, &bench.opener, text);
    bench.wait.done = opener_ended;
    iw_loop_run(bench.wait.loop);
    assert_true(bench.opener.ended);

    unsigned took = (unsigned)((iw_loop_time_ns(bench.wait.loop) - began_ns) / NS_PER_S);

    for (unsigned i = 0; i < others; i++) {
        iw_sctp_listener_free(gates[i]);
        iw_sctp_stack_free(stacks[i]);
    }
    end_bench(&bench);
    return took;
}

/* Time passes once, however many stacks there are. */
static void test_time_of_several_stacks(void **state) {
    unsigned alone = seconds_until_failure(0);

    (void)state;
    assert_in_range(alone, 1, 600);
    assert_in_range(seconds_until_failure(OTHERS), alone - 1, alone + 1);
}

static bool listener_received_one(const struct bench *bench) {
    return bench->listener.received == 1;
}

static bool listener_received_two(const struct bench *bench) {
    return bench->listener.received == 2;
}

/* Other packets overtake the one that is held back. */
static void test_hold(void **state) {
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_link_config listener = {0};
    struct bench bench;

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, &plain, &listener);
    run_until(&bench, both_connected);
    iw_sctp_link_hold(bench.listener.link, true);
    iw_sctp_link_send(bench.opener.link, 0, 16, false, (const uint8_t *)"late", 4);
    run_until(&bench, opener_connected);
    iw_sctp_link_send(bench.opener.link, 0, 16, false, (const uint8_t *)"comes", 5);
    run_until(&bench, listener_received_one);
    assert_memory_equal(bench.listener.octets[0], "comes", 5);
    iw_sctp_link_hold(bench.listener.link, false);
    run_until(&bench, listener_received_two);
    assert_memory_equal(bench.listener.octets[1], "late", 4);
    end_bench(&bench);
}

static bool all_given(const struct bench *bench) {
    return bench->listener.received == 5000;
}

/* More chunks than usrsctp takes at once: the rest waits in the link. */
enum { FLOOD = 40000 };

static bool listener_received_all(const struct bench *bench) {
    return bench->listener.received == FLOOD;
}

static void stop(void *user) {
    iw_loop_stop(user);
}

/* Holds back the first of many chunks, while the others are acknowledged. Returns how many follow it. */
static uint32_t flood(struct bench *bench, bool flooding) {
    struct iw_sctp_link_config opener = {.policy.flooding = flooding};
    struct iw_sctp_link_config listener = {0};
    struct iw_timer timer = {0};

    begin(bench, IW_LOOP_VIRTUAL, &opener, &listener);
    run_until(bench, both_connected);
    bench->wait.done = NULL;
    iw_sctp_link_hold(bench->listener.link, true);
    for (unsigned i = 0; i < FLOOD; i++) {
        assert_int_equal(
            iw_sctp_link_send(bench->opener.link, 0, 16, false, (const uint8_t *)"much", 4), IW_OK);
        if (i > 0)
            continue;
        /* sends it alone in a packet */
        iw_timer_start(&timer, bench->wait.loop, 1000, stop, bench->wait.loop);
        iw_loop_run(bench->wait.loop);
    }
    iw_timer_start(&timer, bench->wait.loop, 5 * 1000 * 1000, stop, bench->wait.loop);
    iw_loop_run(bench->wait.loop);
    return iw_sctp_link_ahead(bench->listener.link);
}

/* RFC 5043 10. The packet held back arrives in the end, and so does each later chunk, once. */
static void test_chunks_in_flight(void **state) {
    struct bench bench;

    (void)state;
    assert_int_equal(flood(&bench, false), 32766);
    iw_sctp_link_hold(bench.listener.link, false);
    run_until(&bench, listener_received_all);
    end_bench(&bench);
    assert_int_equal(flood(&bench, true), FLOOD - 1);
    end_bench(&bench);
}

static void test_many_octets(void **state) {
    struct iw_sctp_link_config plain = {0};
    struct iw_sctp_link_config listener = {0};
    struct bench bench;
    uint8_t octets[1372] = {0};

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, &plain, &listener);
    run_until(&bench, both_connected);
    assert_int_equal(IW_SCTP_LINK_PAYLOAD_MAX, sizeof octets);
    for (unsigned i = 0; i < 5000; i++)
        assert_int_equal(iw_sctp_link_send(bench.opener.link, 1, 16, false, octets, sizeof octets), IW_OK);
    assert_true(iw_sctp_link_queued(bench.opener.link) > 0);
    run_until(&bench, all_given);
    assert_int_equal(iw_sctp_link_queued(bench.opener.link), 0);
    end_bench(&bench);
}

/* usrsctp takes the age of chunks from gettimeofday (see iw_sctp_stack.c): with real time, no chunk would
 * ever be old enough to be retransmitted. */
static void test_time_of_a_virtual_loop(void **state) {
    struct iw_sctp_link_config opener = {0}, listener = {0};
    struct bench bench;
    struct timeval now;

    (void)state;
    begin(&bench, IW_LOOP_VIRTUAL, &opener, &listener);
    assert_int_equal(gettimeofday(&now, NULL), 0);
    assert_int_equal(
        (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_usec, iw_loop_time_ns(bench.wait.loop) / 1000);
    end_bench(&bench);
    assert_int_equal(gettimeofday(&now, NULL), 0);
    assert_in_range((uint64_t)now.tv_sec, (uint64_t)time(NULL) - 1, (uint64_t)time(NULL) + 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exchange_in_memory),
        cmocka_unit_test(test_exchange_in_udp),
        cmocka_unit_test(test_exchange_in_ip),
        cmocka_unit_test(test_no_indication),
        cmocka_unit_test(test_abort),
        cmocka_unit_test(test_inject),
        cmocka_unit_test(test_no_peer),
        cmocka_unit_test(test_time_of_several_stacks),
        cmocka_unit_test(test_time_of_a_virtual_loop),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_chunks_in_flight),
        cmocka_unit_test(test_many_octets),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
