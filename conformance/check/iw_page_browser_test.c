#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

#include "iw_browser_page_test.h"
#include "iw_check_report.h"
#include "iw_pcap_test.h"

/* The page of --format html in a browser: its texts, its filter, its use by keyboard alone. It must cause no
 * error messages and no network requests. */

/* Sent instead of a Reply: its Key, MPA ID R"'><b>&x, becomes an HTML element unless escaped. */
#define HOSTILE_REPLY                                                                                        \
    "4d5041204944205222273e3c623e2678"                                                                       \
    "40010000"
#define HOSTILE_NAME "<img src=x onerror=document.title=1>'\"&.pcap"
#define HOSTILE_NAME_IN_JS "<img src=x onerror=document.title=1>'\\\"&.pcap"

#define CRC_CLAUSE "#RFC5044-4\\\\.4-11"

static void write_capture(const struct iw_browser_page *page, const char *name, const char *reply,
    const char *send, char path[TEMPORARY_FILE]) {
    struct pcap_test file;

    pcap_answered(&file, TALK_REQUEST, reply);
    pcap_packet(&file, IW_SIDE_A, IW_TCP_ACK, send);
    pcap_close(&file);
    snprintf(path, TEMPORARY_FILE, "%s/%s", page->folder, name);
    pcap_write(&file, file.length, path);
}

/* Three captures of one connection: a wrong CRC in frame 5, a wrong Reply in frame 4, and no violation. */
static void write_page(struct iw_browser_page *page) {
    struct iw_check_report report = {
        .out = fopen(page->path, "w"), .form = &iw_check_report_html, .extensions = IW_EXT_ALL, .many = true};
    enum iw_exit exit = IW_EXIT_CONFORMS;
    char paths[3][TEMPORARY_FILE];
    const char *const list[] = {paths[0], paths[1], paths[2]};

    assert_non_null(report.out);
    write_capture(page, "crc.pcap", TALK_REPLY, TALK_BAD_CRC, paths[0]);
    write_capture(page, HOSTILE_NAME, HOSTILE_REPLY, "", paths[1]);
    write_capture(page, "right.pcap", TALK_REPLY, TALK_SEND, paths[2]);
    for (int i = 0; i < 3; i++)
        exit = iw_exit_join(exit, iw_check_report_files(&report, list + i, 1));
    assert_int_equal(iw_check_report_end(&report, exit), IW_EXIT_VIOLATIONS);
    assert_int_equal(fclose(report.out), 0);
}

static int begin(void **state) {
    return iw_browser_page_begin(state, write_page);
}

static void the_page_shows_the_findings(void **state) {
    struct iw_browser_page *page = *state;
    char place[TEMPORARY_FILE + 64];

    assert_value(page, "document.title", "violates: 3 captures - warpcheck");
    assert_value(page, "text('h1')", "3 captures");
    assert_value(page, "text('.masthead .verdict')", "violates");
    assert_value(
        page, "text('.product')", "warpcheck " WARPCHECK_VERSION " iWARP conformance of recorded traffic");
    assert_value(page,
        "text('.basis div:first-child dd').split(', ').map((one) => one.split('/').pop()).join()",
        "crc.pcap," HOSTILE_NAME ",right.pcap");
    assert_value(page, "text('.basis div:last-child dd')",
        "RFC 7306, draft-talpey-rdma-commit-01, draft-ietf-storm-rdmap-ext-01");
    /* capture loss comes before everything else */
    assert_value(page, "document.querySelector('#overview h2').nextElementSibling.className", "loss none");
    assert_value(page, "all('#connections > .scroll .verdict').map((one) => one.textContent).join()",
        "violates,violates,conforms");
    assert_value(page, "text('" CRC_CLAUSE " .message')", "CRC is 0xb990b10d, expected 0xb990b10c");
    assert_value(page, "text('" CRC_CLAUSE " mark')", "b9 90 b1 0d");
    assert_value(page, "text('" CRC_CLAUSE " .octets .what')", "CRC");
    snprintf(place, sizeof place,
        "text('" CRC_CLAUSE " .place').startsWith('frame 5, initiator, connection 0 of %s/')", page->folder);
    assert_value(page, place, "true");
    assert_value(page, "all('#c0 .opcode > *').map((one) => one.textContent).join()", "Send,1,1,5,0,0,0");
    assert_value(page, "text('#l0-2 .event b') + ' in ' + text('#l0-2 th')", "Send in 5");
    assert_value(page, "text('#l0-2 .tags a')", "RFC5044-4.4-11");
    /* every link has a target */
    assert_value(page,
        "all('a[href]').filter((one) => !document.querySelector("
        "'#' + CSS.escape(one.getAttribute('href').slice(1)))).length",
        "0");
    assert_value(page, "new Set(all('[id]').map((one) => one.id)).size === all('[id]').length", "true");
}

