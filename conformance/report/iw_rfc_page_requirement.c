#include "iw_rfc_page.h"

#include <inttypes.h>
#include <string.h>

#include "iw_defect.h"
#include "iw_html.h"
#include "iw_plural.h"

/* A requirement: what it demands, what judges it, and what runs showed. */

static void rfc_requirement_put_tag(const struct iw_rfc_page *page, enum iw_rfc_state state) {
    iw_html_print(
        page->out, "<span class=\"tag %s\">%s</span> ", iw_rfc_state_class(state), iw_rfc_state_name(state));
}

static void rfc_requirement_put_states(const struct iw_rfc_page *page, size_t requirement) {
    if (page->report->count <= 1) {
        rfc_requirement_put_tag(page, iw_rfc_state_of(page, 0, requirement));
        return;
    }
    for (size_t run = 0; run < page->report->count; run++) {
        iw_html_print(page->out, "<span class=\"aside\">%s</span> ", page->report->runs[run].name);
        rfc_requirement_put_tag(page, iw_rfc_state_of(page, run, requirement));
    }
}

/* The attributes for the filter: the states in all runs. */
static void rfc_requirement_put_data(const struct iw_rfc_page *page, size_t requirement) {
    const struct iw_requirement *row = &iw_requirements[requirement];

    iw_html_print(page->out, " data-document=\"%s\" data-level=\"%s\" data-states=\"", row->document,
        iw_case_level(iw_requirement_severity(row)));
    for (size_t run = 0; run == 0 || run < page->report->count; run++)
        iw_html_print(
            page->out, "%s%s", run > 0 ? " " : "", iw_rfc_state_key(iw_rfc_state_of(page, run, requirement)));
    iw_html_print(page->out, "\"");
}

/* The provocation, or why no traffic shows a violation. */
static void rfc_requirement_put_why(const struct iw_rfc_page *page, const struct iw_requirement *row) {
    if (row->why[0] != '\0')
        iw_html_print(page->out, "<p class=\"why\">%s: %s</p>\n",
            row->visibility == IW_VISIBILITY_ACTIVE ? "Provoked by" : "Not testable", row->why);
}

/* Why the requirement has its state in the run. */
static void rfc_requirement_put_reason(const struct iw_rfc_page *page, size_t run, size_t requirement) {
    enum iw_rfc_state state = iw_rfc_state_of(page, run, requirement);
    const char *reason = "";

    if (state == IW_RFC_FAILED)
        reason = page->coverages[run].failed[requirement];
    else if (state == IW_RFC_NOT_TESTED || state == IW_RFC_NOT_CLAIMED)
        reason = iw_coverage_reason(&page->coverages[run], &iw_requirements[requirement]);
    if (reason[0] == '\0')
        return;
    iw_html_print(page->out, "<p class=\"reason %s\">", iw_rfc_state_class(state));
    if (page->report->count > 1)
        iw_html_print(page->out, "%s: ", page->report->runs[run].name);
    iw_html_print(page->out, state == IW_RFC_FAILED ? "failed, first in " : "");
    iw_html_print(page->out, "%s</p>\n", reason);
}

/* ---- cases ---- */

static bool rfc_case_tests(const struct iw_case *one, const struct iw_requirement *requirement) {
    for (size_t i = 0; i < one->requirement_count; i++)
        if (one->requirements[i] == requirement)
            return true;
    return false;
}

/* Returns the worst verdict of the case and its repeats; IW_VERDICT_COUNT if the run lacks the case. */
static enum iw_verdict rfc_case_verdict(const struct iw_outcome_run *run, const char *id) {
    const struct iw_outcome_case *result = iw_outcome_find(run, id, 0);
    enum iw_verdict worst = result != NULL ? result->verdict : IW_VERDICT_COUNT;

    for (uint64_t repeat = 1; (result = iw_outcome_find(run, id, repeat)) != NULL; repeat++)
        if (worst == IW_VERDICT_COUNT || result->verdict > worst)
            worst = result->verdict;
    return worst;
}

