#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "iw_bundle_device.h"
#include "iw_check.h"
#include "iw_evidence.h"
#include "iw_json.h"
#include "iw_json_member.h"
#include "iw_line_reader.h"
#include "iw_outcome_claim.h"
#include "iw_results.h"
#include "iw_text.h"

/* Judges captures again. The monitor's events must equal the events in the wire log; what they show of the
 * device must agree with the results (iw_bundle_device.h). */

struct judging {
    struct iw_bundle_texts events; /* as iw_evidence_put writes them */
    struct iw_bundle_seen seen;
    bool own[2]; /* by enum iw_side: the suite plays it */
    const struct iw_claims *claims;
    uint64_t frames; /* of the capture */
};

/* A run sees an octet a little before or after the time that its capture has for it. */
char *iw_bundle_finding_text(const json_t *finding) {
    static const char *const others[] = {"file", "case", "repeat", "time"};
    json_t *object = json_copy((json_t *)(uintptr_t)finding);
    char *text;

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        json_object_del(object, others[i]);
    text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    return text;
}

static void bundle_judge_finding(
    struct judging *judging, const struct iw_check_stream *stream, const struct iw_finding *finding) {
    json_t *object = iw_json_object("finding", "", stream->id);

    iw_json_add_finding(object, finding);
    iw_bundle_texts_add(&judging->seen.findings, iw_bundle_finding_text(object));
    json_decref(object);
}

static void bundle_judge_note_time(struct iw_bundle_seen *seen, uint64_t time_ns) {
    if (time_ns == 0)
        return;
    if (seen->first_ns == 0 || time_ns < seen->first_ns)
        seen->first_ns = time_ns;
    if (time_ns > seen->last_ns)
        seen->last_ns = time_ns;
}

static void bundle_judge_event(
    void *user, struct iw_check_stream *stream, const struct iw_monitor_event *event) {
    struct judging *judging = user;
    struct iw_text text;

    if (iw_text_open(&text))
        iw_evidence_put(text.out, event);
    iw_bundle_texts_add(&judging->events, iw_text_close(&text));
    for (size_t i = 0; i < event->finding_count; i++)
        bundle_judge_finding(judging, stream, &event->findings[i]);
    iw_trial_result_event(&judging->seen.result, (unsigned)stream->id + 1, judging->own, event);
    bundle_judge_note_time(&judging->seen, event->llp->time_ns);
    if (judging->own[event->llp->side])
        return;
    iw_claims_check(judging->claims, &judging->seen.contradictions, NULL, event);
    judging->seen.device_events++;
    if (stream->session == NULL)
        judging->seen.address = stream->address[event->llp->side];
}

static void bundle_judge_end(void *user, struct iw_check_stream *stream) {
    (void)user;
    if (iw_monitor_failed(stream->monitor))
        iw_bundle_note_no_memory();
}

/* Collects events and findings. Returns false if the capture is not read to its end. `expected`: MPA is from
 * the first octet of each connection on. */
static bool bundle_judge_capture(
    struct judging *judging, const char *path, unsigned extensions, bool expected) {
    const struct iw_check_config config = {.extensions = extensions, .threads = 1, .expected = expected};
    const struct iw_check_handlers handlers = {.event = bundle_judge_event, .stream_end = bundle_judge_end};
    const char *const paths[] = {path};
    uint64_t first;
    struct iw_check_chain chain = {paths, 1, &first};
    struct iw_check_counts counts = {0};
    enum iw_status status = iw_check_files(&chain, &config, &handlers, judging, &counts);

    if (status == IW_ERR_NOMEM)
        iw_bundle_note_no_memory();
    judging->frames = counts.frames;
    iw_bundle_texts_sort(&judging->events);
    iw_bundle_texts_sort(&judging->seen.findings);
    return status == IW_OK;
}

static void bundle_judge_end_event(struct iw_bundle_texts *events, struct iw_text *text) {
    if (text->out != NULL)
        iw_bundle_texts_add(events, iw_text_close(text));
}

