#include "iw_explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_explain_kept.h"
#include "iw_explain_page.h"
#include "iw_json.h"
#include "iw_monotonic.h"
#include "iw_plural.h"
#include "iw_show.h"
#include "iw_text.h"

/* ---- one connection ---- */

/* Called on any thread, but never twice at a time for one stream. */
static void explain_note(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    (void)user;
    stream->user = iw_explain_kept_event(stream->user, stream, event);
}

/* Of failures, those come first that ended the connection. `first`: NULL or the most probable cause. */
static int explain_rank(enum iw_conclusion conclusion, const struct iw_diagnosed *first) {
    int rank = 8 * (int)conclusion;

    if (first == NULL)
        return rank;
    return rank + (first->cause->group == IW_CAUSE_DEATH ? 4 : 0) + (int)first->confidence;
}

static const struct {
    void (*story)(FILE *out, const struct iw_explained *explained);
    void (*capture)(FILE *out, const struct iw_explain_captured *captured);
} explain_forms[] = {
    [IW_EXPLAIN_TEXT] = {iw_explain_text_story, iw_explain_text_capture},
    [IW_EXPLAIN_JSONL] = {iw_explain_jsonl_story, iw_explain_jsonl_capture},
    [IW_EXPLAIN_HTML] = {iw_explain_page_story, iw_explain_page_capture},
};

/* `line`: in the list of connections; not open without one. */
static void explain_store(struct iw_explain *explain, int rank, struct iw_text *text, struct iw_text *line) {
    char *story = iw_text_close(text), *entry = line->out != NULL ? iw_text_close(line) : NULL;

    if (story == NULL || !iw_array_grow(&explain->stories, explain->story_count, sizeof *explain->stories)) {
        free(story);
        free(entry);
        explain->no_memory = true;
        return;
    }
    explain->stories[explain->story_count] =
        (struct iw_explain_story){rank, explain->story_count, story, entry};
    explain->story_count++;
}

static void explain_store_story(struct iw_explain *explain, const struct iw_explained *explained) {
    const struct iw_diagnosis *diagnosis = &explained->diagnosis;
    struct iw_text text, line = {0};

    if (iw_text_open(&text))
        explain_forms[explain->form].story(text.out, explained);
    if (explain->form == IW_EXPLAIN_HTML && iw_text_open(&line))
        iw_explain_page_entry(line.out, explained);
    explain_store(explain,
        explain_rank(explained->conclusion, diagnosis->count > 0 ? &diagnosis->causes[0] : NULL), &text,
        &line);
}

static void explain_store_captured(struct iw_explain *explain, struct iw_explain_captured *captured) {
    struct iw_text text, line = {0};

    captured->chain = explain->chain;
    captured->number = explain->told++;
    if (iw_text_open(&text))
        explain_forms[explain->form].capture(text.out, captured);
    if (explain->form == IW_EXPLAIN_HTML && iw_text_open(&line))
        iw_explain_page_capture_entry(line.out, captured);
    explain_store(explain, explain_rank(IW_CONCLUSION_FAILED, &captured->diagnosed), &text, &line);
}

/* The failed connects to addresses and ports that accept iWARP. */
static void explain_store_connects(struct iw_explain *explain) {
    for (size_t i = 0; i < explain->connects.connect_count; i++) {
        const struct iw_explain_connect *connect = &explain->connects.connects[i];
        struct iw_explain_captured captured = {0};

        if (!iw_explain_connect_diagnose(&explain->connects, connect, explain->chain, &captured.diagnosed))
            continue;
        explain_store_captured(explain, &captured);
        explain->streams += connect->connections;
        explain->conclusions[IW_CONCLUSION_FAILED] += connect->connections;
    }
    explain->no_memory |= explain->connects.no_memory;
    iw_explain_connects_clear(&explain->connects);
}

/* Diagrams take most of the page, which is in memory until its end. */
enum { DETAILED_MAX = 200 };

