#include "iw_impaired_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_impaired_verdict.h"
#include "iw_watch.h"

/* One of the two TCP connections of a conversation. */
struct trial_end {
    struct iw_impaired_trial *trial;
    enum iw_side end; /* of which device; it is the side of the same name in its connection */
    struct iw_watch *watch;
    uint64_t offset[2]; /* by side, of the next octet */
};

struct iw_impaired_trial {
    struct iw_trial_result *result;
    struct iw_trial_record *record;
    enum iw_side judged;
    struct trial_end ends[2];
    unsigned conversations; /* before this one */
    struct iw_impaired_facts facts;
    uint64_t request_ns;
};

/* ---- events ---- */

static unsigned trial_connection(const struct trial_end *end) {
    return 2 * end->trial->conversations + (unsigned)end->end + 1;
}

static void trial_measure_startup(struct iw_impaired_trial *trial, const struct iw_llp_event *llp) {
    if (llp->startup->key == IW_STARTUP_REQUEST)
        trial->request_ns = llp->time_ns;
    else if (llp->startup->key == IW_STARTUP_REPLY && trial->request_ns > 0)
        trial->result->startup_us = (llp->time_ns - trial->request_ns) / 1000 + 1;
}

static void trial_event(void *user, const struct iw_monitor_event *event) {
    struct trial_end *end = user;
    struct iw_impaired_trial *trial = end->trial;
    bool own[2] = {true, true}; /* the relay's side of the connection */

    own[end->end] = false;
    iw_impaired_facts_event(&trial->facts, end->end, event);
    iw_trial_record_event(trial->record, trial_connection(end), own, event);
    /* An impairment may delay the Reply: only the conversation without one is a measure. */
    if (event->llp->kind == IW_LLP_STARTUP && end->end == IW_SIDE_B && trial->result->one == NULL)
        trial_measure_startup(trial, event->llp);
    if (trial->result->one != NULL && end->end == trial->judged)
        iw_trial_result_event(trial->result, trial_connection(end), own, event);
}

/* ---- what the relay reports ---- */

static void trial_comment(struct trial_end *end, const char *text) {
    static const bool both[2] = {true, true};

    if (end->watch != NULL && end->trial->record->recorder != NULL)
        iw_watch_comment(end->watch, both, text);
}

static bool trial_begin_watch(struct trial_end *end, const struct iw_relay_tap *tap) {
    const struct iw_watch_config config = {.recorder = end->trial->record->recorder,
        .extensions = IW_EXT_DEFAULT,
        .sink = trial_event,
        .user = end};

    end->watch = iw_watch_new_apart(tap->addresses, &config);
    if (end->watch != NULL && end->trial->result->one != NULL)
        trial_comment(end, end->trial->result->one->id);
    return end->watch != NULL;
}

void iw_impaired_trial_tap(struct iw_impaired_trial *trial, const struct iw_relay_tap *tap) {
    struct trial_end *end = &trial->ends[tap->end];
    struct iw_chunk chunk = *tap->chunk;

    if (end->watch == NULL && !trial_begin_watch(end, tap)) {
        iw_trial_record_break(trial->record, "out of memory");
        return;
    }
    chunk.offset = end->offset[chunk.side];
    end->offset[chunk.side] += chunk.length;
    iw_impaired_facts_chunk(&trial->facts, tap->end, &chunk);
    iw_watch_chunk(end->watch, &chunk);
}

/* The packets from here on have the rule as their comment, with the id of the case. */
static void trial_note_rule(struct iw_impaired_trial *trial, const struct iw_relay_note *note) {
    const char *id = trial->result->one != NULL ? trial->result->one->id : "";
    bool applied = note->kind == IW_RELAY_IMPAIRED;
    char text[256];

    iw_impaired_facts_rule(&trial->facts, note->direction, note->passed, applied);
    snprintf(text, sizeof text, "%s%s: %s", applied ? "impaired" : "not impaired",
        note->direction == IW_SIDE_A ? " (initiator)" : " (responder)", note->rule->text);
    iw_trial_record_step(trial->record, text);
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
    case IW_RELAY_LEFT:
    case IW_RELAY_ENDED:
    case IW_RELAY_RESET:
        break;
    }
}

/* ---- begin and end ---- */

struct iw_impaired_trial *iw_impaired_trial_new(
    struct iw_trial_result *result, struct iw_trial_record *record) {
    struct iw_impaired_trial *trial = calloc(1, sizeof *trial);

    if (trial == NULL)
        return NULL;
    trial->result = result;
    trial->record = record;
    for (enum iw_side end = IW_SIDE_A; end <= IW_SIDE_B; end++)
        trial->ends[end] = (struct trial_end){.trial = trial, .end = end};
    trial->judged = result->one == NULL || result->one->initiator ? IW_SIDE_A : IW_SIDE_B;
    return trial;
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

void iw_impaired_trial_end(struct iw_impaired_trial *trial, uint32_t silent_ms, bool deadline) {
    trial->facts.silent = silent_ms > 0;
    trial->facts.waited_ms = silent_ms;
    trial->facts.deadline = deadline;
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

void iw_impaired_trial_judge(struct iw_impaired_trial *trial, const struct iw_impaired_facts *base,
    const struct iw_verdict_rules *rules) {
    iw_impaired_verdict(trial->result, &trial->facts, base, rules);
}

void iw_impaired_trial_free(struct iw_impaired_trial *trial) {
    if (trial == NULL)
        return;
    trial_finish_watches(trial);
    free(trial);
}
