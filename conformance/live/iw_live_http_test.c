#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_live_http.h"

/* The server runs when the test calls the handler `tick`, as a report does. */

enum { ANSWER = 1 << 16, STEPS_MAX = 10000 };

struct bench {
    struct iw_live_source *source;
    struct iw_live_http *http;
    struct iw_check_report report;
    struct iw_check_stream stream;
    char answer[ANSWER]; /* text */
};

static int open_bench(void **state) {
    static const char *const names[] = {"/dev/null"};
    struct bench *bench = calloc(1, sizeof *bench);
    char text[IW_LIVE_SOURCE_TEXT_OCTETS];

    bench->source = iw_live_source_open(&(struct iw_live_source_config){.names = names, .count = 1}, text);
    assert_non_null(bench->source);
    bench->http = iw_live_http_open(0, bench->source, text);
    assert_non_null(bench->http);
    bench->report = (struct iw_check_report){.out = stdout, .form = &iw_check_report_text};
    assert_true(iw_live_http_begin(bench->http, &bench->report));
    bench->stream = (struct iw_check_stream){.id = 7};
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;

    iw_live_http_close(bench->http);
    iw_live_source_close(bench->source);
    free(bench);
    return 0;
}

static void tick(struct bench *bench) {
    bench->report.form->tick(&bench->report);
}

/* A finding of the connection, with this number as its actual value. */
static void find(struct bench *bench, unsigned number, const char *message) {
    struct iw_llp_event llp = {.kind = IW_LLP_SEGMENT};
    struct iw_finding finding = {
        .requirement = iw_requirement_find("RFC5044-4.4-11"), .frame = 6, .number = number};
    const struct iw_monitor_event event = {.llp = &llp, .findings = &finding, .finding_count = 1};

    snprintf(finding.message, sizeof finding.message, "%s", message);
    snprintf(finding.expected, sizeof finding.expected, "0");
    snprintf(finding.actual, sizeof finding.actual, "%u", number);
    bench->report.form->event(&bench->report, &bench->stream, &event);
}

/* Connects with a receive buffer of about `buffer` octets (0: the usual one), and sends the text. */
static int begin(struct bench *bench, const char *request, int buffer) {
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(iw_live_http_port(bench->http)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int client = socket(AF_INET, SOCK_STREAM, 0);

    if (buffer > 0)
        assert_int_equal(setsockopt(client, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer), 0);
    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(write(client, request, strlen(request)), (ssize_t)strlen(request));
    assert_int_equal(fcntl(client, F_SETFL, O_NONBLOCK), 0);
    return client;
}

/* Reads until the text has come, or until the server closes the connection if it is NULL. */
static void read_until(struct bench *bench, int client, const char *wanted) {
    size_t used = 0;

    for (int i = 0; i < STEPS_MAX; i++) {
        ssize_t count = read(client, bench->answer + used, ANSWER - 1 - used);

        assert_true(count >= 0 || errno == EAGAIN);
        used += count > 0 ? (size_t)count : 0;
        bench->answer[used] = '\0';
        if (wanted == NULL ? count == 0 : strstr(bench->answer, wanted) != NULL)
            return;
        assert_true(count != 0);
        assert_true(used < ANSWER - 1);
        tick(bench);
    }
    fail_msg("the server does not answer: %s", bench->answer);
}

/* Sends METHOD URL with this Host; `host` may have %u for the port. Returns the status. */
static unsigned ask(struct bench *bench, const char *method, const char *url, const char *host) {
    char name[64], request[512];
    int client;

    snprintf(name, sizeof name, "%s", host);
    if (strchr(host, '#') != NULL)
        snprintf(name, sizeof name, "%.*s%u", (int)strcspn(host, "#"), host, iw_live_http_port(bench->http));
    snprintf(request, sizeof request, "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", method, url,
        name);
    client = begin(bench, request, 0);
    read_until(bench, client, NULL);
    close(client);
    assert_memory_equal(bench->answer, "HTTP/1.1 ", 9);
    return (unsigned)atoi(bench->answer + 9);
}

#define US "localhost:#"

static void gives_the_files_of_the_page(void **state) {
    struct bench *bench = *state;

    assert_int_equal(ask(bench, "GET", "/", US), 200);
    assert_non_null(strstr(bench->answer, "Content-Type: text/html; charset=utf-8\r\n"));
    assert_non_null(strstr(bench->answer, "script-src 'self'; style-src 'self'; connect-src 'self'; "));
    assert_non_null(strstr(bench->answer, "Content-Security-Policy: default-src 'none'; "));
    assert_non_null(strstr(bench->answer, "frame-ancestors 'none'"));
    assert_null(strstr(bench->answer, "unsafe"));
    assert_null(strstr(bench->answer, "<script>"));
    assert_null(strstr(bench->answer, "<style>"));
    assert_int_equal(ask(bench, "GET", "/watch.js", "127.0.0.1:#"), 200);
    assert_non_null(strstr(bench->answer, "Content-Type: text/javascript; charset=utf-8\r\n"));
    assert_int_equal(ask(bench, "GET", "/frame.css", US), 200);
    assert_int_equal(ask(bench, "GET", "/watch.css", US), 200);
    assert_int_equal(ask(bench, "GET", "/../../etc/passwd", US), 404);
    assert_int_equal(ask(bench, "GET", "/watch.html/", US), 404);
}

static void answers_only_get(void **state) {
    static const char *const methods[] = {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "X"};
    struct bench *bench = *state;

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        assert_int_equal(ask(bench, methods[i], "/", US), 405);
        assert_non_null(strstr(bench->answer, "Allow: GET\r\n"));
    }
}

