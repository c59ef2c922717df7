#include "iw_trial_record.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "iw_whole_file.h"

void iw_trial_record_log_path(const char *capture, char *log, size_t octets) {
    const char *dot = strrchr(capture, '.');
    ptrdiff_t length = dot ? dot - capture : (ptrdiff_t)strlen(capture);

    snprintf(log, octets, "%.*s.log", (int)length, capture);
}

void iw_trial_record_break(struct iw_trial_record *record, const char *why) {
    if (record->broken[0] == '\0')
        snprintf(record->broken, sizeof record->broken, "%s", why);
}

static void trial_record_break_log(struct iw_trial_record *record, int error) {
    char text[IW_RECORDER_TEXT_OCTETS];

    snprintf(text, sizeof text, "%.400s: %s", record->log, strerror(error));
    iw_trial_record_break(record, text);
}

static void trial_record_stopped(void *user, const char *text) {
    struct iw_trial_record *record = user;

    iw_trial_record_break(record, text);
    record->stopped(record->user);
}

static bool trial_record_open_log(
    struct iw_trial_record *record, const struct iw_case *one, const char *capture, uint64_t limit) {
    FILE *out;

    iw_trial_record_log_path(capture, record->log, sizeof record->log);
    out = fopen(record->log, "w");
    if (!out) {
        trial_record_break_log(record, errno);
        return false;
    }
    iw_evidence_begin(&record->evidence, out, one);
    iw_evidence_limit(&record->evidence, limit);
    return true;
}

bool iw_trial_record_open(struct iw_trial_record *record, const struct iw_case *one, const char *capture,
    uint64_t limit, iw_timer_call *stopped, void *user) {
    char text[IW_RECORDER_TEXT_OCTETS];

    record->stopped = stopped;
    record->user = user;
    record->recorder = iw_recorder_open(capture, NULL, text);
    if (!record->recorder) {
        iw_trial_record_break(record, text);
        return false;
    }
    iw_recorder_tell(record->recorder, trial_record_stopped, record);
    iw_recorder_limit(record->recorder, limit);
    return trial_record_open_log(record, one, capture, limit);
}

void iw_trial_record_event(struct iw_trial_record *record, unsigned connection, const bool own[2],
    const struct iw_monitor_event *event) {
    if (record->evidence.out)
        iw_evidence_event(&record->evidence, connection, own, event);
    for (size_t i = 0; record->recorder && i < event->finding_count; i++)
        iw_recorder_keep(record->recorder, event->findings[i].frame);
}

void iw_trial_record_step(struct iw_trial_record *record, const char *text) {
    if (record->evidence.out)
        iw_evidence_step(&record->evidence, text);
}

void iw_trial_record_close_capture(struct iw_trial_record *record, struct iw_trial_result *result) {
    char text[IW_RECORDER_TEXT_OCTETS];

    if (record->recorder)
        iw_recorder_left_out(record->recorder, &result->evidence.shortened, &result->evidence.missing);
    result->evidence.left_out = record->evidence.left_out;
    if (iw_recorder_close(record->recorder, text) != IW_OK)
        iw_trial_record_break(record, text);
    record->recorder = NULL;
}

static void trial_record_end_log(
    struct iw_trial_record *record, const struct iw_trial_result *result, const struct iw_console *console) {
    FILE *out = record->evidence.out;
    int error;

    if (!out)
        return;
    if (console)
        iw_console_put_excerpt(out, console);
    iw_evidence_verdict(&record->evidence, result);
    error = iw_whole_file_flush(out);
    if (fclose(out) != 0 && error == 0)
        error = errno;
    record->evidence.out = NULL;
    if (error != 0)
        trial_record_break_log(record, error);
}

void iw_trial_record_close_log(
    struct iw_trial_record *record, struct iw_trial_result *result, const struct iw_console *console) {
    trial_record_end_log(record, result, console);
    if (record->broken[0] == '\0')
        return;
    iw_trial_result_set(result, IW_VERDICT_INCONCLUSIVE, record->broken);
    result->checks = (struct iw_trial_checks){.verdict = IW_VERDICT_PASS};
    result->end = IW_TRIAL_BROKEN;
}
