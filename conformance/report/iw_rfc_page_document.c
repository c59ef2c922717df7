#include "iw_rfc_page.h"

#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_plural.h"
#include "iw_rfc_text.h"

/* A document: its counts, and its sections with their requirements and, if it is given, their text. */

void iw_rfc_page_put_anchor(const struct iw_rfc_page *page, const char *document) {
    for (; *document != '\0'; document++)
        if (*document != ' ')
            fputc(*document, page->out);
}

void iw_rfc_page_put_bar(const struct iw_rfc_page *page, size_t run, const char *document) {
    unsigned counts[IW_RFC_STATE_COUNT];
    struct iw_html_part parts[IW_RFC_STATE_COUNT];
    /* From what is known to be good to what is not known. */
    static const enum iw_rfc_state order[] = {IW_RFC_WIRE, IW_RFC_ACTIVE, IW_RFC_PASSED, IW_RFC_FAILED,
        IW_RFC_INCONCLUSIVE, IW_RFC_NOT_TESTED, IW_RFC_NOT_CLAIMED, IW_RFC_NO_CASE, IW_RFC_NOT_TESTABLE};

    iw_rfc_state_count(page, run, document, counts);
    for (size_t i = 0; i < IW_RFC_STATE_COUNT; i++)
        parts[i] = (struct iw_html_part){iw_rfc_state_bar(order[i]), counts[order[i]]};
    iw_html_bar(page->out, parts, IW_RFC_STATE_COUNT);
}

static void rfc_document_put_counts(const struct iw_rfc_page *page, size_t run, const char *document) {
    unsigned counts[IW_RFC_STATE_COUNT];
    unsigned total = iw_rfc_state_count(page, run, document, counts);
    const char *between = ": ";

    iw_html_print(page->out, "<div class=\"totals\">");
    iw_rfc_page_put_bar(page, run, document);
    iw_html_print(page->out, "<p class=\"scope\">");
    if (page->report->count > 1)
        iw_html_print(page->out, "%s: ", page->report->runs[run].name);
    iw_html_print(page->out, "%u requirement%s", total, iw_plural(total));
    for (enum iw_rfc_state state = 0; state < IW_RFC_STATE_COUNT; state++)
        if (counts[state] > 0) {
            iw_html_print(page->out, "%s%u %s", between, counts[state], iw_rfc_state_name(state));
            between = ", ";
        }
    iw_html_print(page->out, "</p></div>\n");
}

static bool rfc_section_has(const struct iw_rfc_section *section, size_t requirement) {
    return strcmp(iw_requirements[requirement].document, section->document) == 0 &&
           strcmp(iw_requirements[requirement].section, section->number) == 0;
}

static size_t rfc_section_count(const struct iw_rfc_section *section) {
    size_t count = 0;

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        count += rfc_section_has(section, i);
    return count;
}

/* Prints the lines: iw_html_print would replace their newlines. Changes `text`. */
static void rfc_section_put_lines(const struct iw_rfc_page *page, char *text) {
    for (char *end; *text != '\0'; text = end) {
        end = text + strcspn(text, "\n");
        if (*end != '\0')
            *end++ = '\0';
        iw_html_print(page->out, "%s\n", text);
    }
}

/* Prints the published text of the section, if there is one: beside its requirements; closed, if it has no
 * requirement. */
static void rfc_section_put_text(const struct iw_rfc_page *page, size_t section, bool beside) {
    const struct iw_rfc_span *span = &page->report->rfc_texts->sections[section];
    char label[IW_RFC_LABEL_OCTETS], *text;

    if (span->begin == NULL || span->octets == 0)
        return;
    text = strndup(span->begin, span->octets);
    if (text == NULL) {
        iw_outcome_report_set_incomplete(page->report);
        return;
    }
    iw_rfc_section_label(&iw_rfc_sections[section], label);
    if (!beside)
        iw_html_print(page->out, "<details><summary>Text</summary>\n");
    iw_html_print(page->out,
        "<pre class=\"published\" role=\"region\" aria-label=\"Text of %s, %s\" tabindex=\"0\"><code>",
        iw_rfc_sections[section].document, label);
    rfc_section_put_lines(page, text);
    iw_html_print(page->out, "</code></pre>\n");
    if (!beside)
        iw_html_print(page->out, "</details>\n");
    free(text);
}

static void rfc_section_put_heading(
    const struct iw_rfc_page *page, const struct iw_rfc_section *section, size_t count) {
    char label[IW_RFC_LABEL_OCTETS];

    iw_rfc_section_label(section, label);
    iw_html_print(page->out, "<div class=\"part %s\" id=\"", count > 0 ? "" : "bare");
    iw_rfc_page_put_anchor(page, section->document);
    iw_html_print(page->out, "-%s\">\n<h3><span class=\"place\">%s</span> %s</h3>\n", section->number, label,
        section->title);
}

static void rfc_page_put_section(const struct iw_rfc_page *page, size_t index) {
    const struct iw_rfc_section *section = &iw_rfc_sections[index];
    size_t count = rfc_section_count(section);
    bool text = page->report->rfc_texts != NULL;

    rfc_section_put_heading(page, section, count);
    if (count == 0)
        iw_html_print(page->out, "<p class=\"none\">no requirement</p>\n");
    else
        iw_html_print(page->out, "<div class=\"%s\">\n<div>\n", text ? "beside" : "alone");
    for (size_t i = 0; count > 0 && i < IW_REQUIREMENT_COUNT; i++)
        if (rfc_section_has(section, i))
            iw_rfc_page_put_requirement(page, i);
    if (count > 0)
        iw_html_print(page->out, "</div>\n");
    if (text)
        rfc_section_put_text(page, index, count > 0);
    iw_html_print(page->out, count > 0 ? "</div>\n</div>\n" : "</div>\n");
}

void iw_rfc_page_put_document(const struct iw_rfc_page *page, size_t document) {
    const char *name = iw_rfc_documents[document].name;

    iw_html_print(page->out, "<section class=\"document\" tabindex=\"-1\" id=\"");
    iw_rfc_page_put_anchor(page, name);
    iw_html_print(page->out,
        "\" aria-labelledby=\"title-%zu\">\n<h2 id=\"title-%zu\">%s <span class=\"aside\">%s"
        "</span></h2>\n",
        document, document, name, iw_rfc_documents[document].title);
    for (size_t run = 0; run == 0 || run < page->report->count; run++)
        rfc_document_put_counts(page, run, name);
    if (page->report->rfc_texts != NULL && page->report->rfc_texts->octets[document] == NULL)
        iw_html_print(page->out, "<p class=\"none\">Its text is not at hand.</p>\n");
    for (size_t i = 0; i < IW_RFC_SECTION_COUNT; i++)
        if (strcmp(iw_rfc_sections[i].document, name) == 0)
            rfc_page_put_section(page, i);
    iw_html_print(page->out, "</section>\n");
}
