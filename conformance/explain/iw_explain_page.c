#include "iw_explain_page.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_html.h"
#include "iw_plural.h"
#include "iw_text.h"

/* ---- a story ---- */

static void explain_page_put_text(FILE *out, const struct iw_explained *explained) {
    struct iw_text text;
    char *lines;

    if (!iw_text_open(&text))
        return;
    iw_explain_text_body(text.out, explained);
    lines = iw_text_close(&text);
    iw_html_print(out, "<pre>");
    for (char *line = lines, *end; line != NULL && *line != '\0'; line = end) {
        size_t length = strcspn(line, "\n");

        end = line + length + (line[length] == '\n');
        line[length] = '\0';
        iw_html_print(out, "%s", line); /* a newline in the text would be escaped as a control character */
        fputc('\n', out);
    }
    iw_html_print(out, "</pre>\n");
    free(lines);
}

static void explain_page_put_latencies(FILE *out, const struct iw_explained *explained, enum iw_side side) {
    const struct iw_history_requester *own = &iw_history_requests(explained->evidence.history)->side[side];
    char title[96];

    for (unsigned i = 0; i < own->latency_count; i++) {
        if (own->latency[i].latency.count == 0)
            continue;
        snprintf(title, sizeof title, "%s of %s", iw_opcodes[own->latency[i].opcode].title,
            iw_evidence_side_name(&explained->evidence, side));
        iw_explain_histogram(out, &own->latency[i].latency, title);
    }
    for (unsigned i = 0; i < explained->calls->count; i++) {
        const struct iw_explain_call *call = &explained->calls->rows[i];

        if (call->caller != side || call->latency.count == 0)
            continue;
        snprintf(title, sizeof title, "%s of %s", iw_explain_call_name(call),
            iw_evidence_side_name(&explained->evidence, side));
        iw_explain_histogram(out, &call->latency, title);
    }
}

void iw_explain_page_story(FILE *out, const struct iw_explained *explained) {
    const char *title = iw_conclusion_has_cause(explained->conclusion)
                            ? explained->diagnosis.causes[0].cause->title
                            : iw_conclusion_title(explained->conclusion);

    iw_html_print(out,
        "<article class=\"story\"><h3>%s</h3>\n<p>Stream %" PRIu64
        " of %s: %s (%s) and %s (%s), frames %" PRIu64 " to %" PRIu64 "</p>\n",
        title, explained->stream->id, iw_explain_title(explained->file), explained->address[IW_SIDE_A],
        iw_evidence_side_name(&explained->evidence, IW_SIDE_A), explained->address[IW_SIDE_B],
        iw_evidence_side_name(&explained->evidence, IW_SIDE_B), explained->stream->first_frame,
        explained->stream->last_frame);
    explain_page_put_text(out, explained);
    if (!explained->brief) {
        iw_explain_diagram(out, explained);
        iw_explain_outstanding(out, explained);
        explain_page_put_latencies(out, explained, IW_SIDE_A);
        explain_page_put_latencies(out, explained, IW_SIDE_B);
    }
    iw_html_print(out, "</article>\n");
}

void iw_explain_page_capture(FILE *out, const char *file, const struct iw_diagnosed *diagnosed) {
    iw_html_print(out, "<article class=\"story\"><h3>%s</h3>\n<p>%s: %s</p><p>%s</p></article>\n",
        diagnosed->cause->title, iw_explain_title(file), diagnosed->detail, diagnosed->cause->next);
}

/* ---- the page ---- */

struct explain_page {
    FILE *out;
    const struct iw_explain *explain;
    const char *stories;
};

static void explain_page_put_counts(FILE *out, const struct iw_explain *explain) {
    fputs("<p>", out);
    iw_explain_put_counts(out, explain);
    fputs(". The worst of each capture comes first.</p>\n", out);
}

static void explain_page_fill(void *user, const char *name, size_t length) {
    const struct explain_page *page = user;
    const struct iw_explain *explain = page->explain;
    FILE *out = page->out;

    if (length == 5 && memcmp(name, "title", 5) == 0)
        iw_html_print(out, "Why connections failed - warpcheck");
    else if (length == 8 && memcmp(name, "masthead", 8) == 0)
        iw_html_print(out, "<h1>Why connections failed</h1>\n<p>warpcheck explain</p>\n");
    else if (length == 8 && memcmp(name, "sections", 8) == 0)
        iw_html_print(
            out, "<li><a href=\"#overview\">Overview</a></li>\n<li><a href=\"#stories\">Stories</a></li>\n");
    else if (length == 8 && memcmp(name, "overview", 8) == 0)
        explain_page_put_counts(out, explain);
    else if (length == 7 && memcmp(name, "stories", 7) == 0 && page->stories != NULL)
        fputs(page->stories, out);
}

void iw_explain_page(FILE *out, const struct iw_explain *explain, const char *stories) {
    struct explain_page page = {out, explain, stories};

    iw_html_fill(out, iw_explain_page_template, explain_page_fill, &page);
}
