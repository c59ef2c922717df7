#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "iw_relay_capture_test.h"
#include "iw_relay_test.h"
#include "iw_temporary_test.h"

static struct relay_test test;
static struct iw_recorder *recorder;
static char path[TEMPORARY_PATH];
static int initiator, device;
static uint16_t initiator_port, device_side_port;

static uint16_t port_of(int descriptor, int (*name)(int, struct sockaddr *, socklen_t *)) {
    struct sockaddr_in address;
    socklen_t length = sizeof address;

    assert_int_equal(name(descriptor, (struct sockaddr *)&address, &length), 0);
    return ntohs(address.sin_port);
}

static int set_up(void **state) {
    char text[IW_RECORDER_TEXT_OCTETS];
    int descriptor = mkstemp(temporary_path(path, "iw_relay_record_test"));

    (void)state;
    close(descriptor);
    recorder = iw_recorder_open(path, NULL, text);
    assert_non_null(recorder);
    test = (struct relay_test){.config.recorders = {recorder}};
    relay_test_start(&test);
    initiator = relay_test_connect(&test);
    device = relay_test_accept(&test);
    initiator_port = port_of(initiator, getsockname);
    device_side_port = port_of(device, getpeername);
    return 0;
}

/* Ends the relay, and reads what was recorded. */
static struct captured *end(void) {
    relay_test_join(&test);
    relay_test_free(&test);
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    return captured_read(path);
}

static int tear_down(void **state) {
    (void)state;
    unlink(path);
    return 0;
}

static void assert_stream(const struct captured_stream *stream, const char *octets) {
    assert_int_equal(stream->length, strlen(octets));
    assert_memory_equal(stream->octets, octets, stream->length);
    assert_int_equal(stream->starts, 1);
    assert_int_equal(stream->others, 0);
}

static void records_both_connections_with_their_addresses(void **state) {
    struct captured *captured;
    char octets[8];

    (void)state;
    relay_test_write(initiator, "ping", 4);
    relay_test_read(device, octets, 4);
    relay_test_write(device, "answer", 6);
    relay_test_read(initiator, octets, 6);
    shutdown(initiator, SHUT_WR);
    assert_int_equal(relay_test_end(device), 0);
    close(device);
    assert_int_equal(relay_test_end(initiator), 0);
    close(initiator);
    captured = end();
    assert_int_equal(captured->flows, 2);
    assert_int_equal(captured->address[0][IW_SIDE_A].port, initiator_port);
    assert_int_equal(captured->address[0][IW_SIDE_B].port, ntohs(test.address.sin_port));
    assert_int_equal(captured->address[1][IW_SIDE_A].port, device_side_port);
    assert_int_equal(captured->address[1][IW_SIDE_B].port, test.device_port);
    for (int flow = 0; flow < 2; flow++) {
        assert_stream(&captured->stream[flow][IW_SIDE_A], "ping");
        assert_stream(&captured->stream[flow][IW_SIDE_B], "answer");
        for (int side = 0; side < 2; side++) {
            assert_int_equal(captured->stream[flow][side].fins, 1);
            assert_int_equal(captured->stream[flow][side].rsts, 0);
        }
    }
    captured_free(captured);
}

static void records_who_has_reset(void **state) {
    struct captured *captured;
    char octets[16];

    (void)state;
    relay_test_write(device, "terminate", 9);
    relay_test_read(initiator, octets, 9);
    relay_test_reset(device);
    assert_int_equal(relay_test_end(initiator), ECONNRESET);
    close(initiator);
    captured = end();
    assert_stream(&captured->stream[0][IW_SIDE_B], "terminate");
    assert_stream(&captured->stream[1][IW_SIDE_B], "terminate");
    for (int flow = 0; flow < 2; flow++) {
        assert_int_equal(captured->stream[flow][IW_SIDE_A].rsts, 0);
        assert_int_equal(captured->stream[flow][IW_SIDE_B].rsts, 1);
    }
    captured_free(captured);
}

enum { FILL_OCTETS = 1 << 24 };

/* Writes until TCP takes no more. Returns the octets. */
static size_t fill(const uint8_t *octets, size_t most) {
    struct pollfd wanted = {.fd = initiator, .events = POLLOUT};
    size_t sent = 0;

    while (sent < most && poll(&wanted, 1, 500) == 1) {
        ssize_t count = send(initiator, octets + sent, most - sent, MSG_DONTWAIT | MSG_NOSIGNAL);

        sent += count > 0 ? (size_t)count : 0;
    }
    return sent;
}

/* What the receiver does not take at once waits in the queue: nothing is lost, repeated or out of order. */
static void records_what_a_slow_receiver_takes(void **state) {
    uint8_t *sent = malloc(FILL_OCTETS), *read = malloc(FILL_OCTETS);
    struct captured *captured;
    size_t count;

    (void)state;
    for (size_t i = 0; i < FILL_OCTETS; i++)
        sent[i] = (uint8_t)(i * 31 + i / 251 + i / 65536);
    count = fill(sent, FILL_OCTETS);
    assert_in_range(count, 1 << 18, FILL_OCTETS - 1); /* so the relay has stopped to read */
    relay_test_read(device, read, count);
    assert_memory_equal(read, sent, count);
    close(initiator);
    assert_int_equal(relay_test_end(device), 0);
    close(device);
    captured = end();
    for (int flow = 0; flow < 2; flow++) {
        assert_int_equal(captured->stream[flow][IW_SIDE_A].length, count);
        assert_memory_equal(captured->stream[flow][IW_SIDE_A].octets, sent, count);
    }
    captured_free(captured);
    free(read);
    free(sent);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(records_both_connections_with_their_addresses),
        TEST(records_who_has_reset),
        TEST(records_what_a_slow_receiver_takes),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
