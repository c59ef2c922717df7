#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <cmocka.h>

#include "iw_live_pipe.h"
#include "iw_temporary_test.h"

/* pcap 2.4, little endian, microseconds, Ethernet; written by hand. */
static const uint8_t head[24] = {0xd4, 0xc3, 0xb2, 0xa1, 2, 0, 4, 0, [16] = 0xff, 0xff, 0, 0, 1};

struct bench {
    char path[TEMPORARY_PATH];
    int wake;
    FILE *writer;
    struct iw_live_pipe *pipe;
};

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);
    int descriptor = mkstemp(temporary_path(bench->path, "iw_live_pipe_test"));

    close(descriptor);
    unlink(bench->path);
    assert_int_equal(mkfifo(bench->path, 0600), 0);
    bench->wake = eventfd(0, EFD_NONBLOCK);
    bench->pipe = iw_live_pipe_open(bench->path, bench->wake);
    assert_non_null(bench->pipe);
    bench->writer = fopen(bench->path, "wb"); /* waits for the thread */
    assert_non_null(bench->writer);
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;

    if (bench->writer != NULL)
        fclose(bench->writer);
    iw_live_pipe_close(bench->pipe);
    close(bench->wake);
    unlink(bench->path);
    free(bench);
    return 0;
}

static void write_packet(struct bench *bench, uint8_t number, uint32_t octets) {
    uint8_t *data = calloc(1, octets);
    const uint32_t header[] = {number, 0, octets, octets};

    memset(data, number, octets);
    fwrite(header, sizeof header, 1, bench->writer);
    fwrite(data, octets, 1, bench->writer);
    fflush(bench->writer);
    free(data);
}

/* The next packet; waits for the thread. */
static enum iw_live_pipe_step next(struct bench *bench, struct iw_packet *packet, const char **error) {
    struct pollfd wake = {.fd = bench->wake, .events = POLLIN};
    enum iw_live_pipe_step step;
    uint64_t count;

    while ((step = iw_live_pipe_next(bench->pipe, packet, error)) == IW_LIVE_PIPE_EMPTY) {
        assert_int_equal(poll(&wake, 1, 60000), 1);
        assert_true(read(bench->wake, &count, sizeof count) > 0);
    }
    return step;
}

static void gives_packets_while_the_writer_goes_on(void **state) {
    struct bench *bench = *state;
    struct iw_packet packet;
    const char *error;

    fwrite(head, sizeof head, 1, bench->writer);
    for (uint8_t i = 1; i <= 3; i++) {
        write_packet(bench, i, 60);
        assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_PACKET);
        assert_int_equal(packet.captured, 60);
        assert_int_equal(packet.octets[59], i);
        assert_int_equal(packet.time_ns, i * (uint64_t)1000000000);
        assert_int_equal(iw_live_pipe_next(bench->pipe, &packet, &error), IW_LIVE_PIPE_EMPTY);
    }
    fclose(bench->writer);
    bench->writer = NULL;
    assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_END);
    assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_END);
}

/* More than the queue holds, in packets that do not divide it. */
static void keeps_the_order_around_the_end_of_the_queue(void **state) {
    enum { PACKETS = 700, OCTETS = 65001 };
    struct bench *bench = *state;
    struct iw_packet packet;
    const char *error;
    pid_t child;

    fwrite(head, sizeof head, 1, bench->writer);
    fflush(bench->writer);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int i = 0; i < PACKETS; i++)
            write_packet(bench, (uint8_t)i, OCTETS - (uint32_t)i);
        _exit(0);
    }
    fclose(bench->writer);
    bench->writer = NULL;
    for (int i = 0; i < PACKETS; i++) {
        assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_PACKET);
        assert_int_equal(packet.captured, OCTETS - i);
        assert_int_equal(packet.octets[0], (uint8_t)i);
        assert_int_equal(packet.octets[packet.captured - 1], (uint8_t)i);
    }
    assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_END);
}

static void reports_what_is_no_capture(void **state) {
    struct bench *bench = *state;
    struct iw_packet packet;
    const char *error;

    fwrite("this is no capture file", 23, 1, bench->writer);
    fclose(bench->writer);
    bench->writer = NULL;
    assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_ERROR);
    assert_int_equal(strncmp(error, bench->path, strlen(bench->path)), 0);
    assert_non_null(strstr(error, ": not a capture file"));
}

static void reports_a_packet_cut_short(void **state) {
    struct bench *bench = *state;
    struct iw_packet packet;
    const char *error;

    fwrite(head, sizeof head, 1, bench->writer);
    write_packet(bench, 1, 60);
    fwrite(head, 10, 1, bench->writer);
    fclose(bench->writer);
    bench->writer = NULL;
    assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_PACKET);
    assert_int_equal(next(bench, &packet, &error), IW_LIVE_PIPE_ERROR);
    assert_non_null(strstr(error, "truncated"));
}

/* Closing does not wait for a writer that is silent, nor for one that writes more than the queue holds. */
static void closes_at_any_time(void **state) {
    struct bench *bench = *state;

    fwrite(head, sizeof head, 1, bench->writer);
    fflush(bench->writer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gives_packets_while_the_writer_goes_on, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(keeps_the_order_around_the_end_of_the_queue, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(reports_what_is_no_capture, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(reports_a_packet_cut_short, open_bench, close_bench),
        cmocka_unit_test_setup_teardown(closes_at_any_time, open_bench, close_bench),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