static void rfc_case_put(const struct iw_rfc_page *page, const struct iw_case *one) {
    static const char *const classes[IW_VERDICT_COUNT] = {[IW_VERDICT_PASS] = "conforms",
        [IW_VERDICT_NOT_APPLICABLE] = "waived",
        [IW_VERDICT_NOT_TESTED] = "unjudged",
        [IW_VERDICT_NOTE] = "note",
        [IW_VERDICT_WARNING] = "warning",
        [IW_VERDICT_INCONCLUSIVE] = "unjudged",
        [IW_VERDICT_FAIL] = "violates",
        [IW_VERDICT_ERROR] = "error"};

    iw_html_print(page->out, "<li><code>%s</code> ", one->id);
    for (size_t i = 0; i < page->report->count; i++) {
        enum iw_verdict verdict = rfc_case_verdict(&page->report->runs[i], one->id);

        if (verdict == IW_VERDICT_COUNT)
            iw_html_print(page->out, "<span class=\"aside\">not in the run</span> ");
        else
            iw_html_print(
                page->out, "<span class=\"tag %s\">%s</span> ", classes[verdict], iw_verdict_name(verdict));
    }
    iw_html_print(page->out, "%s</li>\n", one->title);
}

static void rfc_requirement_put_case_counts(
    const struct iw_rfc_page *page, size_t run, const struct iw_requirement *requirement) {
    unsigned counts[IW_VERDICT_COUNT + 1] = {0};
    const char *between = ": ";

    for (size_t i = 0; i < page->catalogue.count; i++)
        if (rfc_case_tests(&page->catalogue.cases[i], requirement))
            counts[rfc_case_verdict(&page->report->runs[run], page->catalogue.cases[i].id)]++;
    for (int verdict = IW_VERDICT_COUNT - 1; verdict >= 0; verdict--)
        if (counts[verdict] > 0) {
            iw_html_print(
                page->out, "%s%u %s", between, counts[verdict], iw_verdict_name((enum iw_verdict)verdict));
            between = ", ";
        }
}

static void rfc_requirement_put_cases(
    const struct iw_rfc_page *page, const struct iw_requirement *requirement) {
    unsigned count = 0;

    for (size_t i = 0; i < page->catalogue.count; i++)
        count += rfc_case_tests(&page->catalogue.cases[i], requirement);
    if (count == 0)
        return;
    iw_html_print(page->out, "<details><summary>%u case%s", count, iw_plural(count));
    if (page->report->count == 1)
        rfc_requirement_put_case_counts(page, 0, requirement);
    iw_html_print(page->out, "</summary>\n<ul>\n");
    for (size_t i = 0; i < page->catalogue.count; i++)
        if (rfc_case_tests(&page->catalogue.cases[i], requirement))
            rfc_case_put(page, &page->catalogue.cases[i]);
    iw_html_print(page->out, "</ul></details>\n");
}

/* ---- defects ---- */

static void rfc_requirement_put_defects(const struct iw_rfc_page *page, size_t requirement) {
    unsigned count = 0;

    for (size_t i = 0; i < iw_defect_count; i++)
        count += (size_t)iw_defects[i].requirement == requirement;
    if (count == 0)
        return;
    iw_html_print(
        page->out, "<details><summary>%u defect%s detected</summary>\n<ul>\n", count, iw_plural(count));
    for (size_t i = 0; i < iw_defect_count; i++)
        if ((size_t)iw_defects[i].requirement == requirement)
            iw_html_print(
                page->out, "<li><code>%s</code> %s</li>\n", iw_defects[i].name, iw_defects[i].words);
    iw_html_print(page->out, "</ul></details>\n");
}

void iw_rfc_page_put_requirement(const struct iw_rfc_page *page, size_t requirement) {
    const struct iw_requirement *row = &iw_requirements[requirement];

    iw_html_print(page->out, "<article class=\"requirement %s\" id=\"%s\"",
        iw_rfc_state_class(iw_rfc_state_worst(page, requirement)), row->id);
    rfc_requirement_put_data(page, requirement);
    iw_html_print(page->out, ">\n<p class=\"head\">");
    rfc_requirement_put_states(page, requirement);
    iw_html_print(page->out,
        "<a href=\"#%s\">%s</a> <b>%s</b> <span>%s</span> <span class=\"aside\">%s</span></p>\n", row->id,
        row->id, iw_level_name(row->level), row->role, iw_visibility_name(row->visibility));
    iw_html_print(page->out, "<p class=\"demand\">%s</p>\n", row->words);
    rfc_requirement_put_why(page, row);
    for (size_t run = 0; run < page->report->count; run++)
        rfc_requirement_put_reason(page, run, requirement);
    iw_html_print(page->out, "<div class=\"judges\">\n");
    if (row->rule[0] != '\0')
        iw_html_print(page->out, "<p>rule <code>%s</code></p>\n", row->rule);
    rfc_requirement_put_cases(page, row);
    rfc_requirement_put_defects(page, requirement);
    if (row->terminate[0] != '\0')
        iw_html_print(page->out, "<p>Terminate <code>%s</code></p>\n", row->terminate);
    iw_html_print(page->out, "</div>\n");
    iw_html_print(page->out, "</article>\n");
}
