#include "iw_outcome_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"

static const char *const classes[IW_VERDICT_COUNT] = {
    [IW_VERDICT_PASS] = "conforms",
    [IW_VERDICT_NOT_APPLICABLE] = "waived",
    [IW_VERDICT_NOT_TESTED] = "unjudged",
    [IW_VERDICT_NOTE] = "note",
    [IW_VERDICT_WARNING] = "warning",
    [IW_VERDICT_INCONCLUSIVE] = "unjudged",
    [IW_VERDICT_FAIL] = "violates",
    [IW_VERDICT_ERROR] = "error",
};

void iw_outcome_page_put_verdict(const struct iw_outcome_page *page, enum iw_verdict verdict) {
    iw_html_print(page->out, "<span class=\"tag %s\">%s</span>", classes[verdict], iw_verdict_name(verdict));
}

void iw_outcome_page_put_row_data(const struct iw_outcome_page *page, size_t place) {
    const struct iw_outcome_row *row = &page->table.rows[place];
    const char *between = "";

    iw_html_print(page->out, " data-documents=\"");
    for (size_t i = 0; i < row->one->requirement_count; i++)
        if (row->one->known[i] != NULL) {
            iw_html_print(page->out, "%s%s", between, row->one->known[i]->document);
            between = "|";
        }
    iw_html_print(page->out, "\" data-verdicts=\"");
    between = "";
    for (size_t i = 0; i < page->report->count; i++) {
        if (row->cells[i] != NULL)
            iw_html_print(page->out, "%s%s", between, iw_verdict_key(row->cells[i]->verdict));
        between = " ";
    }
    iw_html_print(
        page->out, "\" data-differ=\"%s\"", iw_outcome_row_differs(row, page->report->count) ? "yes" : "no");
}

static void outcome_page_put_name(const struct iw_outcome_page *page) {
    if (page->report->count == 1)
        iw_html_print(page->out, "%s", page->report->runs[0].name);
    else
        iw_html_print(page->out, "%zu runs", page->report->count);
}

/* Words and CSS class for the exit code of all runs. */
static const struct {
    const char *words, *class;
} exits[] = {[IW_EXIT_CONFORMS] = {"passes", "conforms"},
    [IW_EXIT_VIOLATIONS] = {"fails", "violates"},
    [IW_EXIT_UNJUDGED] = {"not fully judged", "unjudged"},
    [IW_EXIT_ENVIRONMENT] = {"nothing judged", "unjudged"},
    [IW_EXIT_INTERNAL] = {"in error", "error"}};

static bool outcome_page_is_complete(const struct iw_outcome_page *page) {
    for (size_t i = 0; i < page->report->count; i++)
        if (!iw_outcome_is_complete(&page->report->runs[i]))
            return false;
    return true;
}

static bool outcome_page_has_only_empty_shards(const struct iw_outcome_page *page) {
    char text[IW_RUN_EMPTY_SHARD_OCTETS];

    for (size_t i = 0; i < page->report->count; i++)
        if (!iw_outcome_is_empty_shard(&page->report->runs[i], text))
            return false;
    return true;
}

static bool outcome_page_has_known_failure(const struct iw_outcome_page *page) {
    uint64_t counts[IW_EXPECT_STATES] = {0};

    if (page->report->expect == NULL)
        return false;
    iw_outcome_count_states(page->report, counts);
    return counts[IW_EXPECT_KNOWN] > 0;
}

/* An exit code of 0 has several meanings, and few of them are that the device conforms. */
static const char *outcome_page_words(const struct iw_outcome_page *page, enum iw_exit exit) {
    if (page->report->compare != NULL && exit == IW_EXIT_CONFORMS)
        return "nothing is worse";
    if (page->report->compare != NULL && exit == IW_EXIT_VIOLATIONS)
        return "worse";
    if (exit != IW_EXIT_CONFORMS)
        return exits[exit].words;
    if (outcome_page_has_only_empty_shards(page))
        return "no cases in this part";
    if (outcome_page_has_known_failure(page))
        return "as expected";
    if (page->report->policy != NULL)
        return "meets the policy";
    return outcome_page_is_complete(page) ? exits[exit].words : "passes what was tested";
}

static void outcome_page_put_title(const struct iw_outcome_page *page) {
    iw_html_print(page->out, "%s: ", outcome_page_words(page, iw_outcome_report_exit(page->report)));
    outcome_page_put_name(page);
    iw_html_print(page->out, " - warpcheck");
}

static void outcome_page_put_masthead(const struct iw_outcome_page *page) {
    enum iw_exit exit = iw_outcome_report_exit(page->report);
    bool empty = exit == IW_EXIT_CONFORMS && outcome_page_has_only_empty_shards(page);

    iw_html_print(page->out,
        "<p class=\"product\">warpcheck %s<span>iWARP conformance suite</span></p>\n<h1>", WARPCHECK_VERSION);
    outcome_page_put_name(page);
    iw_html_print(page->out, "</h1>\n<p class=\"verdict %s\">%s</p>\n",
        empty ? exits[IW_EXIT_UNJUDGED].class : exits[exit].class, outcome_page_words(page, exit));
}

