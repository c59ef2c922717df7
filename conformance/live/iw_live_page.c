#include "iw_live_page.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "iw_json.h"
#include "iw_text.h"

void iw_live_page_init(struct iw_live_page *page, const struct iw_live_table *table, uint8_t stricter) {
    *page = (struct iw_live_page){.table = table, .stricter = stricter, .changed = true};
}

static void live_page_clear_rows(struct iw_live_page *page) {
    for (size_t i = 0; i < page->row_count; i++)
        free(page->rows[i].text);
    page->row_count = 0;
}

void iw_live_page_dispose(struct iw_live_page *page) {
    live_page_clear_rows(page);
}

void iw_live_page_event(
    struct iw_live_page *page, const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    const struct iw_live_row *row = stream->row;

    for (size_t i = 0; i < event->finding_count; i++) {
        const struct iw_finding *finding = &event->findings[i];
        const struct iw_check_breach *breach = iw_check_breach_of(stream, finding);
        struct iw_live_page_finding *kept = &page->findings[page->finding_count++ % IW_LIVE_PAGE_FINDINGS];

        *kept = (struct iw_live_page_finding){.finding = *finding,
            .waived = breach != NULL && breach->waiver != NULL,
            .sctp = stream->session != NULL,
            .stream = stream->id};
        iw_tcp_address_text(&stream->address[finding->side], kept->address);
    }
    page->changed |= event->finding_count > 0 || event->llp->kind != IW_LLP_SEGMENT || row == NULL;
}

/* ---- rows ---- */

static json_t *live_page_row(const struct iw_live_row *row, uint8_t stricter) {
    enum iw_side first = iw_live_row_first(row), other = iw_side_other(first);
    const struct iw_monitor_counts *counts = iw_live_row_counts(row);
    json_t *object = json_pack("{sI sI sb s[ss] ss ss}", "id", (json_int_t)row->serial, "stream",
        (json_int_t)row->number, "sctp", row->sctp, "address", row->address[first], row->address[other],
        "state", iw_live_row_state_name(row), "verdict", iw_live_row_verdict(row, stricter));

    for (int i = 0; i <= IW_SEVERITY_ERROR; i++)
        json_object_set_new(object, iw_severity_name((enum iw_severity)i),
            json_integer((json_int_t)iw_live_row_findings(row, (enum iw_severity)i)));
    json_object_set_new(object, "octets",
        json_pack(
            "[II]", (json_int_t)counts->payload_octets[first], (json_int_t)counts->payload_octets[other]));
    json_object_set_new(object, "rate",
        json_pack("[II]", (json_int_t)row->rate[first].per_second, (json_int_t)row->rate[other].per_second));
    json_object_set_new(object, "outstanding",
        json_pack("[II]", (json_int_t)iw_live_row_outstanding(row, first),
            (json_int_t)iw_live_row_outstanding(row, other)));
    return object;
}

/* Fowler, Noll and Vo's FNV-1a. */
static uint64_t live_page_hash(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *text != '\0'; text++)
        hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    return hash;
}

static char *live_page_dump(json_t *object) {
    char *text = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;

    json_decref(object);
    return text;
}

static void live_page_add_row(struct iw_live_page *page, const struct iw_live_row *row) {
    char *text = live_page_dump(live_page_row(row, page->stricter));

    if (text != NULL)
        page->rows[page->row_count++] = (struct iw_live_page_row){row->serial, live_page_hash(text), text};
}

/* The rows of the list that are shown, from the oldest one on: so the page has them in this order. */
static void live_page_add_rows(struct iw_live_page *page, const struct iw_live_rows *list, size_t most) {
    const struct iw_live_row *row = TAILQ_LAST(list, iw_live_rows), *oldest = row;

    for (size_t i = 1; row != NULL && i < most; i++) {
        row = TAILQ_PREV(row, iw_live_rows, same_list);
        oldest = row != NULL ? row : oldest;
    }
    for (row = oldest; row != NULL; row = TAILQ_NEXT(row, same_list))
        live_page_add_row(page, row);
}

void iw_live_page_update(struct iw_live_page *page) {
    if (!page->changed && page->second_ns == page->table->now_ns)
        return;
    live_page_clear_rows(page);
    live_page_add_rows(page, &page->table->ended, IW_LIVE_PAGE_ENDED);
    live_page_add_rows(page, &page->table->open, IW_LIVE_PAGE_OPEN);
    page->changed = false;
    page->second_ns = page->table->now_ns;
    page->version++;
}

/* ---- events ---- */

static size_t live_page_reader_find(const struct iw_live_page_reader *reader, uint64_t serial) {
    size_t i = 0;

    while (i < reader->row_count && reader->rows[i].serial != serial)
        i++;
    return i;
}

static bool live_page_shows(const struct iw_live_page *page, uint64_t serial) {
    for (size_t i = 0; i < page->row_count; i++)
        if (page->rows[i].serial == serial)
            return true;
    return false;
}

