#include "iw_outcome_report.h"
#include "iw_outcome_test.h"

#include "iw_browser_page_test.h"

/* The page of --format html in a browser: its texts, its filter, the details of a failing case. It must cause
 * no error messages and no network requests. */

#define HOSTILE                                                                                              \
    "{\"type\":\"case\",\"case\":\"x-<img>\",\"title\":\"<img src=x onerror=document.title=1>\","            \
    "\"requirements\":[],\"verdict\":\"inconclusive\",\"actual\":\"</pre><script>document.title=2</"         \
    "script>\"}\n"

/* Writes a page of two runs: initiator A with the responders B and C. The policy needs both to conform. */
static void write_page(struct iw_browser_page *page) {
    static const struct iw_grade_policy policy = {
        .name = "pairs", .title = "A & others", .partners = 2, .partners_pass = 2};
    struct outcome_test test;
    char operand[TEMPORARY_FILE];
    struct iw_outcome_run runs[2];
    struct iw_interop interop;
    struct iw_outcome_report report = {.runs = runs, .count = 2, .policy = &policy, .interop = &interop};

    memcpy(test.folder, page->folder, sizeof test.folder);
    outcome_write(&test, "b/rdma-send-001.log",
        "rdma-send-001: A Send\n1  0.0  1  suite initiator  frame 6: Send\n    0000  00 17\n"
        "    ! error RFC5044-4.4-11 <b>not bold</b>\n"
        "2  0.1  1  device responder  frame 7: Terminate qn=2 msn=1 layer=0x02 (LLP) etype=0x00 (MPA Error) "
        "code=0x02 (MPA CRC Error)\n");
    outcome_write(&test, "b/mpa-crc-001.log",
        "mpa-crc-001: A CRC\n"
        "1  0.000000  1  suite initiator  frame 4: MPA Request m=0 c=1 r=0 s=0 rev=1 pd_length=0\n"
        "2  0.000100  1  device responder  frame 5: MPA Reply m=0 c=1 r=0 s=0 rev=1 pd_length=0\n"
        "  step: send FIN\n"
        "3  0.000100  1  suite initiator  frame 6: RDMA Write ulpdu_length=14 l=1 stag=0x00000001 "
        "to=0x0000000000000000\n"
        "4  0.000100  1  suite initiator  frame 7: Close by FIN\n"
        "5  0.000200  1  device responder  frame 8: Close by FIN\n"
        "\nverdict: pass\n");
    outcome_write(&test, "b/results.jsonl", OUTCOME_WHOLE HOSTILE);
    snprintf(operand, sizeof operand, "A/B=%s/b", test.folder);
    assert_int_equal(outcome_read(&test, &runs[0], operand, NULL), IW_OK);
    outcome_run(&test, &runs[1], "A/C", OUTCOME_PASS "{\"type\":\"summary\",\"cases\":1,\"exit\":0}\n");
    assert_true(iw_interop_init(&interop, &policy, runs, 2));
    report.out = fopen(page->path, "w");
    assert_non_null(report.out);
    iw_outcome_put_html(&report);
    iw_interop_clear(&interop);
    assert_int_equal(fclose(report.out), 0);
    iw_outcome_clear(&runs[0]);
    iw_outcome_clear(&runs[1]);
}

static int begin(void **state) {
    return iw_browser_page_begin(state, write_page);
}

static void the_page_shows_the_result_of_each_run(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "document.title", "fails: 2 runs - warpcheck");
    assert_value(page, "text('.masthead .verdict')", "fails");
    assert_value(page, "all('#overview h3').map((one) => one.textContent).join()", "A/B,A/C");
    assert_value(page, "text('#pairs tbody tr')", "Afail 1 of 3 passedpass 1 of 1 passed");
    assert_value(
        page, "all('#cases thead th').map((one) => one.textContent).join()", "Case,Title,Clause,A/B,A/C");
    assert_value(page, "all('#cases tbody tr:nth-child(1) td.tags').map((one) => one.textContent).join()",
        "pass,pass");
    assert_value(page, "all('#sections .group th').map((one) => one.textContent).join()",
        "RFC 5044 4.4,RFC 5044 7.1.1,RFC 5041 5.2,RFC 5040 5.3");
    /* every link has a target, and each id is unique */
    assert_value(page,
        "all('a[href]').filter((one) => !document.querySelector("
        "'#' + CSS.escape(one.getAttribute('href').slice(1)))).length",
        "0");
    assert_value(page, "new Set(all('[id]').map((one) => one.id)).size === all('[id]').length", "true");
}

