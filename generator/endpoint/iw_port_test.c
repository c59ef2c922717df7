#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_port.h"

/* Ports of both kinds behave alike; what a tap sees is logged as words. */

struct side {
    struct iw_port *port;
    size_t received;
    uint8_t first[64];
    unsigned connected;
    unsigned writable;
    char end; /* 'F', 'R', '!' or 0 */
    char text[IW_PORT_TEXT_OCTETS];
    char tap[512];
    uint64_t tapped[2]; /* octets by side */
    bool fin[2];
    uint64_t hold; /* stop the loop when `received` reaches it */
    bool free_on_end;
};

static struct iw_loop *loop;
static struct iw_listener *listener;
static struct side client;
static struct side server;
static bool hold_server; /* the accepted port gets no handlers */

static void on_connected(void *user) {
    struct side *side = user;

    side->connected++;
    iw_loop_stop(loop);
}

static void on_received(void *user, const uint8_t *octets, size_t length) {
    struct side *side = user;

    for (size_t i = 0; i < length && side->received + i < sizeof side->first; i++)
        side->first[side->received + i] = octets[i];
    side->received += length;
    if (side->received >= side->hold)
        iw_loop_stop(loop);
}

static void on_writable(void *user) {
    struct side *side = user;

    side->writable++;
}

static void on_ended(void *user, enum iw_port_end end, const char *text) {
    struct side *side = user;

    side->end = "FR!"[end];
    strcpy(side->text, text);
    if (side->free_on_end) {
        iw_port_free(side->port);
        side->port = NULL;
    }
    iw_loop_stop(loop);
}

static const struct iw_port_handlers handlers = {on_connected, on_received, on_writable, on_ended};

static void on_tap(void *user, const struct iw_chunk *chunk) {
    static const char *const kinds[] = {"^", "=", "?", "$", "#"};
    struct side *side = user;
    size_t used = strlen(side->tap);

    assert_int_equal(chunk->offset, side->tapped[chunk->side]);
    assert_int_equal(chunk->acked_known, chunk->kind == IW_CHUNK_DATA);
    if (chunk->acked_known)
        assert_int_equal(
            chunk->acked, side->tapped[iw_side_other(chunk->side)] + side->fin[iw_side_other(chunk->side)]);
    side->tapped[chunk->side] += chunk->length;
    side->fin[chunk->side] |= chunk->kind == IW_CHUNK_FIN;
    if (used < sizeof side->tap - 16)
        snprintf(side->tap + used, sizeof side->tap - used, "%c%s%.*s ", chunk->side == IW_SIDE_A ? 'A' : 'B',
            kinds[chunk->kind], (int)(chunk->length < 9 ? chunk->length : 0), (const char *)chunk->octets);
}

static void on_accept(void *user, struct iw_port *port) {
    (void)user;
    server.port = port;
    iw_port_set_tap(port, on_tap, &server);
    if (!hold_server)
        iw_port_handle(port, &handlers, &server);
    iw_loop_stop(loop);
}

static void open_loop(enum iw_loop_kind kind) {
    char text[IW_PORT_TEXT_OCTETS];

    memset(&client, 0, sizeof client);
    memset(&server, 0, sizeof server);
    client.hold = server.hold = UINT64_MAX;
    hold_server = false;
    loop = iw_loop_new(kind);
    listener = iw_listener_new(loop, "127.0.0.1", 0, on_accept, NULL, text);
    assert_non_null(listener);
}

static void close_loop(void) {
    iw_port_free(client.port);
    iw_port_free(server.port);
    iw_listener_free(listener);
    iw_loop_free(loop);
}

static void join(void) {
    char text[IW_PORT_TEXT_OCTETS];

    client.port = iw_port_connect(loop, "127.0.0.1", iw_listener_port(listener), &handlers, &client, text);
    assert_non_null(client.port);
    iw_port_set_tap(client.port, on_tap, &client);
    while (client.connected == 0 || server.port == NULL)
        assert_true(iw_loop_run(loop));
}

static void send_text(struct side *side, const char *text) {
    assert_int_equal(iw_port_write(side->port, (const uint8_t *)text, strlen(text)), IW_OK);
}

static void wait_received(struct side *side, uint64_t octets) {
    side->hold = octets;
    while (side->received < octets)
        assert_true(iw_loop_run(loop));
    side->hold = UINT64_MAX;
}

static void wait_end(struct side *side) {
    while (side->end == 0)
        assert_true(iw_loop_run(loop));
}

static void stop_loop(void *user) {
    iw_loop_stop(user);
}

/* Runs one iteration of the loop, which reports what has already happened. */
static void take_round(void) {
    struct iw_timer timer = {0};

    iw_timer_start(&timer, loop, 1000, stop_loop, loop);
    iw_loop_run(loop);
    iw_timer_stop(&timer);
}

