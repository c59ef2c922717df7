#include <stdarg.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_port.h"

/* Tests that an poll loop polls, and when it stops; the peer is a plain socket. iw_port_test tests that
 * ports behave the same with an poll loop. Only polling calls recv(): libuv reads by other calls. */

static unsigned watched; /* messages that polling found */

ssize_t __real_recv(int socket, void *buffer, size_t length, int flags);
ssize_t __wrap_recv(int socket, void *buffer, size_t length, int flags);

ssize_t __wrap_recv(int socket, void *buffer, size_t length, int flags) {
    ssize_t count = __real_recv(socket, buffer, length, flags);

    watched += count > 0;
    return count;
}

enum { MESSAGES = 1000 };

struct scene {
    struct iw_loop *loop;
    struct iw_listener *listener;
    struct iw_port *port;
    int peer;
    unsigned received;
    bool ended;
    bool mute;  /* the port only receives */
    bool frees; /* the port frees itself on the last message */
};

static void speak(struct scene *scene) {
    uint8_t octet = 0;

    assert_int_equal(send(scene->peer, "x", 1, 0), 1);
    if (!scene->mute)
        assert_int_equal(iw_port_write(scene->port, &octet, 1), IW_OK);
}

static void listen_to(struct scene *scene) {
    uint8_t octet;

    if (!scene->mute)
        assert_int_equal(read(scene->peer, &octet, 1), 1);
}

/* The peer's next message is there before the loop can sleep. */
static void on_received(void *user, const uint8_t *octets, size_t length) {
    struct scene *scene = user;

    assert_int_equal(octets[0], 'x');
    scene->received += (unsigned)length;
    listen_to(scene);
    if (scene->received < MESSAGES) {
        speak(scene);
        return;
    }
    close(scene->peer);
    if (scene->frees) {
        iw_port_free(scene->port);
        scene->port = NULL;
        iw_loop_stop(scene->loop);
    }
}

static void on_ended(void *user, enum iw_port_end end, const char *text) {
    struct scene *scene = user;

    (void)text;
    assert_int_equal(end, IW_PORT_FIN);
    assert_false(scene->ended);
    scene->ended = true;
    iw_loop_stop(scene->loop);
}

static void on_accept(void *user, struct iw_port *port) {
    static const struct iw_port_handlers handlers = {.received = on_received, .ended = on_ended};
    struct scene *scene = user;

    scene->port = port;
    iw_port_handle(port, &handlers, scene);
    speak(scene);
}

static void run(struct scene *scene, bool poll) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char text[IW_PORT_TEXT_OCTETS];

    watched = 0;
    scene->loop = iw_loop_new(IW_LOOP_REAL);
    assert_non_null(scene->loop);
    if (poll)
        iw_loop_busy_poll(scene->loop);
    scene->listener = iw_listener_new(scene->loop, "127.0.0.1", 0, on_accept, scene, text);
    assert_non_null(scene->listener);
    address.sin_port = htons(iw_listener_port(scene->listener));
    scene->peer = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(scene->peer, (struct sockaddr *)&address, sizeof address), 0);
    assert_true(iw_loop_run(scene->loop));
    assert_int_equal(scene->received, MESSAGES);
    iw_port_free(scene->port);
    iw_listener_free(scene->listener);
    iw_loop_free(scene->loop);
}

static void a_polling_loop_reads_before_it_sleeps(void **state) {
    struct scene scene = {0};

    (void)state;
    run(&scene, true);
    assert_true(scene.ended);
    assert_in_range(watched, MESSAGES / 2, MESSAGES);
}

static void a_loop_without_polling_does_not_read(void **state) {
    struct scene scene = {0};

    (void)state;
    run(&scene, false);
    assert_true(scene.ended);
    assert_int_equal(watched, 0);
}

static void a_loop_that_only_receives_sleeps(void **state) {
    struct scene scene = {.mute = true};

    (void)state;
    run(&scene, true);
    assert_true(scene.ended);
    assert_int_equal(watched, 0);
}

static void a_port_freed_by_its_handler_is_not_read_again(void **state) {
    struct scene scene = {.frees = true};

    (void)state;
    run(&scene, true);
    assert_false(scene.ended);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polling_loop_reads_before_it_sleeps),
        cmocka_unit_test(a_loop_without_polling_does_not_read),
        cmocka_unit_test(a_loop_that_only_receives_sleeps),
        cmocka_unit_test(a_port_freed_by_its_handler_is_not_read_again),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
