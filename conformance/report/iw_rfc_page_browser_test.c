#include "iw_rfc_page.h"

#include "iw_browser_page_test.h"
#include "iw_outcome_test.h"
#include "iw_rfc_text.h"

/* The page of --format rfc in a browser: its filter and links, contrast, narrow windows, paper, keyboard. */

/* A text of one section, made up; the title is that of the RFC. */
#define TEXT "4.4.  CRC Calculation\n\n   <img src=x onerror=document.title=1>\n   a line of the text\n"

/* Writes a page of one run, with the text of a section. */
static void write_page(struct iw_browser_page *page) {
    struct outcome_test test;
    struct iw_outcome_run run;
    struct iw_rfc_texts texts;
    struct iw_outcome_report report = {.runs = &run, .count = 1, .rfc_texts = &texts};
    FILE *ignored = tmpfile();

    memcpy(test.folder, page->folder, sizeof test.folder);
    outcome_run(&test, &run, "A <run>", OUTCOME_WHOLE);
    outcome_write(&test, "rfc5044.txt", TEXT);
    assert_int_equal(iw_rfc_texts_read(&texts, test.folder, ignored), IW_OK);
    report.out = fopen(page->path, "w");
    assert_non_null(report.out);
    iw_outcome_put_rfc(&report);
    assert_int_equal(fclose(report.out), 0);
    fclose(ignored);
    iw_rfc_texts_clear(&texts);
    iw_outcome_clear(&run);
}

static int begin(void **state) {
    return iw_browser_page_begin(state, write_page);
}

static void the_page_has_all_documents_and_sound_links(void **state) {
    struct iw_browser_page *page = *state;
    char count[16];

    assert_value(page, "document.title", "A <run>, RFC by RFC - warpcheck");
    snprintf(count, sizeof count, "%d", (int)IW_RFC_DOCUMENT_COUNT);
    assert_value(page, "all('#overview tbody tr').length", count);
    assert_value(page, "seen('.document')", count);
    snprintf(count, sizeof count, "%d", (int)IW_REQUIREMENT_COUNT);
    assert_value(page, "seen('.requirement')", count);
    snprintf(count, sizeof count, "%d", (int)IW_RFC_SECTION_COUNT);
    assert_value(page, "seen('.part')", count);
    assert_value(page,
        "all('a[href]').filter((one) => !document.querySelector("
        "'#' + CSS.escape(one.getAttribute('href').slice(1)))).length",
        "0");
    assert_value(page, "new Set(all('[id]').map((one) => one.id)).size === all('[id]').length", "true");
}

/* The bar of a document has a part for each state that is in the document. */
static void bars_show_the_states(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "[...document.querySelectorAll('#overview tbody tr:first-child rect')]"
        ".map((one) => one.className.baseVal).join()",
        "bar-passed,bar-failed,bar-unclaimed,bar-unclaimed");
}

static void the_text_is_beside_its_requirements(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "seen('.published')", "1");
    assert_value(
        page, "document.querySelector('.published').textContent.includes('a line of the text')", "true");
    assert_value(page, "all('.part img').length + document.title", "0A <run>, RFC by RFC - warpcheck");
    assert_value(page,
        "const at = document.getElementById('RFC5044-4.4-11').getBoundingClientRect();"
        "document.querySelector('.published').getBoundingClientRect().left >= at.right",
        "true");
}

static void the_filter_shows_matches_only(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(
        page, "set('filter-text', '  CRC-32C of iSCSI digests '); text('#filter-status').split(' ')[0]", "1");
    assert_value(page, "seen('.requirement') + ' ' + seen('.part') + ' ' + seen('.document')", "1 1 1");
    /* the title of a section, the name of a defect */
    assert_value(page, "set('filter-text', 'crc calculation'); seen('.part')", "1");
    assert_value(page, "set('filter-text', 'crc-wrong'); seen('#RFC5044-4\\\\.4-11')", "1");
    assert_value(
        page, "set('filter-text', 'nowhere'); seen('.requirement') + ' ' + seen('[data-none]')", "0 1");
    assert_value(page,
        "reset().then(() => set('filter-document', 'RFC 6580')).then(() => seen('.requirement') + ' ' + "
        "seen('.document') + ' ' + (seen('.bare') > 0))",
        "12 1 true");
    assert_value(page,
        "reset().then(() => { all('[name=state]').filter((one) => one.value !== 'failed').forEach((one) => "
        "one.click()); return all('.requirement').filter((one) => one.checkVisibility()).map((one) => "
        "one.id).join(); })",
        "RFC5044-4.4-11,RFC5041-5.2-04,RFC5040-5.3-05");
    assert_value(page, "seen('.bare')", "0");
    assert_value(page,
        "reset().then(() => set('filter-level', 'MAY')).then(() => all('.requirement').filter((one) => "
        "one.checkVisibility()).every((one) => ['MAY', 'OPTIONAL', 'NOT REQUIRED'].includes("
        "one.querySelector('b').textContent)))",
        "true");
}