static bool bundle_judge_read_log(struct iw_bundle_texts *events, const char *path) {
    struct iw_line_reader lines = {.in = fopen(path, "r"), .limit = IW_RESULTS_LINE_MAX};
    struct iw_text text = {0};

    if (lines.in == NULL && errno == ENOMEM)
        iw_bundle_note_no_memory();
    while (lines.in != NULL && iw_line_reader_next(&lines)) {
        const char *part = iw_evidence_event_of(lines.text);

        if (text.out != NULL && iw_evidence_is_continuation(lines.text)) {
            fputs(lines.text, text.out);
            continue;
        }
        bundle_judge_end_event(events, &text);
        if (part != NULL && iw_text_open(&text))
            fputs(part, text.out);
        if (part != NULL && text.out == NULL)
            iw_bundle_texts_add(events, NULL);
    }
    bundle_judge_end_event(events, &text);
    if (lines.error == IW_ERR_FORMAT)
        events->incomplete = true; /* iw_bundle_log_check has named the line */
    else if (lines.error != IW_OK)
        iw_bundle_texts_add(events, NULL);
    iw_line_reader_clear(&lines);
    if (lines.in != NULL)
        fclose(lines.in);
    iw_bundle_texts_sort(events);
    return lines.in != NULL;
}

/* Returns the first text that only the log or only the capture has, or NULL; sets *in_log. */
static const char *bundle_judge_texts_differ(
    const struct iw_bundle_texts *log, const struct iw_bundle_texts *capture, bool *in_log) {
    size_t i = 0;

    while (i < log->count && i < capture->count && strcmp(log->list[i], capture->list[i]) == 0)
        i++;
    if (i == log->count && i == capture->count)
        return NULL;
    *in_log = i == capture->count || (i < log->count && strcmp(log->list[i], capture->list[i]) < 0);
    return *in_log ? log->list[i] : capture->list[i];
}

/* Returns whether the file has this text, such as the id of a case in the comments of packets. */
static bool bundle_judge_file_has(const char *path, const char *text) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    void *octets = MAP_FAILED;
    bool found = false;

    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0)
        octets = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (octets != MAP_FAILED) {
        found = memmem(octets, (size_t)status.st_size, text, strlen(text)) != NULL;
        munmap(octets, (size_t)status.st_size);
    }
    if (file >= 0)
        close(file);
    return found;
}

/* Returns the extensions to judge by: all, without IW_EXT_STORM (the draft with Swap) if the profile does not
 * claim Swap. */
static unsigned bundle_judge_extensions(const struct iw_outcome_run *run) {
    const json_t *profile = json_object_get(run->header, "profile");

    return profile == NULL || iw_outcome_lists(json_object_get(profile, "claims"), "swap")
               ? IW_EXT_ALL
               : IW_EXT_ALL & ~(unsigned)IW_EXT_STORM;
}

/* Whether scripts may have begun in streaming mode (`streaming` of docs/scripts.md). No case of the program
 * does. */
static bool bundle_judge_may_stream(const struct iw_bundle_check *check) {
    return check->plan.options.cases != NULL && (check->cases != NULL || !check->plan.known);
}

static void bundle_judge_forget(struct judging *judging) {
    iw_bundle_texts_clear(&judging->events);
    iw_bundle_texts_clear(&judging->seen.findings);
    *judging = (struct judging){.own = {judging->own[0], judging->own[1]}, .claims = judging->claims};
}

/* The suite expects MPA on each connection, as the run did. Only a script knows that MPA begins later: then
 * the log has the events without that expectation. Returns false if the capture is not read to its end. */