static void explain_stream_end(void *user, struct iw_check_stream *stream) {
    struct iw_explain *explain = user;
    struct iw_explained explained;

    if (iw_explain_revisions_defer(&explain->revisions, stream))
        return;
    iw_progress_clear(&explain->progress);
    if (iw_explain_kept_finish(stream->user, stream, explain->chain, &explain->revisions, &explained)) {
        explained.number = explain->told++;
        explained.brief = explain->streams >= DETAILED_MAX && !explained.diagnosis.failed;
        explain->streams++;
        explain->conclusions[explained.conclusion]++;
        explain->no_memory |=
            iw_explain_kept_no_memory(stream->user) || (stream->life != NULL && stream->life->incomplete);
        explain_store_story(explain, &explained);
        iw_explain_connects_accepted(&explain->connects, stream);
        iw_explain_revisions_ended(&explain->revisions, stream);
    } else {
        explain->no_memory = true;
    }
    iw_explain_kept_free(stream->user);
    stream->user = NULL;
}

static void explain_stream_drop(void *user, struct iw_check_stream *stream) {
    struct iw_explain *explain = user;

    iw_explain_connects_ended(&explain->connects, stream);
    iw_explain_kept_free(stream->user);
    stream->user = NULL;
}

/* ---- one capture ---- */

enum { EXPLAIN_LINE_OCTETS = 5120 }; /* it has a path */

static void explain_trouble(void *user, const char *line) {
    struct iw_explain *explain = user;

    iw_progress_clear(&explain->progress);
    fputs("warpcheck: ", stderr);
    iw_show_name(stderr, line);
    fputc('\n', stderr);
}

static void explain_progress(void *user, uint64_t frames, uint64_t octets) {
    struct iw_explain *explain = user;

    iw_progress_show(&explain->progress, frames, octets, iw_monotonic_ns());
}

static int explain_worse_first(const void *one, const void *other) {
    const struct iw_explain_story *a = one, *b = other;

    if (a->rank != b->rank)
        return a->rank < b->rank ? 1 : -1;
    return (a->number > b->number) - (a->number < b->number);
}

/* HTML: the template surrounds the stories of all captures. Opens the text at its first use. */
static FILE *explain_out(struct iw_explain *explain) {
    if (explain->form != IW_EXPLAIN_HTML)
        return explain->out;
    if (explain->page.out == NULL && (!iw_text_open(&explain->page) || !iw_text_open(&explain->list)))
        explain->no_memory = true;
    return explain->page.out;
}

static void explain_put_stories(struct iw_explain *explain) {
    FILE *out = explain_out(explain);

    if (explain->story_count > 0)
        qsort(explain->stories, explain->story_count, sizeof *explain->stories, explain_worse_first);
    for (size_t i = 0; i < explain->story_count; i++) {
        if (explain->stories[i].text != NULL && out != NULL)
            fputs(explain->stories[i].text, out);
        if (explain->stories[i].entry != NULL && explain->list.out != NULL)
            fputs(explain->stories[i].entry, explain->list.out);
        free(explain->stories[i].text);
        free(explain->stories[i].entry);
    }
    explain->story_count = 0;
}

/* Without iWARP, RoCE is a cause. That the hosts have no iWARP is more than the capture shows; and few
 * packets may have the form of RoCE by chance. Returns whether there is RoCE. */
static bool explain_store_roce(struct iw_explain *explain, const struct iw_check_counts *counts) {
    enum { FEW = 4 };
    static const enum iw_content contents[] = {IW_CONTENT_ROCE_V1, IW_CONTENT_ROCE_V2};
    struct iw_explain_captured captured = {.diagnosed.cause = &iw_causes[IW_CAUSE_ID_ROCE]};
    struct iw_diagnosed *roce = &captured.diagnosed;
    uint64_t frames = 0, first = 0;

    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        uint64_t frame = counts->contents.first[contents[i]];

        frames += counts->contents.frames[contents[i]];
        if (frame != 0 && (first == 0 || frame < first))
            first = frame;
    }
    if (counts->streams > 0 || frames == 0)
        return false;
    roce->confidence = frames >= FEW ? IW_CONFIDENCE_LIKELY : IW_CONFIDENCE_POSSIBLE;
    roce->frames[roce->frame_count++] = first;
    snprintf(roce->detail, sizeof roce->detail, "%" PRIu64 " frame%s of RoCE, none of iWARP.", frames,
        iw_plural(frames));
    explain_store_captured(explain, &captured);
    explain->roce++;
    return true;
}