static void the_page_shows_the_partners_of_each_device(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "text('#partners p')", "Policy pairs: A & others.");
    assert_value(
        page, "all('#partners p .tag').map((one) => one.textContent).join()", "not met,not met,not shown");
    assert_value(page,
        "all('#partners tbody tr').map((one) => [...one.children].slice(0, 4).map((cell) => "
        "cell.textContent).join(' ')).join()",
        "A B 1 fails,A C 1 conforms,B A 1 fails,C A 1 conforms");
    assert_value(page, "text('#partners tbody tr td:nth-child(5)')",
        "3 requirementsRFC5044-4.4-11, RFC5041-5.2-04, RFC5040-5.3-05");
}

/* What was tested, document by document, and the roots of the failures of A/B; A/C has no failures. */
static void the_overview_has_coverage_and_roots(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "all('#overview .documents tbody tr').map((one) => [one.firstChild.textContent, "
        "[...one.querySelectorAll('rect')].map((part) => part.className.baseVal).join('+'), "
        "[...one.querySelectorAll('.number')].map((cell) => cell.textContent).join(' ')].join()).join('; ')",
        "RFC 5044,bar-passed+bar-failed+bar-unclaimed,1 1 0 0 1; RFC 5041,bar-failed,0 1 0 0 0; "
        "RFC 5040,bar-failed,0 1 0 0 0; RFC 5044,bar-passed,1 0 0 0 0");
    assert_value(page,
        "all('#overview .roots tbody tr').map((one) => one.textContent.slice(1, 15) + ': ' + "
        "one.firstChild.textContent + ' case, ' + one.lastChild.textContent).join('; ')",
        "RFC5044-4.4-11: 1 case, rdma-send-001; </pre><script>: 1 case, x-<img>");
}

static void texts_are_escaped(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "all('img, #details b b, main script, pre b').length", "0");
    assert_value(page, "document.title", "fails: 2 runs - warpcheck");
    assert_value(page, "document.body.textContent.includes('</pre><script>document.title=2')", "true");
}

static void the_filter_shows_matches_only(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "text('#filter-status') + seen('#cases [data-none]')", "4 of 4 cases0");
    assert_value(
        page, "set('filter-text', ' a  <SEND> & '); seen('#cases tbody tr') + ' ' + seen('.case')", "1 1");
    assert_value(page, "seen('#sections tbody tr:not(.group)') + ' ' + seen('#sections .group')", "2 2");
    /* the filter searches the wire log too */
    assert_value(page, "set('filter-text', 'not bold'); text('#filter-status')", "1 of 4 cases");
    assert_value(page,
        "set('filter-text', 'nowhere'); seen('#cases tbody tr') + ' ' + seen('#cases [data-none]')", "0 1");
    assert_value(page,
        "reset().then(() => set('filter-document', 'RFC 5044')).then(() => seen('#cases tbody tr'))", "2");
    assert_value(page,
        "reset().then(() => { document.querySelector('[name=differ]').click(); return seen('#cases tbody "
        "tr'); })",
        "3");
    assert_value(page,
        "reset().then(() => { all('[name=verdict]').filter((one) => one.value !== 'fail').forEach((one) => "
        "one.click()); return seen('#cases tbody tr') + ' ' + seen('.case'); })",
        "1 1");
    /* the link of a pair selects the cases of its run */
    assert_value(
        page, "document.querySelector('[data-run=\"1\"]').click(); text('#filter-status')", "1 of 4 cases");
    assert_value(page, "reset().then(() => text('#filter-status'))", "4 of 4 cases");
}