/* A count of the overview leads to what it counts. */
static void counts_select_what_they_count(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "document.querySelector('#overview a[data-state=\"failed\"][data-document=\"RFC 5041\"]').click();"
        "all('.requirement').filter((one) => one.checkVisibility()).map((one) => one.id).join()",
        "RFC5041-5.2-04");
    assert_value(page, "reset().then(() => seen('.requirement') === all('.requirement').length)", "true");
}

/* A link to a requirement shows it, even if the filter hides it. */
static void requirements_have_addresses(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page,
        "set('filter-text', 'nowhere'); location.hash = '#RFC5040-5.3-05';"
        "new Promise((done) => addEventListener('hashchange', () => done(seen('#RFC5040-5\\\\.3-05')), "
        "{once: "
        "true}))",
        "1");
    assert_value(page,
        "const box = document.getElementById('RFC5040-5.3-05').getBoundingClientRect(); box.top > -5 && "
        "box.top < innerHeight",
        "true");
}

/* The keyboard opens the list of cases. */
static void the_keyboard_opens_the_cases(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(page, "document.querySelector('#RFC5044-4\\\\.4-11 summary').focus(); 1", "1");
    iw_browser_key(page->browser, "Enter");
    assert_value(page, "document.querySelector('#RFC5044-4\\\\.4-11 details').open", "true");
    assert_value(page, "seen('#RFC5044-4\\\\.4-11 li') > 3", "true");
}

static void the_page_loads_nothing_and_logs_no_errors(void **state) {
    struct iw_browser_page *page = *state;

    assert_value(
        page, "all('details').forEach((one) => { one.open = true; }); set('filter-text', 'send'); 1", "1");
    assert_value(page, "performance.getEntriesByType('resource').length", "0");
    assert_int_equal(iw_browser_requests(page->browser), 0);
    assert_int_equal(iw_browser_complaints(page->browser), 0);
}

/* WCAG 2: the contrast of a text to its background is at least 4.5 to 1. */
static void texts_stand_out(struct iw_browser_page *page, const char *media, const char *scheme) {
    iw_browser_page_emulate(page, media, scheme);
    assert_value(page, iw_browser_weak_texts, "");
}

static void colours_have_contrast_in_light_and_dark_and_on_paper(void **state) {
    struct iw_browser_page *page = *state;

    texts_stand_out(page, "", "light");
    texts_stand_out(page, "", "dark");
    texts_stand_out(page, "print", "light");
    /* on paper nothing scrolls, and the text comes after its requirements */
    assert_value(page, "getComputedStyle(document.querySelector('.published')).maxHeight", "none");
    assert_value(page, "seen('.rail')", "0");
}

static void the_page_fits_a_narrow_window(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_resize(page->browser, 400);
    assert_value(page,
        "all('details').forEach((one) => { one.open = true; }); [innerWidth, "
        "document.documentElement.scrollWidth <= innerWidth].join()",
        "400,true");
}

static void every_control_has_an_accessible_name(void **state) {
    static const char *const roles[] = {"link", "button", "searchbox", "checkbox", "combobox", "region"};
    struct iw_browser_page *page = *state;
    json_t *tree = iw_browser_call(page->browser, "Accessibility.getFullAXTree", NULL), *node;
    unsigned named = 0;
    size_t i;

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
}

static void the_page_is_readable_without_script(void **state) {
    struct iw_browser_page *page = *state;

    iw_browser_page_open_without_script(page);
    assert_value(
        page, "seen('#filter') + ' ' + (seen('.requirement') === all('.requirement').length)", "0 true");
}

#define TEST(name) cmocka_unit_test_setup(name, iw_browser_page_find)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_page_has_all_documents_and_sound_links),
        TEST(bars_show_the_states),
        TEST(the_text_is_beside_its_requirements),
        TEST(the_filter_shows_matches_only),
        TEST(counts_select_what_they_count),
        TEST(requirements_have_addresses),
        TEST(the_keyboard_opens_the_cases),
        TEST(the_page_loads_nothing_and_logs_no_errors),
        TEST(colours_have_contrast_in_light_and_dark_and_on_paper),
        TEST(the_page_fits_a_narrow_window),
        TEST(every_control_has_an_accessible_name),
        TEST(the_page_is_readable_without_script),
    };

    return cmocka_run_group_tests(tests, begin, iw_browser_page_end);
}
