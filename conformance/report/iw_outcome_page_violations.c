#include <inttypes.h>
#include "iw_html.h"
#include "iw_outcome_page.h"

/* The table of all violations by the devices, by run and requirement, whatever the case tested. */

/* Prints the first case with the violation, and the frame. */
static void page_violations_put_first(
    const struct iw_outcome_page *page, const struct iw_violation *violation) {
    iw_outcome_page_put_link(page, violation->first);
    if (violation->frame > 0)
        iw_html_print(page->out, ", frame %" PRIu64, violation->frame);
}

static void page_violations_put_row(const struct iw_outcome_page *page, const struct iw_outcome_run *run,
    const struct iw_requirement *requirement, const struct iw_violation *violation) {
    iw_html_print(page->out, "<tr data-document=\"%s\">", requirement->document);
    if (page->report->count > 1)
        iw_html_print(page->out, "<td class=\"short\">%s</td>", run->name);
    iw_html_print(page->out,
        "<th scope=\"row\" class=\"short\">%s</th><td class=\"short\">%s %s</td><td>%s</td><td "
        "class=\"words\">%s</td><td class=\"number\">%u</td><td class=\"number\">%u</td><td>",
        requirement->id, requirement->document, requirement->section, iw_level_name(requirement->level),
        requirement->words, violation->cases, violation->frames);
    page_violations_put_first(page, violation);
    iw_html_print(page->out, "</td></tr>\n");
}

static void page_violations_put_run(const struct iw_outcome_page *page, const struct iw_outcome_run *run) {
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];
    struct iw_violations violations = {0};
    size_t count;

    iw_outcome_violations(run, &violations);
    count = iw_violations_order(&violations, order);
    for (size_t i = 0; i < count; i++)
        page_violations_put_row(page, run, order[i], iw_violations_of(&violations, order[i]));
}

uint64_t iw_outcome_page_violated(const struct iw_outcome_page *page) {
    struct iw_violations violations = {0};
    const struct iw_requirement *order[IW_REQUIREMENT_COUNT];

    for (size_t i = 0; i < page->report->count; i++)
        iw_outcome_violations(&page->report->runs[i], &violations);
    return iw_violations_order(&violations, order);
}

void iw_outcome_page_violations(const struct iw_outcome_page *page) {
    static const char *const columns[] = {
        "Run", "Requirement", "Clause", "Level", "Text", "Cases", "Frames", "First in", NULL};

    if (iw_outcome_page_violated(page) == 0)
        return;
    iw_html_print(page->out,
        "<section id=\"violations\" aria-labelledby=\"violations-title\" tabindex=\"-1\">\n"
        "<h2 id=\"violations-title\">Violations by the device</h2>\n"
        "<p class=\"scope\">The number of cases in which the monitor found the violation, whatever the case "
        "tests, and the number of frames of their captures with it.</p>\n");
    iw_html_table_begin(page->out, "violations-title", columns + (page->report->count == 1));
    for (size_t i = 0; i < page->report->count; i++)
        page_violations_put_run(page, &page->report->runs[i]);
    iw_html_table_end(page->out);
    iw_html_print(page->out, "</section>\n");
}
