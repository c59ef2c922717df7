#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_capture_file.h"
#include "iw_lazy_monitor.h"
#include "iw_tcp_table.h"
#include "iw_temporary_test.h"
#include "iw_watch.h"

/* The monitor of a watch and a reader of its capture see the same: their events and findings are equal. */

/* RFC 5044 7.1.1: C=1, Rev 1, no Private Data. */
static const uint8_t request[20] = "MPA ID Req Frame\x40\x01\x00\x00",
                     reply[20] = "MPA ID Rep Frame\x40\x01\x00\x00";

struct log {
    char text[4096];
    size_t used;
    unsigned findings;
};

struct bench {
    char path[TEMPORARY_PATH], error[IW_RECORDER_TEXT_OCTETS];
    struct iw_loop *loop;
    struct iw_listener *listener;
    struct iw_port *client, *server;
    struct iw_recorder *recorder;
    struct iw_watch *watch;
    size_t received[2]; /* by enum iw_side: octets that have arrived at that end */
    struct log live, read;
};

static const struct iw_monitor_config monitor_config = {.extensions = IW_EXT_ALL, .mpa = {.expected = true}};

static void log_event(void *user, const struct iw_monitor_event *event) {
    const struct iw_llp_event *llp = event->llp;
    struct log *log = user;

    log->used += (size_t)snprintf(log->text + log->used, sizeof log->text - log->used,
        "%d %d at %llu: %u octets, frame %llu, close %d, pending %u\n", (int)llp->kind, (int)llp->side,
        (unsigned long long)llp->offset, (unsigned)llp->octets, (unsigned long long)llp->frame,
        (int)llp->close, (unsigned)llp->pending.octets);
    for (size_t i = 0; i < event->finding_count; i++)
        log->used += (size_t)snprintf(log->text + log->used, sizeof log->text - log->used, "  %s: %s\n",
            event->findings[i].requirement->id, event->findings[i].message);
    log->findings += (unsigned)event->finding_count;
    assert_true(log->used < sizeof log->text);
}

/* ---- the connection ---- */

static void take_octets(void *user, const uint8_t *octets, size_t length) {
    size_t *received = user;

    (void)octets;
    *received += length;
}

static void take_end(void *user, enum iw_port_end end, const char *text) {
    (void)user;
    (void)end;
    (void)text;
}

static void take_connected(void *user) {
    (void)user;
}

static const struct iw_port_handlers handlers = {
    .connected = take_connected, .received = take_octets, .ended = take_end};

static void accept_port(void *user, struct iw_port *port) {
    struct bench *bench = user;

    bench->server = port;
    iw_port_handle(port, &handlers, &bench->received[IW_SIDE_B]);
}

static int begin(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);
    char text[IW_PORT_TEXT_OCTETS];

    assert_non_null(bench);
    close(mkstemp(temporary_path(bench->path, "iw_watch_test")));
    bench->loop = iw_loop_new(IW_LOOP_VIRTUAL);
    bench->listener = iw_listener_new(bench->loop, "127.0.0.1", 0, accept_port, bench, text);
    bench->client = iw_port_connect(bench->loop, "127.0.0.1", iw_listener_port(bench->listener), &handlers,
        &bench->received[IW_SIDE_A], text);
    bench->recorder = iw_recorder_open(bench->path, NULL, bench->error);
    bench->watch = iw_watch_new(bench->client,
        &(struct iw_watch_config){
            .recorder = bench->recorder, .extensions = IW_EXT_ALL, .sink = log_event, .user = &bench->live});
    assert_non_null(bench->watch);
    iw_loop_run(bench->loop);
    assert_non_null(bench->server);
    *state = bench;
    return 0;
}

static int end(void **state) {
    struct bench *bench = *state;

    iw_port_free(bench->client);
    iw_port_free(bench->server);
    iw_watch_free(bench->watch);
    iw_listener_free(bench->listener);
    iw_loop_free(bench->loop);
    unlink(bench->path);
    free(bench);
    return 0;
}

/* Sends from that side, and waits until the octets have arrived. */
static void say(struct bench *bench, enum iw_side side, const uint8_t *octets, size_t length) {
    enum iw_side other = iw_side_other(side);
    size_t wanted = bench->received[other] + length;

    iw_port_write(side == IW_SIDE_A ? bench->client : bench->server, octets, length);
    iw_loop_run(bench->loop);
    assert_int_equal(bench->received[other], wanted);
}

/* ---- the capture ---- */

static void judge_chunk(void *user, struct iw_tcp_flow *flow, const struct iw_chunk *chunk) {
    (void)flow;
    iw_lazy_monitor_feed(user, chunk);
}

static void judge_capture(struct bench *bench) {
    const struct iw_tcp_handlers judge = {.chunk = judge_chunk};
    struct iw_lazy_monitor lazy;
    struct iw_tcp_table *table = iw_tcp_table_new(NULL, &judge, &lazy);
    struct iw_capture_file *file;
    struct iw_packet packet;
    struct iw_tcp_segment segment;

    iw_lazy_monitor_init(&lazy, &monitor_config, log_event, &bench->read);
    assert_int_equal(iw_capture_file_open(bench->path, &file, bench->error, sizeof bench->error), IW_OK);
    while (iw_capture_file_next(file, &packet, bench->error, sizeof bench->error) == IW_CAPTURE_PACKET) {
        assert_int_equal(iw_packet_find(&packet, &segment, &(struct iw_packet_facts){0}), IW_PACKET_TCP);
        assert_int_equal(iw_tcp_table_segment(table, &segment), IW_OK);
    }
    iw_capture_file_close(file);
    iw_tcp_table_finish(table);
    iw_tcp_table_free(table);
    iw_lazy_monitor_finish(&lazy);
    iw_lazy_monitor_dispose(&lazy);
}

/* Ends both, and compares them. */
static void assert_equal(struct bench *bench, unsigned findings) {
    iw_watch_finish(bench->watch);
    iw_port_close(bench->server); /* after the end: neither recorded nor judged */
    iw_loop_run(bench->loop);
    assert_int_equal(iw_recorder_close(bench->recorder, bench->error), IW_OK);
    judge_capture(bench);
    assert_string_equal(bench->live.text, bench->read.text);
    assert_int_equal(bench->live.findings, findings);
}

/* ---- tests ---- */

/* Octets after the Request that were sent before the Reply: only acknowledgements prove that. */
static void octets_before_the_reply(void **state) {
    struct bench *bench = *state;

    say(bench, IW_SIDE_A, request, sizeof request);
    say(bench, IW_SIDE_A, request, sizeof request);
    say(bench, IW_SIDE_B, reply, sizeof reply - 1);
    iw_port_close(bench->server);
    iw_loop_run(bench->loop);
    iw_port_close(bench->client);
    assert_equal(bench, 2); /* PD_Length of the Request, and an incomplete Reply */
}

/* No proof of MPA: the watch expects it. */
static void beginning_of_a_request(void **state) {
    struct bench *bench = *state;

    say(bench, IW_SIDE_A, request, 10);
    iw_port_close(bench->client);
    assert_equal(bench, 1);
}

/* A reader of the capture gets the RST of the client last. */
static void reset_within_a_frame(void **state) {
    struct bench *bench = *state;

    say(bench, IW_SIDE_A, request, sizeof request);
    say(bench, IW_SIDE_B, reply, 10);
    iw_port_reset(bench->client);
    assert_equal(bench, 0);
}

static void no_octets(void **state) {
    assert_equal(*state, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(octets_before_the_reply),
        TEST(beginning_of_a_request),
        TEST(reset_within_a_frame),
        TEST(no_octets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
