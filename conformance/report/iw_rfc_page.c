#include "iw_rfc_page.h"

#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_outcome_fact.h"
#include "iw_text.h"

/* The frame of the page, its filter and its overview. */

static void rfc_page_put_name(const struct iw_rfc_page *page) {
    if (page->report->count == 0)
        iw_html_print(page->out, "Requirements of iWARP");
    else if (page->report->count == 1)
        iw_html_print(page->out, "%s", page->report->runs[0].name);
    else
        iw_html_print(page->out, "%zu runs", page->report->count);
}

static void rfc_page_put_title(const struct iw_rfc_page *page) {
    rfc_page_put_name(page);
    iw_html_print(page->out, ", RFC by RFC - warpcheck");
}

static void rfc_page_put_masthead(const struct iw_rfc_page *page) {
    iw_html_print(page->out,
        "<p class=\"product\">warpcheck %s<span>iWARP conformance suite: the RFCs, section by "
        "section</span></p>\n<h1>",
        WARPCHECK_VERSION);
    rfc_page_put_name(page);
    iw_html_print(page->out, "</h1>\n");
}

static void rfc_page_put_sections(const struct iw_rfc_page *page) {
    iw_html_print(page->out, "<li><a href=\"#overview\">Overview</a></li>\n");
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++) {
        unsigned counts[IW_RFC_STATE_COUNT];

        iw_html_print(page->out, "<li><a href=\"#");
        iw_rfc_page_put_anchor(page, iw_rfc_documents[i].name);
        iw_html_print(page->out, "\">%s</a> <span class=\"count\">%u</span></li>\n", iw_rfc_documents[i].name,
            iw_rfc_state_count(page, 0, iw_rfc_documents[i].name, counts));
    }
}

/* ---- filter ---- */

static void rfc_page_put_states(const struct iw_rfc_page *page) {
    for (enum iw_rfc_state state = 0; state < IW_RFC_STATE_COUNT; state++) {
        unsigned count = 0;

        if (!iw_rfc_state_is_used(page, state))
            continue;
        for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
            count += iw_rfc_state_worst(page, i) == state;
        iw_html_print(page->out,
            "<label><input type=\"checkbox\" name=\"state\" value=\"%s\" checked> %s "
            "<span class=\"count\">%u</span></label>\n",
            iw_rfc_state_key(state), iw_rfc_state_name(state), count);
    }
}

static void rfc_page_put_documents(const struct iw_rfc_page *page) {
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++)
        iw_html_print(page->out, "<option value=\"%s\">%s</option>\n", iw_rfc_documents[i].name,
            iw_rfc_documents[i].name);
}

/* ---- overview ---- */

static void rfc_page_put_row(const struct iw_rfc_page *page, size_t run, const char *document) {
    unsigned counts[IW_RFC_STATE_COUNT];
    unsigned total = iw_rfc_state_count(page, run, document, counts);

    iw_html_print(page->out, "<tr><th scope=\"row\" class=\"short\"><a href=\"#");
    iw_rfc_page_put_anchor(page, document);
    iw_html_print(page->out, "\">%s</a></th><td>", document);
    iw_rfc_page_put_bar(page, run, document);
    iw_html_print(page->out, "</td><td class=\"number\">%u</td>", total);
    for (enum iw_rfc_state state = 0; state < IW_RFC_STATE_COUNT; state++) {
        if (!iw_rfc_state_is_used(page, state))
            continue;
        iw_html_print(page->out, "<td class=\"number %s\">", counts[state] > 0 ? "" : "nil");
        if (counts[state] > 0) {
            iw_html_print(page->out, "<a data-state=\"%s\" data-document=\"%s\" href=\"#",
                iw_rfc_state_key(state), document);
            iw_rfc_page_put_anchor(page, document);
            iw_html_print(page->out, "\">%u</a></td>", counts[state]);
        } else {
            iw_html_print(page->out, "0</td>");
        }
    }
    iw_html_print(page->out, "</tr>\n");
}

static void rfc_page_put_table(const struct iw_rfc_page *page, size_t run) {
    static const char *const of_catalogue[] = {"Requirements of", "", "#All", "#Judged in any capture",
        "#Judged if provoked", "#Not testable", NULL};
    static const char *const of_run[] = {"Requirements of", "", "#All", "#Failed", "#Passed", "#Inconclusive",
        "#Not tested", "#Not claimed", "#No case", "#Not testable", NULL};

    iw_html_table_begin(page->out, "overview-title", page->report->count == 0 ? of_catalogue : of_run);
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++)
        rfc_page_put_row(page, run, iw_rfc_documents[i].name);
    iw_html_table_end(page->out);
}

