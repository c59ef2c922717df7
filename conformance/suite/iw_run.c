#include "iw_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "iw_interrupt.h"
#include "iw_run_state.h"
#include "iw_timeouts.h"

enum { UNREACHED_MAX = 3 };

void run_stop(struct run *run) {
    struct run_trial *trial;

    if (!run->stopped)
        run->counts->left += iw_order_take_rest(&run->order);
    run->stopped = true;
    TAILQ_FOREACH(trial, &run->trials, others)
    iw_trial_interrupt(trial->trial);
}

void run_break(struct run *run, const char *why) {
    if (run->broken[0] || !why)
        return;
    snprintf(run->broken, sizeof run->broken, "%s", why);
    run_stop(run);
}

/* ---- end of trials ---- */

static void run_start_trials(struct run *run);

/* Whether the result ends the run. The command of --before may bring the agent back. */
static bool run_is_broken_by(const struct run *run, const struct iw_trial_result *result) {
    return result->end == IW_TRIAL_BROKEN || (result->no_command && run->reached) ||
           (result->no_agent && run->reached && !run->config->before && !run->crashed);
}

/* Reports a crash that the console shows before the trial, unless the device failed in the last one, or was
 * not ready for it: the messages are then of that crash, or of the restart by --before. */
static void run_take_crash_before(struct run *run, const char *line) {
    if (line[0] && run->last && !run->failed)
        run_report_crash(run, run->last, line);
}

static void run_take_device(struct run *run, const struct run_trial *ended) {
    const struct iw_trial_device *device = iw_trial_device(ended->trial);
    char text[IW_TRIAL_FAILURE_OCTETS];

    run_take_crash_before(run, device->crash_before);
    if (ended->count > 0)
        run->last = ended->slots[ended->count - 1]->one;
    if (iw_trial_failed_apart(ended->trial, text))
        run_report_crash(run, run->last, text);
    run->healthy = device->healthy;
    run->crashed |= device->crash[0] || device->unresponsive[0];
    run->failed = device->crash[0] || device->unresponsive[0] || device->not_ready;
}

/* Whether the measure of the way shows that the run cannot begin. */
static bool run_lacks_measure(const struct run *run, const struct run_trial *ended) {
    return ended->count == 0 && run->failed;
}

static void run_take_reach(struct run *run, const struct run_trial *ended) {
    const struct iw_trial_result *result = iw_trial_result_of(ended->trial, 0);
    bool unreached = result->end == IW_TRIAL_UNREACHED || run_lacks_measure(run, ended);

    run->reached |= !unreached;
    for (size_t i = 0; i < ended->count || i == 0; i++)
        if (run_is_broken_by(run, iw_trial_result_of(ended->trial, i)))
            run_break(run, iw_trial_result_of(ended->trial, i)->reason.message);
    run->unreached = unreached ? run->unreached + 1 : 0;
    if (unreached)
        snprintf(run->unreachable_reason, sizeof run->unreachable_reason, "%s%s",
            result->end == IW_TRIAL_UNREACHED ? "" : "without impairment, ", result->reason.message);
    if (result->startup_us > 0)
        run->startup_us = iw_timeouts_learn(run->startup_us, result->startup_us);
    if (result->names.agent[0])
        run->names = result->names;
}

static void run_trial_ended(void *user, struct iw_trial *trial) {
    struct run_trial *ended = user;
    struct run *run = ended->run;

    TAILQ_REMOVE(&run->trials, ended, others);
    run->running--;
    run_take_device(run, ended);
    run_take_reach(run, ended);
    /* An unreachable device is reported once, not for each case. The first cases test this: some devices fail
     * on a separate test connection, which they do not expect. */
    if (run->config->target.host && !run->reached)
        run->unreachable = run->stopped = true;
    else
        for (size_t i = 0; i < ended->count; i++)
            run_end_slot(run, ended->slots[i], iw_trial_result_of(trial, i));
    free(ended);
    run_start_trials(run);
    if (run->running == 0)
        iw_loop_stop(run->loop);
}

/* ---- start of trials ---- */

/* Gives the slot a result if its case cannot run. */
static bool run_can_run(struct run *run, struct run_slot *slot) {
    struct iw_trial_result result = {.one = slot->one, .severity = iw_case_severity(slot->one)};

    if (!iw_selection_can_run(run->config, slot->one, &result.verdict, result.reason.message)) {
        run_end_slot(run, slot, &result);
        return false;
    }
    if (run->config->target.host && run->unreached >= UNREACHED_MAX) {
        result.verdict = IW_VERDICT_INCONCLUSIVE;
        result.end = IW_TRIAL_UNFINISHED;
        snprintf(result.reason.message, sizeof result.reason.message, "not run: the device is gone (%.200s)",
            run->unreachable_reason);
        run_end_slot(run, slot, &result);
        return false;
    }
    return true;
}

/* Makes a slot for the case that is next; NULL if memory runs out. */
static struct run_slot *run_add_slot(struct run *run, const struct iw_case *one) {
    struct run_slot *slot = calloc(1, sizeof *slot);

    if (!slot) {
        run->no_memory = run->stopped = true;
        return NULL;
    }
    *slot = (struct run_slot){.one = one, .repeat = run->order.repeat};
    iw_order_take(&run->order);
    STAILQ_INSERT_TAIL(&run->slots, slot, others);
    return slot;
}

