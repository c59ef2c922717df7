#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_outcome_page.h"

/* The section of cases: their clauses and, for each run, expected and actual result and wire log. */

/* Prints the lines of a wire log, with lines about violations highlighted. Changes `text`. */
static void page_case_put_lines(const struct iw_outcome_page *page, char *text) {
    static const char found[] = "    ! ";

    for (char *end; *text != '\0'; text = end) {
        bool marked = strncmp(text, found, sizeof found - 1) == 0;

        end = text + strcspn(text, "\n");
        if (*end != '\0')
            *end++ = '\0';
        iw_html_print(page->out, marked ? "<mark>" : "");
        iw_html_print(page->out, "%s", text);
        iw_html_print(page->out, marked ? "</mark>\n" : "\n");
    }
}

static void page_case_put_log(
    const struct iw_outcome_page *page, const struct iw_outcome_case *one, bool logged) {
    bool cut;
    char *text;

    if (!logged) {
        iw_html_print(
            page->out, "<p class=\"beyond\">Wire log not shown because of its size: see %s.</p>\n", one->log);
        return;
    }
    text = iw_outcome_log(one, &cut);
    if (text == NULL) {
        if (errno == ENOMEM)
            iw_outcome_report_set_incomplete(page->report);
        iw_html_print(page->out, "<p class=\"beyond\">No wire log.</p>\n");
        return;
    }
    iw_outcome_page_put_diagram(page, one, text);
    iw_html_print(page->out, "<pre class=\"wire\" role=\"region\" aria-label=\"wire log\" "
                             "tabindex=\"0\"><code>");
    page_case_put_lines(page, text);
    iw_html_print(page->out, "</code></pre>\n");
    if (cut)
        iw_html_print(page->out, "<p class=\"beyond\">The rest is in %s.</p>\n", one->log);
    free(text);
}

static void page_case_put_value(const struct iw_outcome_page *page, const char *name, const char *text) {
    if (text[0] != '\0')
        iw_html_print(page->out, "<div><dt>%s</dt><dd>%s</dd></div>\n", name, text);
}

static void page_case_put_values(const struct iw_outcome_page *page, const struct iw_outcome_case *one) {
    const struct iw_expect_line *line;
    enum iw_expect_state state = iw_outcome_state(page->report, one, &line);
    char place[256] = "", difference[IW_EXPECT_DIFFERENCE_OCTETS] = "";

    if (line != NULL)
        iw_expect_difference(page->report->expect, line, one, difference);
    if (one->script[0] != '\0' && one->line > 0)
        snprintf(place, sizeof place, "%s:%" PRIu64, one->script, one->line);
    iw_html_print(page->out, "<dl class=\"basis\">\n");
    page_case_put_value(page, "expected", one->expected);
    page_case_put_value(page, "actual", one->actual);
    page_case_put_value(page, "because", one->message);
    page_case_put_value(page, "requests outstanding", one->outstanding);
    page_case_put_value(page, "step", one->step);
    page_case_put_value(page, "at", place);
    page_case_put_value(page, "close", one->close);
    page_case_put_value(page, "close verdict", one->close_verdict);
    if (line != NULL || state == IW_EXPECT_KNOWN)
        page_case_put_value(page, "known", iw_expect_reason(page->report->expect, one, line));
    page_case_put_value(page, "differs", difference);
    page_case_put_value(page, "capture", one->capture != NULL ? one->capture : "");
    iw_html_print(page->out, "</dl>\n");
}

static void page_case_put_cell(const struct iw_outcome_page *page, size_t place, size_t run) {
    const struct iw_outcome_case *one = page->table.rows[place].cells[run];

    if (one == NULL)
        return;
    iw_html_print(page->out, "<details class=\"connection\" id=\"d%zu-%zu\"><summary>", run, place);
    iw_outcome_page_put_verdict(page, one->verdict);
    if (page->report->count > 1)
        iw_html_print(page->out, " <b>%s</b>", page->report->runs[run].name);
    iw_html_print(page->out, " <span class=\"aside\">%s</span></summary>\n",
        one->verdict == IW_VERDICT_PASS ? "wire log"
        : one->actual[0] != '\0'        ? one->actual
                                        : one->message);
    page_case_put_values(page, one);
    page_case_put_log(page, one, page->logged[place * page->report->count + run]);
    iw_html_print(page->out, "</details>\n");
}

static void page_case_put_clauses(const struct iw_outcome_page *page, const struct iw_outcome_case *one) {
    for (size_t i = 0; i < one->requirement_count; i++) {
        const struct iw_requirement *requirement = one->known[i];

        if (requirement != NULL)
            iw_html_print(page->out, "<p class=\"clause-line\"><b>%s</b> (%s %s, %s): %s</p>\n",
                requirement->id, requirement->document, requirement->section,
                iw_level_name(requirement->level), requirement->words);
        else
            iw_html_print(page->out, "<p class=\"clause-line\"><b>%s</b></p>\n", one->requirements[i]);
    }
}

void iw_outcome_page_details(const struct iw_outcome_page *page) {
    for (size_t i = 0; i < page->table.count; i++) {
        const struct iw_outcome_case *one = page->table.rows[i].one;
        char name[IW_OUTCOME_NAME_OCTETS];

        iw_outcome_case_name(one, name);
        iw_html_print(page->out, "<section class=\"clause case\" id=\"c%zu\" data-case=\"%zu\"", i, i);
        iw_outcome_page_put_row_data(page, i);
        iw_html_print(page->out, ">\n<header><h3>%s: %s</h3>\n", name, one->title);
        page_case_put_clauses(page, one);
        iw_html_print(page->out, "</header>\n");
        for (size_t j = 0; j < page->report->count; j++)
            page_case_put_cell(page, i, j);
        iw_html_print(page->out, "</section>\n");
    }
}
