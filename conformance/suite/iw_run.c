#include "iw_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "iw_interrupt.h"
#include "iw_port.h"
#include "iw_selection.h"

/* A case that is to be run, is running, or has been. */
struct slot {
    struct run *run;
    const struct iw_case *one;
    struct iw_trial *trial; /* while it runs */
    bool over;
    char capture[512];
    struct iw_trial_result result; /* when it is over */
};

struct run {
    const struct iw_run_config *config;
    struct iw_run_counts *counts;
    struct iw_loop *loop;
    struct slot *slots;
    size_t count;
    size_t next;     /* to be started */
    size_t reported; /* results handed over */
    unsigned running;
    bool reached;     /* a connection to the device was had */
    bool unreachable; /* the first case had none */
};

/* ---- running ---- */

static void report(struct run *run) {
    for (; run->reported < run->count && run->slots[run->reported].over; run->reported++) {
        const struct iw_trial_result *result = &run->slots[run->reported].result;

        run->counts->cases++;
        run->counts->verdicts[result->verdict]++;
        run->counts->wrong_closes += result->close_verdict == IW_CLOSE_WRONG;
        if (run->config->result)
            run->config->result(run->config->user, result);
    }
}

static void end_slot(struct slot *slot, const struct iw_trial_result *result) {
    slot->result = *result;
    slot->over = true;
    report(slot->run);
}

static void start_slots(struct run *run);

/* Nobody listens there: said once instead of by every case. A connection made only to find out would be one
 * that the device did not ask for, and not every device takes it well. */
static void give_up(struct slot *slot, const struct iw_trial_result *result) {
    slot->result = *result;
    slot->run->unreachable = true;
    slot->run->next = slot->run->count;
}

static void take_result(void *user, const struct iw_trial_result *result) {
    struct slot *slot = user;
    struct run *run = slot->run;

    slot->trial = NULL;
    run->running--;
    run->reached |= !result->unreached;
    if (run->config->host && !run->reached)
        give_up(slot, result);
    else
        end_slot(slot, result);
    start_slots(run);
    if (run->running == 0)
        iw_loop_stop(run->loop);
}

static void start_slot(struct slot *slot) {
    const struct iw_run_config *config = slot->run->config;
    struct iw_trial_result result = {
        .one = slot->one, .verdict = IW_VERDICT_NOT_APPLICABLE, .severity = iw_case_severity(slot->one)};
    struct iw_trial_config trial = {.one = slot->one,
        .loop = slot->run->loop,
        .host = config->host,
        .port = config->port,
        .agent = config->agent,
        .profile = config->profile,
        .defect = config->defect,
        .strict = config->strict,
        .done = take_result,
        .user = slot};

    if (!iw_selection_applies(config, slot->one, result.message)) {
        end_slot(slot, &result);
        return;
    }
    if (config->folder) {
        snprintf(slot->capture, sizeof slot->capture, "%s/%s.pcapng", config->folder, slot->one->id);
        trial.capture = slot->capture;
    }
    slot->trial = iw_trial_start(&trial);
    if (slot->trial) {
        slot->run->running++;
        return;
    }
    result.verdict = IW_VERDICT_ERROR;
    snprintf(result.message, sizeof result.message, "out of memory");
    end_slot(slot, &result);
}

static void start_slots(struct run *run) {
    while (run->next < run->count && run->running < run->config->jobs)
        start_slot(&run->slots[run->next++]);
}

static void take_interrupt(void *user) {
    struct run *run = user;

    run->counts->left = (unsigned)(run->count - run->next);
    run->count = run->next;
    for (size_t i = 0; i < run->count; i++)
        if (run->slots[i].trial)
            iw_trial_interrupt(run->slots[i].trial);
}

/* A loop with nothing left to do leaves cases that wait for what cannot come. */
static void run_slots(struct run *run) {
    struct iw_interrupt *interrupt = iw_interrupt_new(run->loop, take_interrupt, run);

    start_slots(run);
    while (run->running > 0) {
        if (iw_loop_run(run->loop))
            continue;
        for (size_t i = 0; i < run->count; i++)
            if (run->slots[i].trial)
                iw_trial_stall(run->slots[i].trial);
    }
    iw_interrupt_free(interrupt);
}

/* ---- all together ---- */

static void explain_unreachable(const struct run *run, char *error, size_t error_octets) {
    for (size_t i = 0; i < run->count; i++)
        if (run->slots[i].result.unreached)
            snprintf(error, error_octets, "%s", run->slots[i].result.message);
}

enum iw_status iw_run(
    const struct iw_run_config *config, struct iw_run_counts *counts, char *error, size_t error_octets) {
    struct run run = {.config = config, .counts = counts};
    struct iw_selection selection = {0};
    enum iw_status status = iw_selection_init(&selection, config);

    memset(counts, 0, sizeof *counts);
    snprintf(error, error_octets, "out of memory");
    run.slots = calloc(selection.count + 1, sizeof *run.slots);
    run.loop = iw_loop_new(config->simulated ? IW_LOOP_VIRTUAL : IW_LOOP_REAL);
    if (status != IW_OK || !run.slots || !run.loop) {
        status = IW_ERR_NOMEM;
    } else {
        counts->selected = (unsigned)selection.total;
        for (; run.count < selection.count; run.count++)
            run.slots[run.count] = (struct slot){.run = &run, .one = selection.cases[run.count]};
        run_slots(&run);
    }
    if (run.unreachable) {
        status = IW_ERR_IO;
        explain_unreachable(&run, error, error_octets);
    }
    iw_loop_free(run.loop);
    free(run.slots);
    iw_selection_dispose(&selection);
    return status;
}

enum iw_exit iw_run_exit(const struct iw_run_counts *counts) {
    if (counts->selected == 0)
        return IW_EXIT_ENVIRONMENT;
    if (counts->verdicts[IW_VERDICT_ERROR] > 0)
        return IW_EXIT_INTERNAL;
    if (counts->verdicts[IW_VERDICT_FAIL] > 0)
        return IW_EXIT_VIOLATIONS;
    return counts->verdicts[IW_VERDICT_INCONCLUSIVE] + counts->left > 0 ? IW_EXIT_UNJUDGED : IW_EXIT_CONFORMS;
}