/* File names and octets of captures are shown as text; and an inserted script would not run. */
static void texts_are_escaped(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "all('img, [onerror], #log code b').length", "0");
    assert_value(page,
        "text('#files + .scroll tbody tr:nth-child(2) th').endsWith(\"/" HOSTILE_NAME_IN_JS "\")", "true");
    assert_value(page, "document.body.textContent.includes('MPA ID R\"\\'><b>&x')", "true");
    assert_value(page,
        "new Promise((done) => {"
        " document.addEventListener('securitypolicyviolation', (event) => done(event.effectiveDirective));"
        " const one = document.createElement('script'); one.textContent = 'document.title = 1';"
        " document.body.append(one); })",
        "script-src-elem");
    assert_value(page, "document.title", "violates: 3 captures - warpcheck");
    assert_value(page, "fetch('http://127.0.0.1:9/').then(() => 'fetched', () => 'refused')", "refused");
}

static void the_page_loads_nothing_and_logs_no_errors(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "performance.getEntriesByType('resource').length", "0");
    assert_int_equal(iw_browser_requests(page->browser), 0);
    assert_int_equal(iw_browser_complaints(page->browser), 0);
}

static void the_filter_shows_matches_only(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "seen('.finding') === all('.finding').length && seen('[data-none]')", "0");
    /* by clause: shows the finding, its connection, and its line of the log */
    assert_value(page, "set('filter-clause', 'RFC5044-4.4-11'); seen('.finding')", "1");
    assert_value(page,
        "seen('#connections tr[data-connection]') + ' ' + seen('.connection') + ' ' + seen('.talk tbody tr')",
        "1 1 1");
    assert_value(page,
        "text('#filter-status').startsWith('1 of ') && text('#filter-status').includes(', 1 of 3 "
        "connections, 1 of ')",
        "true");
    /* by connection */
    assert_value(page, "reset().then(() => set('filter-connection', '2')).then(() => seen('.finding'))", "0");
    assert_value(page,
        "seen('.talk tbody tr') + ' ' + seen('#findings [data-none]') + ' ' + seen('#connections tbody')",
        "5 1 1");
    /* by text: ignores the case of letters and the number of blanks */
    assert_value(page,
        "reset().then(() => set('filter-text', ' Frame  5, INITIATOR')).then(() => seen('.finding'))", "1");
    assert_value(page, "set('filter-text', 'frame 5, responder'); seen('.finding')", "0");
    /* by severity */
    assert_value(page,
        "reset().then(() => { const box = document.querySelector('[value=error]'); box.click(); return "
        "box.checked; })",
        "false");
    assert_value(page, "seen('.finding.error') + ' ' + seen('.talk .tag.error')", "0 0");
    assert_value(page, "reset().then(() => seen('.finding') === all('.finding').length)", "true");
}