/* A page of evil.example, whose name leads to 127.0.0.1, asks with its own name. */
static void answers_only_its_own_names(void **state) {
    static const char *const hosts[] = {"evil.example", "evil.example:#", "localhost", "localhost:1",
        "localhost.evil.example:#", "127.0.0.1", "0.0.0.0:#", "[::1]:#", ""};
    struct bench *bench = *state;

    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        assert_int_equal(ask(bench, "GET", "/events", hosts[i]), 403);
        assert_int_equal(ask(bench, "GET", "/", hosts[i]), 403);
    }
}

/* Only loopback: another address of this host does not answer. */
static void listens_on_one_address(void **state) {
    struct bench *bench = *state;
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(iw_live_http_port(bench->http)),
        .sin_addr.s_addr = inet_addr("127.0.0.2")};
    int client = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(connect(client, (struct sockaddr *)&address, sizeof address), -1);
    assert_int_equal(errno, ECONNREFUSED);
    close(client);
}

static int begin_events(struct bench *bench, int buffer) {
    char request[128];

    snprintf(request, sizeof request, "GET /events HTTP/1.1\r\nHost: localhost:%u\r\n\r\n",
        iw_live_http_port(bench->http));
    return begin(bench, request, buffer);
}

static void a_new_page_gets_the_state_and_then_changes(void **state) {
    struct bench *bench = *state;
    int client;

    find(bench, 1, "one \"<b>\xe2\x82\xac");
    client = begin_events(bench, 0);
    read_until(bench, client, "\n\n\r\n");
    assert_non_null(strstr(bench->answer, "Content-Type: text/event-stream\r\n"));
    assert_non_null(strstr(
        bench->answer, "event: update\ndata: {\"begin\":true,\"gone\":[],\"rows\":[{\"id\":1,\"stream\":7,"));
    assert_non_null(strstr(bench->answer, "\"message\":\"one \\\"<b>\xe2\x82\xac\""));
    find(bench, 2, "two");
    read_until(bench, client, "\n\n\r\n");
    assert_non_null(strstr(bench->answer, "{\"begin\":false,"));
    assert_non_null(strstr(bench->answer, "\"message\":\"two\""));
    assert_null(strstr(bench->answer, "\"message\":\"one"));
    close(client);
}