/* The link of a cell opens the evidence: expected and actual result, clause, and wire log. */
static void a_failing_case_opens_with_its_wire_log(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "document.getElementById('d0-1').open", "false");
    assert_value(page,
        "new Promise((done) => { addEventListener('hashchange', () => done(location.hash), {once: true});"
        " document.querySelector('#cases tbody tr:nth-child(2) td.tags a').click(); })",
        "#d0-1");
    assert_value(page, "document.getElementById('d0-1').open + ' ' + seen('#d0-1 pre')", "true 1");
    assert_value(page,
        "const box = document.getElementById('d0-1').getBoundingClientRect(); box.top >= 0 && box.top < "
        "innerHeight",
        "true");
    assert_value(page, "text('#d0-1 dl div:nth-child(1)') + ', ' + text('#d0-1 dl div:nth-child(2)')",
        "expecteda <Send>, actualsilence");
    assert_value(
        page, "text('#c1 .clause-line').startsWith('RFC5040-5.3-05 (RFC 5040 5.3, MUST): ')", "true");
    assert_value(page, "text('#d0-1 pre mark')", "! error RFC5044-4.4-11 <b>not bold</b>");
    /* even if the filter has hidden the case */
    assert_value(page,
        "set('filter-text', 'nowhere'); location.hash = '#d0-2';"
        "new Promise((done) => addEventListener('hashchange', () => done(seen('#d0-2 dl')), {once: true}))",
        "1");
}

/* The diagram has an arrow for each event, which the keyboard reaches; its title has the whole decode. */
static void a_case_has_a_sequence_diagram(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "document.getElementById('d0-1').open = true;"
        "document.querySelector('#d0-1 svg g').focus();"
        "[document.activeElement.querySelector('text').textContent,"
        " document.activeElement.querySelector('title').textContent,"
        " document.activeElement.classList.contains('wrong')].join()",
        "Send,suite: Send,true");
    /* a label says that it is shortened, also where just whole words fit */
    assert_value(page, "all('#d0-1 svg g text')[1].textContent",
        "Terminate qn=2 msn=1 layer=0x02 (LLP) etype=0x00 (MPA Error) code=0x02 (...");
    assert_value(page,
        "all('#d0-1 svg .expected, #d0-1 svg .violation').map((one) => one.firstChild.data).join()",
        "! error RFC5044-4.4-11 <b>not bold</b>,expected: a <Send>,actual: silence");
}

/* The two lanes; the startup frames, an FPDU with its STag and the close of both sides, each as an arrow from
 * the lane of its sender; and where a step of the script begins. */
static void a_diagram_shows_a_whole_connection(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "document.getElementById('d0-0').open = true;"
        "all('#d0-0 svg text.lane').map((one) => one.textContent + ' at ' + one.getAttribute('x')).join()",
        "suite at 60,device at 660");
    assert_value(page,
        "all('#d0-0 svg line.lane').map((one) => one.getAttribute('x1') + ' ' + "
        "one.getAttribute('x2')).join()",
        "60 60,660 660");
    assert_value(page,
        "all('#d0-0 svg g text, #d0-0 svg .step').map((one) => one.firstChild.data).join('; ')",
        "MPA Request m=0 c=1 r=0 s=0; MPA Reply m=0 c=1 r=0 s=0; send FIN; RDMA Write stag=0x00000001 "
        "to=0x0000000000000000; Close by FIN; Close by FIN");
    assert_value(page, "all('#d0-0 svg g title').map((one) => one.textContent.split(' ')[0]).join(' ')",
        "suite: device: suite: suite: device:");
    /* the tip of an arrow is at the lane of the receiver */
    assert_value(page,
        "all('#d0-0 svg g path').map((one) => one.getAttribute('d').match(/L([0-9]+)/)[1]).join()",
        "660,60,660,660,60");
}