static bool bundle_judge_as_run(struct iw_bundle_check *check, struct judging *judging,
    const struct iw_outcome_case *one, const struct iw_bundle_texts *log) {
    unsigned extensions = bundle_judge_extensions(&check->run);
    bool read = bundle_judge_capture(judging, one->capture, extensions, true);
    bool in_log;

    if (!read || !bundle_judge_may_stream(check) ||
        bundle_judge_texts_differ(log, &judging->events, &in_log) == NULL)
        return read;
    bundle_judge_forget(judging);
    read = bundle_judge_capture(judging, one->capture, extensions, false);
    if (!read || bundle_judge_texts_differ(log, &judging->events, &in_log) == NULL) {
        check->unproven.streamed++;
        return read;
    }
    bundle_judge_forget(judging);
    return bundle_judge_capture(judging, one->capture, extensions, true);
}

/* The log of a case that was interrupted ends where the run did: the capture may not show it. */
static void bundle_judge_compare_events(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    const struct judging *judging, const struct iw_bundle_texts *log) {
    bool in_log = false;
    const char *odd = bundle_judge_texts_differ(log, &judging->events, &in_log);

    if (odd != NULL && !json_is_true(json_object_get(one->object, "unfinished")))
        iw_bundle_fault(check, one->id, "only its %s has: %.*s", in_log ? "log" : "capture",
            (int)strcspn(odd, "\n"), odd);
}

static void bundle_judge_compare(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    const struct judging *judging, const struct iw_bundle_texts *log) {
    bundle_judge_compare_events(check, one, judging, log);
    if (judging->frames > 0 && !bundle_judge_file_has(one->capture, one->id))
        iw_bundle_fault(check, one->id, "its capture has no packet of this case");
    if (one->verdict == IW_VERDICT_PASS && judging->seen.device_events == 0)
        iw_bundle_fault(check, one->id, "is \"pass\", but its capture shows nothing of the device");
    iw_bundle_origin_check(check, one, &judging->seen);
    iw_bundle_device_check(check, one, &judging->seen);
}

/* What is left of shortened evidence cannot prove a verdict, but it can disprove one. */
static void bundle_judge_shortened(
    struct iw_bundle_check *check, const struct iw_outcome_case *one, const struct judging *judging) {
    check->unproven.limited++;
    if (!iw_bundle_limit_fits(check, one))
        iw_bundle_fault(check, one->id,
            "says that its evidence is shortened, but it is shorter than half of --evidence-limit");
    iw_bundle_origin_check(check, one, &judging->seen);
    iw_bundle_device_check_shortened(check, one, &judging->seen);
}

/* The initiator of a connection opens it: it is side A. */
static void bundle_judge_case(struct iw_bundle_check *check, const struct iw_outcome_case *one,
    struct judging *judging, struct iw_bundle_texts *log) {
    bool device_opens = strcmp(iw_json_member_text(one->object, "role"), "initiator") == 0;
    bool limited = iw_bundle_is_limited(one);

    judging->own[IW_SIDE_A] = !device_opens;
    judging->own[IW_SIDE_B] = device_opens;
    judging->claims = &check->plan.stated;
    if (!bundle_judge_read_log(log, one->log) || !bundle_judge_as_run(check, judging, one, log))
        iw_bundle_fault(check, one->id, "its capture cannot be read to its end");
    else if (limited)
        bundle_judge_shortened(check, one, judging);
    else if (log->incomplete || judging->events.incomplete || judging->seen.findings.incomplete)
        iw_bundle_fault(check, one->id, "too large to be judged again");
    else
        bundle_judge_compare(check, one, judging, log);
}

void iw_bundle_judge(struct iw_bundle_check *check) {
    struct judging *judging = malloc(sizeof *judging);
    struct iw_bundle_texts log;

    if (judging == NULL)
        iw_bundle_note_no_memory();
    for (size_t i = 0; judging != NULL && i < check->run.count; i++) {
        const struct iw_outcome_case *one = &check->run.cases[i];

        if (one->capture == NULL || one->log == NULL)
            continue;
        *judging = (struct judging){.own = {false, false}};
        log = (struct iw_bundle_texts){.list = NULL};
        bundle_judge_case(check, one, judging, &log);
        iw_bundle_texts_clear(&judging->events);
        iw_bundle_texts_clear(&judging->seen.findings);
        iw_bundle_texts_clear(&log);
    }
    free(judging);
}
