#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "iw_relay_test.h"

static struct relay_test test;
static int initiator, device;
static char refused[160];

static void take_note(void *user, const struct iw_relay_note *note) {
    (void)user;
    if (note->kind == IW_RELAY_REFUSED)
        snprintf(refused, sizeof refused, "%s", note->text);
}

static int set_up(void **state) {
    (void)state;
    test = (struct relay_test){.config.note = take_note};
    relay_test_start(&test);
    initiator = relay_test_connect(&test);
    device = relay_test_accept(&test);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    relay_test_join(&test);
    relay_test_free(&test);
    return 0;
}

static void close_both(void) {
    close(initiator);
    close(device);
}

static void passes_octets_both_ways(void **state) {
    char octets[8];

    (void)state;
    relay_test_write(initiator, "ping", 4);
    relay_test_read(device, octets, 4);
    assert_memory_equal(octets, "ping", 4);
    relay_test_write(device, "answer", 6);
    relay_test_read(initiator, octets, 6);
    assert_memory_equal(octets, "answer", 6);
    close_both();
}

/* More than all buffers and pipes hold, both ways at once. */
static void passes_long_streams_both_ways_at_once(void **state) {
    enum { OCTETS = 24 << 20, PIECE = 77777 };
    struct pollfd ends[2] = {{.fd = initiator}, {.fd = device}};
    size_t sent[2] = {0}, received[2] = {0};
    uint8_t *stream = malloc(OCTETS), *piece = malloc(PIECE);

    (void)state;
    for (size_t i = 0; i < OCTETS; i++)
        stream[i] = (uint8_t)(i * 31 + i / 251 + i / 65536);
    while (received[0] < OCTETS || received[1] < OCTETS) {
        for (int end = 0; end < 2; end++)
            ends[end].events = (short)(POLLIN | (sent[end] < OCTETS ? POLLOUT : 0));
        assert_true(poll(ends, 2, RELAY_TEST_WAIT_MS) > 0);
        for (int end = 0; end < 2; end++) {
            ssize_t count;

            if ((ends[end].revents & POLLOUT) != 0 &&
                (count = send(ends[end].fd, stream + sent[end],
                     OCTETS - sent[end] < PIECE ? OCTETS - sent[end] : PIECE, MSG_DONTWAIT | MSG_NOSIGNAL)) >
                    0)
                sent[end] += (size_t)count;
            if ((ends[end].revents & POLLIN) == 0)
                continue;
            count = recv(ends[end].fd, piece, PIECE, MSG_DONTWAIT);
            assert_true(count > 0);
            assert_memory_equal(piece, stream + received[end], (size_t)count);
            received[end] += (size_t)count;
        }
    }
    free(piece);
    free(stream);
    close_both();
}

static void passes_a_fin_on_as_a_fin(void **state) {
    char octets[8];

    (void)state;
    relay_test_write(initiator, "last", 4);
    shutdown(initiator, SHUT_WR);
    relay_test_read(device, octets, 4);
    assert_int_equal(relay_test_end(device), 0);
    /* The other way is still open. */
    relay_test_write(device, "later", 5);
    relay_test_read(initiator, octets, 5);
    assert_memory_equal(octets, "later", 5);
    shutdown(device, SHUT_WR);
    assert_int_equal(relay_test_end(initiator), 0);
    close_both();
}

static void passes_a_rst_on_as_a_rst(void **state) {
    (void)state;
    relay_test_reset(device);
    assert_int_equal(relay_test_end(initiator), ECONNRESET);
    close(initiator);
}

/* As a device that sends a Terminate and resets the connection. */
static void passes_on_what_came_before_a_rst(void **state) {
    char octets[16];

    (void)state;
    relay_test_write(device, "terminate", 9);
    relay_test_read(initiator, octets, 9);
    relay_test_reset(device);
    assert_int_equal(relay_test_end(initiator), ECONNRESET);
    close(initiator);
}

static void passes_on_a_rst_after_a_fin(void **state) {
    int error = 0;
    socklen_t length = sizeof error;

    (void)state;
    shutdown(initiator, SHUT_WR);
    assert_int_equal(relay_test_end(device), 0);
    relay_test_reset(initiator);
    relay_test_await(device, 0); /* an error */
    assert_int_equal(getsockopt(device, SOL_SOCKET, SO_ERROR, &error, &length), 0);
    assert_int_equal(error, EPIPE); /* which a RST after a FIN is for Linux */
    close(device);
}