static void run_start_trial(struct run *run, struct run_slot *const *slots, size_t count) {
    struct run_trial *trial = calloc(1, sizeof *trial);
    struct iw_trial_config config = {.count = count,
        .loop = run->loop,
        .run = run->config,
        .healthy = run->healthy && !run->failed,
        .startup_us = run->startup_us,
        .done = run_trial_ended,
        .user = trial};

    if (trial) {
        *trial = (struct run_trial){.run = run, .count = count};
        for (size_t i = 0; i < count; i++) {
            trial->slots[i] = slots[i];
            config.cases[i] = slots[i]->one;
            iw_order_name_capture(&run->order, slots[i]->one, slots[i]->repeat, slots[i]->result.capture);
            config.captures[i] = run->config->folder ? slots[i]->result.capture : NULL;
        }
        trial->trial = iw_trial_start(&config);
    }
    if (trial && trial->trial) {
        TAILQ_INSERT_TAIL(&run->trials, trial, others);
        run->running++;
        return;
    }
    free(trial);
    for (size_t i = 0; i < count; i++) {
        struct iw_trial_result result = {
            .one = slots[i]->one, .severity = iw_case_severity(slots[i]->one), .verdict = IW_VERDICT_ERROR};

        snprintf(result.reason.message, sizeof result.reason.message, "out of memory");
        run_end_slot(run, slots[i], &result);
    }
    run->no_memory |= count == 0;
}

/* Whether the case that is next is about the conversation of `slot`, in the same repeat. */
static const struct iw_case *run_next_shared(struct run *run, const struct run_slot *slot) {
    const struct iw_trial_way *way = run->config->way;
    const struct iw_case *one = way && way->shares && !run->stopped ? iw_order_next(&run->order) : NULL;

    return one && run->order.repeat == slot->repeat && way->shares(slot->one, one) ? one : NULL;
}

/* Starts a trial of the case that is next, and of those that share it. */
static void run_start_next(struct run *run, const struct iw_case *one) {
    struct run_slot *slots[IW_TRIAL_CASES_MAX], *slot = run_add_slot(run, one);
    size_t count = 0;

    if (!slot || !run_can_run(run, slot))
        return;
    slots[count++] = slot;
    while (count < IW_TRIAL_CASES_MAX && (one = run_next_shared(run, slot)) != NULL) {
        struct run_slot *other = run_add_slot(run, one);

        if (other && run_can_run(run, other))
            slots[count++] = other;
    }
    run_start_trial(run, slots, count);
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
static void run_start_trials(struct run *run) {
    const struct iw_case *one;
    size_t passed = 0;

    run_check_budget(run);
    while (!run->stopped && run->running < run->config->jobs && (one = iw_order_next(&run->order)) != NULL) {
        run_start_next(run, one);
        run->stopped |=
            run->config->limits.endless && run->running == 0 && ++passed >= run->order.selection.count;
    }
}

static void run_interrupt(void *user) {
    run_stop(user);
}

/* Runs the cases. An idle loop means that no event can occur: then ends a running trial. */
static void run_cases(struct run *run) {
    struct iw_interrupt *interrupt = iw_interrupt_new(run->loop, run_interrupt, run);

    iw_interrupt_hold(interrupt);
    if (run->order.selection.total > 0 && run_may_report(run))
        run_report_begin(run); /* begins the results file before captures can fill the disk */
    if (run->config->way && run->config->way->measures)
        run_start_trial(run, NULL, 0);
    else
        run_start_trials(run);
    while (run->running > 0) {
        if (iw_loop_run(run->loop) || run->running == 0)
            continue;
        iw_trial_stall(TAILQ_FIRST(&run->trials)->trial);
    }
    iw_interrupt_free(interrupt);
    run->over = !run->unreachable;
    run_report_finished(run);
}

/* ---- begin and end of the run ---- */

static enum iw_status run_prepare(struct run *run, char *error, size_t error_octets) {
    const struct iw_run_config *config = run->config;
    enum iw_status status;

    STAILQ_INIT(&run->slots);
    TAILQ_INIT(&run->trials);
    run->begun_ms = uv_hrtime() / 1000000;
    run->loop = iw_loop_new(config->simulated ? IW_LOOP_VIRTUAL : IW_LOOP_REAL);
    if (!run->loop)
        return IW_ERR_NOMEM;
    status = iw_order_init(&run->order, config, error, error_octets);
    if (status != IW_OK)
        return status;
    run->counts->selected = (unsigned)run->order.selection.total;
    run->counts->shard = config->selection.shard;
    run->counts->shards = config->selection.shards;
    run_count_earlier(run);
    return IW_OK;
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
        struct run_slot *slot = STAILQ_FIRST(&run->slots);

        STAILQ_REMOVE_HEAD(&run->slots, others);
        free(slot);
    }
    iw_loop_free(run->loop);
    iw_order_dispose(&run->order);
}

/* Runs between the begin and the end of the way. */
static enum iw_status run_by_way(struct run *run, char *error, size_t error_octets) {
    const struct iw_trial_way *way = run->config->way;
    enum iw_status status;

    if (run->order.selection.count == 0)
        return run_finish(run, error, error_octets);
    if (way && way->open && !way->open(run->config->way_user, run->loop, error, error_octets))
        return IW_ERR_IO;
    run_cases(run);
    status = run_finish(run, error, error_octets);
    if (way && way->close)
        way->close(run->config->way_user);
    return status;
}

enum iw_status iw_run(
    const struct iw_run_config *config, struct iw_run_counts *counts, char *error, size_t error_octets) {
    struct run run = {.config = config, .counts = counts};
    enum iw_status status;

    memset(counts, 0, sizeof *counts);
    snprintf(error, error_octets, "out of memory");
    status = run_prepare(&run, error, error_octets);
    if (status == IW_OK)
        status = run_by_way(&run, error, error_octets);
    run_dispose(&run);
    return status;
}