/* A connection that could not be opened has no startup frame, so nothing shows that it was for iWARP. */
static void explain_put_no_stream(struct iw_explain *explain, const struct iw_check_counts *counts) {
    char contents[IW_CHECK_TROUBLE_OCTETS] = "", line[EXPLAIN_LINE_OCTETS];

    iw_check_report_contents(counts, contents, sizeof contents);
    snprintf(line, sizeof line, "%s: no iWARP stream found in %" PRIu64 " frame%s%s%s",
        iw_explain_title(explain->chain->paths[0]), counts->frames, iw_plural(counts->frames), contents,
        counts->tcp_flows > 0
            ? "; if it is a connect that failed, look for a SYN without an answer, or with a RST"
            : "");
    explain_trouble(explain, line);
}

static void explain_put_dropped(struct iw_explain *explain, uint64_t segments) {
    char line[EXPLAIN_LINE_OCTETS];

    snprintf(line, sizeof line,
        "%s: %" PRIu64 " segment%s not read, as memory ran short: explanations are incomplete",
        iw_explain_title(explain->chain->paths[0]), segments, iw_plural(segments));
    explain_trouble(explain, line);
}

static enum iw_exit explain_exit(
    struct iw_explain *explain, const struct iw_check_counts *counts, enum iw_status status, bool roce) {
    static const enum iw_exit exits[] = {[IW_CONCLUSION_FINE] = IW_EXIT_CONFORMS,
        [IW_CONCLUSION_PARTIAL] = IW_EXIT_UNJUDGED,
        [IW_CONCLUSION_SLOW] = IW_EXIT_VIOLATIONS,
        [IW_CONCLUSION_VIOLATIONS] = IW_EXIT_VIOLATIONS,
        [IW_CONCLUSION_NOT_KNOWN] = IW_EXIT_UNJUDGED,
        [IW_CONCLUSION_FAILED] = IW_EXIT_VIOLATIONS};
    enum iw_exit exit;

    if (counts->dropped > 0)
        explain_put_dropped(explain, counts->dropped);
    if (status != IW_OK)
        return iw_status_exit(status);
    if (counts->streams == 0 && !roce) {
        explain_put_no_stream(explain, counts);
        return IW_EXIT_ENVIRONMENT;
    }
    exit = counts->dropped > 0 ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
    if (explain->roce > 0)
        exit = iw_exit_join(exit, IW_EXIT_VIOLATIONS);
    for (size_t i = 0; i < IW_CONCLUSION_COUNT; i++)
        if (explain->conclusions[i] > 0)
            exit = iw_exit_join(exit, exits[i]);
    return exit;
}

static enum iw_exit explain_chain(struct iw_explain *explain, struct iw_check_chain *chain) {
    const struct iw_check_config config = {.extensions = explain->extensions,
        .threads = explain->threads,
        .memory = explain->memory,
        .lives = true};
    const struct iw_check_handlers handlers = {.note = explain_note,
        .stream_end = explain_stream_end,
        .stream_drop = explain_stream_drop,
        .progress = explain->progress.out != NULL ? explain_progress : NULL,
        .trouble = explain_trouble};
    struct iw_check_counts counts = {0};
    enum iw_status status;
    bool roce;

