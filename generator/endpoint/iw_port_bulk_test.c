#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "iw_port_state.h"

/* What ports on sockets do for long messages: many pieces in one write, and reads that end where FPDUs do. */

enum { OCTETS = 16 << 20, MORE = 8 << 20, PIECE = 1400 };

static struct iw_loop *loop;
static struct iw_listener *listener;
static struct iw_port *client, *server;
static bool connected;
static uint8_t sent[OCTETS], received[OCTETS];
static size_t length;

static void on_connected(void *user) {
    (void)user;
    connected = true;
    iw_loop_stop(loop);
}

static void on_received(void *user, const uint8_t *octets, size_t count) {
    (void)user;
    assert_true(length + count <= sizeof received);
    memcpy(received + length, octets, count);
    length += count;
    iw_loop_stop(loop);
}

static void on_writable(void *user) {
    (void)user;
}

static void on_ended(void *user, enum iw_port_end end, const char *text) {
    (void)user;
    (void)end;
    fail_msg("%s", text);
}

static const struct iw_port_handlers handlers = {on_connected, on_received, on_writable, on_ended};

/* Does not read yet. */
static void on_accept(void *user, struct iw_port *port) {
    (void)user;
    server = port;
    iw_loop_stop(loop);
}

static int set_up(void **state) {
    char text[IW_PORT_TEXT_OCTETS];

    (void)state;
    connected = false;
    client = server = NULL;
    length = 0;
    for (size_t i = 0; i < OCTETS; i++)
        sent[i] = (uint8_t)(i * 31 + i / 251 + i / 65536);
    loop = iw_loop_new(IW_LOOP_REAL);
    listener = iw_listener_new(loop, "127.0.0.1", 0, on_accept, NULL, text);
    client = iw_port_connect(loop, "127.0.0.1", iw_listener_port(listener), &handlers, NULL, text);
    while (!connected || server == NULL)
        if (!iw_loop_run(loop))
            return -1;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    iw_port_free(client);
    iw_port_free(server);
    iw_listener_free(listener);
    iw_loop_free(loop);
    return 0;
}

static void receive(size_t octets) {
    iw_port_handle(server, &handlers, NULL);
    while (length < octets)
        assert_true(iw_loop_run(loop));
    assert_int_equal(length, octets);
    assert_memory_equal(received, sent, octets);
}

/* Pieces of `sent` from `at` on, of 1 to PIECE octets. Returns how many octets they are. */
static size_t cut(size_t at, struct iw_port_piece *pieces, unsigned count) {
    size_t begin = at;

    for (unsigned i = 0; i < count; i++) {
        size_t octets = 1 + (at * 7 + i) % PIECE;

        pieces[i] = (struct iw_port_piece){sent + at, octets};
        at += octets;
    }
    return at - begin;
}

static void pieces_go_out_in_their_order(void **state) {
    static const unsigned counts[] = {1, 2, 3, 17, IW_PORT_PIECES_MAX};
    struct iw_port_piece pieces[IW_PORT_PIECES_MAX];
    size_t at = 0;

    (void)state;
    iw_port_handle(server, &handlers, NULL);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t octets = cut(at, pieces, counts[i]), taken;

        assert_true(iw_port_quick(client));
        taken = iw_port_write_quick(client, pieces, counts[i]);
        assert_in_range(taken, 1, octets);
        assert_int_equal(iw_port_queued(client), 0);
        at += taken;
        receive(at);
    }
}

/* If TCP does not take all octets, it takes the first ones, and the caller gets their number. */
static void octets_that_tcp_does_not_take_are_not_queued(void **state) {
    struct iw_port_piece pieces[IW_PORT_PIECES_MAX];
    size_t at = 0, octets, taken;

    (void)state;
    do {
        octets = cut(at, pieces, IW_PORT_PIECES_MAX);
        assert_true(at + octets < OCTETS - MORE);
        taken = iw_port_write_quick(client, pieces, IW_PORT_PIECES_MAX);
        at += taken;
    } while (taken == octets);
    assert_true(taken < octets);
    assert_true(iw_port_quick(client)); /* no octets are queued */
    assert_int_equal(iw_port_write(client, sent + at, MORE), IW_OK);
    assert_false(iw_port_quick(client)); /* now octets are queued */
    assert_in_range(iw_port_queued(client), 1, MORE);
    receive(at + MORE);
}

static size_t read_of(struct iw_port *port, uint32_t first, uint32_t unit) {
    iw_port_read_units(port, first, unit);
    return iw_port_tcp_read_octets(port);
}

/* The loop's buffer has 262,144 octets. */
static void a_read_ends_where_an_fpdu_does(void **state) {
    struct iw_port port = {0};

    (void)state;
    assert_int_equal(read_of(&port, 0, 0), 262144);
    assert_int_equal(read_of(&port, 0, 1448), 262088);   /* 181 FPDUs */
    assert_int_equal(read_of(&port, 100, 1448), 260740); /* the rest of an FPDU, and 180 FPDUs */
    assert_int_equal(read_of(&port, 0, 1), 262144);
    assert_int_equal(read_of(&port, 0, 131073), 131073);
    assert_int_equal(read_of(&port, 131071, 131073), 262144);
    /* not even one FPDU fits: reads the whole buffer */
    assert_int_equal(read_of(&port, 131072, 131073), 262144);
    assert_int_equal(read_of(&port, UINT32_MAX, UINT32_MAX), 262144);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(pieces_go_out_in_their_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(octets_that_tcp_does_not_take_are_not_queued, set_up, tear_down),
        cmocka_unit_test(a_read_ends_where_an_fpdu_does),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
