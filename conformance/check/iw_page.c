#include "iw_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"

void iw_page_put_connection_name(const struct iw_page *page, const struct iw_check_connection *connection) {
    iw_html_print(page->out, "connection %" PRIu64, connection->number);
    if (page->report->many)
        iw_html_print(page->out, " of %s", connection->file);
}

void iw_page_put_other_file(const struct iw_page *page, const char *file, const char *known) {
    if (file != known)
        iw_html_print(page->out, " <span class=\"aside\">of %s</span>", file);
}

void iw_page_put_severity(const struct iw_page *page, enum iw_severity severity) {
    const char *name = iw_severity_name(severity);

    iw_html_print(page->out, "<span class=\"tag %s\">%s</span>", name, name);
}

void iw_page_put_waiver(const struct iw_page *page, const struct iw_waiver *waiver) {
    if (waiver != NULL)
        iw_html_print(page->out, "<p class=\"waiver\"><b>waived</b>: %s (%s, %s:%u)</p>\n", waiver->reason,
            iw_waiver_owner(waiver), page->report->waivers->path, waiver->line);
}

const char *iw_page_class(const struct iw_check_finding *finding) {
    return finding->waiver != NULL ? "waived"
                                   : iw_severity_name(iw_requirement_severity(finding->finding.requirement));
}

void iw_page_put_verdict(const struct iw_page *page, const struct iw_totals *totals) {
    static const char *const classes[] = {
        [IW_EXIT_CONFORMS] = "conforms", [IW_EXIT_VIOLATIONS] = "violates", [IW_EXIT_UNJUDGED] = "unjudged"};
    const char *class = totals->streams == 0 ? "unjudged" : classes[iw_totals_exit(totals)];

    iw_html_print(page->out, "<span class=\"verdict %s\">%s</span>", class, iw_totals_verdict(totals));
}

void iw_page_put_octets(
    const struct iw_page *page, const struct iw_check_octets *octets, const struct iw_field *field) {
    FILE *out = page->out;
    unsigned end = octets->mark + octets->marks;

    if (octets->count == 0)
        return;
    iw_html_print(out, "<p class=\"octets\"><code>");
    if (octets->before > 0)
        iw_html_print(out, "<span class=\"more\">+%u</span> ", octets->before);
    for (unsigned i = 0; i < octets->count; i++) {
        if (octets->marks > 0 && i == octets->mark)
            iw_html_print(out, "<mark>");
        fprintf(out, "%02x", octets->octets[i]);
        if (octets->marks > 0 && i + 1 == end)
            iw_html_print(out, "</mark>");
        if (i + 1u < octets->count)
            fputc(' ', out);
    }
    if (octets->after > 0)
        iw_html_print(out, " <span class=\"more\">+%u</span>", octets->after);
    iw_html_print(out, "</code>");
    if (octets->marks > 0 && field != NULL)
        iw_html_print(out, " <span class=\"what\">%s</span>", field->label);
    iw_html_print(out, "</p>\n");
}

const struct iw_requirement *iw_page_clause(const struct iw_page *page, size_t place) {
    for (int severity = IW_SEVERITY_ERROR; severity >= IW_SEVERITY_NOTE; severity--)
        for (size_t i = 0; i < IW_REQUIREMENT_COUNT; i++)
            if (page->clauses[i].findings > 0 &&
                iw_requirement_severity(&iw_requirements[i]) == (enum iw_severity)severity && place-- == 0)
                return &iw_requirements[i];
    return NULL;
}

/* Returns whether an earlier breach has this requirement: of the other side, or with another waived cause. */
static bool page_counted_before(const struct iw_check_kept *kept, size_t breach) {
    for (size_t i = 0; i < breach; i++)
        if (kept->breaches[i].requirement == kept->breaches[breach].requirement)
            return true;
    return false;
}

static void page_count_connection(struct iw_page *page, const struct iw_check_connection *connection) {
    const struct iw_check_kept *kept = &connection->kept;

    for (size_t i = 0; i < kept->breach_count; i++) {
        const struct iw_check_breach *breach = &kept->breaches[i];
        struct iw_page_clause *clause = &page->clauses[breach->requirement - iw_requirements];

        clause->findings += breach->count;
        clause->waived += breach->waiver != NULL ? breach->count : 0;
        clause->connections += !page_counted_before(kept, i);
    }
    for (size_t i = 0; i < kept->finding_count; i++)
        if (iw_check_is_root(kept, &kept->findings[i]))
            page->clauses[kept->findings[i].finding.requirement - iw_requirements].roots++;
}

