#include "iw_impaired_trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_evidence.h"
#include "iw_impaired_verdict.h"
#include "iw_recorder.h"
#include "iw_trial.h"
#include "iw_watch.h"
#include "iw_whole_file.h"

/* One of the two TCP connections of a conversation. */
struct trial_end {
    struct iw_impaired_trial *trial;
    enum iw_side end; /* of which device; it is the side of the same name in its connection */
    struct iw_watch *watch;
    uint64_t offset[2]; /* by side, of the next octet */
};

struct iw_impaired_trial {
    const struct iw_run_config *run;
    enum iw_side judged;
    struct trial_end ends[2];
    unsigned conversations; /* before this one */
    struct iw_impaired_facts facts;
    struct iw_recorder *recorder;
    char log[512];
    struct iw_evidence evidence;          /* `out` NULL: no log */
    char broken[IW_RECORDER_TEXT_OCTETS]; /* why capture or log cannot be written; "": they can */
    uint64_t begin_ns, end_ns, request_ns, startup_us;
    struct iw_trial_result result;
};

/* ---- events ---- */

static unsigned trial_connection(const struct trial_end *end) {
    return 2 * end->trial->conversations + (unsigned)end->end + 1;
}

static void trial_measure_startup(struct iw_impaired_trial *trial, const struct iw_llp_event *llp) {
    if (llp->startup->key == IW_STARTUP_REQUEST)
        trial->request_ns = llp->time_ns;
    else if (llp->startup->key == IW_STARTUP_REPLY && trial->request_ns > 0)
        trial->startup_us = (llp->time_ns - trial->request_ns) / 1000 + 1;
}

static void trial_event(void *user, const struct iw_monitor_event *event) {
    struct trial_end *end = user;
    struct iw_impaired_trial *trial = end->trial;
    bool own[2] = {true, true}; /* the relay's side of the connection */

    own[end->end] = false;
    iw_impaired_facts_event(&trial->facts, end->end, event);
    if (trial->evidence.out != NULL)
        iw_evidence_event(&trial->evidence, trial_connection(end), own, event);
    for (size_t i = 0; trial->recorder != NULL && i < event->finding_count; i++)
        iw_recorder_keep(trial->recorder, event->findings[i].frame);
    if (event->llp->kind == IW_LLP_STARTUP && end->end == IW_SIDE_B)
        trial_measure_startup(trial, event->llp);
    if (trial->result.one != NULL && end->end == trial->judged)
        iw_trial_result_event(&trial->result, trial_connection(end), own, event);
}

/* ---- what the relay reports ---- */

/* Notes why the evidence cannot be written. Only the first reason counts: the others follow from it. */
static void trial_break(struct iw_impaired_trial *trial, const char *why) {
    if (trial->broken[0] == '\0')
        snprintf(trial->broken, sizeof trial->broken, "%s", why);
}

static void trial_comment(struct trial_end *end, const char *text) {
    static const bool both[2] = {true, true};

    if (end->watch != NULL && end->trial->recorder != NULL)
        iw_watch_comment(end->watch, both, text);
}

static bool trial_begin_watch(struct trial_end *end, const struct iw_relay_tap *tap) {
    const struct iw_watch_config config = {
        .recorder = end->trial->recorder, .extensions = IW_EXT_DEFAULT, .sink = trial_event, .user = end};

    end->watch = iw_watch_new_apart(tap->addresses, &config);
    if (end->watch != NULL && end->trial->result.one != NULL)
        trial_comment(end, end->trial->result.one->id);
    return end->watch != NULL;
}

void iw_impaired_trial_tap(struct iw_impaired_trial *trial, const struct iw_relay_tap *tap) {
    struct trial_end *end = &trial->ends[tap->end];
    struct iw_chunk chunk = *tap->chunk;

    if (end->watch == NULL && !trial_begin_watch(end, tap)) {
        trial_break(trial, "out of memory");
        return;
    }
    chunk.offset = end->offset[chunk.side];
    end->offset[chunk.side] += chunk.length;
    trial->end_ns = chunk.time_ns;
    if (trial->begin_ns == 0)
        trial->begin_ns = chunk.time_ns;
    iw_impaired_facts_chunk(&trial->facts, tap->end, &chunk);
    iw_watch_chunk(end->watch, &chunk);
}

