#include <inttypes.h>
#include <string.h>

#include "iw_html.h"
#include "iw_outcome_page.h"
#include "iw_plural.h"

/* The tables of pairs, of sections, and of cases by runs. */

/* Prints the worst verdict and the number of passed cases of a pair, as a link to the cases of the run. */
static void page_matrix_put_pair(const struct iw_outcome_page *page, size_t initiator, size_t responder) {
    const struct iw_outcome_report *report = page->report;
    const char *name = report->runs[initiator].name;
    size_t octets = iw_outcome_pair(&report->runs[initiator]);
    const char *other = report->runs[responder].name + iw_outcome_pair(&report->runs[responder]);

    iw_html_print(page->out, "<td>");
    for (size_t i = 0; i < report->count; i++) {
        const struct iw_outcome_run *run = &report->runs[i];
        enum iw_verdict worst = IW_VERDICT_ERROR;

        if (iw_outcome_pair(run) != octets || strncmp(run->name, name, octets) != 0 ||
            strcmp(run->name + octets, other) != 0)
            continue;
        while (worst > IW_VERDICT_PASS && (run->counts[worst] == 0 || worst == IW_VERDICT_NOT_APPLICABLE))
            worst--;
        iw_html_print(page->out, "<a href=\"#cases\" data-run=\"%zu\">", i);
        iw_outcome_page_put_verdict(page, worst);
        iw_html_print(page->out, " %" PRIu64 " of %zu passed</a>", run->counts[IW_VERDICT_PASS],
            run->count - run->counts[IW_VERDICT_NOT_APPLICABLE]);
    }
    iw_html_print(page->out, "</td>");
}

void iw_outcome_page_pairs(const struct iw_outcome_page *page) {
    const struct iw_outcome_report *report = page->report;

    if (!iw_outcome_has_pairs(report))
        return;
    iw_html_print(page->out,
        "<section id=\"pairs\" aria-labelledby=\"pairs-title\" tabindex=\"-1\">\n<h2 id=\"pairs-title\">"
        "Pairs: initiators by responders</h2>\n<div class=\"scroll\" role=\"region\" "
        "aria-labelledby=\"pairs-title\" tabindex=\"0\">\n<table>\n<thead><tr><th scope=\"col\">"
        "Initiator</th>");
    for (size_t i = 0; i < report->count; i++)
        if (iw_outcome_pair_first(report, i, true))
            iw_html_print(page->out, "<th scope=\"col\">%s</th>",
                report->runs[i].name + iw_outcome_pair(&report->runs[i]) + 1);
    iw_html_print(page->out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < report->count; i++) {
        char name[256];

        if (!iw_outcome_pair_first(report, i, false))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)iw_outcome_pair(&report->runs[i]), report->runs[i].name);
        iw_html_print(page->out, "<tr><th scope=\"row\">%s</th>", name);
        for (size_t j = 0; j < report->count; j++)
            if (iw_outcome_pair_first(report, j, true))
                page_matrix_put_pair(page, i, j);
        iw_html_print(page->out, "</tr>\n");
    }
    iw_html_table_end(page->out);
    iw_html_print(page->out, "</section>\n");
}

static bool page_matrix_has_requirement(
    const struct iw_outcome_case *one, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->known[i] == requirement)
            return true;
    return false;
}

static uint64_t page_matrix_cases_of(
    const struct iw_outcome_page *page, const struct iw_requirement *requirement) {
    uint64_t count = 0;

    for (int i = 0; i < IW_VERDICT_COUNT; i++)
        count += page->sections->requirements[requirement - iw_requirements][i];
    return count;
}

static void page_matrix_put_counts(
    const struct iw_outcome_page *page, const uint64_t counts[IW_VERDICT_COUNT]) {
    for (int i = IW_VERDICT_COUNT - 1; i >= 0; i--)
        if (counts[i] > 0) {
            iw_html_print(page->out, "<span class=\"short\">%" PRIu64 " ", counts[i]);
            iw_outcome_page_put_verdict(page, (enum iw_verdict)i);
            iw_html_print(page->out, "</span> ");
        }
}

/* Prints links to the cases of a requirement: first those that did not pass. */
static void page_matrix_put_case_links(
    const struct iw_outcome_page *page, const struct iw_requirement *requirement) {
    uint64_t count = 0;

    for (size_t i = 0; i < 2 * page->table.count; i++) {
        size_t place = i % page->table.count;
        const struct iw_outcome_row *row = &page->table.rows[place];
        bool passed = iw_outcome_row_verdict(row, page->report->count) == IW_VERDICT_PASS;
        char name[IW_OUTCOME_NAME_OCTETS];

        if (passed != (i >= page->table.count) || !page_matrix_has_requirement(row->one, requirement) ||
            count++ >= IW_OUTCOME_PAGE_LINKS)
            continue;
        iw_outcome_case_name(row->one, name);
        iw_html_print(page->out, "<a class=\"short\" href=\"#c%zu\">%s</a> ", place, name);
    }
    if (count > IW_OUTCOME_PAGE_LINKS)
        iw_html_print(
            page->out, "<span class=\"beyond\">and %" PRIu64 " more</span>", count - IW_OUTCOME_PAGE_LINKS);
}

