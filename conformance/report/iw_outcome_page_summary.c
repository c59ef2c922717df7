#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_outcome_page.h"
#include "iw_plural.h"

/* The summary of a run, at the top of the page: what was tested, by document; the roots of its failures; what
 * was not tested, and why; and what changed between two runs. */

/* ---- requirements by document ---- */

static const char *const summary_classes[IW_COVERAGE_COUNT] = {
    [IW_COVERAGE_PASSED] = "bar-passed",
    [IW_COVERAGE_FAILED] = "bar-failed",
    [IW_COVERAGE_INCONCLUSIVE] = "bar-untested",
    [IW_COVERAGE_NOT_TESTED] = "bar-untested",
    [IW_COVERAGE_NOT_CLAIMED] = "bar-unclaimed",
};

/* The states in a bar, from left to right. */
static const enum iw_coverage_state summary_order[] = {IW_COVERAGE_PASSED, IW_COVERAGE_FAILED,
    IW_COVERAGE_INCONCLUSIVE, IW_COVERAGE_NOT_TESTED, IW_COVERAGE_NOT_CLAIMED};

enum { SUMMARY_STATES = sizeof summary_order / sizeof *summary_order };

static unsigned summary_count(
    const struct iw_coverage *coverage, const char *document, unsigned counts[IW_COVERAGE_COUNT]) {
    unsigned total = 0;

    for (size_t i = 0; i < IW_COVERAGE_COUNT; i++)
        counts[i] = 0;
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (strcmp(iw_requirements[i].document, document) == 0)
            counts[iw_coverage_state(coverage, &iw_requirements[i])]++;
    for (size_t i = 0; i < SUMMARY_STATES; i++)
        total += counts[summary_order[i]];
    return total;
}

static void summary_put_bar(const struct iw_outcome_page *page, const unsigned counts[IW_COVERAGE_COUNT]) {
    struct iw_html_part parts[SUMMARY_STATES];

    for (size_t i = 0; i < SUMMARY_STATES; i++)
        parts[i] = (struct iw_html_part){summary_classes[summary_order[i]], counts[summary_order[i]]};
    iw_html_bar(page->out, parts, SUMMARY_STATES);
}

static void summary_put_document(
    const struct iw_outcome_page *page, const struct iw_coverage *coverage, const char *document) {
    unsigned counts[IW_COVERAGE_COUNT];
    unsigned total = summary_count(coverage, document, counts);

    if (total == 0)
        return;
    iw_html_print(page->out, "<tr><th scope=\"row\" class=\"short\">%s</th><td>", document);
    summary_put_bar(page, counts);
    iw_html_print(page->out, "</td>");
    for (size_t i = 0; i < SUMMARY_STATES; i++)
        iw_html_print(page->out, "<td class=\"number\">%u</td>", counts[summary_order[i]]);
    iw_html_print(page->out, "</tr>\n");
}

static bool summary_is_first_of_document(size_t requirement) {
    for (size_t i = 0; i < requirement; i++)
        if (strcmp(iw_requirements[i].document, iw_requirements[requirement].document) == 0)
            return false;
    return true;
}

static void summary_put_documents(const struct iw_outcome_page *page, const struct iw_coverage *coverage) {
    static const char *const columns[] = {
        "Requirements of", "", "#Passed", "#Failed", "#Inconclusive", "#Not tested", "#Not claimed", NULL};

    iw_html_print(page->out, "<div class=\"documents\">\n");
    iw_html_table_begin(page->out, "overview-title", columns);
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (summary_is_first_of_document(i))
            summary_put_document(page, coverage, iw_requirements[i].document);
    iw_html_table_end(page->out);
    iw_html_print(page->out, "</div>\n");
}

/* ---- what was not tested ---- */

static void page_summary_put_untested(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    struct iw_reasons reasons = {0};

    if (!iw_outcome_reasons(run, IW_VERDICT_NOT_TESTED, &reasons))
        iw_outcome_report_set_incomplete(page->report);
    if (reasons.count > 0)
        iw_html_print(page->out, "<h4>Not tested</h4>\n<ul>\n");
    for (size_t i = 0; i < reasons.count; i++)
        iw_html_print(page->out, "<li>%u case%s: %s</li>\n", reasons.list[i].cases,
            iw_plural(reasons.list[i].cases), reasons.list[i].text);
    if (reasons.count > 0)
        iw_html_print(page->out, "</ul>\n");
    iw_reasons_dispose(&reasons);
}