static void on_all(void (*test)(void)) {
    open_loop(IW_LOOP_VIRTUAL);
    test();
    close_loop();
    open_loop(IW_LOOP_REAL);
    test();
    close_loop();
    open_loop(IW_LOOP_REAL);
    iw_loop_busy_poll(loop);
    test();
    close_loop();
}

static void talk(void) {
    const struct iw_tcp_address *addresses;

    join();
    send_text(&client, "one");
    wait_received(&server, 3);
    send_text(&server, "two");
    wait_received(&client, 3);
    assert_memory_equal(client.first, "two", 3);
    assert_memory_equal(server.first, "one", 3);
    iw_port_close(client.port);
    wait_end(&server);
    assert_int_equal(server.end, 'F');
    send_text(&server, "three"); /* the other half is open still */
    wait_received(&client, 8);
    iw_port_close(server.port);
    wait_end(&client);
    take_round();
    assert_string_equal(client.tap, "A^ B^ A=one B=two A$ B=three B$ ");
    assert_string_equal(server.tap, "A^ B^ A=one B=two A$ B=three B$ ");
    addresses = iw_port_addresses(server.port);
    assert_int_equal(addresses[IW_SIDE_B].port, iw_listener_port(listener));
    assert_memory_equal(addresses, iw_port_addresses(client.port), 2 * sizeof *addresses);
    assert_int_equal(iw_port_side(client.port), IW_SIDE_A);
    assert_int_equal(iw_port_side(server.port), IW_SIDE_B);
}

static void both_halves_close_independently(void **state) {
    (void)state;
    on_all(talk);
}

static void be_reset(void) {
    join();
    iw_port_reset(client.port);
    wait_end(&server);
    assert_int_equal(server.end, 'R');
    assert_non_null(strstr(server.text, ": connection reset by peer"));
    assert_string_equal(client.tap, "A^ B^ A# ");
    assert_string_equal(server.tap, "A^ B^ A# ");
    send_text(&server, "after reset"); /* without effect, without SIGPIPE */
    take_round();
}

static void a_reset_is_reported(void **state) {
    (void)state;
    on_all(be_reset);
}

/* The octets and the RST arrive before the other end has read anything. */
static void be_reset_behind_octets(void) {
    join();
    send_text(&client, "last");
    iw_port_reset(client.port);
    wait_end(&server);
    assert_string_equal(server.tap, "A^ B^ A=last A# ");
    assert_int_equal(server.end, 'R');
}

static void a_reset_after_octets_is_not_a_fin(void **state) {
    (void)state;
    on_all(be_reset_behind_octets);
}

static void be_left(void) {
    join();
    send_text(&client, "last");
    iw_port_free(client.port);
    client.port = NULL;
    wait_end(&server);
    assert_int_equal(server.end, 'F');
    assert_int_equal(server.received, 4);
    /* A write to a peer that has freed its port causes a reset, at the latest the second write. */
    server.end = 0;
    send_text(&server, "are you there");
    take_round();
    send_text(&server, "hello");
    wait_end(&server);
    assert_int_equal(server.end, 'R');
}

static void a_freed_port_sends_everything(void **state) {
    (void)state;
    on_all(be_left);
}

static void free_in_handler(void) {
    join();
    server.free_on_end = true;
    send_text(&client, "bye");
    iw_port_close(client.port);
    wait_end(&server);
    assert_null(server.port);
    wait_end(&client);
    assert_int_equal(client.end, 'F');
}

static void a_port_may_be_freed_by_its_handler(void **state) {
    (void)state;
    on_all(free_in_handler);
}

enum { BLOCK = 65536, BLOCKS = 256 };

static void press(void) {
    static uint8_t block[BLOCK];
    size_t written = 0;

    hold_server = true;
    join();
    while (!iw_port_full(client.port) && written < (size_t)BLOCK * BLOCKS) {
        assert_int_equal(iw_port_write(client.port, block, BLOCK), IW_OK);
        written += BLOCK;
    }
    assert_true(iw_port_full(client.port)); /* the peer does not read, so TCP takes no more */
    assert_int_equal(client.writable, 0);
    iw_port_handle(server.port, &handlers, &server);
    wait_received(&server, written);
    take_round();
    assert_int_equal(client.writable, 1);
    assert_int_equal(iw_port_queued(client.port), 0);
    assert_int_equal(client.tapped[IW_SIDE_A], written);
    assert_int_equal(server.tapped[IW_SIDE_A], written);
}

static void a_full_queue_reports_when_it_is_writable(void **state) {
    (void)state;
    on_all(press);
}

/* A listener outside the loop: the system accepts the connection, but no program reads from it. */
static int deaf_listener(uint16_t *number) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t length = sizeof address;
    int deaf = socket(AF_INET, SOCK_STREAM, 0);

    assert_true(deaf >= 0);
    assert_int_equal(bind(deaf, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(deaf, 1), 0);
    assert_int_equal(getsockname(deaf, (struct sockaddr *)&address, &length), 0);
    *number = ntohs(address.sin_port);
    return deaf;
}

