#include <inttypes.h>

#include "iw_html.h"
#include "iw_page.h"
#include "iw_plural.h"
#include "iw_show.h"

/* The section of findings, by requirement. Each finding has its consequences below it. */

static void page_findings_put_frame(
    const struct iw_page *page, size_t place, const struct iw_check_finding *finding) {
    const struct iw_check_connection *connection = page->result->connections[place];
    const struct iw_check_kept *kept = &connection->kept;
    uint64_t frame = finding->finding.frame;
    size_t line = 0;

    while (line < kept->log_count && kept->log[line] != finding->entry)
        line++;
    if (page->connections[place].logged && line < kept->log_count)
        iw_html_print(page->out, "<a href=\"#l%zu-%zu\">frame %" PRIu64 "</a>", place, line, frame);
    else
        iw_html_print(page->out, "frame %" PRIu64, frame);
    iw_page_put_other_file(page, finding->file, connection->file);
}

static void page_findings_put_place(
    const struct iw_page *page, size_t place, const struct iw_check_finding *finding) {
    const struct iw_check_connection *connection = page->result->connections[place];

    iw_html_print(page->out, "<p class=\"place\">");
    page_findings_put_frame(page, place, finding);
    iw_html_print(page->out, ", <b>%s</b>, ",
        iw_check_offender(connection, finding->finding.side, finding->finding.role));
    if (page->connections[place].detailed)
        iw_html_print(page->out, "<a href=\"#c%zu\">", place);
    iw_page_put_connection_name(page, connection);
    if (page->connections[place].detailed)
        iw_html_print(page->out, "</a>");
    for (unsigned i = 0; i < finding->finding.context_count; i++) {
        iw_html_print(
            page->out, "%s%" PRIu64, i == 0 ? ", see also frame " : ", ", finding->finding.context[i]);
        iw_page_put_other_file(page, finding->context_file[i], finding->file);
    }
    iw_html_print(page->out, "</p>\n");
}

static void page_findings_put_value(const struct iw_page *page, const char *name, const char *value) {
    if (value[0] != '\0')
        iw_html_print(page->out, "<div><dt>%s</dt><dd><code>%s</code></dd></div>\n", name, value);
}

static void page_findings_put_values(const struct iw_page *page, const struct iw_finding *finding) {
    char time[IW_SHOW_TIME_OCTETS];

    iw_show_time(finding->time_ns, time);
    iw_html_print(page->out, "<dl class=\"values\">\n");
    page_findings_put_value(page, "expected", finding->expected);
    page_findings_put_value(page, "actual", finding->actual);
    if (finding->field != NULL)
        iw_html_print(page->out, "<div><dt>field</dt><dd>%s <code>iwarp.%s</code></dd></div>\n",
            finding->field->label, finding->field->filter);
    iw_html_print(page->out,
        "<div><dt>in the stream</dt><dd>octet %" PRIu64
        ", %u octet%s</dd></div>\n<div><dt>time</dt><dd>%s</dd></div>\n</dl>\n",
        finding->offset, finding->octets, iw_plural(finding->octets), time);
}

/* Begins the list item of a finding. Names the clause only if nested: otherwise the heading names it. */
static void page_findings_begin(
    const struct iw_page *page, size_t place, const struct iw_check_finding *finding, bool nested) {
    const struct iw_requirement *requirement = finding->finding.requirement;
    const char *severity = iw_page_class(finding);

    iw_html_print(page->out,
        "<li class=\"finding %s\" id=\"f%zu-%" PRIu64
        "\" data-severity=\"%s\" data-clause=\"%s\" data-connection=\"%zu\">\n",
        severity, place, finding->finding.number, severity, requirement->id, place);
    if (nested) {
        iw_html_print(page->out, "<p class=\"clause-line\">");
        iw_page_put_severity(page, iw_requirement_severity(requirement));
        iw_html_print(page->out, " <b>%s</b> <span class=\"aside\">%s %s, %s</span></p>\n", requirement->id,
            requirement->document, requirement->section, iw_level_name(requirement->level));
    }
}

static void page_findings_put_finding(
    const struct iw_page *page, size_t place, const struct iw_check_finding *finding, bool nested) {
    page_findings_begin(page, place, finding, nested);
    iw_html_print(page->out, "<p class=\"message\">%s</p>\n", finding->finding.message);
    page_findings_put_place(page, place, finding);
    iw_page_put_waiver(page, finding->waiver);
    iw_page_put_octets(page, &finding->octets, finding->finding.field);
    page_findings_put_values(page, &finding->finding);
    iw_html_print(page->out, "<p class=\"entry\"><code>%s</code></p>\n", finding->entry->text);
}