/* A link shows its target, even if the filter has hidden it or it is folded. */
static void links_reveal_their_target(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "set('filter-connection', '2'); location.hash = '#l0-2';"
        "new Promise((done) => addEventListener('hashchange', () => done("
        "document.querySelector('#l0-2 details').open + ' ' + seen('#l0-2 dl')), {once: true}))",
        "true 1");
    assert_value(page,
        "document.querySelector('#c0 [data-only]').click(); "
        "document.getElementById('filter-connection').value",
        "0");
    iw_browser_page_open(page, "#c1");
    assert_value(page, "document.getElementById('c1').open", "true");
}

/* Presses Tab until `condition` is true for the focused element, `at`. */
static void tab_to(struct iw_browser_page *page, const char *condition) {
    char expression[256];

    snprintf(expression, sizeof expression, "((at) => %s)(document.activeElement)", condition);
    for (int i = 0; i < 200; i++) {
        iw_browser_key(page->browser, "Tab");
        if (strcmp(iw_browser_value(page->browser, expression), "true") == 0)
            return;
    }
    fail_msg("no way by Tab to %s", condition);
}

static void the_page_works_with_the_keyboard_alone(void **state) {
    struct iw_browser_page *page = *state;

    /* the first stop skips what is not content */
    iw_browser_key(page->browser, "Tab");
    assert_value(page, "document.activeElement.textContent", "Skip to the overview");
    assert_value(page, "document.activeElement.getBoundingClientRect().top >= 0", "true");
    iw_browser_key(page->browser, "Tab");
    iw_browser_key(page->browser, "Enter");
    assert_value(page, "location.hash + ' ' + document.activeElement.id", "#findings findings");

    iw_browser_page_open(page, "");
    tab_to(page, "at.id === 'filter-text'");
    iw_browser_type(page->browser, "b990b10d");
    assert_value(page, "seen('.finding')", "1");
    tab_to(page, "at.value === 'error'");
    iw_browser_key(page->browser, " ");
    assert_value(page, "seen('.finding') + ' ' + seen('#findings [data-none]')", "0 1");
    tab_to(page, "at.type === 'reset'");
    iw_browser_key(page->browser, "Enter");
    assert_value(page, "reset().then(() => seen('.finding') === all('.finding').length)", "true");
    tab_to(page, "at.matches('#c0 > summary')");
    iw_browser_key(page->browser, "Enter");
    assert_value(page, "document.getElementById('c0').open", "true");
    tab_to(page, "at.matches('#l0-2 summary')");
    iw_browser_key(page->browser, " ");
    assert_value(page, "seen('#l0-2 dl')", "1");
}

/* Tab visits each element once around the page; each one shows that it has the focus. */
static void the_focus_is_always_visible(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "window.stops = new Set(); true", "true");
    for (int i = 0; i < 400; i++) {
        iw_browser_key(page->browser, "Tab");
        if (strcmp(iw_browser_value(page->browser,
                       "document.activeElement === document.body || stops.has(document.activeElement)"),
                "true") == 0)
            break;
        assert_value(page,
            "(() => { const at = document.activeElement, style = getComputedStyle(at); stops.add(at);"
            " return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 ? '' : "
            "at.outerHTML; })()",
            "");
    }
    assert_value(page,
        "all('a[href], button, input, select, summary, [tabindex=\"0\"]').filter((one) => "
        "one.checkVisibility() && !stops.has(one)).map((one) => one.outerHTML).join()",
        "");
}

