#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <netinet/tcp.h>
#include <cmocka.h>

#include "iw_port.h"
#include "iw_relay_test.h"

/* A device that does not accept: its queue of connections is full, so TCP drops the SYN of the relay and
 * repeats it, first after a second. Meanwhile the initiator ends its connection. */

static struct relay_test test;
static int first; /* has the only place in the queue */
static int notes; /* the relay: kind and reason of each note, a line each */
static FILE *noted;

static void take_note(void *user, const struct iw_relay_note *note) {
    static const char *const names[] = {[IW_RELAY_OPENED] = "opened",
        [IW_RELAY_REFUSED] = "refused",
        [IW_RELAY_LEFT] = "left",
        [IW_RELAY_ENDED] = "ended",
        [IW_RELAY_RESET] = "reset"};

    (void)user;
    dprintf(notes, "%s %s\n", names[note->kind], note->text != NULL ? note->text : "");
}

static void expect_note(const char *expected) {
    char line[IW_PORT_TEXT_OCTETS + 16];

    relay_test_await(fileno(noted), POLLIN);
    assert_non_null(fgets(line, sizeof line, noted));
    line[strcspn(line, "\n")] = '\0';
    assert_string_equal(line, expected);
}

static int set_up(void **state) {
    struct sockaddr_in address;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    notes = ends[1];
    noted = fdopen(ends[0], "r");
    setvbuf(noted, NULL, _IONBF, 0);
    test = (struct relay_test){.config.note = take_note};
    relay_test_listen(&test);
    assert_int_equal(listen(test.listener, 0), 0);
    address = relay_test_loopback(test.device_port);
    first = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(first, (struct sockaddr *)&address, sizeof address), 0);
    relay_test_start(&test);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    relay_test_join(&test);
    relay_test_free(&test);
    close(first);
    close(notes);
    fclose(noted);
    return 0;
}

static void a_reset_ends_the_attempt_to_connect(void **state) {
    (void)state;
    relay_test_reset(relay_test_connect(&test));
    expect_note("left initiator: Connection reset by peer");
}

/* After some seconds, in which the device could still accept. */
static void a_fin_ends_an_attempt_that_lasts(void **state) {
    int initiator = relay_test_connect(&test);

    (void)state;
    relay_test_write(initiator, "ping", 4);
    shutdown(initiator, SHUT_WR);
    expect_note("left initiator: it has closed, and the device does not accept");
    assert_int_equal(relay_test_end(initiator), ECONNRESET);
    close(initiator);
}

static void octets_before_a_fin_reach_a_device_that_accepts_late(void **state) {
    int initiator = relay_test_connect(&test), device;
    char octets[4];

    (void)state;
    relay_test_write(initiator, "ping", 4);
    shutdown(initiator, SHUT_WR);
    close(relay_test_accept(&test)); /* the first one */
    device = relay_test_accept(&test);
    expect_note("opened ");
    relay_test_read(device, octets, 4);
    assert_memory_equal(octets, "ping", 4);
    assert_int_equal(relay_test_end(device), 0);
    relay_test_write(device, "pong", 4);
    relay_test_read(initiator, octets, 4);
    assert_memory_equal(octets, "pong", 4);
    close(device);
    expect_note("ended ");
    close(initiator);
}

/* Returns how many sockets of the process are connected to the device and probe it when it is silent. */
static unsigned count_keep_alive(void) {
    DIR *folder = opendir("/proc/self/fd");
    unsigned count = 0;

    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        int descriptor = atoi(entry->d_name), on = 0, idle_s = 0;
        struct sockaddr_in peer = {0};
        socklen_t length = sizeof peer, octets = sizeof on;

        if (getpeername(descriptor, (struct sockaddr *)&peer, &length) != 0 ||
            ntohs(peer.sin_port) != test.device_port)
            continue;
        getsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, &octets);
        getsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, &octets);
        count += on != 0 && idle_s == 60;
    }
    closedir(folder);
    return count;
}

static void a_silent_device_is_probed(void **state) {
    int initiator, device;

    (void)state;
    close(relay_test_accept(&test));
    close(first);
    initiator = relay_test_connect(&test);
    device = relay_test_accept(&test);
    expect_note("opened ");
    assert_int_equal(count_keep_alive(), 1);
    close(initiator);
    close(device);
    expect_note("ended ");
    first = dup(notes); /* for tear_down */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(a_reset_ends_the_attempt_to_connect),
        TEST(a_fin_ends_an_attempt_that_lasts), TEST(octets_before_a_fin_reach_a_device_that_accepts_late),
        TEST(a_silent_device_is_probed)};

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