static void outcome_page_put_sections(const struct iw_outcome_page *page) {
    uint64_t sections = 0;

    for (size_t i = 0; i < page->sections->count; i++)
        sections += page->sections->list[i].cases > 0;
    iw_html_print(page->out, "<li><a href=\"#overview\">Overview</a></li>\n");
    if (iw_outcome_page_violated(page) > 0)
        iw_html_print(page->out,
            "<li><a href=\"#violations\">Violations</a> <span class=\"count\">%" PRIu64 "</span></li>\n",
            iw_outcome_page_violated(page));
    if (iw_outcome_has_pairs(page->report))
        iw_html_print(page->out, "<li><a href=\"#pairs\">Pairs</a></li>\n");
    iw_html_print(page->out,
        "<li><a href=\"#sections\">By section</a> <span class=\"count\">%" PRIu64
        "</span></li>\n<li><a href=\"#cases\">Cases</a> <span class=\"count\">%zu</span></li>\n<li><a "
        "href=\"#details\">Case by case</a></li>\n",
        sections, page->table.count);
}

static bool outcome_page_has_verdict(
    const struct iw_outcome_page *page, const struct iw_outcome_row *row, enum iw_verdict verdict) {
    for (size_t i = 0; i < page->report->count; i++)
        if (row->cells[i] != NULL && row->cells[i]->verdict == verdict)
            return true;
    return false;
}

/* Each verdict with the number of rows that have it in some run: so many the filter shows. */
static void outcome_page_put_verdicts(const struct iw_outcome_page *page) {
    for (int i = IW_VERDICT_COUNT - 1; i >= 0; i--) {
        enum iw_verdict verdict = (enum iw_verdict)i;
        size_t count = 0;

        for (size_t row = 0; row < page->table.count; row++)
            count += outcome_page_has_verdict(page, &page->table.rows[row], verdict);
        if (count > 0)
            iw_html_print(page->out,
                "<label><input type=\"checkbox\" name=\"verdict\" value=\"%s\" checked> %s "
                "<span class=\"count\">%zu</span></label>\n",
                iw_verdict_key(verdict), iw_verdict_name(verdict), count);
    }
}

static void outcome_page_put_documents(const struct iw_outcome_page *page) {
    const char *last = "";

    for (size_t i = 0; i < page->sections->count; i++) {
        const char *document = page->sections->list[i].document;
        bool before = strcmp(document, last) == 0;

        for (size_t j = 0; j < i && !before; j++)
            before =
                page->sections->list[j].cases > 0 && strcmp(page->sections->list[j].document, document) == 0;
        if (before || page->sections->list[i].cases == 0)
            continue;
        last = document;
        iw_html_print(page->out, "<option value=\"%s\">%s</option>\n", document, document);
    }
}

static void outcome_page_put_differ(const struct iw_outcome_page *page) {
    if (page->report->count > 1)
        iw_html_print(page->out, "<label><input type=\"checkbox\" name=\"differ\" value=\"yes\"> only where "
                                 "runs differ</label>\n");
}

static void outcome_page_fill_place(void *user, const char *name, size_t length) {
    static const struct {
        const char *name;
        void (*put)(const struct iw_outcome_page *page);
    } places[] = {
        {"title", outcome_page_put_title},
        {"masthead", outcome_page_put_masthead},
        {"sections", outcome_page_put_sections},
        {"verdicts", outcome_page_put_verdicts},
        {"documents", outcome_page_put_documents},
        {"differ", outcome_page_put_differ},
        {"overview", iw_outcome_page_overview},
        {"violations", iw_outcome_page_violations},
        {"pairs", iw_outcome_page_pairs},
        {"by-section", iw_outcome_page_sections},
        {"cases", iw_outcome_page_cases},
        {"details", iw_outcome_page_details},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0)
            places[i].put(user);
}

/* Selects the wire logs to show, up to the limit: those of the worst verdicts first. */
static void outcome_page_select(struct iw_outcome_page *page) {
    size_t runs = page->report->count, cells = page->table.count * runs;
    uint64_t left = IW_OUTCOME_PAGE_LOG_OCTETS;

    for (int verdict = IW_VERDICT_COUNT - 1; verdict >= 0; verdict--)
        for (size_t i = 0; i < cells; i++) {
            const struct iw_outcome_case *one = page->table.rows[i / runs].cells[i % runs];
            uint64_t octets;

            if (one == NULL || (int)one->verdict != verdict)
                continue;
            octets = iw_outcome_log_octets(one);
            page->logged[i] = octets <= left;
            left -= page->logged[i] ? octets : 0;
        }
}

void iw_outcome_put_html(const struct iw_outcome_report *report) {
    struct iw_outcome_page page = {.out = report->out,
        .report = report,
        .sections = iw_outcome_sections_new(report->runs, report->count)};

    bool whole = page.sections != NULL && iw_outcome_table_init(&page.table, report);

    if (whole)
        page.logged = calloc(page.table.count * report->count + 1, sizeof *page.logged);
    if (page.logged != NULL) {
        outcome_page_select(&page);
        iw_html_fill(page.out, iw_outcome_page_template, outcome_page_fill_place, &page);
    } else {
        iw_outcome_report_set_incomplete(report);
    }
    free(page.logged);
    iw_outcome_table_clear(&page.table);
    free(page.sections);
}