    explain->chain = chain;
    explain->progress.what = iw_explain_title(chain->paths[0]);
    status = iw_check_files(chain, &config, &handlers, explain, &counts);
    iw_progress_clear(&explain->progress);
    explain_store_connects(explain);
    explain->no_memory |= explain->revisions.no_memory;
    iw_explain_revisions_clear(&explain->revisions);
    roce = explain_store_roce(explain, &counts);
    explain_put_stories(explain);
    return explain_exit(explain, &counts, status, roce);
}

enum iw_exit iw_explain_files(struct iw_explain *explain, const char *const *paths, size_t count) {
    uint64_t *first = calloc(count, sizeof *first);
    struct iw_check_chain chain = {paths, count, first};
    enum iw_exit exit = IW_EXIT_INTERNAL;

    if (first != NULL)
        exit = explain_chain(explain, &chain);
    else
        fputs("warpcheck: out of memory\n", stderr);
    explain->chain = NULL;
    explain->progress.what = NULL;
    fflush(explain->out);
    free(first);
    return exit;
}

static void explain_put_page(struct iw_explain *explain) {
    char *stories = explain->page.out != NULL ? iw_text_close(&explain->page) : NULL;
    char *list = explain->list.out != NULL ? iw_text_close(&explain->list) : NULL;

    iw_explain_page(explain->out, explain, stories, list);
    free(stories);
    free(list);
}

static uint64_t explain_with_cause(const struct iw_explain *explain) {
    return explain->conclusions[IW_CONCLUSION_SLOW] + explain->conclusions[IW_CONCLUSION_FAILED];
}

void iw_explain_put_counts(FILE *out, const struct iw_explain *explain) {
    const uint64_t *conclusions = explain->conclusions;

    fprintf(out,
        "%" PRIu64 " connection%s: %" PRIu64 " with a cause, %" PRIu64
        " failed for a reason that is not known",
        explain->streams, iw_plural(explain->streams), explain_with_cause(explain),
        conclusions[IW_CONCLUSION_NOT_KNOWN]);
    if (conclusions[IW_CONCLUSION_VIOLATIONS] > 0)
        fprintf(out, ", %" PRIu64 " with violations only", conclusions[IW_CONCLUSION_VIOLATIONS]);
    if (conclusions[IW_CONCLUSION_PARTIAL] > 0)
        fprintf(out, ", %" PRIu64 " not captured as a whole", conclusions[IW_CONCLUSION_PARTIAL]);
    if (explain->roce > 0)
        fprintf(
            out, "; %" PRIu64 " capture%s with RoCE, without iWARP", explain->roce, iw_plural(explain->roce));
}

static void explain_put_summary(const struct iw_explain *explain) {
    iw_explain_put_counts(explain->out, explain);
    fputc('\n', explain->out);
}

static void explain_put_json_summary(const struct iw_explain *explain, enum iw_exit exit) {
    const uint64_t *conclusions = explain->conclusions;

    iw_json_line(explain->out,
        json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:o*, s:i}", "type", "summary", "streams",
            (json_int_t)explain->streams, "with_cause", (json_int_t)explain_with_cause(explain), "not_known",
            (json_int_t)conclusions[IW_CONCLUSION_NOT_KNOWN], "violating",
            (json_int_t)conclusions[IW_CONCLUSION_VIOLATIONS], "partial",
            (json_int_t)conclusions[IW_CONCLUSION_PARTIAL], "roce",
            explain->roce > 0 ? json_integer((json_int_t)explain->roce) : NULL, "exit", (int)exit));
}

enum iw_exit iw_explain_end(struct iw_explain *explain, enum iw_exit exit) {
    if (explain->no_memory) {
        fputs("warpcheck: out of memory: explanations are missing\n", stderr);
        exit = iw_exit_join(exit, IW_EXIT_INTERNAL);
    }
    if (explain->form == IW_EXPLAIN_JSONL)
        explain_put_json_summary(explain, exit);
    else if (explain->form == IW_EXPLAIN_HTML)
        explain_put_page(explain);
    else if (explain->streams > 0)
        explain_put_summary(explain);
    fflush(explain->out);
    free(explain->stories);
    explain->stories = NULL;
    return exit;
}
