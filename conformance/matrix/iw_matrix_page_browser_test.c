#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_browser_page_test.h"
#include "iw_matrix_page.h"

/* The page of a matrix in a browser, as a reader sees it. It must cause no error messages and no network
 * requests. */

/* Two peers, of which blue has a name that a page must escape in its reason; a violation, a cell that was
 * fixed, one that no pair supports. */
static const char results[] =
    "{\"type\": \"matrix\", \"peers\": [{\"name\": \"red\", \"profile\": \"reference\", \"version\": \"red "
    "1.0\"}, {\"name\": "
    "\"blue\"}], \"scenarios\": [{\"name\": \"size-64\", \"code\": \"T\", \"group\": \"transfer\", "
    "\"title\": \"pings of 64 "
    "octets\"}, {\"name\": \"load\", \"code\": \"L\", \"group\": \"load\", \"title\": \"many pings\"}], "
    "\"runs\": [{\"run\": 1, "
    "\"started\": \"2026-01-01T00:00:00Z\", \"version\": \"0.1.0\", \"ran\": 5, \"kept\": 0, \"changed\": 0, "
    "\"counts\": "
    "{\"pass\": 2}}, {\"run\": 2, \"started\": \"2026-01-02T00:00:00Z\", \"version\": \"0.1.0\", \"ran\": 2, "
    "\"kept\": 3, "
    "\"changed\": 1, \"counts\": {\"pass\": 3}}], \"cells\": ["
    "{\"initiator\": \"red\", \"responder\": \"red\", \"scenario\": \"size-64\", \"verdict\": \"pass\", "
    "\"before\": \"pass\", "
    "\"files\": \"cells/red/red/size-64\", \"capture\": false, \"diagram\": false, \"findings\": []},"
    "{\"initiator\": \"red\", \"responder\": \"blue\", \"scenario\": \"size-64\", \"verdict\": \"fail\", "
    "\"before\": \"fail\", "
    "\"files\": \"cells/red/blue/size-64\", \"capture\": true, \"diagram\": true, \"reason\": \"<b>blue</b> "
    "says\", "
    "\"commands\": {\"initiator\": \"red -p 7\"}, \"findings\": [{\"side\": \"responder\", \"requirement\": "
    "\"RFC5044-4.4-11\", "
    "\"document\": \"RFC 5044\", \"section\": \"4.4\", \"level\": \"MUST\", \"severity\": \"error\", "
    "\"message\": \"CRC is wrong\", "
    "\"frame\": 7, \"count\": 3}]},"
    "{\"initiator\": \"blue\", \"responder\": \"red\", \"scenario\": \"size-64\", \"verdict\": \"pass\", "
    "\"before\": \"error\", "
    "\"history\": [{\"run\": 1, \"verdict\": \"error\"}, {\"run\": 2, \"verdict\": \"pass\"}]},"
    "{\"initiator\": \"blue\", \"responder\": \"blue\", \"scenario\": \"size-64\", \"verdict\": \"not "
    "judged\", \"before\": "
    "\"not judged\"},"
    "{\"initiator\": \"red\", \"responder\": \"red\", \"scenario\": \"load\", \"verdict\": \"not "
    "supported\", \"before\": \"not "
    "supported\"}]}";

static void write_page(struct iw_browser_page *page) {
    FILE *out = fopen(page->path, "w");
    json_t *read = json_loads(results, 0, NULL);

    assert_non_null(out);
    assert_non_null(read);
    assert_true(iw_matrix_page_put(out, read));
    assert_int_equal(fclose(out), 0);
    json_decref(read);
}

static int begin(void **state) {
    return iw_browser_page_begin(state, write_page);
}

static void the_page_names_the_worst_verdict(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "document.title", "Matrix of 2 peers: fails - warpcheck");
    assert_value(page, "all('#overview dd').map((one) => one.textContent).join()", "2,1,1,1,0");
    assert_value(page, "new Set(all('[id]').map((one) => one.id)).size === all('[id]').length", "true");
}

/* A reader who does not see colours sees a mark. */
static void the_matrix_leads_to_the_cells(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "all('#matrix tbody tr').map((row) => row.textContent.replace(/\\s+/g, ' ').trim()).join('; ')",
        "redT L – T ✗; blueT T ?");
    assert_value(page,
        "all('#matrix td a').every((link) => document.querySelector(link.getAttribute('href') + ' "
        "td:nth-child(3)')"
        ".textContent + ': ' + document.querySelector(link.getAttribute('href')).dataset.verdict === "
        "link.title)",
        "true");
}

static void a_cell_shows_its_findings_and_its_evidence(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "text('#cell-1 li')",
        "responder blue violates RFC5044-4.4-11 (RFC 5044 4.4, MUST): CRC is wrong frame 7, 3 times");
    assert_value(page, "document.querySelector('#cell-1 .words').firstChild.data.trim()", "<b>blue</b> says");
    assert_value(page,
        "all('#cell-1 td:last-child a').map((one) => one.getAttribute('href').slice(23)).join()",
        "capture.pcapng,diagram.html,judgement.jsonl,initiator.log,responder.log");
    assert_value(
        page, "all('#cell-0 td:last-child a').map((one) => one.textContent).join()", "judgement,responder");
    assert_value(page, "text('#cell-2 .aside')", "run 1: error, run 2: pass");
}

static void changes_and_violations_are_listed(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "all('#changes li').map((one) => one.textContent).join()",
        "fixed: blue, red, size-64: pass, before error");
    assert_value(page, "all('#findings tbody tr').map((one) => one.textContent).join()",
        "blueRFC5044-4.4-11 RFC 5044 4.4CRC is wrong1");
    assert_value(page, "all('#runs tbody tr').map((one) => one.firstChild.textContent).join()", "2,1");
}

static void the_filter_selects_cells(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "text('#filter-status')", "5 of 5 cells");
    assert_value(page,
        "set('filter-text', 'crc is wrong'); text('#filter-status') + ' ' + seen('#matrix td a')",
        "1 of 5 cells 1");
    assert_value(page, "reset().then(() => text('#filter-status'))", "5 of 5 cells");
    assert_value(page, "set('filter-responder', 'red'); text('#filter-status')", "3 of 5 cells");
    assert_value(page, "set('filter-scenario', 'load'); text('#filter-status')", "1 of 5 cells");
    assert_value(page, "reset().then(() => text('#filter-status'))", "5 of 5 cells");
    assert_value(
        page, "document.getElementById('filter-changed').click(); text('#filter-status')", "1 of 5 cells");
}

static void nothing_is_cut(struct iw_browser_page *page) {
    assert_value(page, "document.documentElement.scrollWidth <= innerWidth", "true");
}

static void the_page_fits_its_window(void **state) {
    iw_browser_page_each_screen(*state, nothing_is_cut);
}

static void the_page_is_readable_without_script(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_page_open_without_script(page);
    assert_value(page, "seen('#filter') + ' ' + seen('#cells tbody tr')", "0 5");
}

#define TEST(name) cmocka_unit_test_setup(name, iw_browser_page_find)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_page_names_the_worst_verdict),
        TEST(the_matrix_leads_to_the_cells),
        TEST(a_cell_shows_its_findings_and_its_evidence),
        TEST(changes_and_violations_are_listed),
        TEST(the_filter_selects_cells),
        TEST(iw_browser_page_loads_nothing),
        TEST(iw_browser_page_has_contrast),
        TEST(the_page_fits_its_window),
        TEST(the_page_is_readable_without_script),
    };

    return cmocka_run_group_tests(tests, begin, iw_browser_page_end);
}
