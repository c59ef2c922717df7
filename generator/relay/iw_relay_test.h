#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

#include "iw_relay.h"

/* A relay in a thread of its own, between blocking sockets of the test. */

enum { RELAY_TEST_WAIT_MS = 60000 };

struct relay_test {
    struct iw_relay_config config; /* the test sets the rest before relay_test_start */
    struct iw_loop *loop;
    struct iw_relay *relay;
    uv_async_t stop;
    pthread_t thread;
    int listener; /* of the device */
    uint16_t device_port;
    struct sockaddr_in address; /* of the relay */
};

static inline struct sockaddr_in relay_test_loopback(uint16_t port) {
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static inline void relay_test_listen(struct relay_test *test) {
    struct sockaddr_in address = relay_test_loopback(0);
    socklen_t length = sizeof address;

    test->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(test->listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(test->listener, SOMAXCONN), 0);
    assert_int_equal(getsockname(test->listener, (struct sockaddr *)&address, &length), 0);
    test->device_port = ntohs(address.sin_port);
}

static void *relay_test_run(void *user) {
    struct relay_test *test = user;

    iw_loop_run(test->loop);
    return NULL;
}

static void relay_test_on_stop(uv_async_t *async) {
    struct relay_test *test = async->data;

    iw_loop_stop(test->loop);
}

static inline void relay_test_start(struct relay_test *test) {
    char text[160];

    if (test->listener == 0)
        relay_test_listen(test);
    test->config.host = test->config.device_host = "127.0.0.1";
    test->config.device_port = test->device_port;
    test->loop = iw_loop_new(IW_LOOP_REAL);
    test->relay = iw_relay_new(test->loop, &test->config, text);
    assert_non_null(test->relay);
    test->address = relay_test_loopback(iw_relay_port(test->relay));
    uv_async_init(iw_loop_uv(test->loop), &test->stop, relay_test_on_stop);
    test->stop.data = test;
    assert_int_equal(pthread_create(&test->thread, NULL, relay_test_run, test), 0);
}

/* Ends the relay's thread; the relay itself is still there. */
static inline void relay_test_join(struct relay_test *test) {
    uv_async_send(&test->stop);
    pthread_join(test->thread, NULL);
}

static inline void relay_test_free(struct relay_test *test) {
    uv_close((uv_handle_t *)&test->stop, NULL);
    iw_relay_free(test->relay);
    iw_loop_free(test->loop);
    close(test->listener);
}

static inline int relay_test_connect(const struct relay_test *test) {
    int initiator = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(connect(initiator, (const struct sockaddr *)&test->address, sizeof test->address), 0);
    return initiator;
}

static inline void relay_test_await(int descriptor, short events) {
    struct pollfd wanted = {.fd = descriptor, .events = events};

    assert_int_equal(poll(&wanted, 1, RELAY_TEST_WAIT_MS), 1);
}

static inline int relay_test_accept(const struct relay_test *test) {
    relay_test_await(test->listener, POLLIN);
    return accept(test->listener, NULL, NULL);
}

static inline void relay_test_write(int descriptor, const void *octets, size_t length) {
    assert_int_equal(send(descriptor, octets, length, MSG_NOSIGNAL), length);
}

/* Reads exactly as many octets. */
static inline void relay_test_read(int descriptor, void *octets, size_t length) {
    for (size_t have = 0; have < length;) {
        ssize_t count;

        relay_test_await(descriptor, POLLIN);
        count = recv(descriptor, (char *)octets + have, length - have, 0);
        assert_true(count > 0);
        have += (size_t)count;
    }
}

/* What a read gives that finds no octets: 0 for a FIN, or an errno. */
static inline int relay_test_end(int descriptor) {
    char octet;
    ssize_t count;

    relay_test_await(descriptor, POLLIN);
    count = recv(descriptor, &octet, 1, 0);
    assert_true(count <= 0);
    return count == 0 ? 0 : errno;
}

/* Closes with a RST. */
static inline void relay_test_reset(int descriptor) {
    static const struct linger hard = {.l_onoff = 1};

    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close(descriptor);
}