static void page_matrix_put_requirement(
    const struct iw_outcome_page *page, const struct iw_requirement *requirement) {
    iw_html_print(page->out,
        "<tr data-document=\"%s\"><th scope=\"row\" class=\"short\">%s</th><td>%s</td><td "
        "class=\"words\">%s</td>"
        "<td class=\"tags\">",
        requirement->document, requirement->id, iw_level_name(requirement->level), requirement->words);
    page_matrix_put_counts(page, page->sections->requirements[requirement - iw_requirements]);
    iw_html_print(page->out, "</td><td>");
    page_matrix_put_case_links(page, requirement);
    iw_html_print(page->out, "</td></tr>\n");
}

static void page_matrix_put_section(
    const struct iw_outcome_page *page, const struct iw_outcome_section *section) {
    iw_html_print(page->out,
        "<tr class=\"group\" data-document=\"%s\"><th scope=\"rowgroup\" colspan=\"3\">%s %s</th>"
        "<td class=\"tags\">",
        section->document, section->document, section->section);
    page_matrix_put_counts(page, section->counts);
    iw_html_print(
        page->out, "</td><td>%" PRIu64 " case%s</td></tr>\n", section->cases, iw_plural(section->cases));
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (&page->sections->list[page->sections->of[i]] == section &&
            page_matrix_cases_of(page, &iw_requirements[i]) > 0)
            page_matrix_put_requirement(page, &iw_requirements[i]);
}

void iw_outcome_page_sections(const struct iw_outcome_page *page) {
    static const char *const columns[] = {"Requirement", "Level", "Text", "Verdicts", "Cases", NULL};

    iw_html_table_begin(page->out, "sections-title", columns);
    for (size_t i = 0; i < page->sections->count; i++)
        if (page->sections->list[i].cases > 0)
            page_matrix_put_section(page, &page->sections->list[i]);
    iw_html_table_end(page->out);
}

static void page_matrix_put_cell(const struct iw_outcome_page *page, size_t place, size_t run) {
    const struct iw_outcome_case *one = page->table.rows[place].cells[run];
    const struct iw_expect_line *line;
    enum iw_expect_state state;

    if (one == NULL) {
        iw_html_print(page->out, "<td>-</td>");
        return;
    }
    state = iw_outcome_state(page->report, one, &line);
    iw_html_print(page->out, "<td class=\"tags\"><a href=\"#d%zu-%zu\">", run, place);
    iw_outcome_page_put_verdict(page, one->verdict);
    iw_html_print(page->out, "</a>");
    if (state != IW_EXPECT_PASS && state != IW_EXPECT_NOT_APPLICABLE)
        iw_html_print(page->out, " <span class=\"aside\">%s</span>", iw_expect_state_name(state));
    iw_html_print(page->out, "</td>");
}

static void page_matrix_put_row(const struct iw_outcome_page *page, size_t place) {
    const struct iw_outcome_case *one = page->table.rows[place].one;
    char name[IW_OUTCOME_NAME_OCTETS], clause[IW_OUTCOME_CLAUSE_OCTETS];

    iw_outcome_case_name(one, name);
    iw_outcome_clause(one, clause);
    iw_html_print(page->out, "<tr data-case=\"%zu\"", place);
    iw_outcome_page_put_row_data(page, place);
    iw_html_print(page->out,
        "><th scope=\"row\" class=\"short\"><a href=\"#c%zu\">%s</a></th><td class=\"words\">%s</td><td "
        "class=\"short\">%s</td>",
        place, name, one->title, clause);
    for (size_t i = 0; i < page->report->count; i++)
        page_matrix_put_cell(page, place, i);
    if (page->report->count == 1)
        iw_html_print(page->out, "<td class=\"short\">%s%s</td><td class=\"number\">%" PRIu64 "</td>",
            one->close, strcmp(one->close_verdict, "wrong") == 0 ? " (wrong)" : "", one->duration_ms);
    iw_html_print(page->out, "</tr>\n");
}

void iw_outcome_page_cases(const struct iw_outcome_page *page) {
    iw_html_print(page->out,
        "<div class=\"scroll\" role=\"region\" aria-labelledby=\"cases-title\" tabindex=\"0\">\n<table "
        "class=\"%s\">\n<thead><tr><th scope=\"col\">Case</th><th scope=\"col\">Title</th><th "
        "scope=\"col\">Clause</th>",
        page->report->count == 1 ? "single" : "several");
    for (size_t i = 0; i < page->report->count; i++)
        iw_html_print(page->out, "<th scope=\"col\">%s</th>",
            page->report->count == 1 ? "Verdict" : page->report->runs[i].name);
    if (page->report->count == 1)
        iw_html_print(page->out, "<th scope=\"col\">Close</th><th scope=\"col\" class=\"number\">ms</th>");
    iw_html_print(page->out, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < page->table.count; i++)
        page_matrix_put_row(page, i);
    iw_html_table_end(page->out);
    if (page->table.alike > 0)
        iw_html_print(page->out,
            "<p class=\"beyond\">%zu repeat%s that ended like the first: not listed.</p>\n",
            page->table.alike, iw_plural(page->table.alike));
}
