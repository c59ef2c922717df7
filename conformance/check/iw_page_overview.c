#include <inttypes.h>
#include <string.h>

#include "iw_html.h"
#include "iw_page.h"
#include "iw_plural.h"
#include "iw_until.h"

/* The head of the page, and its first section: violated requirements, what was not judged, files, waivers. */

static const char *page_overview_file_name(const char *path) {
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

enum { NAMED_FILES = 4 }; /* files named in the head of the page */

static void page_overview_put_file_names(const struct iw_page *page) {
    const struct iw_check_result *result = page->result;
    uint64_t count = 0;

    iw_html_print(page->out, "<div><dt>Files</dt><dd class=\"path\">");
    for (size_t i = 0; i < result->file_count; i++)
        for (size_t k = 0; k < result->files[i].part_count; k++)
            if (count++ < NAMED_FILES)
                iw_html_print(page->out, "%s%s", count > 1 ? ", " : "", result->files[i].parts[k]);
    if (count > NAMED_FILES)
        iw_html_print(page->out, " and <a href=\"#files\">%" PRIu64 " more</a>", count - NAMED_FILES);
    iw_html_print(page->out, "%s</dd></div>\n", count == 0 ? "nothing" : "");
}

static void page_overview_put_extensions(const struct iw_page *page) {
    static const struct {
        enum iw_extension extension;
        const char *document;
    } rows[] = {{IW_EXT_RFC7306, "RFC 7306"}, {IW_EXT_COMMIT, "draft-talpey-rdma-commit-01"},
        {IW_EXT_OPCODE5, "5-bit opcodes throughout"}, {IW_EXT_STORM, "draft-ietf-storm-rdmap-ext-01"}};
    const char *separator = "";

    iw_html_print(page->out, "<div><dt>Extensions in force</dt><dd>");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if ((page->report->extensions & rows[i].extension) != 0) {
            iw_html_print(page->out, "%s%s", separator, rows[i].document);
            separator = ", ";
        }
    iw_html_print(page->out, "%s</dd></div>\n", *separator == '\0' ? "none" : "");
}

void iw_page_masthead(const struct iw_page *page) {
    const struct iw_check_result *result = page->result;

    iw_html_print(page->out, "<p class=\"product\">warpcheck " WARPCHECK_VERSION
                             " <span>iWARP conformance of recorded traffic</span></p>\n<h1>");
    if (result->file_count == 1)
        iw_html_print(page->out, "%s", page_overview_file_name(result->files[0].path));
    else
        iw_html_print(page->out, "%zu captures", result->file_count);
    iw_html_print(page->out, "</h1>\n");
    iw_page_put_verdict(page, &page->report->totals);
    iw_html_print(page->out, "<dl class=\"basis\">\n");
    page_overview_put_file_names(page);
    page_overview_put_extensions(page);
    iw_html_print(page->out, "</dl>\n");
}

/* Comes first in the section: lost octets cannot be judged. */
static void overview_put_loss(const struct iw_page *page) {
    const struct iw_check_report *report = page->report;

    if (report->totals.streams == 0)
        return;
    if (report->loss_streams == 0) {
        iw_html_print(page->out,
            "<p class=\"loss none\"><b>No capture loss.</b> The capture holds every octet "
            "that a receiver has acknowledged.</p>\n");
        return;
    }
    iw_html_print(page->out,
        "<p class=\"loss\"><b>Capture loss:</b> %" PRIu64 " octet%s of %" PRIu64
        " connection%s reached the receiver but not the capture. They are not judged.</p>\n",
        report->loss_octets, iw_plural(report->loss_octets), report->loss_streams,
        iw_plural(report->loss_streams));
}

static void overview_put_failed(const struct iw_page *page) {
    const struct iw_check_result *result = page->result;

    if (result->unread_count > 0)
        iw_html_print(page->out,
            "<p class=\"loss\"><b>Not read, or not to the end:</b> %zu of %zu captures. <a "
            "href=\"#files\">Files</a> shows why.</p>\n",
            result->unread_count, result->file_count);
    if (result->without_iwarp_count > 0)
        iw_html_print(page->out,
            "<p class=\"loss\"><b>Without iWARP:</b> %zu of %zu captures. <a href=\"#files\">Files</a> shows "
            "their contents.</p>\n",
            result->without_iwarp_count, result->file_count);
}

static void page_overview_put_figure(
    const struct iw_page *page, const char *class, uint64_t count, const char *what) {
    iw_html_print(page->out, "<div class=\"%s\"><dt>%s</dt><dd>%" PRIu64 "</dd></div>\n",
        count > 0 ? class : "nil", what, count);
}

static void overview_put_figures(const struct iw_page *page) {
    const struct iw_totals *totals = &page->report->totals;
    uint64_t unjudged = 0;

    for (size_t i = 0; i < page->result->connection_count; i++)
        unjudged += iw_totals_unjudged(&page->result->connections[i]->totals);
    iw_html_print(page->out, "<dl class=\"figures\">\n");
    page_overview_put_figure(page, "error", totals->findings[IW_SEVERITY_ERROR], "errors");
    page_overview_put_figure(page, "warning", totals->findings[IW_SEVERITY_WARNING], "warnings");
    page_overview_put_figure(page, "note", totals->findings[IW_SEVERITY_NOTE], "notes");
    if (totals->waived > 0)
        page_overview_put_figure(page, "plain", totals->waived, "waived");
    page_overview_put_figure(page, "plain", totals->streams, "connections");
    page_overview_put_figure(page, "unjudged", unjudged, "not fully judged");
    page_overview_put_figure(page, "plain", totals->fpdus, "FPDUs");
    iw_html_print(page->out, "</dl>\n");
}

static void page_overview_put_scope(const struct iw_page *page) {
    uint64_t judged = 0;

    for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
        judged += iw_requirements[i].rule[0] != '\0';
    iw_html_print(page->out,
        "<p class=\"scope\">Judged by the %" PRIu64
        " requirements, of %u in the documents, whose violation recorded traffic can show. A violated MUST "
        "is an error, a SHOULD a warning, a MAY a note.</p>\n",
        judged, IW_REQUIREMENT_COUNT);
}

static void page_overview_put_unjudged_row(const struct iw_page *page, enum iw_unjudged reason) {
    uint64_t count = page->report->totals.unjudged[reason], connections = 0;

    if (count == 0)
        return;
    for (size_t i = 0; i < page->result->connection_count; i++)
        connections += page->result->connections[i]->totals.unjudged[reason] > 0;
    iw_html_print(page->out,
        "<tr><td class=\"number\">%" PRIu64 "</td><th scope=\"row\">%s</th><td class=\"number\">%" PRIu64
        "</td><td>%s</td></tr>\n",
        count, iw_unjudged_name(reason, count), connections, iw_unjudged_why(reason));
}

static void overview_put_unjudged(const struct iw_page *page) {
    static const char *const columns[] = {"#Count", "Of what", "#Connections", "Because", NULL};

    iw_html_print(page->out, "<h3 id=\"unjudged\">Not judged</h3>\n");
    if (page->report->totals.unread)
        iw_html_print(page->out,
            "<p>Packets that were not read may carry iWARP: <a href=\"#files\">Files</a> "
            "shows which.</p>\n");
    if (!iw_totals_unjudged(&page->report->totals)) {
        iw_html_print(page->out, "<p>%s</p>\n",
            page->report->totals.streams == 0 ? "No iWARP connection was found."
                                              : "Everything read of iWARP connections has been judged.");
        return;
    }
    iw_html_table_begin(page->out, "unjudged", columns);
    for (int i = 0; i < IW_UNJUDGED_COUNT; i++)
        page_overview_put_unjudged_row(page, (enum iw_unjudged)i);
    iw_html_table_end(page->out);
}

static void page_overview_put_clause_row(
    const struct iw_page *page, const struct iw_requirement *requirement) {
    const struct iw_page_clause *clause = &page->clauses[requirement - iw_requirements];
    bool linked = clause->roots > 0;

    iw_html_print(page->out, "<tr><td>");
    iw_page_put_severity(page, iw_requirement_severity(requirement));
    iw_html_print(page->out, "</td><th scope=\"row\">");
    if (linked)
        iw_html_print(page->out, "<a href=\"#%s\">", requirement->id);
    iw_html_print(page->out, "%s", requirement->id);
    if (linked)
        iw_html_print(page->out, "</a>");
    else
        iw_html_print(page->out, " <span class=\"aside\">not shown by itself</span>");
    iw_html_print(page->out, "</th><td class=\"words\">%s</td><td class=\"number\">%" PRIu64,
        requirement->words, clause->findings);
    if (clause->waived > 0)
        iw_html_print(page->out, " <span class=\"aside\">%" PRIu64 " waived</span>", clause->waived);
    iw_html_print(page->out, "</td><td class=\"number\">%" PRIu64 "</td></tr>\n", clause->connections);
}

static void overview_put_clauses(const struct iw_page *page) {
    static const char *const columns[] = {
        "Severity", "Requirement", "Asks", "#Findings", "#Connections", NULL};
    const struct iw_requirement *requirement;

    iw_html_print(page->out, "<h3 id=\"violated\">Violated requirements</h3>\n");
    if (iw_page_clause(page, 0) == NULL) {
        iw_html_print(page->out, "<p>No findings.</p>\n");
        return;
    }
    iw_html_table_begin(page->out, "violated", columns);
    for (size_t i = 0; (requirement = iw_page_clause(page, i)) != NULL; i++)
        page_overview_put_clause_row(page, requirement);
    iw_html_table_end(page->out);
}

static void overview_put_unread(
    const struct iw_page *page, const struct iw_check_counts *counts, const char *error) {
    struct iw_check_unread rows[IW_CHECK_UNREAD];
    char text[IW_CHECK_UNREAD_OCTETS];
    const char *separator = "";

    iw_check_unread(counts, rows);
    for (size_t i = 0; i < IW_CHECK_UNREAD; i++)
        if (rows[i].count > 0) {
            iw_html_print(page->out, "%s%s", separator, iw_check_unread_text(&rows[i], text));
            separator = ", ";
        }
    if (error != NULL)
        iw_html_print(page->out, "%s<b class=\"error\">%s</b>", separator, error);
    else if (*separator == '\0')
        iw_html_print(page->out, "none");
}

static void overview_put_parts(const struct iw_page *page, const struct iw_check_file_result *file) {
    if (file->part_count < 2)
        return;
    iw_html_print(page->out, "\n<ol class=\"parts\">\n");
    for (size_t i = 0; i < file->part_count; i++)
        iw_html_print(page->out, "<li>%s</li>\n", file->parts[i]);
    iw_html_print(page->out, "</ol>\n");
}

static void page_overview_put_files(const struct iw_page *page) {
    static const char *const columns[] = {
        "File", "#Frames", "#TCP connections", "#of iWARP", "Not read", NULL};
    const struct iw_check_result *result = page->result;

    iw_html_print(page->out, "<h3 id=\"files\">Files</h3>\n");
    iw_html_table_begin(page->out, "files", columns);
    for (size_t i = 0; i < result->file_count; i++) {
        const struct iw_check_counts *counts = &result->files[i].counts;

        iw_html_print(page->out, "<tr><th scope=\"row\" class=\"path\">%s", result->files[i].path);
        overview_put_parts(page, &result->files[i]);
        iw_html_print(page->out,
            "</th><td class=\"number\">%" PRIu64 "</td><td class=\"number\">%" PRIu64
            "</td><td class=\"number\">%" PRIu64 "</td><td>",
            counts->frames, counts->tcp_flows, counts->streams);
        overview_put_unread(page, counts, result->files[i].error);
        iw_html_print(page->out, "</td></tr>\n");
    }
    iw_html_table_end(page->out);
}

static void overview_put_waivers(const struct iw_page *page) {
    static const char *const columns[] = {"#Waived", "Requirement", "Clause", "Reason", "Owner", NULL};
    const struct iw_waivers *waivers = page->report->waivers;

    if (waivers == NULL || waivers->count == 0)
        return;
    iw_html_print(page->out, "<h3 id=\"waivers\">Waivers</h3>\n");
    iw_html_table_begin(page->out, "waivers", columns);
    for (size_t i = 0; i < waivers->count; i++) {
        const struct iw_waiver *waiver = &waivers->list[i];

        iw_html_print(page->out, "<tr><td class=\"number\">%" PRIu64, waiver->used);
        if (iw_until_is_over(waiver->until))
            iw_html_print(page->out, " <span class=\"tag error\">expired on %s</span>", waiver->until);
        else if (iw_waiver_is_unused(waiver, page->report->upper != IW_CHECK_UPPER_OFF))
            iw_html_print(page->out, " <span class=\"tag warning\">unused</span>");
        iw_html_print(page->out, "</td><th scope=\"row\">%s</th><td>%s</td><td>%s</td><td>%s</td></tr>\n",
            waiver->pattern, waiver->clause, waiver->reason, iw_waiver_owner(waiver));
    }
    iw_html_table_end(page->out);
}

void iw_page_overview(const struct iw_page *page) {
    uint64_t unstarted = page->report->totals.unstarted;

    overview_put_loss(page);
    overview_put_failed(page);
    if (unstarted > 0)
        iw_html_print(page->out,
            "<p class=\"loss\"><b>Startup not finished:</b> no Reply captured for %" PRIu64
            " connection%s.</p>\n",
            unstarted, iw_plural(unstarted));
    overview_put_figures(page);
    page_overview_put_scope(page);
    overview_put_clauses(page);
    overview_put_unjudged(page);
    page_overview_put_files(page);
    overview_put_waivers(page);
    if (page->result->incomplete)
        iw_html_print(page->out, "<p class=\"loss\">Memory ran out: connections are missing here.</p>\n");
}
