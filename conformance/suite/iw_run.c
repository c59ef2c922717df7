#include "iw_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <uv.h>

#include "iw_interrupt.h"
#include "iw_order.h"
#include "iw_selection.h"
#include "iw_timeouts.h"
#include "iw_trial.h"

enum { CLAIMS_MAX = 32, UNREACHED_MAX = 3 };

/* A case that is running, or has finished and is not reported yet: results are reported in order. */
struct slot {
    struct run *run;
    const struct iw_case *one;
    unsigned repeat;
    struct iw_trial *trial; /* NULL if it does not run */
    bool over;
    struct iw_trial_result result; /* valid when `over`; before, only `capture` is set */
    STAILQ_ENTRY(slot) others;
};

struct run {
    const struct iw_run_config *config;
    struct iw_run_counts *counts;
    struct iw_loop *loop;
    struct iw_order order;
    STAILQ_HEAD(iw_run_slots, slot) slots; /* in the order of their start */
    unsigned running;
    bool begun;       /* the first result has been reported */
    bool stopped;     /* start no more cases */
    bool over;        /* all cases have ended, and the device was reached */
    bool reached;     /* a connection to the device succeeded */
    bool unreachable; /* the first cases could not connect, so the run ends */
    bool no_memory;
    bool crashed;                 /* the device has failed in a case: the lack of an agent is its fault */
    uint64_t begun_ms;            /* time of the start; real time, even with a virtual loop */
    char unreachable_reason[256]; /* why the device is unreachable */
    char broken[512];             /* why the run is broken, or "" */
    uint64_t startup_us;          /* recent time until the Reply of the device */
    struct iw_dut_names names;    /* from the hello of the agent */
    const char *contradicted[CLAIMS_MAX]; /* claims with a reported contradiction */
    const struct iw_case *last;           /* the last case that ran; NULL: none yet */
    bool healthy;                         /* the health command succeeded after the last case */
    bool failed; /* the device crashed or became unresponsive in the last case, or was not ready for it */
    /* Consecutive cases that could not connect; after UNREACHED_MAX, no more cases are run. */
    unsigned unreached;
};

/* Starts no more cases, and interrupts the running ones. */
static void run_stop(struct run *run) {
    struct slot *slot;

    if (!run->stopped)
        run->counts->left += iw_order_take_rest(&run->order);
    run->stopped = true;
    STAILQ_FOREACH(slot, &run->slots, others)
    if (slot->trial)
        iw_trial_interrupt(slot->trial);
}

/* Ends the run: what the suite itself needs has failed, so more results would say nothing about the device.
 */
static void run_break(struct run *run, const char *why) {
    if (run->broken[0] || !why)
        return;
    snprintf(run->broken, sizeof run->broken, "%s", why);
    run_stop(run);
}

/* ---- reports of results ---- */

static void run_count_verdict(struct run *run, enum iw_verdict verdict, bool wrong_close) {
    bool stops =
        verdict == IW_VERDICT_FAIL || verdict == IW_VERDICT_INCONCLUSIVE || verdict == IW_VERDICT_ERROR;

    run->counts->cases++;
    run->counts->verdicts[verdict]++;
    run->counts->wrong_closes += wrong_close;
    run->stopped |= run->config->limits.until_failure && stops;
}

/* Ends the run if its results cannot be recorded. */
static void run_check_recording(struct run *run) {
    if (run->config->handlers.broken)
        run_break(run, run->config->handlers.broken(run->config->handlers.user));
}

static void run_report_begin(struct run *run) {
    const struct iw_run_begin known = {.selected = run->counts->selected,
        .own = (unsigned)run->order.selection.count,
        .about = run->order.selection.about,
        .names = &run->names};

    if (run->begun)
        return;
    run->begun = true;
    if (run->config->handlers.begin)
        run->config->handlers.begin(run->config->handlers.user, &known);
    run_check_recording(run);
}

static bool run_add_contradicted(struct run *run, const char *claim) {
    unsigned *count = &run->counts->contradictions;

    for (unsigned i = 0; i < *count; i++)
        if (strcmp(run->contradicted[i], claim) == 0)
            return false;
    if (*count == CLAIMS_MAX)
        return false;
    run->contradicted[(*count)++] = claim;
    return true;
}

static void run_report_contradictions(struct run *run, const struct iw_trial_result *result) {
    for (unsigned i = 0; i < result->contradictions.count; i++) {
        const struct iw_contradiction *contradiction = &result->contradictions.list[i];

        if (run_add_contradicted(run, contradiction->claim) && run->config->handlers.contradiction)
            run->config->handlers.contradiction(run->config->handlers.user, result->one, contradiction);
    }
}