static void the_page_loads_nothing_and_logs_no_errors(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(
        page, "all('details').forEach((one) => { one.open = true; }); set('filter-text', 'send'); 1", "1");
    assert_value(page, "performance.getEntriesByType('resource').length", "0");
    assert_int_equal(iw_browser_requests(page->browser), 0);
    assert_int_equal(iw_browser_complaints(page->browser), 0);
}

/* Only what is wider than any phone may be scrolled sideways: the table of several runs, and a diagram. */
static void nothing_is_cut(struct iw_browser_page *page) {
    assert_value(page, "document.documentElement.scrollWidth <= innerWidth", "true");
    assert_value(page,
        "all('main *').filter((one) => one.checkVisibility() && one.clientWidth > 0 && one.scrollWidth > "
        "one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible')"
        ".filter((one) => innerWidth > 390 || !one.querySelector('.several, svg.diagram'))"
        ".map((one) => one.className).join()",
        "");
}

static void the_page_fits_its_window(void **state) {
    iw_browser_page_each_screen(*state, nothing_is_cut);
}

/* On a phone, the letters of a diagram are not smaller than 8 pixels, and a number says what it counts. */
static void a_phone_shows_what_numbers_count(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_resize(page->browser, 390);
    assert_value(page,
        "document.getElementById('d0-1').open = true;"
        "document.querySelector('#d0-1 svg text').getBoundingClientRect().height >= 8",
        "true");
    assert_value(page,
        "getComputedStyle(document.querySelector('.documents td:nth-child(3)'), '::after').content",
        "\" passed\"");
    assert_value(page, "seen('.documents thead') + seen('#violations thead') + seen('#cases thead')", "1");
}

/* What a screen reader says about each control: its role and its name. */
static void every_element_has_an_accessible_name(void **state) {
    static const char *const roles[] = {"link", "button", "searchbox", "checkbox", "combobox", "region"};
    struct iw_browser_page *page = *state;
    json_t *tree, *node;
    unsigned named = 0;
    size_t i;

    assert_value(page, "all('details').forEach((one) => { one.open = true; }); 1", "1");
    tree = iw_browser_call(page->browser, "Accessibility.getFullAXTree", NULL);
    json_array_foreach(json_object_get(tree, "nodes"), i, node) {
        const char *role = "", *name = "";

        json_unpack(node, "{s:{s:s},s:{s:s}}", "role", "value", &role, "name", "value", &name);
        for (size_t j = 0; j < sizeof roles / sizeof *roles; j++) {
            if (strcmp(role, roles[j]) != 0)
                continue;
            if (name[0] == '\0')
                fail_msg("a %s has no name", role);
            named++;
        }
    }
    json_decref(tree);
    assert_true(named > 20);
    assert_value(page, "all('table').every((one) => one.querySelector('thead th[scope]'))", "true");
}

static void the_page_is_readable_without_script(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_page_open_without_script(page);
    assert_value(page, "seen('#filter') + ' ' + seen('#cases tbody tr')", "0 4");
}

#define TEST(name) cmocka_unit_test_setup(name, iw_browser_page_find)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_page_shows_the_result_of_each_run),
        TEST(the_page_shows_the_partners_of_each_device),
        TEST(the_overview_has_coverage_and_roots),
        TEST(texts_are_escaped),
        TEST(the_filter_shows_matches_only),
        TEST(a_failing_case_opens_with_its_wire_log),
        TEST(a_case_has_a_sequence_diagram),
        TEST(a_diagram_shows_a_whole_connection),
        TEST(the_page_loads_nothing_and_logs_no_errors),
        TEST(iw_browser_page_has_contrast),
        TEST(the_page_fits_its_window),
        TEST(a_phone_shows_what_numbers_count),
        TEST(every_element_has_an_accessible_name),
        TEST(the_page_is_readable_without_script),
    };

    return cmocka_run_group_tests(tests, begin, iw_browser_page_end);
}