/* Prints the consequences of `finding` as a list inside its list item. */
static void page_findings_put_followers(
    const struct iw_page *page, size_t place, const struct iw_check_finding *finding) {
    const struct iw_check_kept *kept = &page->result->connections[place]->kept;
    const struct iw_check_finding *end = kept->findings + kept->finding_count;
    bool begun = false;

    for (const struct iw_check_finding *next = finding + 1; next < end; next++) {
        if (next->finding.cause != finding->finding.number)
            continue;
        if (!begun)
            iw_html_print(page->out, "<p class=\"follows\">Consequences:</p>\n<ol class=\"findings\">\n");
        begun = true;
        page_findings_put_finding(page, place, next, true);
        page_findings_put_followers(page, place, next);
        iw_html_print(page->out, "</li>\n");
    }
    if (begun)
        iw_html_print(page->out, "</ol>\n");
}

static void page_findings_put_root(
    const struct iw_page *page, size_t place, const struct iw_check_finding *finding) {
    page_findings_put_finding(page, place, finding, false);
    if (finding->finding.cause != 0)
        iw_html_print(page->out,
            "<p class=\"aside\">Follows from finding %" PRIu64
            " of the connection (that finding is not shown).</p>\n",
            finding->finding.cause);
    page_findings_put_followers(page, place, finding);
    iw_html_print(page->out, "</li>\n");
}

/* Prints findings of the requirement with their consequences, at most IW_PAGE_CLAUSE_FINDINGS. Returns the
 * number of these findings, without consequences. */
static uint64_t page_findings_put_roots(
    const struct iw_page *page, const struct iw_requirement *requirement) {
    uint64_t put = 0;

    for (size_t i = 0; i < page->result->connection_count; i++) {
        const struct iw_check_connection *connection = page->result->connections[i];

        for (size_t j = 0; j < connection->kept.finding_count; j++) {
            const struct iw_check_finding *finding = &connection->kept.findings[j];

            if (finding->finding.requirement != requirement || !iw_check_is_root(&connection->kept, finding))
                continue;
            if (put == IW_PAGE_CLAUSE_FINDINGS)
                return put;
            page_findings_put_root(page, i, finding);
            put++;
        }
    }
    return put;
}

static void page_findings_put_head(const struct iw_page *page, const struct iw_requirement *requirement) {
    const struct iw_page_clause *clause = &page->clauses[requirement - iw_requirements];

    iw_html_print(page->out, "<header>\n<h3>");
    iw_page_put_severity(page, iw_requirement_severity(requirement));
    iw_html_print(page->out,
        " %s <span class=\"aside\">%s %s</span></h3>\n"
        "<p class=\"words\"><b>%s</b>, %s: %s.</p>\n<p class=\"aside\">%" PRIu64 " finding%s in %" PRIu64
        " connection%s",
        requirement->id, requirement->document, requirement->section, iw_level_name(requirement->level),
        requirement->role, requirement->words, clause->findings, iw_plural(clause->findings),
        clause->connections, iw_plural(clause->connections));
    if (clause->waived > 0)
        iw_html_print(page->out, ", %" PRIu64 " waived", clause->waived);
    if (requirement->terminate[0] != '\0')
        iw_html_print(page->out, "; reported by Terminate %s", requirement->terminate);
    iw_html_print(page->out, "</p>\n</header>\n");
}

static void page_findings_put_clause(const struct iw_page *page, const struct iw_requirement *requirement) {
    const struct iw_page_clause *clause = &page->clauses[requirement - iw_requirements];
    uint64_t put;

    if (clause->roots == 0)
        return;
    iw_html_print(page->out, "<section class=\"clause\" id=\"%s\" aria-label=\"%s\">\n", requirement->id,
        requirement->id);
    page_findings_put_head(page, requirement);
    iw_html_print(page->out, "<ol class=\"findings\">\n");
    put = page_findings_put_roots(page, requirement);
    iw_html_print(page->out, "</ol>\n");
    if (put < clause->findings)
        iw_html_print(page->out,
            "<p class=\"beyond\">%" PRIu64 " of the %" PRIu64
            " here; the others are below their cause, or exceed the limit.</p>\n",
            put, clause->findings);
    iw_html_print(page->out, "</section>\n");
}

void iw_page_findings(const struct iw_page *page) {
    const struct iw_requirement *requirement;

    if (iw_page_clause(page, 0) == NULL)
        iw_html_print(page->out, "<p>No findings.</p>\n");
    for (size_t i = 0; (requirement = iw_page_clause(page, i)) != NULL; i++)
        page_findings_put_clause(page, requirement);
    iw_page_put_upper(page);
}