static void live_page_put_rows(
    FILE *out, const struct iw_live_page *page, struct iw_live_page_reader *reader) {
    const char *separator = "";

    fputs("\"gone\":[", out);
    for (size_t i = 0; i < reader->row_count; i++)
        if (!live_page_shows(page, reader->rows[i].serial)) {
            fprintf(out, "%s%llu", separator, (unsigned long long)reader->rows[i].serial);
            separator = ",";
        }
    fputs("],\"rows\":[", out);
    separator = "";
    for (size_t i = 0; i < page->row_count; i++) {
        size_t at = live_page_reader_find(reader, page->rows[i].serial);

        if (at < reader->row_count && reader->rows[at].hash == page->rows[i].hash)
            continue;
        fprintf(out, "%s%s", separator, page->rows[i].text);
        separator = ",";
    }
    fputc(']', out);
    reader->row_count = page->row_count;
    for (size_t i = 0; i < page->row_count; i++) {
        reader->rows[i].serial = page->rows[i].serial;
        reader->rows[i].hash = page->rows[i].hash;
    }
}

static char *live_page_finding(const struct iw_live_page_finding *kept) {
    json_t *object = json_pack("{sI sb sb ss}", "stream", (json_int_t)kept->stream, "sctp", kept->sctp,
        "waived", kept->waived, "address", kept->address);

    iw_json_add_finding(object, &kept->finding);
    return live_page_dump(object);
}

static void live_page_put_findings(
    FILE *out, const struct iw_live_page *page, struct iw_live_page_reader *reader) {
    uint64_t number = reader->findings;
    const char *separator = "";

    if (page->finding_count - number > IW_LIVE_PAGE_FINDINGS)
        number = page->finding_count - IW_LIVE_PAGE_FINDINGS;
    fputs(",\"findings\":[", out);
    for (; number < page->finding_count; number++) {
        char *text = live_page_finding(&page->findings[number % IW_LIVE_PAGE_FINDINGS]);

        if (text == NULL)
            continue;
        fprintf(out, "%s%s", separator, text);
        separator = ",";
        free(text);
    }
    fputc(']', out);
    reader->findings = page->finding_count;
}

/* A report contains texts of the capture, which iw_show_text has made valid UTF-8. */
static void live_page_put_report(FILE *out, const struct iw_live_row *row, const char **separator) {
    size_t octets = row->report != NULL ? row->report_octets : 0;
    char *text;

    if (octets > IW_LIVE_PAGE_REPORT_OCTETS)
        for (octets = IW_LIVE_PAGE_REPORT_OCTETS; ((uint8_t)row->report[octets] & 0xc0) == 0x80;)
            octets--; /* inside a character of UTF-8 */
    text = octets > 0 ? live_page_dump(json_pack("[s%]", row->report, octets)) : NULL;
    if (text == NULL)
        return;
    fprintf(out, "%s%.*s", *separator, (int)strlen(text) - 2, text + 1); /* without the brackets */
    *separator = ",";
    free(text);
}

static void live_page_put_reports(
    FILE *out, const struct iw_live_page *page, struct iw_live_page_reader *reader) {
    uint64_t ended = page->table->ended_count + page->table->left, count = ended - reader->reports;
    const struct iw_live_row *row = TAILQ_LAST(&page->table->ended, iw_live_rows);
    const char *separator = "";

    if (count > IW_LIVE_PAGE_REPORTS)
        count = IW_LIVE_PAGE_REPORTS;
    fputs(",\"reports\":[", out);
    for (uint64_t i = 1; i < count && TAILQ_PREV(row, iw_live_rows, same_list) != NULL; i++)
        row = TAILQ_PREV(row, iw_live_rows, same_list);
    for (; count > 0 && row != NULL; row = TAILQ_NEXT(row, same_list))
        live_page_put_report(out, row, &separator);
    fputc(']', out);
    reader->reports = ended;
}

static void live_page_put_totals(FILE *out, const struct iw_live_page *page) {
    const struct iw_live_table *table = page->table;
    const uint64_t *states = table->connections;
    uint64_t all = table->ended_count + table->left;
    const struct iw_live_row *row;
    char *text;

    TAILQ_FOREACH(row, &table->open, same_list)
    all++;
    text = live_page_dump(
        json_pack("{sI sI sI sI sI sI sI sI sb}", "startup", (json_int_t)states[IW_LIVE_STARTUP], "open",
            (json_int_t)states[IW_LIVE_OPEN], "closing", (json_int_t)states[IW_LIVE_CLOSING], "ended",
            (json_int_t)states[IW_LIVE_ENDED], "packets", (json_int_t)table->traffic.packets, "packet_rate",
            (json_int_t)table->packets.per_second, "lost", (json_int_t)table->traffic.lost, "hidden",
            (json_int_t)(all > page->row_count ? all - page->row_count : 0), "over", page->over));
    fprintf(out, ",\"totals\":%s", text != NULL ? text : "{}");
    free(text);
}

char *iw_live_page_next(const struct iw_live_page *page, struct iw_live_page_reader *reader) {
    struct iw_text text;

    bool news = reader->version != page->version || reader->findings != page->finding_count;

    if (page->version == 0 || !news || !iw_text_open(&text))
        return NULL;
    fprintf(text.out, "event: update\ndata: {\"begin\":%s,", reader->version == 0 ? "true" : "false");
    reader->version = page->version;
    live_page_put_rows(text.out, page, reader);
    live_page_put_findings(text.out, page, reader);
    live_page_put_reports(text.out, page, reader);
    live_page_put_totals(text.out, page);
    fputs("}\n\n", text.out);
    return iw_text_close(&text);
}
