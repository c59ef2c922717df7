#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_browser_page_test.h"
#include "iw_explain.h"

/* The page of explain in a browser: a hang, a drop and a slow connection, as a reader sees them. It must
 * cause no error messages and no network requests. */

#define CAPTURES WARPCHECK_SOURCE_DIR "/captures/"

/* Four captures: a Read Response that stops after 5 of 8 octets, 30 s before the FIN; a Terminate; a closed
 * window; and latencies of NFS. */
static void write_page(struct iw_browser_page *page) {
    static const char *const paths[] = {CAPTURES "causes/response_stopped.pcap",
        CAPTURES "causes/read_sink_rights.pcap", CAPTURES "causes/zero_window.pcap",
        CAPTURES "ulp/nfs41_rdma.pcap"};
    struct iw_explain explain = {
        .out = fopen(page->path, "w"), .form = IW_EXPLAIN_HTML, .extensions = IW_EXT_DEFAULT};
    enum iw_exit exit = IW_EXIT_CONFORMS;

    assert_non_null(explain.out);
    for (int i = 0; i < 4; i++)
        exit = iw_exit_join(exit, iw_explain_files(&explain, paths + i, 1));
    assert_int_equal(iw_explain_end(&explain, exit), IW_EXIT_VIOLATIONS);
    assert_int_equal(fclose(explain.out), 0);
}

static int begin(void **state) {
    return iw_browser_page_begin(state, write_page);
}

static void the_page_has_a_story_of_each_connection(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "document.title", "Connections explained - warpcheck");
    assert_value(page, "all('.story h3').map((one) => one.textContent).join('; ')",
        "A Read Response stopped half-way; The reader's own buffer does not permit its Read Response; A "
        "receiver closed its TCP window; Nothing wrong seen");
    assert_value(page, "text('#overview p').slice(0, 34)", "4 connections: 3 with a cause, 0 f");
    assert_value(page, "new Set(all('[id]').map((one) => one.id)).size === all('[id]').length", "true");
}

static void the_list_links_to_the_connections(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "all('#overview ol a').map((one) => document.querySelector(one.getAttribute('href') + ' h3')"
        ".textContent === one.textContent).join()",
        "true,true,true,true");
}

/* Each row has its time, the pause its length, and the end its packet. */
static void the_diagram_shows_times_and_the_end(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "all('.story:first-of-type .diagram .time').map((one) => one.textContent).join('; ')",
        "3.000 ms; 4.000 ms; 5.000 ms; 6.000 ms; 7.000 ms; 8.000 ms; 30.010 s; 30.011 s");
    assert_value(page, "text('.story:first-of-type .diagram .pause')", "30.002 s without a message");
    assert_value(page,
        "all('.story:first-of-type .diagram g').map((one) => one.lastChild.textContent).slice(-3).join('; ')",
        "30.002 s without a message; frame 11: FIN; frame 12: FIN");
    assert_value(page,
        "all('.story:first-of-type .evidence').map((one) => one.lastChild.textContent).join('; ')",
        "frame 8: RDMA Read Request, MSN 1, evidence; frame 9: RDMA Read Response, STag 0x00001234, 5 "
        "octets, evidence");
    assert_value(page, "all('.diagram .wrong').map((one) => one.lastChild.textContent).join('; ')",
        "frame 10: Terminate, MSN 1, evidence");
}

/* Evidence that is no message, such as a closed window, has a row, too. */
static void the_diagram_shows_packets_that_are_evidence(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "all('.story:nth-of-type(3) .evidence').map((one) => one.lastChild.textContent).join('; ')",
        "frame 9: a packet without a message, evidence");
}

/* The line of outstanding requests goes on until the end, and both ends of its axis have times. */
static void the_chart_shows_the_wait(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "all('.story:first-of-type .chart text').map((one) => one.textContent).join('; ')",
        "1; 0; 5.000 ms; 30.010 s");
    /* from 0 up to 1 request at the left, where a part of the response comes, and on to the right end */
    assert_value(page, "document.querySelector('.steps').getAttribute('d')", "M60 70H60V15H60V15H660");
}

/* By tshark, 6 NFS ACCESS took 0.640 to 0.979 ms, and 2 took 1.231 and 1.501 ms; a bar ends at 1.049 ms. */
static void the_histogram_shows_counts(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "all('.story h4').filter((one) => one.textContent === 'Latency of NFS ACCESS of the initiator')"
        ".map((one) => Array.from(one.nextElementSibling.querySelectorAll('.count'))"
        ".map((count) => count.textContent).join()).join('; ')",
        "6,2");
}

static void the_filter_searches_the_connections(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "text('#filter-status')", "4 of 4 connections");
    assert_value(page, "set('filter-text', 'invalid stag'); text('#filter-status') + ' ' + seen('.story')",
        "1 of 4 connections 1");
    assert_value(page, "reset().then(() => text('#filter-status'))", "4 of 4 connections");
}

static void nothing_is_cut(struct iw_browser_page *page) {
    assert_value(page, "document.documentElement.scrollWidth <= innerWidth", "true");
    /* no text of a drawing is outside of it */
    assert_value(page,
        "all('svg text').filter((one) => { const text = one.getBBox(), all = "
        "one.ownerSVGElement.viewBox.baseVal; return text.x < 0 || text.x + text.width > all.width || "
        "text.y + text.height > all.height; }).map((one) => one.textContent).join()",
        "");
}

static void the_page_fits_its_window(void **state) {
    iw_browser_page_each_screen(*state, nothing_is_cut);
}

static void the_page_is_readable_without_script(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_page_open_without_script(page);
    assert_value(page, "seen('#filter') + ' ' + seen('.story')", "0 4");
}

#define TEST(name) cmocka_unit_test_setup(name, iw_browser_page_find)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_page_has_a_story_of_each_connection),
        TEST(the_list_links_to_the_connections),
        TEST(the_diagram_shows_times_and_the_end),
        TEST(the_diagram_shows_packets_that_are_evidence),
        TEST(the_chart_shows_the_wait),
        TEST(the_histogram_shows_counts),
        TEST(the_filter_searches_the_connections),
        TEST(iw_browser_page_loads_nothing),
        TEST(iw_browser_page_has_contrast),
        TEST(the_page_fits_its_window),
        TEST(the_page_is_readable_without_script),
    };

    return cmocka_run_group_tests(tests, begin, iw_browser_page_end);
}