static void run_report_slot(struct run *run, struct slot *slot) {
    struct iw_trial_result *result = &slot->result;

    run_report_begin(run);
    if (run->broken[0] && result->end != IW_TRIAL_FINISHED) {
        run->counts->left++;
        return;
    }
    iw_order_count(&run->order, result, slot->repeat);
    run_count_verdict(run, result->verdict, result->close.verdict == IW_CLOSE_WRONG);
    if (run->config->handlers.result)
        run->config->handlers.result(run->config->handlers.user, result);
    run_report_contradictions(run, result);
    run_check_recording(run);
}

/* Whether results may be reported. The first result waits until the device is reached, because an unreachable
 * device gets no results; and for the name of the agent, while a running case may still receive it. */
static bool run_may_report(const struct run *run) {
    bool nameless = run->config->target.agent && !run->names.agent[0] && run->running > 0;

    return run->begun || run->over || !run->config->target.host || (run->reached && !nameless);
}

static void run_report_finished(struct run *run) {
    struct slot *slot;

    while ((slot = STAILQ_FIRST(&run->slots)) && slot->over && run_may_report(run)) {
        STAILQ_REMOVE_HEAD(&run->slots, others);
        run_report_slot(run, slot);
        free(slot);
    }
}

static void run_end_slot(struct slot *slot, const struct iw_trial_result *result) {
    slot->result = *result;
    slot->result.repeat = iw_order_number(&slot->run->order, slot->repeat);
    slot->over = true;
    run_report_finished(slot->run);
}

/* Reports a crash that the console shows before a case. Reports none if the device failed in the last case,
 * or was not ready for it: the messages are of that crash, or of the restart by --before. */
static void run_report_crash(struct run *run, const char *line) {
    if (!line[0] || !run->last || run->failed)
        return;
    run->counts->crashes++;
    if (run->config->handlers.crash)
        run->config->handlers.crash(run->config->handlers.user, run->last, line);
}

/* ---- start and end of cases ---- */

static void run_start_slots(struct run *run);

/* Whether the result ends the run. The command of --before may bring the agent back. */
static bool run_is_broken_by(const struct run *run, const struct iw_trial_result *result) {
    return result->end == IW_TRIAL_BROKEN || (result->no_command && run->reached) ||
           (result->no_agent && run->reached && !run->config->before && !run->crashed);
}

static void run_trial_ended(void *user, const struct iw_trial_result *result) {
    struct slot *slot = user;
    struct run *run = slot->run;
    bool unreached = result->end == IW_TRIAL_UNREACHED;

    slot->trial = NULL;
    run->running--;
    run_report_crash(run, result->device.crash_before);
    run->last = slot->one;
    run->healthy = result->device.healthy;
    run->crashed |= result->device.crash[0] || result->device.unresponsive[0];
    run->failed = result->device.crash[0] || result->device.unresponsive[0] || result->device.not_ready;
    run->reached |= !unreached;
    if (run_is_broken_by(run, result))
        run_break(run, result->reason.message);
    run->unreached = unreached ? run->unreached + 1 : 0;
    if (unreached)
        snprintf(run->unreachable_reason, sizeof run->unreachable_reason, "%.255s", result->reason.message);
    if (result->startup_us > 0)
        run->startup_us = iw_timeouts_learn(run->startup_us, result->startup_us);
    if (result->names.agent[0])
        run->names = result->names;
    /* An unreachable device is reported once, not for each case. The first cases test this: some devices fail
     * on a separate test connection, which they do not expect. */
    if (run->config->target.host && !run->reached)
        run->unreachable = run->stopped = true;
    else
        run_end_slot(slot, result);
    run_start_slots(run);
    if (run->running == 0)
        iw_loop_stop(run->loop);
}

static void run_start_slot(struct slot *slot) {
    struct run *run = slot->run;
    const struct iw_run_config *config = run->config;
    struct iw_trial_result result = {.one = slot->one, .severity = iw_case_severity(slot->one)};
    struct iw_trial_config trial = {.one = slot->one,
        .loop = run->loop,
        .run = config,
        .healthy = run->healthy && !run->failed,
        .startup_us = run->startup_us,
        .done = run_trial_ended,
        .user = slot};

    if (!iw_selection_can_run(config, slot->one, &result.verdict, result.reason.message)) {
        run_end_slot(slot, &result);
        return;
    }
    if (config->target.host && run->unreached >= UNREACHED_MAX) {
        result.verdict = IW_VERDICT_INCONCLUSIVE;
        result.end = IW_TRIAL_UNFINISHED;
        snprintf(result.reason.message, sizeof result.reason.message, "not run: the device is gone (%.200s)",
            run->unreachable_reason);
    } else {
        iw_order_name_capture(&run->order, slot->one, slot->repeat, slot->result.capture);
        trial.capture = config->folder ? slot->result.capture : NULL;
        slot->trial = iw_trial_start(&trial);
        if (slot->trial) {
            run->running++;
            return;
        }
        result.verdict = IW_VERDICT_ERROR;
        snprintf(result.reason.message, sizeof result.reason.message, "out of memory");
    }
    run_end_slot(slot, &result);
}

