#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "iw_array.h"
#include "iw_bundle.h"
#include "iw_check.h"
#include "iw_evidence.h"
#include "iw_text.h"

/* Judges captures again. The monitor's events must equal the events in the wire log; its findings must
 * include the findings in the results. */

enum { TEXTS_MAX = 200000 }; /* maximum events, or findings, of a capture: more than any case causes */

/* An unordered set of texts. */
struct texts {
    char **list;
    size_t count;
    bool incomplete; /* too many texts, or memory ran out */
};

struct judging {
    struct texts events;   /* as iw_evidence_put writes them */
    struct texts findings; /* "STREAM FRAME REQUIREMENT MESSAGE" */
};

/* Adds the text, which the set then owns. NULL: memory ran out. */
static void bundle_judge_texts_add(struct texts *texts, char *text) {
    if (text != NULL && texts->count == TEXTS_MAX) {
        free(text);
        texts->incomplete = true;
        return;
    }
    if (text == NULL || !iw_array_grow(&texts->list, texts->count, sizeof text)) {
        texts->incomplete = true;
        iw_bundle_note_no_memory();
        free(text);
        return;
    }
    texts->list[texts->count++] = text;
}

static void bundle_judge_texts_clear(struct texts *texts) {
    for (size_t i = 0; i < texts->count; i++)
        free(texts->list[i]);
    free(texts->list);
    *texts = (struct texts){0};
}

static int bundle_judge_compare_texts(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void bundle_judge_texts_sort(struct texts *texts) {
    if (texts->count > 0)
        qsort(texts->list, texts->count, sizeof *texts->list, bundle_judge_compare_texts);
}

static char *bundle_judge_finding_text(
    uint64_t stream, uint64_t frame, const char *requirement, const char *message) {
    return iw_text_format("%" PRIu64 " %" PRIu64 " %s %s", stream, frame, requirement, message);
}

static void bundle_judge_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct judging *judging = user;
    struct iw_text text;

    if (iw_text_open(&text))
        iw_evidence_put(text.out, event);
    bundle_judge_texts_add(&judging->events, iw_text_close(&text));
    for (size_t i = 0; i < event->finding_count; i++)
        bundle_judge_texts_add(
            &judging->findings, bundle_judge_finding_text(stream->id, event->findings[i].frame,
                                    event->findings[i].requirement->id, event->findings[i].message));
}

static void bundle_judge_end(void *user, struct iw_check_stream *stream) {
    (void)user;
    if (iw_monitor_failed(stream->monitor))
        iw_bundle_note_no_memory();
}

/* Collects events (none without iWARP) and findings. Returns false if the capture is not read to its end. */
static bool bundle_judge_capture(struct judging *judging, const char *path, unsigned extensions) {
    const struct iw_check_config config = {.extensions = extensions, .threads = 1};
    const struct iw_check_handlers handlers = {.event = bundle_judge_event, .stream_end = bundle_judge_end};
    const char *const paths[] = {path};
    uint64_t first;
    struct iw_check_chain chain = {paths, 1, &first};
    struct iw_check_counts counts = {0};
    enum iw_status status = iw_check_files(&chain, &config, &handlers, judging, &counts);

    if (status == IW_ERR_NOMEM)
        iw_bundle_note_no_memory();
    bundle_judge_texts_sort(&judging->events);
    bundle_judge_texts_sort(&judging->findings);
    return status == IW_OK;
}

static void bundle_judge_end_event(struct texts *events, struct iw_text *text) {
    if (text->out != NULL)
        bundle_judge_texts_add(events, iw_text_close(text));
}

static bool bundle_judge_read_log(struct texts *events, const char *path) {
    FILE *in = fopen(path, "r");
    struct iw_text text = {0};
    char *line = NULL;
    size_t capacity = 0;

    if (in == NULL && errno == ENOMEM)
        iw_bundle_note_no_memory();
    while (in != NULL && getline(&line, &capacity, in) > 0) {
        const char *part = iw_evidence_event_of(line);

        if (text.out != NULL && iw_evidence_is_continuation(line)) {
            fputs(line, text.out);
            continue;
        }
        bundle_judge_end_event(events, &text);
        if (part != NULL && iw_text_open(&text))
            fputs(part, text.out);
        if (part != NULL && text.out == NULL)
            bundle_judge_texts_add(events, NULL);
    }
    bundle_judge_end_event(events, &text);
    if (in != NULL && !feof(in)) /* getline had no memory */
        bundle_judge_texts_add(events, NULL);
    free(line);
    if (in != NULL)
        fclose(in);
    bundle_judge_texts_sort(events);
    return in != NULL;
}