/* Writes until `descriptor` takes no more; returns the octets. A pause means only that the relay was late. */
static size_t fill(int descriptor) {
    static const uint8_t zeros[1 << 16];
    struct pollfd wanted = {.fd = descriptor, .events = POLLOUT};
    size_t sent = 0;

    while (poll(&wanted, 1, 2000) == 1) {
        ssize_t count = send(descriptor, zeros, sizeof zeros, MSG_DONTWAIT | MSG_NOSIGNAL);

        if (count < 0 && errno == EAGAIN)
            continue;
        assert_true(count > 0);
        sent += (size_t)count;
        assert_true(sent < 256u << 20);
    }
    return sent;
}

static void stops_a_sender_whose_receiver_does_not_read(void **state) {
    size_t sent = fill(initiator), received = 0;
    uint8_t *octets = malloc(1 << 20);

    (void)state;
    shutdown(initiator, SHUT_WR);
    for (;;) {
        ssize_t count;

        relay_test_await(device, POLLIN);
        count = recv(device, octets, 1 << 20, 0);
        assert_true(count >= 0);
        if (count == 0)
            break;
        received += (size_t)count;
    }
    assert_int_equal(received, sent);
    free(octets);
    close_both();
}

static void passes_on_the_rst_of_a_stopped_sender(void **state) {
    uint8_t *octets = malloc(1 << 20);
    ssize_t count;

    (void)state;
    fill(initiator);
    relay_test_reset(initiator);
    do {
        relay_test_await(device, POLLIN);
        count = recv(device, octets, 1 << 20, 0);
    } while (count > 0);
    assert_int_equal(count, -1);
    assert_int_equal(errno, ECONNRESET);
    free(octets);
    close(device);
}

static size_t count_descriptors(void) {
    DIR *folder = opendir("/proc/self/fd");
    size_t count = 0;

    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count;
}

/* An idle connection needs its two sockets, but no pipe. */
static void idle_connections_need_two_descriptors(void **state) {
    enum { CONNECTIONS = 200 };
    int ends[CONNECTIONS][2];
    size_t before;
    char octets[4];

    (void)state;
    relay_test_write(initiator, "ping", 4); /* leaves one pipe in store */
    relay_test_read(device, octets, 4);
    before = count_descriptors();
    for (int i = 0; i < CONNECTIONS; i++) {
        ends[i][0] = relay_test_connect(&test);
        ends[i][1] = relay_test_accept(&test);
        relay_test_write(ends[i][0], "ping", 4);
        relay_test_read(ends[i][1], octets, 4);
    }
    assert_int_equal(count_descriptors() - before, 4 * CONNECTIONS); /* of both the test and the relay */
    for (int i = 0; i < CONNECTIONS; i++) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
    close_both();
}

static void resets_an_initiator_without_a_device(void **state) {
    int late;

    (void)state;
    close(test.listener);
    late = relay_test_connect(&test);
    assert_int_equal(relay_test_end(late), ECONNRESET);
    close(late);
    close_both();
    relay_test_join(&test);
    assert_non_null(strstr(refused, "connection refused"));
    uv_close((uv_handle_t *)&test.stop, NULL);
    iw_relay_free(test.relay);
    iw_loop_free(test.loop);
}

static int no_tear_down(void **state) {
    (void)state;
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(passes_octets_both_ways),
        TEST(passes_long_streams_both_ways_at_once),
        TEST(passes_a_fin_on_as_a_fin),
        TEST(passes_a_rst_on_as_a_rst),
        TEST(passes_on_what_came_before_a_rst),
        TEST(passes_on_a_rst_after_a_fin),
        TEST(stops_a_sender_whose_receiver_does_not_read),
        TEST(passes_on_the_rst_of_a_stopped_sender),
        TEST(idle_connections_need_two_descriptors),
        cmocka_unit_test_setup_teardown(resets_an_initiator_without_a_device, set_up, no_tear_down),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