static void a_peer_that_does_not_read_does_not_delay_the_exit(void **state) {
    static uint8_t block[BLOCK];
    char text[IW_PORT_TEXT_OCTETS];
    uint16_t number = 0;
    int deaf = deaf_listener(&number);

    (void)state;
    open_loop(IW_LOOP_REAL);
    client.port = iw_port_connect(loop, "127.0.0.1", number, &handlers, &client, text);
    assert_non_null(client.port);
    while (client.connected == 0)
        assert_true(iw_loop_run(loop));
    for (int i = 0; i < BLOCKS && !iw_port_full(client.port); i++)
        assert_int_equal(iw_port_write(client.port, block, BLOCK), IW_OK);
    assert_true(iw_port_full(client.port));
    alarm(60); /* ends a test that hangs */
    close_loop();
    alarm(0);
    close(deaf);
}

static void a_peer_that_resets_before_accept_has_its_own_address(void **state) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int peer = socket(AF_INET, SOCK_STREAM, 0);

    (void)state;
    open_loop(IW_LOOP_REAL);
    address.sin_port = htons(iw_listener_port(listener));
    assert_int_equal(connect(peer, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(peer, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(
        setsockopt(peer, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger)), 0);
    close(peer);
    wait_end(&server);
    assert_int_equal(server.end, 'R');
    assert_int_equal(iw_port_addresses(server.port)[IW_SIDE_A].port, ntohs(address.sin_port));
    assert_int_equal(iw_port_addresses(server.port)[IW_SIDE_B].port, iw_listener_port(listener));
    close_loop();
}

static void fail_to_connect(void) {
    uint16_t number = iw_listener_port(listener);
    char text[IW_PORT_TEXT_OCTETS];
    char expected[64];

    iw_listener_free(listener);
    listener = NULL;
    client.port = iw_port_connect(loop, "127.0.0.1", number, &handlers, &client, text);
    assert_non_null(client.port);
    assert_int_equal(client.end, 0);
    wait_end(&client);
    snprintf(expected, sizeof expected, "127.0.0.1:%u: connection refused", number);
    assert_string_equal(client.text, expected);
    assert_int_equal(client.end, '!');
    assert_string_equal(client.tap, "");
}

static void a_refused_connection_names_the_address(void **state) {
    (void)state;
    on_all(fail_to_connect);
}

static void listen_twice(void) {
    uint16_t number = iw_listener_port(listener);
    char text[IW_PORT_TEXT_OCTETS];
    char expected[64];

    assert_null(iw_listener_new(loop, "127.0.0.1", number, on_accept, NULL, text));
    snprintf(expected, sizeof expected, "127.0.0.1:%u: port in use", number);
    assert_string_equal(text, expected);
}

static void a_port_in_use_is_named(void **state) {
    (void)state;
    on_all(listen_twice);
}

static void never_connect(void) {
    char text[IW_PORT_TEXT_OCTETS];

    client.port = iw_port_connect(loop, "127.0.0.1", iw_listener_port(listener), &handlers, &client, text);
    send_text(&client, "too early"); /* without effect */
    iw_port_free(client.port);
    client.port = NULL;
    take_round();
    assert_int_equal(client.connected, 0);
}

static void a_port_may_be_freed_while_it_connects(void **state) {
    (void)state;
    on_all(never_connect);
}

static void names_are_written_as_users_write_them(void **state) {
    const struct iw_tcp_address four = {.octets = {127, 0, 0, 1}, .port = 7174, .version = 4};
    const struct iw_tcp_address six = {.octets = {[15] = 1}, .port = 7174, .version = 6};
    char text[64];

    (void)state;
    iw_port_name(&four, text);
    assert_string_equal(text, "127.0.0.1:7174");
    iw_port_name(&six, text);
    assert_string_equal(text, "[::1]:7174");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_halves_close_independently),
        cmocka_unit_test(a_reset_is_reported),
        cmocka_unit_test(a_reset_after_octets_is_not_a_fin),
        cmocka_unit_test(a_freed_port_sends_everything),
        cmocka_unit_test(a_port_may_be_freed_by_its_handler),
        cmocka_unit_test(a_full_queue_reports_when_it_is_writable),
        cmocka_unit_test(a_peer_that_does_not_read_does_not_delay_the_exit),
        cmocka_unit_test(a_peer_that_resets_before_accept_has_its_own_address),
        cmocka_unit_test(a_refused_connection_names_the_address),
        cmocka_unit_test(a_port_in_use_is_named),
        cmocka_unit_test(a_port_may_be_freed_while_it_connects),
        cmocka_unit_test(names_are_written_as_users_write_them),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