/* The packets from here on have the rule as their comment, with the id of the case. */
static void trial_note_rule(struct iw_impaired_trial *trial, const struct iw_relay_note *note) {
    const char *id = trial->result.one != NULL ? trial->result.one->id : "";
    bool applied = note->kind == IW_RELAY_IMPAIRED;
    char text[256];

    iw_impaired_facts_rule(&trial->facts, note->direction, note->passed, applied);
    snprintf(text, sizeof text, "%s%s: %s", applied ? "impaired" : "not impaired",
        note->direction == IW_SIDE_A ? " (initiator)" : " (responder)", note->rule->text);
    if (trial->evidence.out != NULL)
        iw_evidence_step(&trial->evidence, text);
    snprintf(text, sizeof text, "%s: %s %s", id, applied ? "after" : "not impaired:", note->rule->text);
    trial_comment(&trial->ends[IW_SIDE_A], text);
    trial_comment(&trial->ends[IW_SIDE_B], text);
}

void iw_impaired_trial_note(struct iw_impaired_trial *trial, const struct iw_relay_note *note) {
    switch (note->kind) {
    case IW_RELAY_OPENED:
        trial->facts.opened = true;
        break;
    case IW_RELAY_IMPAIRED:
    case IW_RELAY_UNFIT:
        trial_note_rule(trial, note);
        break;
    case IW_RELAY_REFUSED:
    case IW_RELAY_ENDED:
    case IW_RELAY_RESET:
        break;
    }
}

/* ---- begin and end ---- */

static bool trial_open_log(struct iw_impaired_trial *trial, const char *capture, char *text) {
    FILE *out;

    iw_trial_log_path(capture, trial->log, sizeof trial->log);
    out = fopen(trial->log, "w");
    if (out == NULL) {
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "%.400s: %s", trial->log, strerror(errno));
        return false;
    }
    iw_evidence_begin(&trial->evidence, out, trial->result.one);
    iw_evidence_limit(&trial->evidence, trial->run->evidence_octets);
    return true;
}

static void trial_recording_stopped(void *user, const char *text) {
    trial_break(user, text);
}

static bool trial_open_evidence(struct iw_impaired_trial *trial, const char *capture, char *text) {
    trial->recorder = iw_recorder_open(capture, NULL, text);
    if (trial->recorder == NULL)
        return false;
    iw_recorder_tell(trial->recorder, trial_recording_stopped, trial);
    iw_recorder_limit(trial->recorder, trial->run->evidence_octets);
    snprintf(trial->result.capture, sizeof trial->result.capture, "%s", capture);
    return trial_open_log(trial, capture, text);
}

struct iw_impaired_trial *iw_impaired_trial_new(
    const struct iw_case *one, const struct iw_run_config *run, const char *capture, char *text) {
    struct iw_impaired_trial *trial = calloc(1, sizeof *trial);

    if (trial == NULL) {
        snprintf(text, IW_RECORDER_TEXT_OCTETS, "out of memory");
        return NULL;
    }
    trial->run = run;
    for (enum iw_side end = IW_SIDE_A; end <= IW_SIDE_B; end++)
        trial->ends[end] = (struct trial_end){.trial = trial, .end = end};
    trial->result.one = one;
    if (one == NULL)
        return trial;
    trial->judged = one->initiator ? IW_SIDE_A : IW_SIDE_B;
    trial->result.severity = iw_case_severity(one);
    if (capture == NULL || trial_open_evidence(trial, capture, text))
        return trial;
    iw_recorder_close(trial->recorder, NULL);
    trial->recorder = NULL;
    iw_impaired_trial_free(trial);
    return NULL;
}

static void trial_finish_watches(struct iw_impaired_trial *trial) {
    for (int end = IW_SIDE_A; end <= IW_SIDE_B; end++) {
        if (trial->ends[end].watch == NULL)
            continue;
        iw_watch_finish(trial->ends[end].watch);
        iw_watch_free(trial->ends[end].watch);
        trial->ends[end].watch = NULL;
    }
}

