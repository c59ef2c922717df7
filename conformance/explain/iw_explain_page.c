#include "iw_explain_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_plural.h"
#include "iw_text.h"

/* ---- a story ---- */

/* Each line is a block, so that the rest of a long line hangs below its text (page.css). */
static void explain_page_put_line(FILE *out, const char *line) {
    iw_html_print(out, "<span class=\"%s\">%s", strspn(line, " ") > 4 ? "inner" : "outer", line);
    fputs("\n</span>", out);
}

/* Prints the text, and frees it. */
static void explain_page_put_text(FILE *out, struct iw_text *text) {
    char *lines = iw_text_close(text);

    iw_html_print(out, "<pre>");
    for (char *line = lines, *end; line != NULL && *line != '\0'; line = end) {
        size_t length = strcspn(line, "\n");

        end = line + length + (line[length] == '\n');
        line[length] = '\0';
        explain_page_put_line(out, line); /* a newline in it would be escaped as a control character */
    }
    iw_html_print(out, "</pre>\n");
    free(lines);
}

/* Of fewer, a histogram shows no more than the text. */
enum { HISTOGRAM_COUNT = 5 };

static void explain_page_put_latencies(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_requester *own = &iw_history_requests(explained->facts.history)->side[side];
    char title[96];

    for (unsigned i = 0; i < own->latency_count; i++) {
        if (own->latency[i].latency.count < HISTOGRAM_COUNT)
            continue;
        snprintf(title, sizeof title, "%s of %s", iw_opcodes[own->latency[i].opcode].title,
            iw_facts_side_name(&explained->facts, side));
        iw_explain_histogram(out, &own->latency[i].latency, title);
    }
    for (unsigned i = 0; i < explained->calls->count; i++) {
        const struct iw_explain_call *call = &explained->calls->rows[i];

        if (call->caller != side || call->latency.count < HISTOGRAM_COUNT)
            continue;
        snprintf(title, sizeof title, "%s of %s", iw_explain_call_name(call),
            iw_facts_side_name(&explained->facts, side));
        iw_explain_histogram(out, &call->latency, title);
    }
}

static const char *explain_page_title(const struct iw_explained *explained) {
    return iw_conclusion_has_cause(explained->conclusion) ? explained->diagnosis.causes[0].cause->title
                                                          : iw_conclusion_title(explained->conclusion);
}

void iw_explain_page_entry(FILE *out, const struct iw_explained *explained) {
    iw_html_print(out,
        "<li><a href=\"#story-%" PRIu64 "\">%s</a>: %s and %s, stream %" PRIu64 " of %s</li>\n",
        explained->number, explain_page_title(explained), explained->address[IW_SIDE_A],
        explained->address[IW_SIDE_B], explained->stream->id, iw_explain_title(explained->file));
}

void iw_explain_page_capture_entry(FILE *out, const struct iw_explain_captured *captured) {
    iw_html_print(out, "<li><a href=\"#story-%" PRIu64 "\">%s</a> [%s], %s: %s</li>\n", captured->number,
        captured->diagnosed.cause->title, captured->diagnosed.cause->id,
        iw_explain_title(iw_explain_captured_file(captured)), captured->diagnosed.detail);
}

void iw_explain_page_story(FILE *out, const struct iw_explained *explained) {
    char first[IW_EXPLAIN_FRAME_OCTETS], last[IW_EXPLAIN_FRAME_OCTETS];
    struct iw_text text;

    iw_html_print(out,
        "<article class=\"story\" id=\"story-%" PRIu64 "\"><h3>%s</h3>\n<p>Stream %" PRIu64
        " of %s: %s (%s) and %s (%s), %s to %s</p>\n",
        explained->number, explain_page_title(explained), explained->stream->id,
        iw_explain_title(explained->file), explained->address[IW_SIDE_A],
        iw_facts_side_name(&explained->facts, IW_SIDE_A), explained->address[IW_SIDE_B],
        iw_facts_side_name(&explained->facts, IW_SIDE_B),
        iw_explain_frame(explained->chain, explained->stream->first_frame, first),
        iw_explain_frame(explained->chain, explained->stream->last_frame, last));
    if (iw_text_open(&text)) {
        iw_explain_text_body(text.out, explained);
        explain_page_put_text(out, &text);
    }
    if (!explained->brief) {
        iw_explain_diagram(out, explained);
        iw_explain_outstanding(out, explained);
        explain_page_put_latencies(out, explained, IW_SIDE_A);
        explain_page_put_latencies(out, explained, IW_SIDE_B);
    }
    iw_html_print(out, "</article>\n");
}

void iw_explain_page_capture(FILE *out, const struct iw_explain_captured *captured) {
    struct iw_text text;

    iw_html_print(out, "<article class=\"story\" id=\"story-%" PRIu64 "\"><h3>%s</h3>\n<p>%s</p>\n",
        captured->number, captured->diagnosed.cause->title,
        iw_explain_title(iw_explain_captured_file(captured)));
    if (iw_text_open(&text)) {
        iw_explain_text_capture_body(text.out, captured);
        explain_page_put_text(out, &text);
    }
    iw_html_print(out, "</article>\n");
}

/* ---- the page ---- */

struct explain_page {
    FILE *out;
    const struct iw_explain *explain;
    const char *stories, *list;
};

static void explain_page_put_overview(const struct explain_page *page) {
    fputs("<p>", page->out);
    iw_explain_put_counts(page->out, page->explain);
    fputs(". The worst of each capture comes first.</p>\n", page->out);
    if (page->list != NULL && page->list[0] != '\0')
        fprintf(page->out, "<ol class=\"list\">\n%s</ol>\n", page->list);
}

static void explain_page_fill(void *user, const char *name, size_t length) {
    const struct explain_page *page = user;
    FILE *out = page->out;

    if (length == 5 && memcmp(name, "title", 5) == 0)
        iw_html_print(out, "Connections explained - warpcheck");
    else if (length == 8 && memcmp(name, "masthead", 8) == 0)
        iw_html_print(out, "<h1>Connections explained</h1>\n<p>warpcheck explain</p>\n");
    else if (length == 8 && memcmp(name, "sections", 8) == 0)
        iw_html_print(out,
            "<li><a href=\"#overview\">Overview</a></li>\n<li><a href=\"#stories\">Connections</a></li>\n");
    else if (length == 8 && memcmp(name, "overview", 8) == 0)
        explain_page_put_overview(page);
    else if (length == 7 && memcmp(name, "stories", 7) == 0 && page->stories != NULL)
        fputs(page->stories, out);
}

void iw_explain_page(FILE *out, const struct iw_explain *explain, const char *stories, const char *list) {
    struct explain_page page = {out, explain, stories, list};

    iw_html_fill(out, iw_explain_page_template, explain_page_fill, &page);
}
