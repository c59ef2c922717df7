#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "iw_browser_test.h"
#include "iw_explain.h"
#include "iw_live_http.h"
#include "iw_temporary_test.h"

/* A watch of a FIFO in a thread, and its page in a browser while packets come. The capture has a Request in
 * frame 4, a Reply in frame 5, a Send with a wrong CRC in frame 6, and the FINs in frames 7 and 8. */

#define CAPTURE WARPCHECK_SOURCE_DIR "/captures/oddities/badcrc.pcap"
enum { PCAP_HEAD = 24, PCAP_PACKET_HEAD = 16, CAPTURE_MAX = 4096 };

struct bench {
    char folder[TEMPORARY_PATH], fifo[TEMPORARY_FILE], url[64];
    int writer;
    uint8_t capture[CAPTURE_MAX];
    size_t octets, written;
    struct iw_live_source *source;
    struct iw_live_http *http;
    struct iw_browser *browser;
    pthread_t thread;
    enum iw_exit exit;
};

static void *watch(void *user) {
    struct bench *bench = user;
    struct iw_check_report report = {.out = fopen("/dev/null", "w"),
        .extensions = IW_EXT_DEFAULT,
        .form = &iw_check_report_text,
        .teller = &iw_explain_teller};
    struct iw_check_source check;

    iw_live_source_init(bench->source, &check);
    if (report.out != NULL && iw_live_http_begin(bench->http, &report))
        bench->exit = iw_check_report_end(&report, iw_check_report_source(&report, "a FIFO", &check));
    if (report.out != NULL)
        fclose(report.out);
    return NULL;
}

/* Gives the watch `packets` more packets. */
static void give(struct bench *bench, unsigned packets) {
    size_t end = bench->written == 0 ? PCAP_HEAD : bench->written;

    for (unsigned i = 0; i < packets && end < bench->octets; i++) {
        uint32_t captured;

        memcpy(&captured, bench->capture + end + 8, sizeof captured); /* little endian, as this file is */
        end += PCAP_PACKET_HEAD + captured;
    }
    assert_int_equal(write(bench->writer, bench->capture + bench->written, end - bench->written),
        (ssize_t)(end - bench->written));
    bench->written = end;
}

static int open_bench(void **state) {
    struct bench *bench = calloc(1, sizeof *bench);
    char text[IW_LIVE_SOURCE_TEXT_OCTETS];
    FILE *file = fopen(CAPTURE, "rb");

    assert_non_null(file);
    bench->octets = fread(bench->capture, 1, sizeof bench->capture, file);
    fclose(file);
    assert_memory_equal(bench->capture, "\xd4\xc3\xb2\xa1", 4);
    assert_non_null(mkdtemp(temporary_path(bench->folder, "iw_live_http_test")));
    snprintf(bench->fifo, sizeof bench->fifo, "%s/fifo", bench->folder);
    assert_int_equal(mkfifo(bench->fifo, 0600), 0);
    bench->source = iw_live_source_open(
        &(struct iw_live_source_config){.names = (const char *const[]){bench->fifo}, .count = 1}, text);
    assert_non_null(bench->source);
    bench->http = iw_live_http_open(0, bench->source, text);
    assert_non_null(bench->http);
    snprintf(bench->url, sizeof bench->url, "http://127.0.0.1:%u/", iw_live_http_port(bench->http));
    bench->browser = iw_browser_new(WARPCHECK_CHROMIUM);
    *state = bench;
    return 0;
}

static int close_bench(void **state) {
    struct bench *bench = *state;

    iw_browser_free(bench->browser);
    iw_live_http_close(bench->http);
    iw_live_source_close(bench->source);
    assert_true(temporary_remove(bench->folder));
    free(bench);
    return 0;
}

/* Waits until the expression is `expected`: looks again with each change of the page. */
static void await_value(struct bench *bench, const char *expression, const char *expected) {
    char whole[1024];

    snprintf(whole, sizeof whole,
        "new Promise((done) => { const look = () => String(%s) === '%s' && done('seen');"
        " new MutationObserver(look).observe(document, {subtree: true, childList: true, characterData: "
        "true}); look(); })",
        expression, expected);
    assert_string_equal(iw_browser_value(bench->browser, whole), "seen");
}

static void a_connection_a_finding_and_the_end_appear(void **state) {
    struct bench *bench = *state;

    assert_int_equal(pthread_create(&bench->thread, NULL, watch, bench), 0);
    bench->writer = open(bench->fifo, O_WRONLY | O_CLOEXEC);
    assert_true(bench->writer >= 0);
    give(bench, 5);
    iw_browser_open_url(bench->browser, bench->url);
    iw_browser_tools(bench->browser);
    await_value(bench, "all('#connections tbody td').slice(0, 5).map((one) => one.textContent).join('; ')",
        "stream 0; 10.0.0.1:41000; 10.0.0.2:20100; open; ");
    assert_string_equal(iw_browser_value(bench->browser, "seen('#findings li')"), "0");

    give(bench, 1);
    await_value(bench, "seen('#findings li.error')", "1");
    assert_string_equal(iw_browser_value(bench->browser, "text('#findings .message')"),
        "error: CRC is 0x124455a0, expected 0x134455a0");
    assert_string_equal(
        iw_browser_value(bench->browser, "text('#findings .place').split(',')[0]"), "RFC5044-4.4-11");
    await_value(bench, "text('#connections tbody td:nth-child(4)')", "open");
    await_value(bench, "text('#connections tbody td:nth-child(6)')", "1");

    give(bench, 3);
    close(bench->writer);
    await_value(bench, "seen('#reports pre')", "1");
    assert_string_equal(iw_browser_value(bench->browser, "text('#reports pre').includes('cause: An FPDU was "
                                                         "damaged after its CRC was computed (likely)')"),
        "true");
    await_value(bench, "text('#connections tbody td:nth-child(5)')", "violates");
    await_value(bench, "text('#state')", "the watch has ended");
    assert_int_equal(pthread_join(bench->thread, NULL), 0);
    assert_int_equal(bench->exit, IW_EXIT_VIOLATIONS);
    assert_int_equal(iw_browser_complaints(bench->browser), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_connection_a_finding_and_the_end_appear, open_bench, close_bench),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