/* What a screen reader says about each control: its role and its name. */
static void every_element_has_an_accessible_name(void **state) {
    static const char *const roles[] = {
        "link", "button", "searchbox", "checkbox", "combobox", "region", "table"};
    struct iw_browser_page *page = *state;
    json_t *tree, *node;
    unsigned named = 0;
    size_t i;

    tree = iw_browser_call(page->browser, "Accessibility.getFullAXTree", NULL);
    json_array_foreach(json_object_get(tree, "nodes"), i, node) {
        const char *role = "", *name = "";

        json_unpack(node, "{s:{s:s},s:{s:s}}", "role", "value", &role, "name", "value", &name);
        for (size_t j = 0; j < sizeof roles / sizeof *roles; j++) {
            if (strcmp(role, roles[j]) != 0)
                continue;
            if (name[0] == '\0' && strcmp(role, "table") != 0)
                fail_msg("a %s has no name", role);
            named++;
        }
    }
    json_decref(tree);
    assert_true(named > 20);
    /* heading levels increase by at most one, and each table has headers */
    assert_value(page,
        "all('h1, h2, h3').map((one) => Number(one.tagName[1])).every((level, at, levels) => at === 0 ? "
        "level === 1 : level - levels[at - 1] <= 1)",
        "true");
    assert_value(page, "all('table').every((one) => one.querySelector('thead th[scope]'))", "true");
}

/* WCAG 2: the contrast of a text to its background is at least 4.5 to 1. */
static void texts_stand_out(struct iw_browser_page *page) {
    assert_value(page, iw_browser_weak_texts, "");
}

static void colours_have_contrast_in_light_and_dark(void **state) {
    struct iw_browser_page *page = *state;

    texts_stand_out(page);
    assert_value(page, "getComputedStyle(document.documentElement).backgroundColor", "rgb(253, 253, 251)");
    iw_browser_page_emulate(page, "", "dark");
    assert_value(page, "getComputedStyle(document.documentElement).backgroundColor", "rgb(20, 23, 26)");
    texts_stand_out(page);
}

static void the_page_fits_a_narrow_window(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_resize(page->browser, 400);
    assert_value(page,
        "all('details').forEach((one) => { one.open = true; }); [innerWidth, "
        "document.documentElement.scrollWidth <= innerWidth].join()",
        "400,true");
    assert_value(page, "seen('#filter-text')", "1");
}

static void interactive_parts_are_not_printed(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(
        page, "dispatchEvent(new Event('beforeprint')); all('details').every((one) => one.open)", "true");
    iw_browser_page_emulate(page, "print", "dark");
    assert_value(page, "seen('.rail') + ' ' + getComputedStyle(document.documentElement).backgroundColor",
        "0 rgb(255, 255, 255)");
    texts_stand_out(page);
    assert_value(page, "dispatchEvent(new Event('afterprint')); all('details[open]').length", "0");
}

/* On a screen, only the visible part of a long page is laid out; in print, all of it. */
static void content_off_screen_is_not_laid_out(void **state) {
    static const char all_visible[] = "[...new Set(all('.talk, .clause > .findings > .finding').map((one) => "
                                      "getComputedStyle(one).contentVisibility))].join()";
    struct iw_browser_page *page = *state;

    assert_value(page, all_visible, "auto");
    iw_browser_page_emulate(page, "print", "light");
    assert_value(page, all_visible, "visible");
}

static void the_page_is_readable_without_script(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_page_open_without_script(page);
    assert_value(page, "seen('#filter') + ' ' + (seen('.finding') === all('.finding').length)", "0 true");
}

#define TEST(name) cmocka_unit_test_setup(name, iw_browser_page_find)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_page_shows_the_findings),
        TEST(the_page_loads_nothing_and_logs_no_errors),
        TEST(texts_are_escaped),
        TEST(the_filter_shows_matches_only),
        TEST(links_reveal_their_target),
        TEST(the_page_works_with_the_keyboard_alone),
        TEST(the_focus_is_always_visible),
        TEST(every_element_has_an_accessible_name),
        TEST(colours_have_contrast_in_light_and_dark),
        TEST(the_page_fits_a_narrow_window),
        TEST(interactive_parts_are_not_printed),
        TEST(content_off_screen_is_not_laid_out),
        TEST(the_page_is_readable_without_script),
    };

    return cmocka_run_group_tests(tests, begin, iw_browser_page_end);
}
