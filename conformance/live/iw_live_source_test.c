#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "iw_live_source.h"
#include "iw_temporary_test.h"

static char text[IW_LIVE_SOURCE_TEXT_OCTETS];

/* ---- captures as pipes ---- */

/* pcap 2.4, little endian, microseconds, Ethernet; written by hand. */
static const uint8_t head[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [16] = 0xff, 0xff, 0, 0, 1};

static void write_capture(const char *path, const uint32_t *seconds, size_t count) {
    FILE *file = fopen(path, "wb");
    const uint8_t data[60] = {0};

    assert_non_null(file);
    fwrite(head, sizeof head, 1, file);
    for (size_t i = 0; i < count; i++) {
        const uint32_t header[] = {seconds[i], 0, sizeof data, sizeof data};

        fwrite(header, sizeof header, 1, file);
        fwrite(data, sizeof data, 1, file);
    }
    fclose(file);
}

struct bench {
    char path[2][TEMPORARY_PATH];
    struct iw_live_source *source;
    struct iw_check_source check;
};

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);

    for (int i = 0; i < 2; i++)
        close(mkstemp(temporary_path(bench->path[i], "iw_live_source_test")));
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;

    iw_live_source_close(bench->source);
    for (int i = 0; i < 2; i++)
        unlink(bench->path[i]);
    free(bench);
    return 0;
}

static void begin(struct bench *bench, const struct iw_live_source_config *config) {
    bench->source = iw_live_source_open(config, text);
    assert_non_null(bench->source);
    iw_live_source_init(bench->source, &bench->check);
}

static int next(struct bench *bench, struct iw_packet *packet) {
    int step;

    while ((step = bench->check.next(bench->check.user, packet, text, sizeof text)) == IW_CHECK_TICK)
        continue;
    return step;
}

static void gives_all_packets_of_two_captures(void **state) {
    struct bench *bench = *state;
    const char *names[] = {bench->path[0], bench->path[1]};
    struct iw_packet packet;
    unsigned seen = 0;
    int step;

    write_capture(names[0], (const uint32_t[]){1, 4, 5}, 3);
    write_capture(names[1], (const uint32_t[]){2, 3}, 2);
    begin(bench, &(struct iw_live_source_config){.names = names, .count = 2});
    while ((step = next(bench, &packet)) == IW_CHECK_PACKET)
        seen |= 1u << packet.time_ns / 1000000000;
    assert_int_equal(step, IW_CHECK_END);
    assert_int_equal(seen, 0x3e);
    assert_int_equal(iw_live_source_counts(bench->source).packets, 5);
    assert_int_equal(iw_live_source_counts(bench->source).octets, 5 * 60);
    assert_int_equal(bench->check.lost(bench->check.user), 0);
}

static void an_error_of_a_capture_ends_the_source(void **state) {
    struct bench *bench = *state;
    const char *names[] = {"/nonexistent/fifo"};
    struct iw_packet packet;

    begin(bench, &(struct iw_live_source_config){.names = names, .count = 1});
    assert_true(next(bench, &packet) < 0);
    assert_string_equal(text, "/nonexistent/fifo: No such file or directory");
}

static void an_unknown_interface_is_one_line(void **state) {
    const char *names[] = {"nodevice0"};

    (void)state;
    assert_null(iw_live_source_open(&(struct iw_live_source_config){.names = names, .count = 1}, text));
    assert_int_equal(strncmp(text, "nodevice0: ", 11), 0);
    assert_null(strchr(text, '\n'));
}

/* ---- the loopback interface ---- */

/* An address of this host that no other program uses: the filter excludes the other traffic on loopback. */
#define HOST "127.18.52.87"
static const char *const loopback[] = {"lo"};
static const struct iw_live_source_config loopback_config = {
    .names = loopback, .count = 1, .filter = "tcp and host " HOST, .buffer = 4 << 20};

static bool begin_loopback(struct bench *bench, const struct iw_live_source_config *config) {
    bench->source = iw_live_source_open(config, text);
    if (bench->source == NULL) {
        print_message("%s\n", text);
        return false; /* not permitted here */
    }
    iw_live_source_init(bench->source, &bench->check);
    return true;
}

/* A connection to a closed port: a SYN and a RST. */
static void knock(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(HOST)};
    socklen_t length = sizeof address;
    int holder = socket(AF_INET, SOCK_STREAM, 0);
    int knocker = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(holder, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(holder, (struct sockaddr *)&address, &length), 0);
    assert_int_equal(connect(knocker, (struct sockaddr *)&address, length), -1);
    close(knocker);
    close(holder);
}

static void gives_packets_of_an_interface_until_it_is_stopped(void **state) {
    struct bench *bench = *state;
    struct iw_packet packet;
    struct iw_tcp_segment segment;
    struct iw_packet_facts facts;

    if (!begin_loopback(bench, &loopback_config))
        skip();
    knock();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(next(bench, &packet), IW_CHECK_PACKET);
        assert_int_equal(iw_packet_find(&packet, &segment, &facts), IW_PACKET_TCP);
        assert_int_equal(segment.flags & IW_TCP_RST, i == 0 ? 0 : IW_TCP_RST);
    }
    iw_live_source_stop(bench->source);
    assert_int_equal(next(bench, &packet), IW_CHECK_END);
}

static void ticks_and_ends_without_packets(void **state) {
    struct bench *bench = *state;
    struct iw_live_source_config config = loopback_config;
    struct iw_packet packet;
    int step, ticks = 0;

    config.filter = "tcp and host " HOST " and port 1";
    config.duration_ms = 350;
    if (!begin_loopback(bench, &config))
        skip();
    while ((step = bench->check.next(bench->check.user, &packet, text, sizeof text)) == IW_CHECK_TICK)
        ticks++;
    assert_int_equal(step, IW_CHECK_END);
    assert_in_range(ticks, 1, 5); /* every 100 ms, and at the end */
}

static void a_wrong_filter_is_one_line(void **state) {
    struct iw_live_source_config config = loopback_config;

    (void)state;
    config.filter = "tcp and and";
    assert_null(iw_live_source_open(&config, text));
    assert_int_equal(strncmp(text, "lo: ", 4), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gives_all_packets_of_two_captures, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(an_error_of_a_capture_ends_the_source, open_bench, close_bench),
        cmocka_unit_test(an_unknown_interface_is_one_line),
        cmocka_unit_test_setup_teardown(
            gives_packets_of_an_interface_until_it_is_stopped, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(ticks_and_ends_without_packets, open_bench, close_bench),
        cmocka_unit_test(a_wrong_filter_is_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