/* Selects connections to show: first those with findings, then those not fully judged, then others. */
static void page_select(struct iw_page *page) {
    size_t rows = 0, details = 0, count = page->result->connection_count;

    for (int turn = 0; turn < 3; turn++)
        for (size_t i = 0; i < count && rows < IW_PAGE_ROWS; i++) {
            const struct iw_check_connection *connection = page->result->connections[i];
            struct iw_page_connection *shown = &page->connections[i];
            size_t lines = connection->kept.log_count;
            int due = connection->kept.finding_count > 0        ? 0
                      : iw_totals_unjudged(&connection->totals) ? 1
                                                                : 2;

            if (due != turn)
                continue;
            shown->listed = true;
            rows++;
            shown->detailed = details < IW_PAGE_DETAILS;
            details += shown->detailed;
            shown->logged = lines > 0 && page->log_lines + lines <= IW_PAGE_LOG_LINES;
            page->log_lines += shown->logged ? lines : 0;
        }
}

static void page_put_title(const struct iw_page *page) {
    iw_html_print(page->out, "%s: ", iw_totals_verdict(&page->report->totals));
    if (page->result->file_count == 1)
        iw_html_print(page->out, "%s", page->result->files[0].path);
    else
        iw_html_print(page->out, "%zu captures", page->result->file_count);
    iw_html_print(page->out, " - warpcheck");
}

static void page_put_sections(const struct iw_page *page) {
    const struct iw_totals *totals = &page->report->totals;
    const struct {
        const char *anchor, *title;
        uint64_t count;
    } rows[] = {
        {"connections", "Connections", totals->streams},
        {"findings", "Findings by clause",
            totals->waived + totals->findings[IW_SEVERITY_NOTE] + totals->findings[IW_SEVERITY_WARNING] +
                totals->findings[IW_SEVERITY_ERROR]},
        {"log", "Wire log", page->log_lines},
    };

    iw_html_print(page->out, "<li><a href=\"#overview\">Overview</a></li>\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        iw_html_print(page->out, "<li><a href=\"#%s\">%s</a> <span class=\"count\">%" PRIu64 "</span></li>\n",
            rows[i].anchor, rows[i].title, rows[i].count);
}

static void page_put_severity_box(
    const struct iw_page *page, const char *name, const char *plural, uint64_t count) {
    iw_html_print(page->out,
        "<label><input type=\"checkbox\" name=\"severity\" value=\"%s\" checked> %s%s "
        "<span class=\"count\">%" PRIu64 "</span></label>\n",
        name, name, plural, count);
}

static void page_put_severities(const struct iw_page *page) {
    const struct iw_totals *totals = &page->report->totals;

    for (int i = IW_SEVERITY_ERROR; i >= IW_SEVERITY_NOTE; i--)
        page_put_severity_box(page, iw_severity_name((enum iw_severity)i), "s", totals->findings[i]);
    if (totals->waived > 0)
        page_put_severity_box(page, "waived", "", totals->waived);
}

static void page_put_clauses(const struct iw_page *page) {
    const struct iw_requirement *requirement;

    for (size_t i = 0; (requirement = iw_page_clause(page, i)) != NULL; i++)
        iw_html_print(page->out, "<option value=\"%s\">%s (%s %s)</option>\n", requirement->id,
            requirement->id, requirement->document, requirement->section);
}

static void page_put_connection_names(const struct iw_page *page) {
    for (size_t i = 0; i < page->result->connection_count; i++) {
        if (!page->connections[i].listed)
            continue;
        iw_html_print(page->out, "<option value=\"%zu\">", i);
        iw_page_put_connection_name(page, page->result->connections[i]);
        iw_html_print(page->out, "</option>\n");
    }
}

static void page_fill_place(void *user, const char *name, size_t length) {
    static const struct {
        const char *name;
        void (*put)(const struct iw_page *page);
    } places[] = {
        {"title", page_put_title},
        {"masthead", iw_page_masthead},
        {"sections", page_put_sections},
        {"severities", page_put_severities},
        {"clauses", page_put_clauses},
        {"connection-names", page_put_connection_names},
        {"overview", iw_page_overview},
        {"connections", iw_page_connections},
        {"findings", iw_page_findings},
        {"log", iw_page_log},
    };

    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == length && memcmp(places[i].name, name, length) == 0)
            places[i].put(user);
}

static void page_put(struct iw_check_report *report, enum iw_exit exit) {
    struct iw_page page = {.out = report->out, .report = report, .result = &report->result};
    size_t count = report->result.connection_count;

    (void)exit;
    page.connections = calloc(count > 0 ? count : 1, sizeof *page.connections);
    if (page.connections == NULL) {
        report->result.incomplete = true;
        return;
    }
    for (size_t i = 0; i < count; i++)
        page_count_connection(&page, report->result.connections[i]);
    page_select(&page);
    iw_html_fill(page.out, iw_page_template, page_fill_place, &page);
    free(page.connections);
}

/* For people: one page that needs no network. */
const struct iw_check_report_form iw_check_report_html = {
    .whole = true,
    .log = IW_PAGE_LOG,
    .end = page_put,
};
