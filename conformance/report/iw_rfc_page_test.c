#include "iw_rfc_page.h"

#include "iw_defect.h"
#include "iw_outcome_test.h"
#include "iw_rfc_text.h"

/* Returns the page, which the caller frees. */
static char *page_of(const struct iw_outcome_run *runs, size_t count, const struct iw_rfc_texts *texts) {
    struct iw_outcome_report report = {.runs = runs, .count = count, .rfc_texts = texts};
    bool incomplete = false;
    char *page = NULL;
    size_t octets;

    report.incomplete = &incomplete;
    report.out = open_memstream(&page, &octets);
    assert_non_null(report.out);
    iw_outcome_put_rfc(&report);
    assert_int_equal(fclose(report.out), 0);
    assert_false(incomplete);
    return page;
}

static unsigned count_of(const char *page, const char *text) {
    unsigned count = 0;

    for (; (page = strstr(page, text)) != NULL; page += strlen(text))
        count++;
    return count;
}

/* The part of the page about the requirement; valid until the next call. */
static const char *about(const char *page, const char *id) {
    static char part[1 << 16];
    char begin[64];
    const char *at;

    snprintf(begin, sizeof begin, "\" id=\"%s\"", id);
    at = strstr(page, begin);
    assert_non_null(at);
    snprintf(part, sizeof part, "%.*s", (int)(strstr(at, "</article>") - at), at);
    return part;
}

static void each_requirement_is_listed_once(void **state) {
    char *page = page_of(NULL, 0, NULL);

    (void)state;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++) {
        char id[64];

        snprintf(id, sizeof id, " id=\"%s\"", iw_requirements[i].id);
        if (count_of(page, id) != 1)
            fail_msg("%s is listed %u times", iw_requirements[i].id, count_of(page, id));
    }
    assert_int_equal(count_of(page, "<article "), IW_REQUIREMENT_COUNT);
    free(page);
}

static void each_section_has_a_heading(void **state) {
    char *page = page_of(NULL, 0, NULL);

    (void)state;
    assert_int_equal(count_of(page, "<h3><span class=\"place\">"), IW_RFC_SECTION_COUNT);
    assert_int_equal(count_of(page, "<section class=\"document\""), IW_RFC_DOCUMENT_COUNT);
    assert_non_null(
        strstr(page, "id=\"RFC5044-4.4\">\n<h3><span class=\"place\">4.4</span> CRC Calculation"));
    assert_non_null(strstr(page, "id=\"RFC5044-AppA.4\">\n<h3><span class=\"place\">A.4</span> "));
    free(page);
}

/* What the catalogue says: rule, cases, defects, provocation, and why something is not testable. */
static void a_requirement_has_all_that_judges_it(void **state) {
    char *page = page_of(NULL, 0, NULL);
    const char *part = about(page, "RFC5044-4.4-11");

    (void)state;
    assert_non_null(strstr(part, "data-states=\"wire\""));
    assert_non_null(strstr(part, "<b>MUST</b>"));
    assert_non_null(strstr(part, "rule <code>crc</code>"));
    assert_non_null(strstr(part, "<code>mpa-crc-006</code>"));
    assert_non_null(strstr(part, "<code>crc-wrong</code>"));
    part = about(page, "RFC5044-4.1-03");
    assert_non_null(strstr(part, "data-states=\"active\""));
    assert_non_null(strstr(part, "Provoked by: "));
    part = about(page, "RFC5044-3-02");
    assert_non_null(strstr(part, "data-states=\"not-testable\""));
    assert_non_null(strstr(part, "Not testable: between MPA and DDP of one endpoint"));
    assert_null(strstr(part, "<details"));
    for (size_t i = 0; i < iw_defect_count; i++) {
        char name[128];

        snprintf(name, sizeof name, "<li><code>%s</code>", iw_defects[i].name);
        if (count_of(about(page, iw_requirements[iw_defects[i].requirement].id), name) != 1)
            fail_msg("%s is not listed", iw_defects[i].name);
    }
    free(page);
}

static void assert_state(const char *page, const char *id, const char *states, const char *says) {
    const char *part = about(page, id);
    char data[64];

    snprintf(data, sizeof data, "data-states=\"%s\"", states);
    if (strstr(part, data) == NULL || strstr(part, says) == NULL)
        fail_msg("%s, not %s and %s", part, data, says);
}

