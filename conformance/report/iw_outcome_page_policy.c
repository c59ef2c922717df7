#include "iw_html.h"
#include "iw_outcome_page.h"
#include "iw_plural.h"

/* The grade of each run by a policy, and of each device by its partners. */

/* CSS class of a verdict that this exit code stands for. */
static const char *policy_class(enum iw_exit exit) {
    return exit == IW_EXIT_CONFORMS ? "conforms" : exit == IW_EXIT_VIOLATIONS ? "violates" : "unjudged";
}

/* ---- a run ---- */

static void policy_put_graded(
    const struct iw_outcome_page *page, const struct iw_grade *grade, size_t requirement) {
    const struct iw_requirement *row = &iw_requirements[requirement];
    bool failed = grade->states[requirement] == IW_GRADE_FAILED;

    iw_html_print(page->out,
        "<tr><td class=\"short\">%s</td><th scope=\"row\" class=\"short\">%s</th><td class=\"short\">%s "
        "%s</td><td>%s</td><td class=\"words\">%s</td><td>",
        iw_grade_state_name(grade->states[requirement]), row->id, row->document, row->section,
        iw_level_name(row->level), failed ? row->words : grade->coverage.reason[requirement]);
    if (failed)
        iw_outcome_page_put_link(page, grade->coverage.failed[requirement]);
    iw_html_print(page->out, "</td></tr>\n");
}

void iw_outcome_page_put_grade(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    static const char *const columns[] = {
        "State", "Requirement", "Clause", "Level", "Text, or why it is missing", "First in", NULL};
    const struct iw_grade *grade = &page->report->grades[run - page->report->runs];
    unsigned failed = grade->counts[IW_GRADE_FAILED], missing = grade->counts[IW_GRADE_MISSING];

    iw_html_print(page->out,
        "<p class=\"scope\"><span class=\"tag %s\">%s</span> policy %s: %s. Of %u requirements %u met, %u "
        "failed, %u missing.</p>\n",
        policy_class(grade->exit), iw_grade_verdict(grade->exit), page->report->policy->name,
        page->report->policy->title, failed + missing + grade->counts[IW_GRADE_MET],
        grade->counts[IW_GRADE_MET], failed, missing);
    if (failed + missing == 0)
        return;
    iw_html_print(page->out, "<details class=\"graded\"><summary>What failed or is missing</summary>\n");
    iw_html_table_begin(page->out, "overview-title", columns);
    for (enum iw_grade_state state = IW_GRADE_FAILED; state <= IW_GRADE_MISSING; state++)
        for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
            if (grade->states[i] == state)
                policy_put_graded(page, grade, i);
    iw_html_table_end(page->out);
    iw_html_print(page->out, "</details>\n");
}

/* ---- partners ---- */

/* Prints a cell with the requirements in this state; there may be hundreds, so they are folded. */
static void policy_put_ids(
    const struct iw_outcome_page *page, const struct iw_interop_partner *partner, enum iw_grade_state state) {
    unsigned count = 0;
    const char *between = "";

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        count += partner->states[i] == state;
    if (count == 0) {
        iw_html_print(page->out, "<td></td>");
        return;
    }
    iw_html_print(page->out, "<td class=\"words\"><details><summary>%u requirement%s</summary>", count,
        iw_plural(count));
    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        if (partner->states[i] == state) {
            iw_html_print(page->out, "%s%s", between, iw_requirements[i].id);
            between = ", ";
        }
    iw_html_print(page->out, "</details></td>");
}

static void policy_put_partner(const struct iw_outcome_page *page, const struct iw_interop_device *device,
    const struct iw_interop_partner *partner) {
    iw_html_print(page->out,
        "<tr><th scope=\"row\">%s</th><td>%s</td><td class=\"number\">%u</td><td><span class=\"tag "
        "%s\">%s</span></td>",
        device->name, partner->name, partner->runs, policy_class(partner->exit),
        iw_interop_partner_verdict(partner));
    policy_put_ids(page, partner, IW_GRADE_FAILED);
    policy_put_ids(page, partner, IW_GRADE_MISSING);
    iw_html_print(page->out, "</tr>\n");
}

void iw_outcome_page_put_interop(const struct iw_outcome_page *page) {
    static const char *const columns[] = {"Device", "Partner", "#Runs", "Result", "Failed", "Missing", NULL};
    const struct iw_interop *interop = page->report->interop;

    iw_html_print(page->out, "<div id=\"partners\">\n<p class=\"scope\">Policy %s: %s.</p>\n",
        interop->policy->name, interop->policy->title);
    for (size_t i = 0; i < interop->count; i++)
        iw_html_print(page->out,
            "<p class=\"scope\"><span class=\"tag %s\">%s</span> %s conforms with %u of %zu partner%s; %u "
            "of %u needed.</p>\n",
            policy_class(interop->devices[i].exit), iw_grade_verdict(interop->devices[i].exit),
            interop->devices[i].name, interop->devices[i].conforming, interop->devices[i].count,
            iw_plural(interop->devices[i].count), interop->policy->partners_pass, interop->policy->partners);
    if (interop->count == 0) {
        iw_html_print(page->out, "<p class=\"scope\"><span class=\"tag %s\">%s</span> %s.</p>\n</div>\n",
            policy_class(IW_EXIT_UNJUDGED), iw_grade_verdict(IW_EXIT_UNJUDGED), iw_interop_no_pairs);
        return;
    }
    iw_html_table_begin(page->out, "overview-title", columns);
    for (size_t i = 0; i < interop->count; i++)
        for (size_t j = 0; j < interop->devices[i].count; j++)
            policy_put_partner(page, &interop->devices[i], &interop->devices[i].partners[j]);
    iw_html_table_end(page->out);
    iw_html_print(page->out, "</div>\n");
}