void iw_impaired_trial_end(struct iw_impaired_trial *trial, uint32_t silent_ms) {
    trial->facts.silent = silent_ms > 0;
    trial->facts.waited_ms = silent_ms;
    trial_finish_watches(trial);
}

void iw_impaired_trial_again(struct iw_impaired_trial *trial) {
    trial->facts = (struct iw_impaired_facts){
        .impaired = trial->facts.impaired, .unfit = trial->facts.unfit, .sender = trial->facts.sender};
    /* What is judged happens after the impairment, whatever its place. */
    trial->facts.sides[IW_SIDE_A].reached = trial->facts.sides[IW_SIDE_B].reached = true;
    trial->conversations++;
    memset(trial->ends[IW_SIDE_A].offset, 0, sizeof trial->ends[IW_SIDE_A].offset);
    memset(trial->ends[IW_SIDE_B].offset, 0, sizeof trial->ends[IW_SIDE_B].offset);
}

const struct iw_impaired_facts *iw_impaired_trial_facts(const struct iw_impaired_trial *trial) {
    return &trial->facts;
}

uint64_t iw_impaired_trial_startup_us(const struct iw_impaired_trial *trial) {
    return trial->startup_us;
}

/* ---- the verdict ---- */

/* A verdict without evidence proves nothing: it ends the run. */
static void trial_judge_evidence(struct iw_impaired_trial *trial) {
    if (trial->broken[0] == '\0')
        return;
    iw_trial_result_set(&trial->result, IW_VERDICT_INCONCLUSIVE, trial->broken);
    trial->result.checks = (struct iw_trial_checks){.verdict = IW_VERDICT_PASS};
    trial->result.end = IW_TRIAL_BROKEN;
}

static void trial_close_log(struct iw_impaired_trial *trial) {
    FILE *out = trial->evidence.out;
    char text[IW_RECORDER_TEXT_OCTETS];
    int error;

    if (out == NULL)
        return;
    iw_evidence_verdict(&trial->evidence, &trial->result);
    error = iw_whole_file_flush(out);
    if (fclose(out) != 0 && error == 0)
        error = errno;
    trial->evidence.out = NULL;
    snprintf(text, sizeof text, "%.400s: %s", trial->log, strerror(error));
    if (error != 0)
        trial_break(trial, text);
}

static void trial_close_capture(struct iw_impaired_trial *trial) {
    struct iw_trial_evidence *evidence = &trial->result.evidence;
    char text[IW_RECORDER_TEXT_OCTETS];

    if (trial->recorder != NULL)
        iw_recorder_left_out(trial->recorder, &evidence->shortened, &evidence->missing);
    evidence->left_out = trial->evidence.left_out;
    if (iw_recorder_close(trial->recorder, text) != IW_OK)
        trial_break(trial, text);
    trial->recorder = NULL;
}

const struct iw_trial_result *iw_impaired_trial_judge(
    struct iw_impaired_trial *trial, const struct iw_impaired_facts *base, const char *reason) {
    const struct iw_verdict_rules rules = {.foreign = true, .strict = trial->run->strict};
    struct iw_trial_result *result = &trial->result;

    trial_finish_watches(trial);
    result->duration_ms = (trial->end_ns - trial->begin_ns) / 1000000;
    result->startup_us = trial->startup_us;
    if (reason != NULL)
        iw_trial_result_set(result, IW_VERDICT_INCONCLUSIVE, reason);
    else
        iw_impaired_verdict(result, &trial->facts, base, &rules);
    iw_trial_result_judge(result, &rules);
    trial_close_capture(trial);
    trial_close_log(trial);
    trial_judge_evidence(trial);
    return result;
}

void iw_impaired_trial_free(struct iw_impaired_trial *trial) {
    if (trial == NULL)
        return;
    trial_finish_watches(trial);
    iw_recorder_close(trial->recorder, NULL);
    if (trial->evidence.out != NULL) /* the run ends early: the log needs its end */
        trial_close_log(trial);
    free(trial);
}
