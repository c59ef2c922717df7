#include <inttypes.h>
#include <string.h>

#include "iw_html.h"
#include "iw_page.h"
#include "iw_plural.h"
#include "iw_show.h"

/* The wire log: the events of each connection in order, with their fields. */

static void log_put_fields(const struct iw_page *page, const struct iw_check_entry *entry) {
    static const char *const places[] = {
        [IW_WALK_OWN] = "", [IW_WALK_MARKER] = "Marker: ", [IW_WALK_QUOTED] = "included: "};

    if (entry->field_count == 0)
        return;
    iw_html_print(page->out, "<dl class=\"fields\">\n");
    for (unsigned i = 0; i < entry->field_count; i++) {
        const struct iw_check_field *field = &entry->fields[i];

        iw_html_print(page->out, "<div><dt>%s%s <code>iwarp.%s</code></dt><dd><code>%s</code></dd></div>\n",
            places[field->place], field->field->label, field->field->filter, field->value);
    }
    iw_html_print(page->out, "</dl>\n");
}

static const char *page_log_after_title(const struct iw_check_entry *entry) {
    size_t length = strlen(entry->title);

    return strncmp(entry->text, entry->title, length) == 0 ? entry->text + length : entry->text;
}

static void log_put_event(const struct iw_page *page, const struct iw_check_entry *entry) {
    bool foldable = entry->field_count > 0 || entry->head.count > 0;

    if (foldable)
        iw_html_print(page->out, "<details><summary>");
    iw_html_print(page->out, "<b>%s</b><code>%s</code>", entry->title, page_log_after_title(entry));
    if (foldable) {
        iw_html_print(page->out, "</summary>\n");
        log_put_fields(page, entry);
        iw_page_put_octets(page, &entry->head, NULL);
        iw_html_print(page->out, "</details>");
    }
}

/* Prints links to the findings of the entry, with severity and clause for the filter. */
static void log_put_findings(const struct iw_page *page, size_t place, const struct iw_check_entry *entry) {
    const struct iw_check_kept *kept = &page->result->connections[place]->kept;

    for (size_t i = 0; i < kept->finding_count; i++) {
        const struct iw_finding *finding = &kept->findings[i].finding;
        const char *severity = iw_page_class(&kept->findings[i]);

        if (kept->findings[i].entry == entry)
            iw_html_print(page->out,
                "<a class=\"tag %s\" href=\"#f%zu-%" PRIu64
                "\" data-severity=\"%s\" data-clause=\"%s\">%s</a> ",
                severity, place, finding->number, severity, finding->requirement->id,
                finding->requirement->id);
    }
}

static void page_log_put_gap(const struct iw_page *page, uint64_t skipped) {
    if (skipped > 0)
        iw_html_print(page->out,
            "<tr class=\"gap\"><td colspan=\"6\">%" PRIu64
            " event%s without findings %s not shown</td></tr>\n",
            skipped, iw_plural(skipped), skipped == 1 ? "is" : "are");
}

/* Names the file of the line if it differs from the line before: each file numbers its frames from 1. */
static void page_log_put_next_file(
    const struct iw_page *page, const struct iw_check_connection *connection, size_t line) {
    struct iw_check_entry *const *log = connection->kept.log;
    const char *before = line == 0 ? connection->file : log[line - 1]->file;

    if (log[line]->file != before)
        iw_html_print(page->out,
            "<tr class=\"gap\"><td colspan=\"6\" class=\"path\">frames of %s:</td></tr>\n", log[line]->file);
}

static void log_put_line(const struct iw_page *page, size_t place, size_t line) {
    const struct iw_check_connection *connection = page->result->connections[place];
    const struct iw_check_entry *entry = connection->kept.log[line];
    uint64_t begin_ns = connection->kept.log[0]->time_ns;
    uint64_t since = entry->time_ns > begin_ns ? entry->time_ns - begin_ns : 0;

    iw_html_print(page->out,
        "<tr id=\"l%zu-%zu\" class=\"%s\"><th scope=\"row\" class=\"number\">%" PRIu64
        "</th><td class=\"number\">",
        place, line, entry->findings > 0 ? "found" : "plain", entry->frame);
    fprintf(page->out, "%" PRIu64 ".%06" PRIu64, since / 1000000000u, since / 1000u % 1000000u);
    iw_html_print(page->out,
        "</td><td class=\"from\">%s</td><td class=\"number\">%" PRIu64 "</td><td class=\"event\">",
        iw_check_side_name(connection, entry->side), entry->offset);
    log_put_event(page, entry);
    iw_html_print(page->out, "</td><td class=\"tags\">");
    if (entry->findings > 0)
        log_put_findings(page, place, entry);
    iw_html_print(page->out, "</td></tr>\n");
}

static void log_put_connection(const struct iw_page *page, size_t place) {
    static const char *const columns[] = {"#Frame", "#Seconds", "From", "#Offset", "Event", "Findings", NULL};
    const struct iw_check_connection *connection = page->result->connections[place];
    const struct iw_check_kept *kept = &connection->kept;
    char time[IW_SHOW_TIME_OCTETS], title[32];

    snprintf(title, sizeof title, "l%zu", place);
    iw_show_time(kept->log[0]->time_ns, time);
    iw_html_print(
        page->out, "<section class=\"talk\" data-connection=\"%zu\">\n<h3 id=\"%s\">", place, title);
    iw_page_put_connection_name(page, connection);
    iw_html_print(page->out, " <span class=\"aside\">from %s</span></h3>\n", time);
    iw_html_table_begin(page->out, title, columns);
    for (size_t i = 0; i < kept->log_count; i++) {
        page_log_put_gap(page, kept->log[i]->skipped);
        page_log_put_next_file(page, connection, i);
        log_put_line(page, place, i);
    }
    page_log_put_gap(page, kept->log_skipped);
    iw_html_table_end(page->out);
    iw_html_print(page->out, "</section>\n");
}

void iw_page_log(const struct iw_page *page) {
    uint64_t omitted = 0;

    if (page->log_lines == 0) {
        iw_html_print(page->out, "<p>No events.</p>\n");
        return;
    }
    iw_html_print(page->out,
        "<p>The first events of a connection, and those around its findings; open a line to see its "
        "fields. Offsets count the octets that a side sends over TCP.</p>\n");
    for (size_t i = 0; i < page->result->connection_count; i++)
        if (page->connections[i].logged)
            log_put_connection(page, i);
        else
            omitted += page->result->connections[i]->kept.log_count > 0;
    if (omitted > 0)
        iw_html_print(page->out,
            "<p class=\"beyond\">The wire log of %" PRIu64 " more connection%s is left out.</p>\n", omitted,
            iw_plural(omitted));
}
