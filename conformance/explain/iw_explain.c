#include "iw_explain.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "iw_array.h"
#include "iw_explain_page.h"
#include "iw_json.h"
#include "iw_plural.h"
#include "iw_text.h"

/* ---- one connection ---- */

/* What is kept of an open connection. */
struct explain_kept {
    struct iw_history history;
    struct iw_upper *upper;
    struct iw_explain_calls calls;
    const struct iw_llp_event *now; /* during iw_upper_event */
};

/* Stands for a connection for which memory ran out. */
static struct explain_kept explain_nothing;

static void explain_free(struct explain_kept *kept) {
    if (kept == NULL || kept == &explain_nothing)
        return;
    iw_history_dispose(&kept->history);
    iw_upper_free(kept->upper);
    iw_explain_calls_dispose(&kept->calls);
    free(kept);
}

static void explain_replied(void *user, struct iw_upper_call *call) {
    struct explain_kept *kept = user;

    iw_explain_calls_add(&kept->calls, call, kept->now->frame, kept->now->time_ns);
}

static struct explain_kept *explain_new(const struct iw_check_stream *stream) {
    static const struct iw_upper_handlers handlers = {.replied = explain_replied};
    struct explain_kept *kept = calloc(1, sizeof *kept);

    if (kept == NULL)
        return &explain_nothing;
    iw_history_init(&kept->history,
        stream->id < IW_CHECK_FIRST_STREAMS ? IW_HISTORY_MESSAGES : IW_HISTORY_MESSAGES_LATER);
    kept->upper = iw_upper_new();
    if (kept->upper != NULL) {
        iw_upper_keep_findings(kept->upper, 0); /* stories have none: `check --upper` does */
        iw_upper_listen(kept->upper, &handlers, kept);
        return kept;
    }
    explain_free(kept);
    return &explain_nothing;
}

static struct explain_kept *explain_event(
    struct explain_kept *kept, const struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    bool segment = event->llp->kind == IW_LLP_SEGMENT && stream->session == NULL;

    if (kept == NULL)
        kept = explain_new(stream);
    if (kept == &explain_nothing)
        return kept;
    kept->now = event->llp;
    iw_history_event(&kept->history, event);
    iw_upper_event(kept->upper, event, segment ? iw_monitor_received_at_most(stream->monitor) : UINT64_MAX);
    return kept;
}

/* Called on any thread, but never twice at a time for one stream. */
static void explain_note(void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    (void)user;
    stream->user = explain_event(stream->user, stream, event);
}

static int explain_rank(const struct iw_diagnosis *diagnosis) {
    static const int group[] = {[IW_CAUSE_STARTUP] = 3,
        [IW_CAUSE_DEATH] = 4,
        [IW_CAUSE_HANG] = 3,
        [IW_CAUSE_SLOW] = 1,
        [IW_CAUSE_CAPTURE] = 0};

    if (diagnosis->count > 0)
        return 10 * group[diagnosis->causes[0].cause->group] + (int)diagnosis->causes[0].confidence;
    return diagnosis->failed ? 25 : 0;
}

static const struct {
    void (*story)(FILE *out, const struct iw_explained *explained);
    void (*capture)(FILE *out, const char *file, const struct iw_diagnosed *diagnosed);
} explain_forms[] = {
    [IW_EXPLAIN_TEXT] = {iw_explain_text_story, iw_explain_text_capture},
    [IW_EXPLAIN_JSONL] = {iw_explain_jsonl_story, iw_explain_jsonl_capture},
    [IW_EXPLAIN_HTML] = {iw_explain_page_story, iw_explain_page_capture},
};

static void explain_store(struct iw_explain *explain, int rank, struct iw_text *text) {
    char *story = iw_text_close(text);

    if (story == NULL || !iw_array_grow(&explain->stories, explain->story_count, sizeof *explain->stories)) {
        free(story);
        explain->no_memory = true;
        return;
    }
    explain->stories[explain->story_count] = (struct iw_explain_story){rank, explain->story_count, story};
    explain->story_count++;
}

static void explain_store_story(struct iw_explain *explain, const struct iw_explained *explained) {
    struct iw_text text;

    if (iw_text_open(&text))
        explain_forms[explain->form].story(text.out, explained);
    explain_store(explain, explain_rank(&explained->diagnosis), &text);
}

