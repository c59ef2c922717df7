#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "iw_port.h"
#include "iw_relay_test.h"

/* A relay that runs out of descriptors. It is a process of its own, with few of them, so that the peers have
 * enough. */

enum { DESCRIPTORS = 200, CONNECTIONS = 100, SURPLUS = 20, LONG = 1 << 20 };

static struct relay_test peers; /* the device's listener, and the address of the relay */
static pid_t relay;
static int says; /* the relay: its port as one line, then the reason of each refusal */
static FILE *said;
static int ends[CONNECTIONS][2]; /* of the relayed connections */
static int open_count;

static void say_refusal(void *user, const struct iw_relay_note *note) {
    (void)user;
    if (note->kind == IW_RELAY_REFUSED)
        dprintf(says, "%s\n", note->text);
}

static void run_relay(void) {
    const struct rlimit few = {DESCRIPTORS, DESCRIPTORS};
    const struct iw_relay_config config = {.host = "127.0.0.1",
        .device_host = "127.0.0.1",
        .device_port = peers.device_port,
        .note = say_refusal};
    char text[IW_PORT_TEXT_OCTETS];
    struct iw_loop *loop;
    struct iw_relay *own;

    close(peers.listener);
    setrlimit(RLIMIT_NOFILE, &few);
    loop = iw_loop_new(IW_LOOP_REAL);
    own = iw_relay_new(loop, &config, text);
    dprintf(says, "%u\n", own != NULL ? iw_relay_port(own) : 0);
    iw_loop_run(loop);
    _exit(0);
}

static void read_line(char line[IW_PORT_TEXT_OCTETS]) {
    assert_non_null(fgets(line, IW_PORT_TEXT_OCTETS, said));
}

static int set_up(void **state) {
    char line[IW_PORT_TEXT_OCTETS];
    int ends_of_pipe[2];

    (void)state;
    open_count = 0;
    peers = (struct relay_test){0};
    relay_test_listen(&peers);
    assert_int_equal(pipe(ends_of_pipe), 0);
    says = ends_of_pipe[1];
    relay = fork();
    if (relay == 0)
        run_relay();
    close(says);
    said = fdopen(ends_of_pipe[0], "r");
    read_line(line);
    peers.address = relay_test_loopback((uint16_t)atoi(line));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < open_count; i++) {
        close(ends[i][0]);
        close(ends[i][1]);
    }
    kill(relay, SIGKILL);
    waitpid(relay, NULL, 0);
    fclose(said);
    close(peers.listener);
    return 0;
}

/* Whether the relay refuses one more connection; otherwise keeps its ends. */
static bool open_one(void) {
    struct pollfd wanted[2] = {
        {.fd = relay_test_connect(&peers), .events = POLLIN}, {.fd = peers.listener, .events = POLLIN}};

    assert_true(poll(wanted, 2, RELAY_TEST_WAIT_MS) > 0);
    if (wanted[0].revents != 0) {
        assert_int_equal(relay_test_end(wanted[0].fd), ECONNRESET);
        close(wanted[0].fd);
        return false;
    }
    assert_true(open_count < CONNECTIONS);
    ends[open_count][0] = wanted[0].fd;
    ends[open_count++][1] = accept(peers.listener, NULL, NULL);
    return true;
}

static void pass_both_ways(int i) {
    char octet;

    for (int end = 0; end < 2; end++) {
        relay_test_write(ends[i][end], "x", 1);
        relay_test_read(ends[i][!end], &octet, 1);
        assert_int_equal(octet, 'x');
    }
}

/* A hostile flood takes no descriptor from the connections that are open, and each refusal is one line. */
static void refuses_connections_beyond_the_limit(void **state) {
    char line[IW_PORT_TEXT_OCTETS], expected[IW_PORT_TEXT_OCTETS];

    (void)state;
    while (open_one()) {
    }
    assert_in_range(open_count, 40, CONNECTIONS);
    for (int i = 1; i < SURPLUS; i++)
        assert_false(open_one());
    snprintf(expected, sizeof expected,
        "relay: no descriptor is left for it (ulimit -n) with %d other connections\n", open_count);
    for (int i = 0; i < SURPLUS; i++) {
        read_line(line);
        assert_string_equal(line, expected);
    }
    for (int i = 0; i < open_count; i++)
        pass_both_ways(i);
    /* After an end there is place for another one. */
    open_count--;
    close(ends[open_count][0]);
    close(ends[open_count][1]);
    while (!open_one()) {
    }
    pass_both_ways(open_count - 1);
}

static void fill(int descriptor) {
    static const uint8_t zeros[1 << 16];
    struct pollfd wanted = {.fd = descriptor, .events = POLLOUT};

    while (poll(&wanted, 1, 300) == 1)
        if (send(descriptor, zeros, sizeof zeros, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno != EAGAIN)
            fail();
}

static size_t drain(int descriptor) {
    uint8_t *octets = malloc(LONG);
    size_t count = 0;
    ssize_t taken;

    do {
        relay_test_await(descriptor, POLLIN);
        taken = recv(descriptor, octets, LONG, 0);
        assert_true(taken >= 0);
        count += (size_t)taken;
    } while (taken > 0);
    free(octets);
    return count;
}

/* Octets that wait for slow readers need pipes: without one, they wait in memory. */
static void connections_without_a_pipe_go_on(void **state) {
    enum { SLOW = 8 };
    struct timespec before, after;
    clockid_t clock;

    (void)state;
    while (open_one()) {
    }
    for (int i = 0; i < SLOW; i++)
        fill(ends[i][0]);
    for (int i = SLOW; i < open_count; i++)
        pass_both_ways(i);
    /* Nothing moves: the relay sleeps. */
    assert_int_equal(clock_getcpuclockid(relay, &clock), 0);
    clock_gettime(clock, &before);
    poll(NULL, 0, 1000);
    clock_gettime(clock, &after);
    assert_in_range(
        (after.tv_sec - before.tv_sec) * 1000 + (after.tv_nsec - before.tv_nsec) / 1000000, 0, 200);
    for (int i = 0; i < SLOW; i++) {
        shutdown(ends[i][0], SHUT_WR);
        assert_true(drain(ends[i][1]) > LONG);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(refuses_connections_beyond_the_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(connections_without_a_pipe_go_on, set_up, tear_down),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