static void a_seventeenth_page_has_to_wait(void **state) {
    struct bench *bench = *state;
    int clients[IW_LIVE_HTTP_CLIENTS];

    find(bench, 1, "one");
    for (int i = 0; i < IW_LIVE_HTTP_CLIENTS; i++) {
        clients[i] = begin_events(bench, 0);
        read_until(bench, clients[i], "\n\n\r\n");
        assert_memory_equal(bench->answer, "HTTP/1.1 200 ", 13);
    }
    assert_int_equal(ask(bench, "GET", "/events", US), 503);
    assert_int_equal(ask(bench, "GET", "/", US), 200);
    /* The server finds out with the next event for the closed connection. */
    close(clients[0]);
    for (unsigned i = 2; i < STEPS_MAX; i++) {
        find(bench, i, "one more");
        tick(bench);
        clients[0] = begin_events(bench, 0);
        read_until(bench, clients[0], "\r\n\r\n");
        if (strncmp(bench->answer, "HTTP/1.1 200 ", 13) == 0)
            break;
        close(clients[0]);
    }
    assert_memory_equal(bench->answer, "HTTP/1.1 200 ", 13);
    for (int i = 0; i < IW_LIVE_HTTP_CLIENTS; i++)
        close(clients[i]);
}

/* Each finding is a new state. A client that does not read gets what fits into the buffers of its socket;
 * when it reads again, it misses the states between, but has the latest one, and each event is whole. */
static void a_client_that_does_not_read_misses_states(void **state) {
    enum { STATES = 5000 };
    struct bench *bench = *state;
    int slow = begin_events(bench, 4096), quick = begin_events(bench, 0);
    unsigned seen = 0;
    char last[64];

    for (unsigned i = 1; i <= STATES; i++) {
        find(bench, i, "a finding with a text that is long enough to fill the buffers of a socket soon");
        tick(bench);
        while (read(quick, bench->answer, ANSWER - 1) > 0)
            continue;
    }
    find(bench, STATES + 1, "the last one");
    read_until(bench, quick, "the last one");

    snprintf(last, sizeof last, "\"actual\":\"%d\"", STATES + 1);
    FILE *file = tmpfile();
    assert_non_null(file);
    for (bool over = false; !over;) {
        ssize_t count = read(slow, bench->answer, ANSWER - 1);

        assert_true(count != 0);
        if (count > 0) {
            bench->answer[count] = '\0';
            fwrite(bench->answer, 1, (size_t)count, file);
            over = strstr(bench->answer, last) != NULL;
        }
        tick(bench);
    }
    rewind(file);
    while (fgets(bench->answer, ANSWER, file) != NULL)
        seen += strcmp(bench->answer, "event: update\n") == 0;
    fclose(file);
    assert_in_range(seen, 2, STATES - 1);
    close(slow);
    close(quick);
}

/* Clients that send an octet now and then hold all connections, but for 10 s at most. */
static void slow_requests_do_not_keep_others_out(void **state) {
    enum { SLOW = 2 * IW_LIVE_HTTP_CLIENTS, ROUND_MS = 200, ROUNDS = 75 };
    struct bench *bench = *state;
    int clients[SLOW], ended = 0;

    for (int i = 0; i < SLOW; i++) {
        clients[i] = begin(bench, "GET / HT", 0);
        tick(bench);
    }
    for (int round = 0; round < ROUNDS && ended < SLOW; round++) {
        struct pollfd first = {.fd = clients[0], .events = POLLIN};

        poll(&first, 1, ROUND_MS);
        ended = 0;
        for (int i = 0; i < SLOW; i++) {
            ended += send(clients[i], "T", 1, MSG_NOSIGNAL) != 1;
            tick(bench);
        }
    }
    assert_int_equal(ended, SLOW);
    assert_int_equal(ask(bench, "GET", "/", "127.0.0.1:#"), 200);
    for (int i = 0; i < SLOW; i++)
        close(clients[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_bench, close_bench)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(gives_the_files_of_the_page),
        TEST(answers_only_get),
        TEST(answers_only_its_own_names),
        TEST(listens_on_one_address),
        TEST(a_new_page_gets_the_state_and_then_changes),
        TEST(a_seventeenth_page_has_to_wait),
        TEST(a_client_that_does_not_read_misses_states),
        TEST(slow_requests_do_not_keep_others_out),
    };

    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