/* The failed connects to addresses and ports that accept iWARP. */
static void explain_store_connects(struct iw_explain *explain) {
    for (size_t i = 0; i < explain->connects.connect_count; i++) {
        const struct iw_explain_connect *connect = &explain->connects.connects[i];
        struct iw_diagnosis diagnosis = {.count = 1};
        struct iw_text text;

        if (!iw_explain_connect_diagnose(&explain->connects, connect, explain->chain, &diagnosis.causes[0]))
            continue;
        if (iw_text_open(&text))
            explain_forms[explain->form].capture(
                text.out, iw_explain_file(explain->chain, connect->frame), &diagnosis.causes[0]);
        explain_store(explain, explain_rank(&diagnosis), &text);
        explain->streams += connect->connections;
        explain->with_cause += connect->connections;
    }
    explain->no_memory |= explain->connects.no_memory;
    iw_explain_connects_clear(&explain->connects);
}

static void explain_prepare(struct iw_explained *explained, const struct iw_check_stream *stream,
    const struct iw_check_chain *chain, struct explain_kept *kept) {
    const char *const address[2] = {explained->address[IW_SIDE_A], explained->address[IW_SIDE_B]};
    enum iw_ulp_protocol protocol;

    iw_upper_finish(kept->upper);
    protocol = iw_upper_protocol(kept->upper);
    *explained = (struct iw_explained){.stream = stream,
        .chain = chain,
        .file = iw_explain_file(chain, stream->first_frame),
        .upper = kept->upper,
        .calls = &kept->calls,
        .protocol = protocol != IW_ULP_UNKNOWN ? iw_upper_protocol_name(protocol) : NULL};
    for (enum iw_side side = IW_SIDE_A; side <= IW_SIDE_B; side++)
        iw_show_address(&stream->address[side], explained->address[side]);
    iw_evidence_of(&explained->evidence, stream->monitor, &kept->history,
        stream->session == NULL ? stream->tcp : NULL, stream->life, address, stream->capture_ns);
    iw_diagnose(&explained->evidence, &explained->diagnosis);
}

/* Diagrams take most of the page, which is in memory until its end. */
enum { DETAILED_MAX = 200 };

static void explain_diagnose(struct iw_explain *explain, const struct iw_check_stream *stream) {
    struct explain_kept *kept = stream->user;
    struct iw_explained explained;

    explain_prepare(&explained, stream, explain->chain, kept);
    explained.brief = explain->streams >= DETAILED_MAX && !explained.diagnosis.failed;
    explain->streams++;
    explain->with_cause += explained.diagnosis.count > 0;
    explain->not_known += explained.diagnosis.count == 0 && explained.diagnosis.failed;
    explain->violating += !explained.diagnosis.failed && iw_explained_violates(&explained);
    explain->partial += !explained.diagnosis.failed && !iw_explained_violates(&explained) &&
                        iw_evidence_is_partial(&explained.evidence);
    explain->no_memory |= kept->history.incomplete || iw_upper_no_memory(kept->upper) ||
                          kept->calls.no_memory || (stream->life != NULL && stream->life->incomplete);
    explain_store_story(explain, &explained);
}

static void explain_stream_end(void *user, struct iw_check_stream *stream) {
    struct iw_explain *explain = user;

    iw_progress_clear(&explain->progress);
    if (stream->user == NULL || stream->user == &explain_nothing) {
        explain->no_memory = true;
    } else {
        explain_diagnose(explain, stream);
        iw_explain_connects_accepted(&explain->connects, stream);
        explain_free(stream->user);
    }
    stream->user = NULL;
}

static void explain_stream_drop(void *user, struct iw_check_stream *stream) {
    struct iw_explain *explain = user;

    iw_explain_connects_ended(&explain->connects, stream);
    explain_free(stream->user);
    stream->user = NULL;
}

/* ---- check --explain ---- */

static void explain_teller_note(struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    stream->story = explain_event(stream->story, stream, event);
}

static char *explain_teller_tell(
    struct iw_check_stream *stream, const struct iw_check_chain *chain, bool jsonl) {
    struct explain_kept *kept = stream->story;
    struct iw_explained explained;
    struct iw_text text;

    stream->story = NULL;
    if (kept == NULL || kept == &explain_nothing)
        return NULL;
    explain_prepare(&explained, stream, chain, kept);
    if (iw_text_open(&text))
        (jsonl ? iw_explain_jsonl_story : iw_explain_text_body)(text.out, &explained);
    explain_free(kept);
    return iw_text_close(&text);
}

static void explain_teller_drop(struct iw_check_stream *stream) {
    explain_free(stream->story);
    stream->story = NULL;
}

const struct iw_check_teller iw_explain_teller = {
    explain_teller_note, explain_teller_tell, explain_teller_drop};

/* ---- one capture ---- */

static void explain_trouble(void *user, const char *line) {
    struct iw_explain *explain = user;

    iw_progress_clear(&explain->progress);
    fprintf(stderr, "warpcheck: %s\n", line);
}