/* Returns the first text that only the log or only the capture has, or NULL; sets *in_log. Ignores events in
 * the log of a side with unknown role: without an MPA startup, the capture does not show that it uses iWARP.
 */
static const char *bundle_judge_texts_differ(
    const struct texts *log, const struct texts *capture, bool *in_log) {
    size_t i = 0, j = 0;

    while (i < log->count || j < capture->count) {
        int order = i == log->count ? 1 : j == capture->count ? -1 : strcmp(log->list[i], capture->list[j]);

        *in_log = order < 0;
        if (order > 0 || (order < 0 && strncmp(log->list[i], "side ", 5) != 0))
            return order < 0 ? log->list[i] : capture->list[j];
        i += order <= 0;
        j += order >= 0;
    }
    return NULL;
}

static bool bundle_judge_texts_have(const struct texts *texts, char *text) {
    return texts->count > 0 &&
           bsearch(&text, texts->list, texts->count, sizeof *texts->list, bundle_judge_compare_texts) != NULL;
}

/* Reports each finding of the results that the capture does not have. Accepts findings about a side with
 * unknown role (see bundle_judge_texts_differ). */
static size_t bundle_judge_check_findings(const struct iw_bundle *bundle, const struct iw_outcome_case *one,
    const struct texts *findings, FILE *faults) {
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(one->findings); i++) {
        const json_t *finding = json_array_get(one->findings, i);
        char *text = bundle_judge_finding_text(iw_outcome_number(finding, "stream"),
            iw_outcome_number(finding, "frame"), iw_results_text(finding, "requirement"),
            iw_results_text(finding, "message"));

        if (text == NULL) {
            iw_bundle_note_no_memory();
        } else if (!bundle_judge_texts_have(findings, text) &&
                   strcmp(iw_results_text(finding, "side"), "unknown") != 0) {
            fprintf(faults, "%s: %s: the results have %s in frame %" PRIu64 ", the capture does not\n",
                bundle->path, one->id, iw_results_text(finding, "requirement"),
                iw_outcome_number(finding, "frame"));
            count++;
        }
        free(text);
    }
    return count;
}

/* Returns the extensions to judge by: all, without IW_EXT_STORM (the draft with Swap) if the profile does not
 * claim Swap. */
static unsigned bundle_judge_extensions_of(const struct iw_outcome_run *run) {
    const json_t *profile = json_object_get(run->header, "profile");
    const json_t *claims = json_object_get(profile, "claims");

    if (profile == NULL)
        return IW_EXT_ALL;
    for (size_t i = 0; i < json_array_size(claims); i++)
        if (json_is_string(json_array_get(claims, i)) &&
            strcmp(json_string_value(json_array_get(claims, i)), "swap") == 0)
            return IW_EXT_ALL;
    return IW_EXT_ALL & ~(unsigned)IW_EXT_STORM;
}

static size_t bundle_judge_case(
    const struct iw_bundle *bundle, const struct iw_outcome_case *one, unsigned extensions, FILE *faults) {
    struct judging judging = {0};
    struct texts log = {0};
    const char *odd;
    size_t count = 0;
    bool in_log = false;

    if (!bundle_judge_capture(&judging, one->capture, extensions) || !bundle_judge_read_log(&log, one->log)) {
        fprintf(faults, "%s: %s: its capture cannot be read to its end\n", bundle->path, one->id);
        count++;
    } else if (log.incomplete || judging.events.incomplete || judging.findings.incomplete) {
        fprintf(faults, "%s: %s: too large to be judged again\n", bundle->path, one->id);
        count++;
    } else {
        odd = bundle_judge_texts_differ(&log, &judging.events, &in_log);
        if (odd != NULL) {
            fprintf(faults, "%s: %s: only its %s has: %.*s\n", bundle->path, one->id,
                in_log ? "log" : "capture", (int)strcspn(odd, "\n"), odd);
            count++;
        }
        count += bundle_judge_check_findings(bundle, one, &judging.findings, faults);
    }
    bundle_judge_texts_clear(&judging.events);
    bundle_judge_texts_clear(&judging.findings);
    bundle_judge_texts_clear(&log);
    return count;
}

size_t iw_bundle_judge(const struct iw_bundle *bundle, const struct iw_outcome_run *run, FILE *faults) {
    size_t count = 0;

    for (size_t i = 0; i < run->count; i++)
        if (run->cases[i].capture != NULL && run->cases[i].log != NULL)
            count += bundle_judge_case(bundle, &run->cases[i], bundle_judge_extensions_of(run), faults);
    return count;
}
