#include <errno.h>
#include <signal.h>
#include <sys/ioctl.h>

#include "iw_relay_impair_test.h"

/* What becomes of the connection: pauses, and its end. */

static void resets_both_connections(void **state) {
    struct iw_recorder *recorder = begin("at=send,reset", NULL, 1);
    const struct row row = {.rules = "at=send,reset"};
    static struct stream sent, expected;
    struct captured *captured;
    int initiator, device;

    (void)state;
    read_stream("M01 F07", &sent);
    read_stream("M01 F07", &expected);
    initiator = relay_test_connect(&test);
    device = relay_test_accept(&test);
    relay_test_write(initiator, sent.octets, sent.length);
    relay_test_write(device, iw_vector_find(&vectors, "M03")->octets, 20);
    read_to_end(initiator);
    read_to_end(device);
    captured = end(recorder);
    assert_octets("the relay to the device", &row, &captured->stream[1][IW_SIDE_A], &expected);
    assert_int_equal(captured->stream[0][IW_SIDE_B].rsts, 1);
    assert_int_equal(captured->stream[1][IW_SIDE_A].rsts, 1);
    assert_int_equal(captured->stream[0][IW_SIDE_A].rsts + captured->stream[1][IW_SIDE_B].rsts, 0);
    captured_free(captured);
    close(initiator);
    close(device);
}

/* Time between two octets of a stream, in ms. */
static uint64_t time_between(const struct captured_stream *stream, size_t from, size_t to) {
    return (captured_time(stream, to) - captured_time(stream, from)) / 1000000;
}

static void divides_a_unit_into_writes_with_pauses(void **state) {
    const struct row row = {.rules = "at=send,segment=8,pause=20"};
    struct captured *captured = run(&row, false);
    const struct captured_stream *stream = &captured->stream[1][IW_SIDE_A];

    (void)state;
    for (size_t at = 20; at < 52; at += 8) {
        assert_true(captured_begins(stream, at));
        assert_true(at == 20 || time_between(stream, at - 8, at) >= 20);
    }
    assert_false(captured_begins(stream, 24));
    captured_free(captured);
}

static void delays_a_unit_and_what_follows(void **state) {
    const struct row row = {.rules = "at=rdma-read-request,delay=50"};
    struct captured *captured = run(&row, false);
    const struct captured_stream *stream = &captured->stream[1][IW_SIDE_A];

    (void)state;
    assert_true(time_between(stream, 51, 52) >= 50);
    captured_free(captured);
}

static void stops_to_read_for_a_time(void **state) {
    const struct row row = {.rules = "at=startup,direction=initiator,stop=50"};
    struct captured *captured = run(&row, false);

    (void)state;
    assert_true(
        time_between(&captured->stream[0][IW_SIDE_A], 19, 20) >= 45); /* since the Reply, a bit less */
    captured_free(captured);
}

static int filler, reader;

enum { SENDS = 64 }; /* in one write */

/* Starts up, and passes `writes` writes of SENDS Sends, one after the other. */
static void exchange(unsigned writes) {
    const struct iw_vector *request = iw_vector_find(&vectors, "M01"),
                           *reply = iw_vector_find(&vectors, "M03");
    static struct stream sends;
    static uint8_t octets[STREAM_OCTETS];

    read_stream("64*F07", &sends);
    filler = relay_test_connect(&test);
    reader = relay_test_accept(&test);
    relay_test_write(filler, request->octets, request->length);
    relay_test_read(reader, octets, request->length);
    relay_test_write(reader, reply->octets, reply->length);
    relay_test_read(filler, octets, reply->length);
    for (unsigned i = 0; i < writes; i++) {
        relay_test_write(filler, sends.octets, sends.length);
        relay_test_read(reader, octets, sends.length);
    }
}