static void explain_progress(void *user, uint64_t frames, uint64_t octets) {
    struct iw_explain *explain = user;
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    iw_progress_show(
        &explain->progress, frames, octets, (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
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
    if (explain->page.out == NULL && !iw_text_open(&explain->page))
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
        free(explain->stories[i].text);
    }
    explain->story_count = 0;
}

/* Without iWARP, RoCE is a cause. Returns whether there is RoCE. */
static bool explain_roce(struct iw_explain *explain, const struct iw_check_counts *counts) {
    uint64_t frames =
        counts->contents.frames[IW_CONTENT_ROCE_V1] + counts->contents.frames[IW_CONTENT_ROCE_V2];
    struct iw_diagnosed roce = {.cause = &iw_causes[IW_CAUSE_ID_ROCE], .confidence = IW_CONFIDENCE_CERTAIN};
    FILE *out = explain_out(explain);

    if (counts->streams > 0 || frames == 0 || out == NULL)
        return false;
    snprintf(roce.detail, sizeof roce.detail, "%" PRIu64 " frame%s of RoCE, none of iWARP.", frames,
        iw_plural(frames));
    explain_forms[explain->form].capture(out, explain->chain->paths[0], &roce);
    explain->with_cause++;
    return true;
}

/* A connection that could not be opened has no startup frame, so nothing shows that it was for iWARP. */
static void explain_put_no_stream(const struct iw_explain *explain, const struct iw_check_counts *counts) {
    char contents[IW_CHECK_TROUBLE_OCTETS] = "";

    iw_check_report_contents(counts, contents, sizeof contents);
    fprintf(stderr, "warpcheck: %s: no iWARP stream found in %" PRIu64 " frame%s%s%s\n",
        iw_explain_title(explain->chain->paths[0]), counts->frames, iw_plural(counts->frames), contents,
        counts->tcp_flows > 0
            ? "; if it is a connect that failed, look for a SYN without an answer, or with a RST"
            : "");
}

static enum iw_exit explain_exit(const struct iw_explain *explain, const struct iw_check_counts *counts,
    enum iw_status status, bool roce) {
    if (counts->dropped > 0)
        fprintf(stderr,
            "warpcheck: %s: %" PRIu64 " segment%s not read, as memory ran short: stories are incomplete\n",
            explain->chain->paths[0], counts->dropped, iw_plural(counts->dropped));
    if (status != IW_OK)
        return iw_status_exit(status);
    if (counts->streams == 0 && !roce) {
        explain_put_no_stream(explain, counts);
        return IW_EXIT_ENVIRONMENT;
    }
    if (explain->with_cause > 0 || explain->violating > 0)
        return IW_EXIT_VIOLATIONS;
    return explain->not_known > 0 || explain->partial > 0 || counts->dropped > 0 ? IW_EXIT_UNJUDGED
                                                                                 : IW_EXIT_CONFORMS;
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

    explain->chain = chain;
    explain->progress.what = chain->paths[0];
    status = iw_check_files(chain, &config, &handlers, explain, &counts);
    iw_progress_clear(&explain->progress);
    explain_store_connects(explain);
    explain_put_stories(explain);
    return explain_exit(explain, &counts, status, explain_roce(explain, &counts));
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

    iw_explain_page(explain->out, explain, stories);
    free(stories);
}

static void explain_put_summary(const struct iw_explain *explain) {
    fprintf(explain->out,
        "%" PRIu64 " connection%s: %" PRIu64 " with a cause, %" PRIu64
        " failed for a reason that is not known",
        explain->streams, iw_plural(explain->streams), explain->with_cause, explain->not_known);
    if (explain->violating > 0)
        fprintf(explain->out, ", %" PRIu64 " with violations only", explain->violating);
    if (explain->partial > 0)
        fprintf(explain->out, ", %" PRIu64 " not captured as a whole", explain->partial);
    fputc('\n', explain->out);
}

enum iw_exit iw_explain_end(struct iw_explain *explain, enum iw_exit exit) {
    if (explain->no_memory) {
        fputs("warpcheck: out of memory: stories are missing\n", stderr);
        exit = iw_exit_join(exit, IW_EXIT_INTERNAL);
    }
    if (explain->form == IW_EXPLAIN_JSONL)
        iw_json_line(explain->out,
            json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:i}", "type", "summary", "streams",
                (json_int_t)explain->streams, "with_cause", (json_int_t)explain->with_cause, "not_known",
                (json_int_t)explain->not_known, "violating", (json_int_t)explain->violating, "partial",
                (json_int_t)explain->partial, "exit", (int)exit));
    else if (explain->form == IW_EXPLAIN_HTML)
        explain_put_page(explain);
    else if (explain->streams > 0)
        explain_put_summary(explain);
    fflush(explain->out);
    free(explain->stories);
    explain->stories = NULL;
    return exit;
}
