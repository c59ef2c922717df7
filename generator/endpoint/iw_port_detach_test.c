#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>
#include <poll.h>
#include <cmocka.h>

#include "iw_port_detach.h"

static struct iw_loop *loop;
static struct iw_port *accepted;
static int client;

static void on_accept(void *user, struct iw_port *port) {
    (void)user;
    accepted = port;
    if (client >= 0)
        iw_loop_stop(loop);
}

static void on_connected(void *user) {
    struct iw_port **port = user;

    client = iw_port_detach(*port);
    if (accepted != NULL)
        iw_loop_stop(loop);
}

static void on_ended(void *user, enum iw_port_end end, const char *text) {
    (void)user;
    (void)end;
    fail_msg("%s", text);
}

static int waits(int descriptor) {
    struct pollfd wanted = {.fd = descriptor, .events = POLLIN};

    return poll(&wanted, 1, 60000);
}

static void leaves_an_open_connection(void **state) {
    const struct iw_port_handlers handlers = {.connected = on_connected, .ended = on_ended};
    char text[IW_PORT_TEXT_OCTETS], octets[8];
    struct iw_listener *listener;
    struct iw_port *port;
    int server;

    (void)state;
    client = -1;
    loop = iw_loop_new(IW_LOOP_REAL);
    listener = iw_listener_new(loop, "127.0.0.1", 0, on_accept, NULL, text);
    port = iw_port_connect(loop, "127.0.0.1", iw_listener_port(listener), &handlers, &port, text);
    assert_true(iw_loop_run(loop));
    server = iw_port_detach(accepted);
    iw_listener_free(listener);
    iw_loop_free(loop);

    /* libuv has closed its own descriptors, and neither side has seen a FIN or a RST. */
    assert_int_equal(write(client, "ping", 4), 4);
    assert_int_equal(waits(server), 1);
    assert_int_equal(read(server, octets, sizeof octets), 4);
    assert_memory_equal(octets, "ping", 4);
    assert_int_equal(write(server, "pong", 4), 4);
    assert_int_equal(waits(client), 1);
    assert_int_equal(read(client, octets, sizeof octets), 4);
    close(server);
    assert_int_equal(waits(client), 1);
    assert_int_equal(read(client, octets, sizeof octets), 0);
    close(client);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(leaves_an_open_connection)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