/* Starts the case that is next. */
static void run_add_slot(struct run *run, const struct iw_case *one) {
    struct slot *slot = calloc(1, sizeof *slot);

    if (!slot) {
        run->no_memory = run->stopped = true;
        return;
    }
    *slot = (struct slot){.run = run, .one = one, .repeat = run->order.repeat};
    iw_order_take(&run->order);
    STAILQ_INSERT_TAIL(&run->slots, slot, others);
    run_start_slot(slot);
}

static void run_check_budget(struct run *run) {
    uint32_t budget = run->config->limits.budget_ms;

    if (budget == 0 || run->stopped || uv_hrtime() / 1000000 - run->begun_ms < budget)
        return;
    run->counts->not_started = iw_order_take_rest(&run->order);
    run->stopped = true;
}

/* Starts cases up to the limit of jobs. Stops an endless run if no case of a whole repeat can start: the loop
 * would never run, and SIGINT would have no effect. */
static void run_start_slots(struct run *run) {
    const struct iw_case *one;
    size_t passed = 0;

    run_check_budget(run);
    while (!run->stopped && run->running < run->config->jobs && (one = iw_order_next(&run->order)) != NULL) {
        run_add_slot(run, one);
        run->stopped |=
            run->config->limits.endless && run->running == 0 && ++passed >= run->order.selection.count;
    }
}

static void run_interrupt(void *user) {
    run_stop(user);
}

/* Runs the cases. An idle loop means that no event can occur: then ends the first running case. */
static void run_slots(struct run *run) {
    struct iw_interrupt *interrupt = iw_interrupt_new(run->loop, run_interrupt, run);
    struct slot *slot;

    iw_interrupt_hold(interrupt);
    if (run->order.selection.total > 0 && run_may_report(run))
        run_report_begin(run); /* begins the results file before captures can fill the disk */
    run_start_slots(run);
    while (run->running > 0) {
        if (iw_loop_run(run->loop) || run->running == 0)
            continue;
        STAILQ_FOREACH(slot, &run->slots, others)
        if (slot->trial)
            break;
        iw_trial_stall(slot->trial);
    }
    iw_interrupt_free(interrupt);
    run->over = !run->unreachable;
    run_report_finished(run);
}

static bool run_start(struct run *run, char *error, size_t error_octets) {
    const struct iw_run_config *config = run->config;

    STAILQ_INIT(&run->slots);
    run->begun_ms = uv_hrtime() / 1000000;
    run->loop = iw_loop_new(config->simulated ? IW_LOOP_VIRTUAL : IW_LOOP_REAL);
    if (!run->loop || iw_order_init(&run->order, config, error, error_octets) != IW_OK)
        return false;
    run->counts->selected = (unsigned)run->order.selection.total;
    run->counts->shard = config->selection.shard;
    run->counts->shards = config->selection.shards;
    for (size_t i = 0; i < config->earlier.case_count; i++)
        run_count_verdict(run, config->earlier.cases[i].verdict, config->earlier.cases[i].wrong_close);
    run->counts->crashes = config->earlier.crashes;
    for (size_t i = 0; i < config->earlier.claim_count; i++)
        run_add_contradicted(run, config->earlier.claims[i]);
    return true;
}

static enum iw_status run_finish(struct run *run, char *error, size_t error_octets) {
    if (run->unreachable) {
        snprintf(error, error_octets, "%s", run->unreachable_reason);
        return IW_ERR_IO;
    }
    run->counts->broken = run->broken[0] != '\0';
    if (run->counts->broken) {
        snprintf(error, error_octets, "%s", run->broken);
        return IW_ERR_IO;
    }
    if (run->no_memory)
        return IW_ERR_NOMEM;
    if (run->order.selection.total > 0)
        run_report_begin(run);
    run->counts->flakes = iw_order_report_flakes(&run->order);
    return IW_OK;
}

static void run_dispose(struct run *run) {
    while (!STAILQ_EMPTY(&run->slots)) {
        struct slot *slot = STAILQ_FIRST(&run->slots);

        STAILQ_REMOVE_HEAD(&run->slots, others);
        free(slot);
    }
    iw_loop_free(run->loop);
    iw_order_dispose(&run->order);
}

enum iw_status iw_run(
    const struct iw_run_config *config, struct iw_run_counts *counts, char *error, size_t error_octets) {
    struct run run = {.config = config, .counts = counts};
    enum iw_status status = IW_ERR_NOMEM;

    memset(counts, 0, sizeof *counts);
    snprintf(error, error_octets, "out of memory");
    if (run_start(&run, error, error_octets)) {
        run_slots(&run);
        status = run_finish(&run, error, error_octets);
    }
    run_dispose(&run);
    return status;
}