static void rfc_page_put_fact(void *user, const char *name, const char *value) {
    iw_html_print(user, "<div><dt>%s</dt><dd class=\"path\">%s</dd></div>\n", name, value);
}

/* What was tested, when and how much. */
static void rfc_page_put_run(const struct iw_rfc_page *page, const struct iw_outcome_run *run) {
    struct iw_text text;
    char *line;

    if (page->report->count > 1)
        iw_html_print(page->out, "<h3>%s</h3>\n", run->name);
    if (run->summary == NULL)
        iw_html_print(page->out, "<p class=\"loss\"><b>Cut short:</b> the run has no summary.</p>\n");
    if (iw_text_open(&text))
        iw_outcome_put_coverage(text.out, run);
    line = iw_text_close(&text);
    if (line == NULL)
        iw_outcome_report_set_incomplete(page->report);
    else
        iw_html_print(page->out, "<p class=\"scope\">%s</p>\n", line);
    free(line);
    iw_html_print(page->out, "<dl class=\"basis\">\n<div><dt>results</dt><dd class=\"path\">%s</dd></div>\n",
        run->path);
    if (!iw_outcome_facts(run, IW_OUTCOME_FACT_ALL, rfc_page_put_fact, page->out))
        iw_outcome_report_set_incomplete(page->report);
    iw_html_print(page->out, "</dl>\n");
}

static void rfc_page_put_overview(const struct iw_rfc_page *page) {
    if (page->report->count == 0) {
        iw_html_print(page->out,
            "<p class=\"scope\">What each document demands, in our words, and how "
            "warpcheck %s judges it. No run is shown.</p>\n",
            WARPCHECK_VERSION);
        rfc_page_put_table(page, 0);
    }
    for (size_t i = 0; i < page->report->count; i++) {
        rfc_page_put_run(page, &page->report->runs[i]);
        rfc_page_put_table(page, i);
    }
}

/* What the words of the page mean. */
static void rfc_page_put_words(const struct iw_rfc_page *page) {
    static const struct {
        enum iw_rfc_state state;
        const char *words;
    } rows[] = {
        {IW_RFC_FAILED,
            "a case about it failed by its own checks, or the monitor found a violation in any case"},
        {IW_RFC_PASSED, "a case about it passed, and nothing shows a failure"},
        {IW_RFC_INCONCLUSIVE, "cases about it ran, but none shows how the device behaves"},
        {IW_RFC_NOT_TESTED, "the suite had no means to run its cases, such as an agent on the device"},
        {IW_RFC_NOT_CLAIMED, "the device does not claim what its cases need"},
        {IW_RFC_NO_CASE, "the run has no case about it, and no violation was found"},
        {IW_RFC_WIRE, "visibility wire: a rule finds a violation in any capture that shows it"},
        {IW_RFC_ACTIVE, "visibility active: cases provoke the device and judge its reaction"},
        {IW_RFC_NOT_TESTABLE, "visibility internal or outside: no traffic shows a violation"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (iw_rfc_state_is_used(page, rows[i].state))
            iw_html_print(page->out, "<div><dt><span class=\"tag %s\">%s</span></dt><dd>%s</dd></div>\n",
                iw_rfc_state_class(rows[i].state), iw_rfc_state_name(rows[i].state), rows[i].words);
}

static void rfc_page_put_all_documents(const struct iw_rfc_page *page) {
    for (size_t i = 0; i < IW_RFC_DOCUMENT_COUNT; i++)
        iw_rfc_page_put_document(page, i);
}

static void rfc_page_fill_place(void *user, const char *name, size_t length) {
    static const struct {
        const char *name;
        void (*put)(const struct iw_rfc_page *page);
    } places[] = {
        {"title", rfc_page_put_title},
        {"masthead", rfc_page_put_masthead},
        {"sections", rfc_page_put_sections},
        {"states", rfc_page_put_states},
        {"documents", rfc_page_put_documents},
        {"overview", rfc_page_put_overview},
        {"words", rfc_page_put_words},
        {"all-documents", rfc_page_put_all_documents},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0)
            places[i].put(user);
}

void iw_outcome_put_rfc(const struct iw_outcome_report *report) {
    struct iw_rfc_page page = {.out = report->out, .report = report};
    char error[512];

    page.coverages = calloc(report->count + 1, sizeof *page.coverages);
    if (page.coverages != NULL && iw_catalogue_init(&page.catalogue, NULL, error, sizeof error) == IW_OK) {
        for (size_t i = 0; i < report->count; i++)
            iw_outcome_coverage(&report->runs[i], &page.coverages[i]);
        iw_html_fill(page.out, iw_rfc_page_template, rfc_page_fill_place, &page);
        iw_catalogue_dispose(&page.catalogue);
    } else {
        iw_outcome_report_set_incomplete(report);
    }
    free(page.coverages);
}
