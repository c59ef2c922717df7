#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_reference.h"
#include "iw_temporary_test.h"

/* A responder in its own process is killed when its Flush Response has arrived: the file has the octets that
 * were flushed, and no others (draft-talpey-rdma-commit-01 3.1.1). */

enum { STAG = 0x11223344, SIZE = 32 };

static char path[TEMPORARY_PATH];

/* ---- the responder ---- */

static void serve(int pipe_end) {
    struct iw_reference_config config = {
        .loop = iw_loop_new(IW_LOOP_REAL), .host = "127.0.0.1", .endpoint = iw_reference_defaults()};
    const struct iw_registration registration = {
        .stag = STAG, .size = SIZE, .rights = IW_RIGHT_WRITE | IW_RIGHT_PERSIST, .file = path};
    char text[IW_PORT_TEXT_OCTETS];
    enum iw_refusal refusal;
    struct iw_reference *reference;
    uint16_t port = 0;

    config.endpoint.extensions = IW_EXT_ALL;
    reference = iw_reference_new(&config, text);
    if (reference != NULL && iw_memory_offer(iw_reference_memory(reference), &registration, &refusal) != NULL)
        port = iw_reference_port(reference);
    if (write(pipe_end, &port, sizeof port) == sizeof port)
        iw_loop_run(config.loop);
    _exit(1);
}

static pid_t start_responder(uint16_t *port) {
    int ends[2];
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        serve(ends[1]);
    assert_int_equal(read(ends[0], port, sizeof *port), sizeof *port);
    close(ends[0]);
    close(ends[1]);
    return child;
}

/* ---- the requester ---- */

struct requester {
    struct iw_loop *loop;
    pid_t responder;
    bool answered;
};

static void take_event(void *user, struct iw_endpoint *endpoint, const struct iw_event *event) {
    struct requester *requester = user;
    int status;

    (void)endpoint;
    if (event->kind == IW_EVENT_ANSWERED) {
        requester->answered = true;
        kill(requester->responder, SIGKILL);
        assert_int_equal(waitpid(requester->responder, &status, 0), requester->responder);
        assert_true(WIFSIGNALED(status));
    }
    if (event->kind == IW_EVENT_ANSWERED || event->kind == IW_EVENT_CLOSED)
        iw_loop_stop(requester->loop);
}

static void post_write(struct iw_endpoint *endpoint, uint64_t to, const char *octets) {
    const struct iw_post post = {.opcode = IW_RDMAP_OP_RDMA_WRITE,
        .stag = STAG,
        .to = to,
        .payload = (const uint8_t *)octets,
        .payload_octets = strlen(octets)};

    assert_int_equal(iw_endpoint_post(endpoint, &post), IW_OK);
}

static void post_flush(struct iw_endpoint *endpoint, uint64_t to, uint32_t length) {
    const struct iw_flush_request flush = {.stag = STAG, .to = to, .length = length, .p = 1};
    uint8_t header[iw_flush_request_octets];
    const struct iw_post post = {.opcode = IW_RDMAP_OP_FLUSH_REQUEST, .header = header};

    iw_flush_request_encode(&flush, header);
    assert_int_equal(iw_endpoint_post(endpoint, &post), IW_OK);
}

static void flushed_octets_outlive_the_responder(void **state) {
    struct iw_endpoint_config config = iw_endpoint_config_default(true);
    struct requester requester = {0};
    char text[IW_PORT_TEXT_OCTETS];
    char found[SIZE + 1] = "";
    struct iw_endpoint *endpoint;
    uint16_t port;
    FILE *file;

    (void)state;
    close(mkstemp(temporary_path(path, "iw_persistence_test")));
    requester.responder = start_responder(&port);
    requester.loop = iw_loop_new(IW_LOOP_REAL);
    config.extensions = IW_EXT_ALL;
    endpoint = iw_endpoint_connect(requester.loop, "127.0.0.1", port, &config, take_event, &requester, text);
    assert_non_null(endpoint);
    post_write(endpoint, 0, "never flushed");
    post_write(endpoint, 16, "flushed");
    post_flush(endpoint, 16, 7);
    iw_loop_run(requester.loop);
    assert_true(requester.answered);
    iw_endpoint_free(endpoint);
    iw_loop_free(requester.loop);

    file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(found, 1, sizeof found, file), SIZE);
    fclose(file);
    unlink(path);
    assert_memory_equal(found, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0flushed\0\0\0\0\0\0\0\0\0", SIZE);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(flushed_octets_outlive_the_responder)};

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