static void a_run_colours_the_requirements(void **state) {
    struct outcome_test test;
    struct iw_outcome_run runs[2];
    char *page;

    (void)state;
    outcome_begin(&test);
    outcome_run(&test, &runs[0], "red", OUTCOME_WHOLE);
    outcome_run(&test, &runs[1], "green", OUTCOME_PASS OUTCOME_SUMMARY);
    page = page_of(runs, 1, NULL);
    assert_state(page, "RFC5044-4.4-13", "passed", "<span class=\"tag conforms\">pass</span>");
    assert_state(page, "RFC5040-5.3-05", "failed", "failed, first in rdma-send-001");
    /* only a finding of the monitor, in a case about something else */
    assert_state(page, "RFC5044-4.4-11", "failed", "failed, first in rdma-send-001");
    assert_state(page, "RFC5044-7.1.1-06", "not-claimed", "needs what the device does not claim");
    assert_state(page, "RFC5044-4.1-03", "no-case", "not in the run");
    assert_state(page, "RFC5044-3-02", "not-testable", "Not testable: ");
    free(page);
    page = page_of(runs, 2, NULL);
    assert_state(page, "RFC5044-4.4-13", "passed passed", "<span class=\"aside\">green</span>");
    assert_state(page, "RFC5040-5.3-05", "failed no-case", "red: failed, first in rdma-send-001");
    free(page);
    iw_outcome_clear(&runs[0]);
    iw_outcome_clear(&runs[1]);
    outcome_end(&test);
}

static void repeats_count_by_the_worst_verdict(void **state) {
    struct outcome_test test;
    struct iw_outcome_run run;
    char *page;

    (void)state;
    outcome_begin(&test);
    outcome_run(&test, &run, "run",
        "{\"type\":\"case\",\"case\":\"mpa-crc-006\",\"repeat\":1,\"requirements\":[\"RFC5044-4.4-11\"],"
        "\"verdict\":\"fail\",\"script\":\"crc.lua\"}\n"
        "{\"type\":\"case\",\"case\":\"mpa-crc-006\",\"repeat\":2,\"requirements\":[\"RFC5044-4.4-11\"],"
        "\"verdict\":\"pass\"}\n" OUTCOME_SUMMARY);
    page = page_of(&run, 1, NULL);
    assert_state(page, "RFC5044-4.4-11", "failed",
        "<code>mpa-crc-006</code> <span class=\"tag violates\">fail</span>");
    free(page);
    iw_outcome_clear(&run);
    outcome_end(&test);
}

static void the_text_is_shown_and_escaped(void **state) {
    static const char text[] =
        "3.1.  RDMAP Errors\n\n   <script>1</script>\n\n2.  Security Considerations\n\n"
        "   </pre>Two\n";
    struct iw_rfc_texts texts = {0};
    size_t document = 0;
    char *copy = malloc(sizeof text), *page;

    (void)state;
    while (strcmp(iw_rfc_documents[document].name, "RFC 6580") != 0)
        document++;
    memcpy(copy, text, sizeof text);
    iw_rfc_texts_take(&texts, document, copy, sizeof text - 1);
    page = page_of(NULL, 0, &texts);
    assert_int_equal(count_of(page, "<pre class=\"published\""), 2);
    assert_non_null(strstr(page, "aria-label=\"Text of RFC 6580, 3.1\" tabindex=\"0\"><code>"
                                 "   &lt;script&gt;1&lt;/script&gt;\n</code></pre>"));
    assert_non_null(strstr(page, "   &lt;/pre&gt;Two\n"));
    assert_int_equal(count_of(page, "Its text is not at hand."), IW_RFC_DOCUMENT_COUNT - 1);
    free(page);
    iw_rfc_texts_clear(&texts);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_requirement_is_listed_once),
        cmocka_unit_test(each_section_has_a_heading),
        cmocka_unit_test(a_requirement_has_all_that_judges_it),
        cmocka_unit_test(a_run_colours_the_requirements),
        cmocka_unit_test(repeats_count_by_the_worst_verdict),
        cmocka_unit_test(the_text_is_shown_and_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