/* ---- roots of failures ---- */

void iw_outcome_page_put_link(const struct iw_outcome_page *page, const char *id) {
    size_t place = 0;

    while (place < page->table.count && strcmp(page->table.rows[place].one->id, id) != 0)
        place++;
    if (place < page->table.count)
        iw_html_print(page->out, "<a href=\"#c%zu\">%s</a>", place, id);
    else
        iw_html_print(page->out, "%s", id);
}

static void summary_put_root(const struct iw_outcome_page *page, const struct iw_root *root) {
    iw_html_print(page->out, "<tr><td class=\"number\">%zu</td><td class=\"words\">", root->cases);
    switch (root->kind) {
    case IW_ROOT_CRASH:
        iw_html_print(page->out, "the device crashed: %s", root->text);
        break;
    case IW_ROOT_VIOLATION:
        iw_html_print(page->out, "%s (%s %s, %s): %s", root->requirement->id, root->requirement->document,
            root->requirement->section, iw_level_name(root->requirement->level), root->requirement->words);
        break;
    case IW_ROOT_BEHAVIOUR:
        iw_html_print(page->out, "%s", root->text);
        break;
    }
    iw_html_print(page->out, "</td><td>");
    iw_outcome_page_put_link(page, root->first->id);
    iw_html_print(page->out, "</td></tr>\n");
}

static void summary_put_roots(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    static const char *const columns[] = {"#Cases", "Failed for", "First in", NULL};
    struct iw_roots roots;

    if (!iw_roots_init(&roots, run))
        iw_outcome_report_set_incomplete(page->report);
    if (roots.count > 0) {
        iw_html_print(page->out, "<div class=\"roots\">\n<h4>Why cases did not pass</h4>\n");
        iw_html_table_begin(page->out, "overview-title", columns);
        for (size_t i = 0; i < roots.count && i < IW_OUTCOME_PAGE_ROOTS; i++)
            summary_put_root(page, &roots.list[i]);
        iw_html_table_end(page->out);
        if (roots.count > IW_OUTCOME_PAGE_ROOTS)
            iw_html_print(page->out, "<p class=\"beyond\">%zu more reasons are not listed.</p>\n",
                roots.count - IW_OUTCOME_PAGE_ROOTS);
        iw_html_print(page->out, "</div>\n");
    }
    iw_roots_clear(&roots);
}

void iw_outcome_page_put_summary(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    struct iw_coverage *coverage = calloc(1, sizeof *coverage);

    if (coverage == NULL) {
        iw_outcome_report_set_incomplete(page->report);
        return;
    }
    iw_outcome_coverage(run, coverage);
    summary_put_documents(page, coverage);
    summary_put_roots(page, run);
    page_summary_put_untested(page, run);
    free(coverage);
}

/* ---- two runs ---- */

void iw_outcome_page_put_compare(const struct iw_outcome_page *page) {
    static const char *const columns[] = {"Change", "Case", "Before", "After", "Title", NULL};
    const struct iw_compare *compare = page->report->compare;

    iw_html_print(
        page->out, "<p class=\"scope\">From %s to %s:", compare->before->name, compare->after->name);
    for (enum iw_change change = 0; change < IW_CHANGE_COUNT; change++)
        iw_html_print(
            page->out, "%s %u %s", change > 0 ? "," : "", compare->counts[change], iw_change_name(change));
    iw_html_print(page->out, ".</p>\n");
    iw_html_table_begin(page->out, "overview-title", columns);
    for (enum iw_change change = 0; change < IW_CHANGE_NONE; change++)
        for (size_t i = 0; i < compare->count; i++) {
            const struct iw_compared *compared = &compare->list[i];
            const struct iw_outcome_case *one = compared->after != NULL ? compared->after : compared->before;

            if (compared->change != change)
                continue;
            iw_html_print(page->out, "<tr><td class=\"short\">%s</td><td>", iw_change_name(change));
            iw_outcome_page_put_link(page, one->id);
            iw_html_print(page->out,
                "</td><td class=\"short\">%s</td><td class=\"short\">%s</td><td "
                "class=\"words\">%s</td></tr>\n",
                iw_compare_verdict(compared->before), iw_compare_verdict(compared->after), one->title);
        }
    iw_html_table_end(page->out);
}