/* Writes until TCP takes no more. Returns the octets that the relay's TCP has acknowledged, and not read. */
static size_t fill(void) {
    static const uint8_t more[1 << 16];
    struct pollfd wanted = {.fd = filler, .events = POLLOUT};
    size_t accepted = 0;
    int waiting = 0;

    while (poll(&wanted, 1, 1000) == 1 && accepted < 64u << 20) {
        ssize_t count = send(filler, more, sizeof more, MSG_DONTWAIT | MSG_NOSIGNAL);

        accepted += count > 0 ? (size_t)count : 0;
    }
    assert_int_equal(ioctl(filler, TIOCOUTQ, &waiting), 0);
    return accepted - (size_t)waiting;
}

static void stops_to_read_for_ever(void **state) {
    struct iw_recorder *recorder = begin("at=send#64,stop", NULL, 1);
    struct captured *captured;

    (void)state;
    exchange(1);
    assert_in_range(fill(), 1, 16 << 20);
    captured = end(recorder);
    assert_int_equal(captured->stream[0][IW_SIDE_A].length, 20 + SENDS * 32);
    assert_int_equal(captured->stream[1][IW_SIDE_A].length, 20 + SENDS * 32);
    captured_free(captured);
    close(filler);
    close(reader);
}

/* What was offered before is used up first; then TCP takes no more than the window. */
static void limits_the_window_of_a_sender(void **state) {
    struct iw_recorder *recorder =
        begin("at=startup,direction=initiator,window=2304 at=send#6400,stop", NULL, 1);

    (void)state;
    exchange(100);
    assert_in_range(fill(), 1, 4608);
    captured_free(end(recorder));
    close(filler);
    close(reader);
}

static uint32_t segment_octets(int descriptor) {
    struct tcp_info info = {0};
    socklen_t length = sizeof info;

    assert_int_equal(getsockopt(descriptor, IPPROTO_TCP, TCP_INFO, &info, &length), 0);
    return info.tcpi_snd_mss;
}

/* A segment larger than the window is sent only when the persist timer of its sender expires, whose waits
 * double (RFC 9293 3.8.6.1): a loopback device has segments of 64 KiB. */
static void senders_have_segments_that_fit_the_window(void **state) {
    struct iw_recorder *recorder = begin("at=send#5,window=8192", NULL, 1);
    int initiator = relay_test_connect(&test), device = relay_test_accept(&test);

    (void)state;
    assert_in_range(segment_octets(initiator), 1, 4096);
    assert_in_range(segment_octets(device), 1, 4096);
    close(initiator);
    close(device);
    captured_free(end(recorder));
}

/* Also for connections whose rules come later; and not without such a rule. */
static void segments_are_limited_only_for_a_window(void **state) {
    struct iw_recorder *recorder = begin("at=send,drop", NULL, 1);
    struct iw_relay_rule rule;
    char error[IW_RELAY_TEXT_OCTETS];
    int initiator = relay_test_connect(&test), device = relay_test_accept(&test);

    (void)state;
    assert_true(segment_octets(initiator) > 16384 && segment_octets(device) > 16384);
    close(initiator);
    close(device);
    assert_true(iw_relay_rule_parse("at=send,window=1", &rule, error));
    iw_relay_impair(test.relay, &rule, 1, 0);
    initiator = relay_test_connect(&test);
    device = relay_test_accept(&test);
    assert_in_range(segment_octets(initiator), 88, 576);
    assert_in_range(segment_octets(device), 88, 576);
    close(initiator);
    close(device);
    relay_test_join(&test);
    relay_test_free(&test);
    assert_int_equal(iw_recorder_close(recorder, NULL), IW_OK);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resets_both_connections),
        cmocka_unit_test(divides_a_unit_into_writes_with_pauses),
        cmocka_unit_test(delays_a_unit_and_what_follows),
        cmocka_unit_test(stops_to_read_for_a_time),
        cmocka_unit_test(stops_to_read_for_ever),
        cmocka_unit_test(limits_the_window_of_a_sender),
        cmocka_unit_test(senders_have_segments_that_fit_the_window),
        cmocka_unit_test(segments_are_limited_only_for_a_window),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
